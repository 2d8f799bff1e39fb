//! What a page about many sessions counts, and where it comes from.

use super::tally::Dimension;
use mangle_syntax::lint::{Rule, Severity};
use piggyback::transcript::labels::Labels;

/// Where and when something was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    pub time: OriginTime,
    /// Who answered.
    pub labels: Labels,
    /// What the record calls its session.
    pub session: Option<String>,
    /// The version that is to be shown instead of the one that the reply is judged by.
    pub version: Option<String>,
    /// The number of the record or turn; `None` for a file as a whole.
    pub record: Option<i64>,
}

/// When something was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OriginTime {
    /// The record does not say it.
    #[default]
    Absent,
    /// The record says it in words that cannot be read.
    Unreadable,
    /// Seconds since 1970, UTC.
    At(i64),
}

/// Something that is counted.
#[derive(Debug, Clone, Copy)]
pub enum FleetEvent {
    /// An answer of the model; `said` has the tokens of its text and of the prompts before it.
    Answer { said: u64 },
    /// The facts that hold have become larger or smaller, in tokens.
    State { change: i64 },
    /// The constitution kept something from the user, or refused it.
    Blocked,
    /// A finding.
    Found { rule: &'static Rule, severity: Severity },
}

/// A file of sessions, or a session in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FleetFile {
    /// What output calls it.
    pub name: String,
    /// Where a page finds it, as a URI; `None` for what is in no file.
    pub link: Option<String>,
    /// What a record of it is called: `line`, `record` or `turn`.
    pub unit: &'static str,
}

/// The first and the last second that is taken for a time: 1990 to 2199.
const SECONDS: std::ops::Range<i64> = 631_152_000..7_258_118_400;

impl OriginTime {
    /// The time that a text says, as a replay reads it: RFC 3339, RFC 2822, seconds or their parts since 1970, or without a zone, which
    /// is taken for UTC.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let second = agent_replay::instant(text).map(|nanoseconds| nanoseconds.div_euclid(1_000_000_000));
        second.map_or(Self::Unreadable, Self::of_second)
    }

    /// The time of a second since 1970, UTC; those outside of the years 1990 to 2199 are not taken for times.
    #[must_use]
    pub fn of_second(second: i64) -> Self {
        if SECONDS.contains(&second) { Self::At(second) } else { Self::Unreadable }
    }
}

impl Origin {
    /// The words of all dimensions but the rule.
    pub(super) fn words(&self) -> [(Dimension, Option<&str>); 3] {
        [
            (Dimension::Shard, self.labels.shard.as_deref()),
            (Dimension::Model, self.labels.model.as_deref()),
            (Dimension::Version, self.version.as_deref().or(self.labels.version)),
        ]
    }
}
