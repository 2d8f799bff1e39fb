//! The rules about silencing comments, `MG95x`.

use mangle_syntax::lint::{Rule, rule};

/// All rules of this module, in the order of their codes.
pub const RULES: &[&Rule] =
    &[&UNUSED_SUPPRESSION, &UNKNOWN_SUPPRESSION, &MALFORMED_SUPPRESSION, &FUTILE_SUPPRESSION];

/// A comment that silences nothing.
pub static UNUSED_SUPPRESSION: Rule = rule!("unused-suppression.md");

/// A comment that names no rule of ours.
pub static UNKNOWN_SUPPRESSION: Rule = rule!("unknown-suppression.md");

/// A comment that is no complete sentence of ours.
pub(super) static MALFORMED_SUPPRESSION: Rule = rule!("malformed-suppression.md");

/// A comment about a rule that comments do not silence.
pub(super) static FUTILE_SUPPRESSION: Rule = rule!("futile-suppression.md");
