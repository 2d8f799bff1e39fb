//! Token budget of a prompt as text: usage and parts.

use serde::Serialize;

use super::{Totals, percent};

/// The parts of a budget in tokens, each with its source: `session`, `configuration`, `default`,
/// `focused`, `tenth`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BudgetReport {
    pub tokens: u32,
    pub by: &'static str,
    /// The tokens reserved for the reply.
    pub reserved: u32,
    pub reserved_by: &'static str,
    /// The tokens that the runtime keeps free in addition.
    pub headroom: u32,
}

impl Totals {
    /// The maximum number of tokens of the prompt.
    pub(super) fn most(&self) -> usize {
        usize::try_from(self.available).unwrap_or(usize::MAX)
    }

    /// The number of tokens beyond the budget; 0 if the prompt fits.
    #[must_use]
    pub fn over(&self) -> usize {
        self.tokens.saturating_sub(self.most())
    }

    /// The usage of the budget, for example `1200 of 191500 tokens, 0.6 %`.
    #[must_use]
    pub fn share(&self) -> String {
        let Self { tokens, available, .. } = self;
        match (self.available, self.over()) {
            (0, _) => format!("{tokens} tokens, and the budget has no room for any"),
            (_, 0) => format!("{tokens} of {available} tokens, {}", percent(*tokens, self.most())),
            (_, over) => {
                format!("{tokens} of {available} tokens, {}: {over} too many", percent(*tokens, self.most()))
            }
        }
    }

    /// The available part of the budget with its calculation, for example `191500 left of 200000
    /// (default): 8000 reserved for the answer …`.
    #[must_use]
    pub fn parts(&self) -> String {
        let BudgetReport { tokens, by, reserved, reserved_by, headroom } = self.budget;
        let (by, reserved_by) = (words(by), words(reserved_by));
        let left = match self.available {
            0 => "nothing".to_owned(),
            available => available.to_string(),
        };
        format!(
            "{left} left of {tokens} ({by}): {reserved} reserved for the answer ({reserved_by}), {headroom} kept free by \
             codeNERD"
        )
    }
}

/// The source of a number as text.
fn words(by: &str) -> &'static str {
    match by {
        "session" => "session file",
        "configuration" => "agent's configuration",
        "focused" => "limit of shards that write Mangle",
        "tenth" => "a tenth, because all of the budget cannot be reserved",
        _ => "default",
    }
}
