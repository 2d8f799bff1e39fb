//! A session as it is given: texts, each with who says it.

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
}
