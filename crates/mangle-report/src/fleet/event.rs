//! Events that the page about many sessions counts, with their origin.

use super::tally::Dimension;
use mangle_syntax::lint::{Rule, Severity};
use piggyback::transcript::labels::Labels;

/// The origin of an event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    pub time: OriginTime,
    /// The labels of the model and the role that replied.
    pub labels: Labels,
    /// The session id in the record.
    pub session: Option<String>,
    /// The displayed version, if it differs from the version for the checks.
    pub version: Option<String>,
    /// The number of the record or turn; `None` for a whole file.
    pub record: Option<i64>,
}

/// The time of an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OriginTime {
    /// The record has no time.
    #[default]
    Absent,
    /// The record has a time in an unknown format.
    Unreadable,
    /// Seconds since 1970, UTC.
    At(i64),
}

#[derive(Debug, Clone, Copy)]
pub enum FleetEvent {
    /// A reply of the model. `said` is the number of tokens of its text and of the preceding
    /// prompts.
    Answer {
        said: u64,
    },
    /// A change in the size of the asserted facts, in tokens.
    State {
        change: i64,
    },
    /// The constitution blocked a request, a reply or a text.
    Blocked,
    Found {
        rule: &'static Rule,
        severity: Severity,
    },
}

/// A file of sessions, or a session in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FleetFile {
    /// The display name of the file.
    pub name: String,
    /// The URI for links in a page; `None` without a file.
    pub link: Option<String>,
    /// The unit of its records: `line`, `record` or `turn`.
    pub unit: &'static str,
}

/// The valid times: the seconds of the years 1990 to 2199.
const SECONDS: std::ops::Range<i64> = 631_152_000..7_258_118_400;

impl OriginTime {
    /// Parses a time like a replay: RFC 3339, RFC 2822, or a number since 1970 in seconds or
    /// smaller units. A time without a zone is interpreted as UTC.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let second = agent_replay::instant(text).map(|nanoseconds| nanoseconds.div_euclid(1_000_000_000));
        second.map_or(Self::Unreadable, Self::of_second)
    }

    /// The time for seconds since 1970, UTC. Years outside of 1990 to 2199 are unreadable.
    #[must_use]
    pub fn of_second(second: i64) -> Self {
        if SECONDS.contains(&second) { Self::At(second) } else { Self::Unreadable }
    }
}

impl Origin {
    /// The words of all dimensions except the rule.
    pub(super) fn words(&self) -> [(Dimension, Option<&str>); 3] {
        [
            (Dimension::Shard, self.labels.shard.as_deref()),
            (Dimension::Model, self.labels.model.as_deref()),
            (Dimension::Version, self.version.as_deref().or(self.labels.version)),
        ]
    }
}
