//! Lint rules about prompts and sample kernels (`PP…`).
//!
//! The input is a [`Subject`]: previews with their header, session files and settings. The output
//! is findings in files of the program, including the sample, and in session files.
//!
//! Each file contains one family of rules. Ranges count from the start of the file.

mod atoms;
mod budget;
mod elision;
mod envelope;
mod examples;
mod facts;
pub(crate) mod header_rules;
mod headers;
mod joins;
mod kernel;
mod keys;
mod packets;
mod policy;
mod session;
mod shard_id;
mod subject;
mod templates;

pub use header_rules::{HYBRID_DIRECTIVE, PREVIEW_INCOMPLETE, PREVIEW_KEY, PREVIEW_PATH, SESSION_KEY};
pub use headers::outside_kernel;
pub use subject::{PromptFinding, Subject};

use super::jit::rules as jit;
use mangle_syntax::lint::Rule;

/// All rules about prompts, in the order of their codes.
pub const RULES: &[&Rule] = &[
    &keys::DEAD_TARGET,
    &policy::NEVER_INJECTABLE,
    &keys::WRONG_KEY_KIND,
    &policy::BELOW_THRESHOLD,
    &policy::PRIORITY_KIND,
    &joins::DISJOINT_JOIN,
    &templates::TEMPLATE_MISSING,
    &templates::TEMPLATE_DUPLICATE,
    &templates::TEMPLATE_EMPTY,
    &facts::PRED_UNDECLARED,
    &facts::SHORT_FACT,
    &keys::ID_FORM,
    &policy::BUDGET_IGNORED,
    &jit::INJECTED_BLOCKED,
    &keys::UNKNOWN_SHARD_TYPE,
    &kernel::NO_ACTIVE_SHARD,
    &packets::PACKET_FEEDS_PROMPT,
    &facts::MULTILINE_ATOM,
    &facts::DIRECTIVE_IN_DATA,
    &header_rules::PREVIEW_INCOMPLETE,
    &session::UNRENDERED_FIELD,
    &session::SESSION_IN_JIT,
    &session::HISTORY_DROPPED,
    &header_rules::SESSION_KEY,
    &header_rules::PREVIEW_KEY,
    &header_rules::PREVIEW_PATH,
    &header_rules::HYBRID_DIRECTIVE,
    &shard_id::SHARD_ID_LEAK,
    &policy::KERNEL_FAILED,
    &kernel::EXTERNAL_EMPTY,
    &kernel::QUERY_ERROR,
    &policy::ORDER_SENSITIVE,
    &envelope::NO_ENVELOPE_TEXT,
    &templates::DOUBLE_ENVELOPE,
    &envelope::COMPETING_OUTPUT,
    &envelope::STRUCTURED_WITH_ENVELOPE,
    &envelope::EXAMPLE_WITHOUT_PERIOD,
    &examples::EXAMPLE_INVALID,
    &examples::VERSION_SKEW,
    &header_rules::PREVIEW_OUTSIDE_KERNEL,
    &jit::DUPLICATE_ID,
    &jit::EXCLUSIVE_UNENFORCED,
    &jit::SELECTOR_VALUE,
    &jit::MATCH_DIVERGENCE,
    &jit::CONFLICT_ONE_SIDED,
    &jit::VECTOR_ONLY,
    &jit::SKELETON_GAP,
    &jit::DEPENDENCY_CYCLE,
    &jit::MANDATORY_OVERFLOW,
    &jit::VARIANT_IGNORED,
    &kernel::DEAD_CONFIG,
    &jit::UNKNOWN_PLACEHOLDER,
    &jit::MISSING_DEPENDENCY,
    &jit::CONFLICT_BOTH_MANDATORY,
    &jit::ATOM_CATEGORY,
    &jit::ATOM_NO_CONTENT,
    &jit::ATOM_FILE,
    &jit::ATOM_KEY,
    &jit::UNREACHABLE_ATOM,
    &jit::NESTED_PLACEHOLDER,
    &budget::OVER_BUDGET,
    &budget::HUGE_LINE,
    &budget::EMPTY_PROMPT,
    &budget::DRIFT,
];

/// Checks previews.
#[must_use]
pub fn check(mut subject: Subject<'_>) -> Vec<PromptFinding> {
    let mut found = Vec::new();
    headers::check(&subject, &mut found);
    session::check(&subject, &mut found);
    keys::check(&subject, &mut found);
    templates::check(&subject, &mut found);
    facts::check(&subject, &mut found);
    policy::check(&mut subject, &mut found);
    kernel::check(&subject, &mut found);
    shard_id::check(&subject, &mut found);
    joins::check(&subject, &mut found);
    packets::check(&subject, &mut found);
    envelope::check(&subject, &mut found);
    examples::check(&subject, &mut found);
    budget::check(&subject, &mut found);
    atoms::check(&subject, &mut found);
    let mut once: Vec<PromptFinding> = Vec::new();
    for one in found {
        let is_same = |other: &PromptFinding| {
            (other.file, other.finding.rule, other.finding.range)
                == (one.file, one.finding.rule, one.finding.range)
        };
        if !once.iter().any(is_same) {
            once.push(one);
        }
    }
    once
}
