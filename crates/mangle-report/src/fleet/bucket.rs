//! Counts of a time span.

use std::collections::BTreeMap;

/// The counts of a time span.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bucket {
    pub(super) answers: u64,
    /// Tokens of replies and prompts.
    pub(super) said: u64,
    /// The growth of the asserted facts in tokens.
    pub(super) state: i64,
    /// The number of blocks by the constitution.
    pub(super) blocked: u64,
    /// Violations by dimension and word number.
    pub(super) violations: [BTreeMap<u32, u64>; 4],
}

/// The counts of a time span without replies.
pub(super) static EMPTY: Bucket =
    Bucket { answers: 0, said: 0, state: 0, blocked: 0, violations: [const { BTreeMap::new() }; 4] };

impl Bucket {
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
