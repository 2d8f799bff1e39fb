//! Applying fixes: the one engine behind `check --fix` and the editor's "fix all".
//!
//! Takes programs, or a text that is checked alone such as a transcript, and a wish (which findings, safe fixes only or
//! guesses too); gives the new texts of what changes. Works in passes: what does not get in each other's way is applied together, and then
//! everything is checked anew, because one fix may show, mend or make another finding. Whatever a fix
//! promised is verified: its finding is gone and the file can be read no worse than before. A fix that
//! breaks its promise is taken back and reported.

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

/// Which findings are to be fixed.
#[derive(Clone, Copy)]
pub struct FixRequest<'w> {
    /// Also by fixes that guess.
    pub guesses: bool,
    /// Also by fixes that edit captures, which are evidence.
    pub evidence: bool,
    /// Which of those that have a fix.
    pub wanted: &'w dyn Fn(FileId, &Diagnostic) -> bool,
    /// Which files may change.
    pub editable: &'w dyn Fn(FileId) -> bool,
    /// The most passes. With one, only what is offered now is done.
    pub passes: usize,
}

impl std::fmt::Debug for FixRequest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wish").field("guesses", &self.guesses).finish_non_exhaustive()
    }
}

/// So many passes are enough for anything but fixes that never end.
pub const MAX_PASSES: usize = 1_000;

/// What [`fix`] did.
#[derive(Debug, Default)]
pub struct FixResult {
    /// The files that changed, as they are now, by id.
    pub changed: Vec<Arc<FileSummary>>,
    /// What came of the fixes.
    pub done: FixOutcome,
}

/// What came of fixes.
#[derive(Debug, Default)]
pub struct FixOutcome {
    /// How many fixes were applied.
    pub count: usize,
    /// The files that each of them edits.
    pub edited: Vec<Vec<FileId>>,
    /// Fixes that did not do what they promised and were taken back, as the finding was at that time.
    pub failed: Vec<(FileId, Diagnostic)>,
    /// Whether fixes undo each other or never end. Nothing was fixed then.
    pub endless: bool,
    /// Whether some fixes were not tried, since others of the same text had taken too many attempts.
    pub unfinished: bool,
}

/// The diagnostics of the reported files, each once.
pub type FileDiagnostics = FxHashMap<FileId, Vec<Diagnostic>>;

impl FixRequest<'_> {
    /// Whether a fix is of a kind that is to be applied. The one place where fixes of captures are refused.
    #[must_use]
    pub fn takes(&self, fix: &ResolvedFix) -> bool {
        (self.guesses || fix.applicability == Applicability::Safe) && (self.evidence || !fix.evidence)
    }
}

/// Whether a diagnostic has a fix that may be applied without looking: it is safe, and edits no capture.
#[must_use]
pub fn is_safely_fixable(diagnostic: &Diagnostic) -> bool {
    let is_safe = |fix: &ResolvedFix| fix.applicability == Applicability::Safe && !fix.evidence;
    diagnostic.fix.as_ref().is_some_and(is_safe)
}
