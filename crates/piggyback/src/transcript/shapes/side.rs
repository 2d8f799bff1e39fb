//! What a value is to the model.

use crate::transcript::turn::TurnRole;

/// What a value is to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// What it was given.
    Input,
    /// What it answered.
    Output,
    /// A conversation: each message says which of both it is.
    Conversation,
    /// What set it up.
    System,
    /// What a tool gave.
    Tool,
}

impl Side {
    /// Who speaks in a text of this side.
    pub(super) fn role(self) -> TurnRole {
        match self {
            Self::Input => TurnRole::User,
            Self::Output | Self::Conversation => TurnRole::Assistant,
            Self::System => TurnRole::System,
            Self::Tool => TurnRole::Tool,
        }
    }
}
