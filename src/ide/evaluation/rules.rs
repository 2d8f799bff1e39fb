//! The rules about what shows only when a program is evaluated.

use mangle_syntax::lint::{Rule, rule};

/// All rules of this module, in the order of their codes.
pub const RULES: &[&Rule] = &[&EVALUATION_FAILS, &EVALUATION_LIMIT];

/// A row for which a function has no value.
pub(super) static EVALUATION_FAILS: Rule = rule!("evaluation-fails.md");

/// A rule that gave more than can be held.
pub(super) static EVALUATION_LIMIT: Rule = rule!("evaluation-limit.md");
