//! A finding placed in its file: what every output shows.

use super::{Applicability, Rule, Severity, SharedText};
use crate::text::{FileId, TextRange};

/// A finding with absolute byte ranges and the severity that the configuration gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule that reports it.
    pub rule: &'static Rule,
    /// Severity after configuration.
    pub severity: Severity,
    /// The bytes at fault.
    pub range: TextRange,
    /// The headline.
    pub message: SharedText,
    /// What is wrong exactly at `range`.
    pub label: Option<SharedText>,
    /// Other places that matter, with a label each.
    pub related: Vec<RelatedPlace>,
    /// The consequence or the reason, a sentence each.
    pub notes: Vec<SharedText>,
    /// The fix, where one is unambiguous.
    pub fix: Option<ResolvedFix>,
    /// What to do where no fix does it.
    pub help: Option<SharedText>,
    /// Inside of a transcript, the chain of JSON pointers that leads to the place, the outermost first; empty elsewhere.
    pub path: Vec<String>,
}

impl Diagnostic {
    /// A diagnostic with a headline alone.
    #[must_use]
    pub fn new(rule: &'static Rule, severity: Severity, range: TextRange, message: SharedText) -> Self {
        let (label, help, fix) = (None, None, None);
        let (related, notes, path) = (Vec::new(), Vec::new(), Vec::new());
        Self { rule, severity, range, message, label, related, notes, fix, help, path }
    }

    /// The headline, then the notes, a line each: for outputs that have one text.
    #[must_use]
    pub fn headline_and_notes(&self) -> String {
        let notes = self.notes.iter().map(|note| format!("\n{note}"));
        std::iter::once(self.message.to_string()).chain(notes).collect()
    }

    /// What to do: the title of the fix, or a suggestion.
    #[must_use]
    pub fn advice(&self) -> Option<&str> {
        self.fix.as_ref().map(|fix| fix.title.as_str()).or(self.help.as_deref())
    }
}

/// Another place that explains a diagnostic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedPlace {
    /// The file that the range counts in.
    pub file: FileId,
    /// The bytes.
    pub range: TextRange,
    /// What is there.
    pub message: SharedText,
}

/// A fix with its edits placed in files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedFix {
    /// What it does.
    pub title: SharedText,
    /// Whether it may be applied without looking.
    pub applicability: Applicability,
    /// Whether it edits a capture, which is evidence: applied only when that is asked for by name.
    pub evidence: bool,
    /// The edits, which do not overlap.
    pub edits: Vec<FileEdit>,
    /// What to do instead where the text can be read in two ways; never safe.
    pub otherwise: Option<Box<Self>>,
}

/// A replacement of some bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The file that the range counts in.
    pub file: FileId,
    /// The bytes to replace.
    pub range: TextRange,
    /// What stands there afterwards, with the line ends of the file.
    pub text: String,
}
