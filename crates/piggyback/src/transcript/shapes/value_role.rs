//! Role of a value in a model call.

use crate::transcript::turn::TurnRole;

/// Role of a value in a model call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueRole {
    /// Input of the model.
    Input,
    /// Output of the model.
    Output,
    /// Conversation whose messages name their roles.
    Conversation,
    /// System prompt.
    System,
    /// Result of a tool.
    Tool,
}

impl ValueRole {
    /// The speaker of a text in this role.
    pub(super) fn role(self) -> TurnRole {
        match self {
            Self::Input => TurnRole::User,
            Self::Output | Self::Conversation => TurnRole::Assistant,
            Self::System => TurnRole::System,
            Self::Tool => TurnRole::Tool,
        }
    }
}
