//! Rules about suppression comments (`MG95x`).

use mangle_syntax::lint::{Rule, rule};

/// All rules of this module, in the order of their codes.
pub const RULES: &[&Rule] =
    &[&UNUSED_SUPPRESSION, &UNKNOWN_SUPPRESSION, &MALFORMED_SUPPRESSION, &FUTILE_SUPPRESSION];

/// A comment that suppresses nothing.
pub static UNUSED_SUPPRESSION: Rule = rule!("unused-suppression.md");

/// A comment that names an unknown rule.
pub static UNKNOWN_SUPPRESSION: Rule = rule!("unknown-suppression.md");

/// A comment with a syntax error.
pub(super) static MALFORMED_SUPPRESSION: Rule = rule!("malformed-suppression.md");

/// A comment about a rule that comments cannot suppress.
pub(super) static FUTILE_SUPPRESSION: Rule = rule!("futile-suppression.md");
