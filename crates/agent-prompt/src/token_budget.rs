//! Token budget of a prompt: budget, reserve and available tokens, each with its source.

use super::DerivedContext;
use super::derived_context::{HEADROOM, RESERVED, reserved_of};
use super::preview::PromptRequest;

/// The source of a number of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BudgetSource {
    /// The session file.
    Session,
    /// The configuration of the agent.
    Configuration,
    /// The default of the runtime.
    Default,
    /// The smaller default of the runtime for shards that write Mangle.
    Focused,
    /// The fallback of the runtime to a tenth, if the reserve is not smaller than the budget.
    Tenth,
}

impl BudgetSource {
    /// The name in JSON output.
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

/// The token budget of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenBudget {
    /// The budget with its source.
    pub budget: (u32, BudgetSource),
    /// The tokens reserved for the reply, with their source.
    pub reserved: (u32, BudgetSource),
    /// The tokens that the runtime keeps free in addition.
    pub headroom: u32,
    /// The available tokens.
    pub available: u32,
}

impl TokenBudget {
    /// The budget of a requested prompt in its situation.
    #[must_use]
    pub fn new(wanted: &PromptRequest, derived: &DerivedContext) -> Self {
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

    /// True if the budget of a prompt is enforced: it is configured, or the default of the runtime
    /// is known.
    #[must_use]
    pub fn is_enforced(wanted: &PromptRequest, derived: &DerivedContext) -> bool {
        let is_default = Self::new(wanted, derived).budget.1 == BudgetSource::Default;
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
        let context = PromptContext { budget: file.budget, ..PromptContext::for_shard("x-1", kind) };
        let derived = DerivedContext::from_context(&context);
        TokenBudget::new(
            &PromptRequest { context, session: Some(file), ..PromptRequest::default() },
            &derived,
        )
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
