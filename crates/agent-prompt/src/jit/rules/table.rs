//! Declarations of the rules about prompt atoms: `PP014`, `PP050` to `PP067`.

use mangle_syntax::lint::{Rule, rule};

pub(crate) static INJECTED_BLOCKED: Rule = rule!("injected-blocked.md");
pub(crate) static DUPLICATE_ID: Rule = rule!("atom-duplicate-id.md");
pub(crate) static EXCLUSIVE_UNENFORCED: Rule = rule!("exclusive-unenforced.md");
pub(crate) static SELECTOR_VALUE: Rule = rule!("selector-value.md");
pub(crate) static MATCH_DIVERGENCE: Rule = rule!("match-divergence.md");
pub(crate) static CONFLICT_ONE_SIDED: Rule = rule!("conflict-one-sided.md");
pub(crate) static VECTOR_ONLY: Rule = rule!("vector-only.md");
pub(crate) static SKELETON_GAP: Rule = rule!("skeleton-gap.md");
pub(crate) static DEPENDENCY_CYCLE: Rule = rule!("dependency-cycle.md");
pub(crate) static MANDATORY_OVERFLOW: Rule = rule!("mandatory-overflow.md");
pub(crate) static VARIANT_IGNORED: Rule = rule!("variant-ignored.md");
pub(crate) static UNKNOWN_PLACEHOLDER: Rule = rule!("unknown-placeholder.md");
pub(crate) static MISSING_DEPENDENCY: Rule = rule!("missing-dependency.md");
pub(crate) static CONFLICT_BOTH_MANDATORY: Rule = rule!("conflict-both-mandatory.md");
pub(crate) static ATOM_CATEGORY: Rule = rule!("atom-category.md");
pub(crate) static ATOM_NO_CONTENT: Rule = rule!("atom-no-content.md");
pub(crate) static ATOM_FILE: Rule = rule!("atom-file.md");
pub(crate) static ATOM_KEY: Rule = rule!("atom-key.md");
pub(crate) static UNREACHABLE_ATOM: Rule = rule!("unreachable-atom.md");
pub(crate) static NESTED_PLACEHOLDER: Rule = rule!("nested-placeholder.md");
