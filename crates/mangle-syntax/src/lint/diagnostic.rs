//! Diagnostic: a finding with file positions, as shown by every output, and the conversion of
//! findings to diagnostics.

use super::{Anchor, Applicability, Finding, Fix, Rule, Severity, SharedText, Span};
use crate::text::{FileId, StatementId, TextRange, TextSize, size};

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

/// The base positions of a finding's ranges.
pub struct Placement<'s> {
    file: FileId,
    /// The offset of [`Anchor::Own`] in `file`.
    start: TextSize,
    /// Returns the start of a statement, or `None` if it no longer exists.
    start_of: &'s mut dyn FnMut(FileId, StatementId) -> Option<TextSize>,
}

impl std::fmt::Debug for Placement<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Placement")
            .field("file", &self.file)
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

impl<'s> Placement<'s> {
    /// Creates a placement at offset `start` of `file`. `start_of` returns the start of other
    /// statements, or `None` if one no longer exists.
    pub fn new(
        file: FileId,
        start: TextSize,
        start_of: &'s mut dyn FnMut(FileId, StatementId) -> Option<TextSize>,
    ) -> Self {
        Self { file, start, start_of }
    }

    /// Converts the finding to a diagnostic. Related locations that no longer exist are dropped. A
    /// fix with an edit at such a location is dropped as a whole.
    pub fn diagnostic(&mut self, finding: Finding, severity: Severity) -> Diagnostic {
        let related = finding.related.into_iter().filter_map(|related| {
            let (file, range) = self.resolve(related.span)?;
            Some(RelatedPlace { file, range, message: related.message })
        });
        let related = related.collect();
        let range = moved(finding.range, self.start);
        Diagnostic {
            label: finding.label,
            related,
            notes: finding.notes,
            fix: finding.fix.and_then(|fix| self.fix(fix)),
            help: finding.help,
            ..Diagnostic::new(finding.rule, severity, range, finding.message)
        }
    }

    fn fix(&mut self, fix: Fix) -> Option<ResolvedFix> {
        let otherwise = fix.alternative.and_then(|other| self.fix(*other)).map(Box::new);
        let edits = fix.edits.into_iter().map(|edit| {
            let (file, range) = self.resolve(edit.span)?;
            Some(FileEdit { file, range, text: edit.text })
        });
        let mut edits: Vec<_> = edits.collect::<Option<_>>()?;
        edits.sort_by_key(|edit| (edit.file, edit.range.start(), edit.range.end()));
        let Fix { title, applicability, .. } = fix;
        Some(ResolvedFix { title, applicability, evidence: false, edits, alternative: otherwise })
    }

    fn resolve(&mut self, span: Span) -> Option<(FileId, TextRange)> {
        match span.anchor {
            Anchor::Own => Some((self.file, moved(span.range, self.start))),
            Anchor::File => Some((self.file, span.range)),
            Anchor::Statement(file, statement) => {
                Some((file, moved(span.range, (self.start_of)(file, statement)?)))
            }
        }
    }
}

/// Adds `start` to a range. A result beyond 4 GiB becomes an empty range at that limit.
fn moved(range: TextRange, start: TextSize) -> TextRange {
    let at = |offset: TextSize| size(usize::from(offset).saturating_add(start.into()));
    TextRange::new(at(range.start()), at(range.end()))
}
