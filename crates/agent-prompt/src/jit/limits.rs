//! What a shard's situation leaves for atoms: tokens, and which atoms are out from the start.

use crate::derived_context::{DerivedContext, folded};
use crate::jit::atom::PromptAtom;

/// How many tokens are available to the prompt.
///
/// # Errors
/// When the context's budget is none.
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

/// Whether the compiler leaves an atom out because the shard answers with structured output alone.
pub(super) fn is_left_out(atom: &PromptAtom, derived: &DerivedContext) -> bool {
    let is_structured = matches!(&*folded(&derived.shard_type), "mangle_repair" | "legislator");
    let id = &atom.id.text;
    is_structured && (id.starts_with("protocol/piggyback/") || id.starts_with("protocol/reasoning/"))
}
