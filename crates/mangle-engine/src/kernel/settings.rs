//! What the settings say of an evaluation. What they leave out is at the kernel's own limits.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Clock, Limits};
use mangle_settings::KernelSettings;

impl Limits {
    /// The limits that `settings` ask for.
    #[must_use]
    pub fn of(settings: &KernelSettings) -> Self {
        let default = Self::default();
        let count = |set: Option<u64>, default| {
            set.map_or(default, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
        };
        Self {
            facts: count(settings.max_facts, default.facts),
            derived: count(settings.max_derived, default.derived),
            steps: settings.max_steps.unwrap_or(default.steps),
            time: settings.timeout_ms.map_or(default.time, Duration::from_millis),
            bytes: default.bytes,
        }
    }
}

impl Clock {
    /// The time of evaluation that `settings` ask for, else the time now.
    #[must_use]
    pub fn of(settings: &KernelSettings) -> Self {
        let now = || {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
        };
        Self { now_ns: settings.now.unwrap_or_else(now) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mangle_settings::keys::KERNEL;

    #[test]
    fn the_documented_limits_are_the_kernels() {
        let written = |name: &str| KERNEL.key(name).unwrap().default.parse::<u64>().ok();
        let settings = KernelSettings {
            max_facts: written("max_facts"),
            max_derived: written("max_derived"),
            max_steps: written("max_steps"),
            timeout_ms: written("timeout_ms"),
            ..KernelSettings::default()
        };
        assert_eq!(Limits::of(&settings), Limits::default());
        assert!(settings.max_facts.is_some() && settings.timeout_ms.is_some());
    }

    #[test]
    fn what_is_set_counts() {
        let settings = KernelSettings {
            max_derived: Some(7),
            timeout_ms: Some(20),
            now: Some(5),
            ..KernelSettings::default()
        };
        let expected = Limits { derived: 7, time: Duration::from_millis(20), ..Limits::default() };
        assert_eq!(Limits::of(&settings), expected);
        assert_eq!(Clock::of(&settings), Clock { now_ns: 5 });
    }
}
