//! Limits of an evaluation: facts, steps, time, memory and cancellation. Checked in the innermost
//! loops, so that every evaluation terminates. Limits and the time of evaluation come from settings.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::kernel::plan::RuleId;
use crate::kernel::{Clock, Datum, Failure, ValueId, Values, work};
use mangle_settings::KernelSettings;
use mangle_syntax::text::{Cancel, Symbol};

/// The number of steps between checks of the clock and of cancellation.
pub const STEPS_BETWEEN_CHECKS: u32 = 1024;

/// Limits of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of tuples in all relations.
    pub facts: usize,
    /// The maximum number of derived tuples.
    pub derived: usize,
    /// The maximum number of steps: visited tuples, computed values and comparisons.
    pub steps: u64,
    /// The maximum duration.
    pub time: Duration,
    /// The maximum memory in bytes for relations, indexes, values and reasons.
    pub bytes: usize,
}

/// The number of steps to traverse a value.
fn weight(datum: &Datum) -> usize {
    match datum {
        Datum::Name(text) | Datum::String(text) => text.len() / 64,
        Datum::Bytes(bytes) => bytes.len() / 64,
        Datum::List(elements) => elements.len() / 8,
        Datum::Map(entries) | Datum::Struct(entries) => entries.len() / 2,
        _ => 0,
    }
}

/// The cause of an early stop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StopReason {
    /// A variable of a premise or a head is unbound, which stops the engine.
    #[error("{0}")]
    Failed(Failure),
    /// [`Limits::facts`]
    #[error("more than {0} facts")]
    Facts(usize),
    /// [`Limits::derived`]
    #[error("more than {0} derived facts")]
    Derived(usize),
    /// [`Limits::steps`]
    #[error("more than {0} steps")]
    Steps(u64),
    /// [`Limits::time`]
    #[error("longer than {0:?}")]
    Time(Duration),
    /// [`Limits::bytes`]
    #[error("more than {0} bytes of memory")]
    Memory(usize),
    /// The evaluation is complete, but the engine may derive other facts: it may evaluate a rule
    /// before the temporal predicate that the rule needs.
    #[error(
        "the result depends on the order of evaluation: the engine may evaluate `{0}` too late for this rule"
    )]
    Unordered(Symbol),
    /// The evaluation was canceled.
    #[error("cancelled")]
    Cancelled,
}

impl StopReason {
    /// The exceeded setting of `[kernel]`. `None` if the reason is not a configurable limit.
    #[must_use]
    pub fn setting(&self) -> Option<&'static str> {
        match self {
            Self::Facts(_) => Some("max_facts"),
            Self::Derived(_) => Some("max_derived"),
            Self::Steps(_) => Some("max_steps"),
            Self::Time(_) => Some("timeout_ms"),
            Self::Failed(_) | Self::Memory(_) | Self::Unordered(_) | Self::Cancelled => None,
        }
    }
}

/// The position and reason of a stopped evaluation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// The evaluated clause.
    pub rule: Option<RuleId>,
    /// The premise, if it is known.
    pub premise: Option<u32>,
    /// The cause.
    pub reason: StopReason,
}

/// Counts the work and memory of an evaluation.
#[derive(Debug)]
pub(super) struct Meter<'c> {
    limits: Limits,
    cancel: &'c Cancel,
    start: Instant,
    until_check: u32,
    steps: u64,
    pub(super) facts: usize,
    pub(super) derived: usize,
    bytes: usize,
    value_bytes: usize,
    peak: usize,
}

impl<'c> Meter<'c> {
    pub(super) fn new(limits: Limits, cancel: &'c Cancel) -> Self {
        Self {
            limits,
            cancel,
            start: Instant::now(),
            until_check: STEPS_BETWEEN_CHECKS,
            steps: 0,
            facts: 0,
            derived: 0,
            bytes: 0,
            value_bytes: 0,
            peak: 0,
        }
    }

    /// The number of steps so far.
    pub(super) fn steps(&self) -> u64 {
        self.steps + u64::from(STEPS_BETWEEN_CHECKS - self.until_check)
    }

    /// Counts one step.
    #[inline]
    pub(super) fn step(&mut self) -> Result<(), StopReason> {
        self.until_check -= 1;
        if self.until_check == 0 { self.check() } else { Ok(()) }
    }

    /// Counts several steps.
    pub(super) fn take_steps(&mut self, count: usize) -> Result<(), StopReason> {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        match self.until_check.checked_sub(count) {
            Some(left) if left > 0 => {
                self.until_check = left;
                Ok(())
            }
            _ => {
                self.steps += u64::from(count.saturating_sub(self.until_check));
                self.check()
            }
        }
    }

    /// Counts the steps of a function that traverses all of these values.
    #[inline]
    pub(super) fn count_value_steps(&mut self, values: &Values, args: &[ValueId]) -> Result<(), StopReason> {
        let weight: usize = args.iter().map(|arg| weight(values.get(*arg))).sum();
        if weight > 0 { self.take_steps(weight) } else { Ok(()) }
    }

    /// Updates the memory of the values.
    #[inline]
    pub(super) fn values(&mut self, values: &Values) {
        self.value_bytes = values.bytes();
        if self.bytes + self.value_bytes > self.limits.bytes {
            self.check_at_next_step();
        }
    }

    /// Adds to the used memory.
    pub(super) fn add_bytes(&mut self, bytes: usize) {
        self.bytes += bytes;
        if self.bytes + self.value_bytes > self.limits.bytes {
            self.check_at_next_step();
        }
    }

    /// Subtracts from the used memory.
    pub(super) fn release(&mut self, bytes: usize) {
        self.peak = self.peak.max(self.bytes + self.value_bytes);
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    /// The peak memory in bytes.
    pub(super) fn peak(&self) -> usize {
        self.peak.max(self.bytes + self.value_bytes)
    }

    /// Makes the next step check the limits.
    #[cold]
    fn check_at_next_step(&mut self) {
        self.steps += u64::from(self.until_check - 1);
        self.until_check = 1;
    }

    #[cold]
    fn check(&mut self) -> Result<(), StopReason> {
        self.steps += u64::from(STEPS_BETWEEN_CHECKS);
        self.until_check = STEPS_BETWEEN_CHECKS;
        self.peak = self.peak();
        work::record_check();
        if self.cancel.is_cancelled() {
            return Err(StopReason::Cancelled);
        }
        if self.steps > self.limits.steps {
            return Err(StopReason::Steps(self.limits.steps));
        }
        if self.start.elapsed() > self.limits.time {
            return Err(StopReason::Time(self.limits.time));
        }
        if self.bytes + self.value_bytes > self.limits.bytes {
            return Err(StopReason::Memory(self.limits.bytes));
        }
        Ok(())
    }

    /// Counts one tuple.
    pub(super) fn fact(&mut self, derived: bool) -> Result<(), StopReason> {
        self.facts += 1;
        if self.facts > self.limits.facts {
            return Err(StopReason::Facts(self.limits.facts));
        }
        if derived {
            self.derived += 1;
            if self.derived > self.limits.derived {
                return Err(StopReason::Derived(self.limits.derived));
            }
        }
        Ok(())
    }
}

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
