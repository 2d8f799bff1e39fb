//! Diagnostic: a finding with file positions, as shown by every output.

use super::{Applicability, Rule, Severity, SharedText};
use crate::text::{FileId, TextRange};

/// A finding with absolute byte ranges and its configured severity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule that reports it.
    pub rule: &'static Rule,
    /// Severity after configuration.
    pub severity: Severity,
    /// The range of the problem.
    pub range: TextRange,
    /// The headline.
    pub message: SharedText,
    /// A short explanation of `range`.
    pub label: Option<SharedText>,
    /// Related locations, each with a label.
    pub related: Vec<RelatedPlace>,
    /// The consequence or the reason, one sentence each.
    pub notes: Vec<SharedText>,
    /// The fix, if one is unambiguous.
    pub fix: Option<ResolvedFix>,
    /// Advice if no fix applies.
    pub help: Option<SharedText>,
    /// For a transcript, the JSON pointers that lead to the position, outermost first. Empty for
    /// other files.
    pub path: Vec<String>,
}

impl Diagnostic {
    /// Creates a diagnostic with only a headline.
    #[must_use]
    pub fn new(rule: &'static Rule, severity: Severity, range: TextRange, message: SharedText) -> Self {
        let (label, help, fix) = (None, None, None);
        let (related, notes, path) = (Vec::new(), Vec::new(), Vec::new());
        Self { rule, severity, range, message, label, related, notes, fix, help, path }
    }

    /// The headline and the notes, one per line, for outputs with a single text.
    #[must_use]
    pub fn headline_and_notes(&self) -> String {
        let notes = self.notes.iter().map(|note| format!("\n{note}"));
        std::iter::once(self.message.to_string()).chain(notes).collect()
    }

    /// The title of the fix, or the advice.
    #[must_use]
    pub fn advice(&self) -> Option<&str> {
        self.fix.as_ref().map(|fix| fix.title.as_str()).or(self.help.as_deref())
    }
}

/// A related location of a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedPlace {
    /// The file of the range.
    pub file: FileId,
    /// The range of the location.
    pub range: TextRange,
    /// The label of the location.
    pub message: SharedText,
}

/// A fix with file positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedFix {
    /// The title of the fix.
    pub title: SharedText,
    /// The safety of the fix. Only safe fixes can be applied without review.
    pub applicability: Applicability,
    /// True if the fix edits a captured transcript, which is evidence. Such fixes are applied only
    /// on explicit request.
    pub evidence: bool,
    /// The edits, which do not overlap.
    pub edits: Vec<FileEdit>,
    /// An alternative fix for ambiguous text. Never safe.
    pub alternative: Option<Box<Self>>,
}

/// A replacement of a range in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The file of the range.
    pub file: FileId,
    /// The range to replace. Empty for an insertion.
    pub range: TextRange,
    /// The new text, with the line endings of the file.
    pub text: String,
}
