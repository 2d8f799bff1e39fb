//! Fix engine, shared by `check --fix` and the editor's "fix all".
//!
//! The input is either a set of programs or a single text such as a transcript, and a
//! [`FixRequest`]. The output contains the new texts of the changed files.
//!
//! Fixes are applied in passes. A pass applies all fixes that do not conflict and repeats the
//! check, because a fix can expose, resolve or cause other findings.
//!
//! Every fix is verified: its finding must be gone, and the file must not gain parse errors. Fixes
//! that fail the verification are reverted and reported.

mod edits;
mod passes;
mod programs;
mod select;
mod single_text;
mod text_set;
mod verify;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use self::edits::difference;
pub use self::programs::{FixWorkspace, Unit, fix};
pub use self::single_text::{FixedText, fix_text};
pub use self::text_set::{FixedTexts, Texts, fix_texts};
use mangle_engine::program::FileSummary;
use mangle_syntax::lint::{Applicability, Diagnostic, ResolvedFix};
use mangle_syntax::text::FileId;

/// Selects the findings to fix.
#[derive(Clone, Copy)]
pub struct FixRequest<'w> {
    /// Include unsafe fixes.
    pub include_unsafe: bool,
    /// Include fixes that edit captured transcripts, which are evidence.
    pub evidence: bool,
    /// Selects the findings to fix. Called only for findings with a fix.
    pub wanted: &'w dyn Fn(FileId, &Diagnostic) -> bool,
    /// Selects the files that may change.
    pub editable: &'w dyn Fn(FileId) -> bool,
    /// Maximum number of passes. One pass applies only the fixes that are available now.
    pub passes: usize,
}

impl std::fmt::Debug for FixRequest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wish").field("guesses", &self.include_unsafe).finish_non_exhaustive()
    }
}

/// Upper bound for fixes that terminate; more passes indicate an endless loop.
pub const MAX_PASSES: usize = 1_000;

/// Result of [`fix`].
#[derive(Debug, Default)]
pub struct FixResult {
    /// New versions of the changed files, by ID.
    pub changed: Vec<Arc<FileSummary>>,
    pub done: FixOutcome,
}

/// Statistics and failures of a fix run.
#[derive(Debug, Default)]
pub struct FixOutcome {
    /// Number of applied fixes.
    pub count: usize,
    /// Files edited by each applied fix.
    pub edited: Vec<Vec<FileId>>,
    /// Reverted fixes that failed the verification, with the finding at that time.
    pub failed: Vec<(FileId, Diagnostic)>,
    /// True if fixes undo each other or do not terminate. All changes were reverted in this case.
    pub endless: bool,
    /// True if some fixes were not tried because the maximum number of attempts was reached.
    pub unfinished: bool,
}

/// Deduplicated diagnostics of the reported files.
pub type FileDiagnostics = FxHashMap<FileId, Vec<Diagnostic>>;

impl FixRequest<'_> {
    /// True if the request includes this kind of fix. The only place that rejects fixes of
    /// captures.
    #[must_use]
    pub fn accepts(&self, fix: &ResolvedFix) -> bool {
        (self.include_unsafe || fix.applicability == Applicability::Safe) && (self.evidence || !fix.evidence)
    }
}

/// True if the diagnostic has a safe fix that does not edit a capture.
#[must_use]
pub fn is_safely_fixable(diagnostic: &Diagnostic) -> bool {
    let is_safe = |fix: &ResolvedFix| fix.applicability == Applicability::Safe && !fix.evidence;
    diagnostic.fix.as_ref().is_some_and(is_safe)
}
