//! The input format of a session: texts with roles.

pub use mangle_report::fleet::OriginTime as TurnTime;

/// A complete session of an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session<'t> {
    /// The identifier of the caller.
    pub id: String,
    pub turns: Vec<SessionTurn<'t>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionTurn<'t> {
    /// The turn number of the caller.
    pub turn: i64,
    /// The role: `assistant`, `user`, `system`, `tool`, or a synonym. A record contains its own
    /// role.
    pub role: &'t str,
    /// The text or a record (`Checker::of_records`). Invalid UTF-8 is reported as in a file.
    pub text: &'t [u8],
    pub labels: TurnLabels<'t>,
}

/// Metadata of a turn for the report about many sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TurnLabels<'t> {
    pub time: TurnTime,
    /// The model of the reply.
    pub model: Option<&'t str>,
    /// The protocol version, or another value for comparisons. Default: the version for checking
    /// the reply.
    pub version: Option<&'t str>,
    /// The shard of the reply. Default: the shard in the reply.
    pub shard: Option<&'t str>,
}
