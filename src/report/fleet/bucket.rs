//! What was counted in a span of time.

use std::collections::BTreeMap;

/// Sums of a span of time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bucket {
    pub(super) answers: u64,
    /// Tokens of answers and prompts.
    pub(super) said: u64,
    /// By how many tokens the facts that hold grew.
    pub(super) state: i64,
    /// What the constitution blocked.
    pub(super) blocked: u64,
    /// Violations by dimension, and in it by the number of the word.
    pub(super) violations: [BTreeMap<u32, u64>; 4],
}

impl Bucket {
    /// Adds the sums of another span.
    pub(super) fn merge(&mut self, other: Self) {
        self.answers += other.answers;
        self.said += other.said;
        self.state += other.state;
        self.blocked += other.blocked;
        for (own, more) in self.violations.iter_mut().zip(other.violations) {
            for (number, count) in more {
                *own.entry(number).or_default() += count;
            }
        }
    }
}
