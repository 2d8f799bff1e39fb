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

mod passes;
mod targets;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use similar::{Algorithm, DiffOp, capture_diff_slices};

use mangle_engine::program::FileSummary;
use mangle_syntax::lint::{Applicability, Diagnostic, ResolvedFix};
use mangle_syntax::text::{FileId, TextRange, size};

pub use targets::{FixWorkspace, FixedText, FixedTexts, Texts, Unit, fix, fix_text, fix_texts};

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

type Edit<'e> = (TextRange, &'e str);

/// Applies sorted edits to a text. `None` if a range is invalid.
fn spliced(old: &[u8], edits: &[Edit<'_>]) -> Option<Vec<u8>> {
    let (mut new, mut at) = (Vec::with_capacity(old.len()), 0);
    for (range, text) in edits {
        new.extend_from_slice(old.get(at..usize::from(range.start()))?);
        new.extend_from_slice(text.as_bytes());
        at = usize::from(range.end());
    }
    new.extend_from_slice(old.get(at..)?);
    Some(new)
}

/// Returns the minimal line edits from `old` to `new`, each reduced to the differing characters.
/// Sorted and not adjacent.
#[must_use]
pub fn difference(old: &str, new: &str) -> Vec<(TextRange, String)> {
    let [old_lines, new_lines] = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let mut at = [0, 0];
    let mut edits = Vec::new();
    for op in capture_diff_slices(Algorithm::Patience, &old_lines, &new_lines) {
        let before = old_lines.get(op.old_range()).unwrap_or_default();
        let after = new_lines.get(op.new_range()).unwrap_or_default();
        // Equal numbers of lines are compared line by line.
        let pieces = if before.len() == after.len() { before.len() } else { 1 };
        for piece in 0..pieces {
            let part = |lines: &[&str]| -> usize {
                let lines = if pieces == 1 { lines } else { lines.get(piece..=piece).unwrap_or_default() };
                lines.iter().map(|line| line.len()).sum()
            };
            let lens = [part(before), part(after)];
            if !matches!(op, DiffOp::Equal { .. }) {
                let before = old.get(at[0]..at[0] + lens[0]).unwrap_or("");
                let after = new.get(at[1]..at[1] + lens[1]).unwrap_or("");
                edits.push(trimmed(at[0], before, after));
            }
            at = [at[0] + lens[0], at[1] + lens[1]];
        }
    }
    edits
}

/// Returns the replacement of `before` at `start` by `after`, without their common prefix and
/// suffix.
fn trimmed(start: usize, before: &str, after: &str) -> (TextRange, String) {
    let same = |(a, b): &(char, char)| a == b;
    let prefix: usize = before.chars().zip(after.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    // An edit must not split a `\r\n` line ending.
    let splits = |text: &str, at: usize| {
        text.get(..at).is_some_and(|head| head.ends_with('\r'))
            && text.get(at..).is_some_and(|tail| tail.starts_with('\n'))
    };
    let prefix = prefix - usize::from(splits(before, prefix) || splits(after, prefix));
    let [before_rest, after_rest] = [before, after].map(|text| text.get(prefix..).unwrap_or(""));
    let tails = before_rest.chars().rev().zip(after_rest.chars().rev());
    let suffix: usize = tails.take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let suffix =
        suffix - usize::from([before_rest, after_rest].iter().any(|text| splits(text, text.len() - suffix)));
    let range = TextRange::new(size(start + prefix), size(start + before.len() - suffix));
    (range, after_rest.get(..after_rest.len() - suffix).unwrap_or("").to_owned())
}
