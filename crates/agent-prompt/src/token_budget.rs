//! How many tokens a prompt may have, and who decided that: the budget, what of it is reserved, what is left.

use super::DerivedContext;
use super::derived_context::{HEADROOM, RESERVED, reserved_of};
use super::preview::PromptRequest;

/// Who decided a number of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BudgetSource {
    /// The session file.
    Session,
    /// The configuration of the agent around the kernel.
    Configuration,
    /// The runtime, where nothing else says it.
    Default,
    /// The runtime, which gives less to shards that write Mangle.
    Focused,
    /// The runtime, which reserves a tenth where as much as the whole budget should be reserved.
    Tenth,
}

impl BudgetSource {
    /// The word in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Configuration => "configuration",
            Self::Default => "default",
            Self::Focused => "focused",
            Self::Tenth => "tenth",
        }
    }
}

/// The tokens that a prompt may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenBudget {
    /// The budget, and who decided it.
    pub budget: (u32, BudgetSource),
    /// What of it is kept for the answer, and who decided that.
    pub reserved: (u32, BudgetSource),
    /// What the runtime keeps free besides.
    pub headroom: u32,
    /// What is left.
    pub available: u32,
}

impl TokenBudget {
    /// The allowance of a prompt that is wanted, in its situation.
    #[must_use]
    pub fn of(wanted: &PromptRequest, derived: &DerivedContext) -> Self {
        let (tokens, reserved) = wanted.context.budget;
        let said = wanted.session.as_ref().map_or((None, None), |file| file.budget);
        let by = |is_said: bool, is_known: bool| match (is_said, is_known) {
            (true, _) => BudgetSource::Session,
            (false, true) => BudgetSource::Configuration,
            (false, false) => BudgetSource::Default,
        };
        let tokens = tokens.filter(|tokens| *tokens > 0);
        let budget = by(said.0.is_some(), tokens.is_some());
        let whole = tokens.unwrap_or(super::TOKEN_BUDGET);
        let asked = reserved.unwrap_or(RESERVED);
        let kept = match reserved_of(whole, asked) {
            kept if derived.reserved < kept => BudgetSource::Focused,
            kept if kept != asked => BudgetSource::Tenth,
            _ => by(said.1.is_some(), reserved.is_some()),
        };
        Self {
            budget: (
                derived.token_budget,
                if derived.token_budget < whole { BudgetSource::Focused } else { budget },
            ),
            reserved: (derived.reserved, kept),
            headroom: HEADROOM,
            available: derived.available(),
        }
    }

    /// True if a prompt is held to its budget: somebody set it, or the runtime is one whose default is known.
    #[must_use]
    pub fn counts(wanted: &PromptRequest, derived: &DerivedContext) -> bool {
        let is_default = Self::of(wanted, derived).budget.1 == BudgetSource::Default;
        !is_default || wanted.context.runtime.conventions.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PromptContext;
    use crate::session::{SessionFile, SessionForm};

    fn allowance(kind: &str, session: &str) -> TokenBudget {
        let file = SessionFile::read(session, SessionForm::Yaml);
        let context = PromptContext { budget: file.budget, ..PromptContext::of_shard("x-1", kind) };
        let derived = DerivedContext::of(&context);
        TokenBudget::of(&PromptRequest { context, session: Some(file), ..PromptRequest::default() }, &derived)
    }

    #[test]
    fn each_number_names_who_decided_it() {
        let of = |kind, session| {
            let TokenBudget { budget, reserved, available, .. } = allowance(kind, session);
            (budget, reserved, available)
        };
        use BudgetSource::{Default, Focused, Session, Tenth};
        assert_eq!(of("coder", ""), ((200_000, Default), (8_000, Default), 191_500));
        assert_eq!(of("coder", "budget: 9000"), ((9_000, Session), (8_000, Default), 500));
        assert_eq!(of("coder", "budget: 300"), ((300, Session), (30, Tenth), 0));
        assert_eq!(
            of("coder", "budget: {tokens: 9000, reserved: 0}"),
            ((9_000, Session), (0, Session), 8_500)
        );
        assert_eq!(of("legislator", ""), ((60_000, Focused), (4_000, Focused), 55_500));
        assert_eq!(of("coder", "budget: 0"), ((200_000, Default), (8_000, Default), 191_500));
    }
}
