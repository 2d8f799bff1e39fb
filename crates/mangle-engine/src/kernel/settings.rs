//! Converts settings to limits and the time of an evaluation.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{Clock, Limits};
use mangle_settings::KernelSettings;

/// The maximum memory of an evaluation in bytes.
const MAX_BYTES: usize = 1 << 30;

impl Limits {
    /// The limits in `settings`.
    #[must_use]
    pub fn from_settings(settings: &KernelSettings) -> Self {
        let count = |limit| usize::try_from(limit).unwrap_or(usize::MAX);
        Self {
            facts: count(settings.max_facts),
            derived: count(settings.max_derived),
            steps: settings.max_steps,
            time: Duration::from_millis(settings.timeout_ms),
            bytes: MAX_BYTES,
        }
    }
}

impl Default for Limits {
    /// The limits of default settings.
    fn default() -> Self {
        Self::from_settings(&KernelSettings::default())
    }
}

impl Clock {
    /// The time of evaluation in `settings`. Default: the current time.
    #[must_use]
    pub fn from_settings(settings: &KernelSettings) -> Self {
        let now = || {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
        };
        Self { now_ns: settings.now.unwrap_or_else(now) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_counts() {
        let settings =
            KernelSettings { max_derived: 7, timeout_ms: 20, now: Some(5), ..KernelSettings::default() };
        let expected = Limits { derived: 7, time: Duration::from_millis(20), ..Limits::default() };
        assert_eq!(Limits::from_settings(&settings), expected);
        assert_eq!(Clock::from_settings(&settings), Clock { now_ns: 5 });
    }
}
