//! Limits of a shard: available tokens, and atoms that are always excluded.

use crate::derived_context::{DerivedContext, folded};
use crate::jit::atom::PromptAtom;

/// The number of tokens available to the prompt.
///
/// # Errors
///
/// If the budget of the context is invalid.
pub(super) fn available(derived: &DerivedContext) -> Result<i64, String> {
    let (budget, reserved) = (i64::from(derived.token_budget), i64::from(derived.reserved));
    if budget == 0 {
        return Err(format!("invalid compilation context: token budget must be positive, got {budget}"));
    }
    if reserved >= budget {
        return Err(format!(
            "invalid compilation context: reserved tokens ({reserved}) must be less than budget ({budget})"
        ));
    }
    Ok(budget - reserved)
}

/// True if the compiler excludes the atom because the shard replies only with structured output.
pub(super) fn is_left_out(atom: &PromptAtom, derived: &DerivedContext) -> bool {
    let is_structured = matches!(&*folded(&derived.shard_type), "mangle_repair" | "legislator");
    let id = &atom.id.text;
    is_structured && (id.starts_with("protocol/piggyback/") || id.starts_with("protocol/reasoning/"))
}
