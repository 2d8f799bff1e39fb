//! A session as it is given: texts, each with who says it.

pub use crate::report::fleet::OriginTime as TurnTime;

/// A session of an agent, whole and in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session<'t> {
    /// What its owner calls it.
    pub id: String,
    /// Its turns in their order.
    pub turns: Vec<SessionTurn<'t>>,
}

/// What is said in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionTurn<'t> {
    /// Its number, as its owner counts.
    pub turn: i64,
    /// Who speaks: `assistant`, `user`, `system`, `tool`, or another word for one of these. A record says it itself.
    pub role: &'t str,
    /// What is said, or a record (`Checker::of_records`). Bytes that are not UTF-8 are found like those of a file.
    pub text: &'t [u8],
    /// What a report counts it under.
    pub labels: TurnLabels<'t>,
}

/// What is known of a turn beside its text; a report of many sessions counts by it, and nothing else reads it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TurnLabels<'t> {
    /// When it was.
    pub time: TurnTime,
    /// The model that answered.
    pub model: Option<&'t str>,
    /// The version of the protocol, or of whatever else is to be compared; without it, the version that the reply is judged by.
    pub version: Option<&'t str>,
    /// The shard that answered; without it, the one that the reply names.
    pub shard: Option<&'t str>,
}
