//! The rules about prompt atoms as users see them: `PP014`, `PP050` to `PP067`.

use mangle_syntax::lint::{Rule, rule};

/// Injected atoms of a shard that is not called as its type.
pub(crate) static INJECTED_BLOCKED: Rule = rule!("injected-blocked.md");
/// Two atoms, one id.
pub(crate) static DUPLICATE_ID: Rule = rule!("atom-duplicate-id.md");
/// Exclusive groups, of which the runtime prints every atom.
pub(crate) static EXCLUSIVE_UNENFORCED: Rule = rule!("exclusive-unenforced.md");
/// A value that never holds.
pub(crate) static SELECTOR_VALUE: Rule = rule!("selector-value.md");
/// In by one rule and out by the other.
pub(crate) static MATCH_DIVERGENCE: Rule = rule!("match-divergence.md");
/// Conflicts that only one side knows.
pub(crate) static CONFLICT_ONE_SIDED: Rule = rule!("conflict-one-sided.md");
/// Atoms that only a search finds.
pub(crate) static VECTOR_ONLY: Rule = rule!("vector-only.md");
/// Nothing of a category that there must be.
pub(crate) static SKELETON_GAP: Rule = rule!("skeleton-gap.md");
/// Atoms that need each other.
pub(crate) static DEPENDENCY_CYCLE: Rule = rule!("dependency-cycle.md");
/// More than fits.
pub(crate) static MANDATORY_OVERFLOW: Rule = rule!("mandatory-overflow.md");
/// A shorter text that nobody prints.
pub(crate) static VARIANT_IGNORED: Rule = rule!("variant-ignored.md");
/// A name that stands for nothing.
pub(crate) static UNKNOWN_PLACEHOLDER: Rule = rule!("unknown-placeholder.md");
/// A need that nobody can meet.
pub(crate) static MISSING_DEPENDENCY: Rule = rule!("missing-dependency.md");
/// Both must, and neither may.
pub(crate) static CONFLICT_BOTH_MANDATORY: Rule = rule!("conflict-both-mandatory.md");
/// No such category.
pub(crate) static ATOM_CATEGORY: Rule = rule!("atom-category.md");
/// It says nothing.
pub(crate) static ATOM_NO_CONTENT: Rule = rule!("atom-no-content.md");
/// A file of which nothing counts.
pub(crate) static ATOM_FILE: Rule = rule!("atom-file.md");
/// A key that means nothing.
pub(crate) static ATOM_KEY: Rule = rule!("atom-key.md");
/// An atom that nothing leads to.
pub(crate) static UNREACHABLE_ATOM: Rule = rule!("unreachable-atom.md");
/// What is put in is looked at once more.
pub(crate) static NESTED_PLACEHOLDER: Rule = rule!("nested-placeholder.md");
