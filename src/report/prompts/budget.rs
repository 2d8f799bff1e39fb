//! The budget of a prompt in words: how full it is, and what it is made of.

use serde::Serialize;

use super::{Totals, percent};

/// What a budget is made of: tokens, and who decided how many: `session`, `configuration`, `default`, `focused`, `tenth`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BudgetReport {
    pub tokens: u32,
    pub by: &'static str,
    /// What of it is kept for the answer.
    pub reserved: u32,
    pub reserved_by: &'static str,
    /// What the runtime keeps free besides.
    pub headroom: u32,
}

impl Totals {
    /// How many tokens a prompt may have.
    pub(super) fn most(&self) -> usize {
        usize::try_from(self.available).unwrap_or(usize::MAX)
    }

    /// How many tokens the prompt has too many; 0 where it fits.
    #[must_use]
    pub fn over(&self) -> usize {
        self.tokens.saturating_sub(self.most())
    }

    /// How full the budget is: `1200 of 191500 tokens, 0.6 %`.
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

    /// What is left of the budget, and why: `191500 left of 200000 (default): 8000 reserved for the answer …`.
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

/// Who decided a number, in words.
fn words(by: &str) -> &'static str {
    match by {
        "session" => "session file",
        "configuration" => "agent's configuration",
        "focused" => "limit of shards that write Mangle",
        "tenth" => "a tenth, because all of the budget cannot be reserved",
        _ => "default",
    }
}
