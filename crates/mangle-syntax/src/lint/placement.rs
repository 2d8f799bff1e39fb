//! Conversion of findings to diagnostics: ranges relative to a statement or record become file
//! ranges.

use super::{Anchor, Diagnostic, FileEdit, Finding, Fix, RelatedPlace, ResolvedFix, Severity, Span};
use crate::text::{FileId, StatementId, TextRange, TextSize, size};

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
