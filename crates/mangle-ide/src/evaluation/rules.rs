//! Lint rules for evaluation results.

use mangle_syntax::lint::{Rule, rule};

/// All rules of this module, sorted by code.
pub const RULES: &[&Rule] = &[&EVALUATION_FAILS, &EVALUATION_LIMIT];

/// A function call without a result.
pub(super) static EVALUATION_FAILS: Rule = rule!("evaluation-fails.md");

/// A rule that exceeds a limit.
pub(super) static EVALUATION_LIMIT: Rule = rule!("evaluation-limit.md");
