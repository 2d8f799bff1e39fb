//! Window of a file around edits: the touched statements and one neighbor on each side, which must
//! not change.

use std::hash::Hash as _;
use std::ops::Range;

use super::claim::{Claim, hash};
use mangle_engine::program::FileSummary;
use mangle_syntax::lint::FileEdit;
use mangle_syntax::syntax::ast::{Item, StatementKind};
use mangle_syntax::syntax::rules::{SYNTAX_ERROR, UNMATCHED_PARENTHESIS};
use mangle_syntax::text::{TextRange, TextSize, apply, slice, text_len, whole_characters};

/// A range of a file and the edits to it. Ranges are relative to the start of the file.
#[derive(Debug)]
pub(super) struct Window<'w> {
    pub(super) file: &'w FileSummary,
    /// The range of the window.
    pub(super) range: TextRange,
    /// The window with further statements and comments, for a reader that does not use the parser.
    pub(super) surroundings: TextRange,
    /// The statements in the window.
    pub(super) items: &'w [Item],
    /// The indices of the statements that the edits touch.
    pub(super) touched: Range<usize>,
    /// The edits, sorted.
    pub(super) edits: Vec<(TextRange, &'w str)>,
    /// Bytes whose words can differ after the edits.
    pub(super) unchecked_words: Vec<TextRange>,
    /// Bytes that the edits rewrite with the same meaning.
    pub(super) rewritten: Vec<TextRange>,
}

impl<'w> Window<'w> {
    /// `None` if the edits do not fit the file.
    pub(super) fn new(file: &'w FileSummary, claim: Claim<'_>, edits: &'w [FileEdit]) -> Option<Self> {
        let (first, last) = (edits.first()?.range, edits.last()?.range);
        let end = |item: &Item| item.start + item.statement.len;
        let items = &file.items;
        let touched = items.partition_point(|item| end(item) < first.start())
            ..items.partition_point(|item| item.start <= last.end());
        let around = touched.start.saturating_sub(1)..(touched.end + 1).min(items.len());
        let start = items.get(around.start).map_or(first.start(), |item| item.start);
        let end = items.get(around.clone())?.last().map_or(last.end(), end);
        let whole = |range: TextRange| range.start() == TextSize::new(0);
        let range = TextRange::new(start.min(first.start()), end.max(last.end()));
        let range = if whole(first) { TextRange::up_to(range.end()) } else { range };
        let is_own = file.id == claim.file;
        let declared = claim.replaces.iter().filter(|_| is_own).map(|range| *range + claim.start);
        Some(Self {
            file,
            surroundings: surroundings(file, &touched, TextRange::new(first.start(), last.end()))?,
            range: range.intersect(TextRange::up_to(text_len(&file.text)))?,
            items: items.get(around.clone())?,
            touched: touched.start - around.start..touched.end.saturating_sub(around.start),
            edits: edits.iter().map(|edit| (edit.range, edit.text.as_str())).collect(),
            unchecked_words: if is_own { vec![claim.range] } else { Vec::new() },
            rewritten: declared.collect(),
        })
    }

    /// True if unreadable text follows the touched statements directly, or is on the same line: it
    /// can be a part of them.
    pub(super) fn continues(&self) -> bool {
        let touched = self.items.get(self.touched.clone()).unwrap_or_default();
        let next = self.items.get(self.touched.end);
        let before = self.touched.start.checked_sub(1).and_then(|before| self.items.get(before));
        let behind = touched.last().zip(next).is_some_and(|(last, next)| {
            let gap = self.gap(last, next);
            gap < 2 && is_unreadable(next) || gap == 0 && next.statement.damaged
        });
        let in_front = before
            .zip(touched.first())
            .is_some_and(|(before, first)| self.gap(before, first) == 0 && before.statement.damaged);
        let stray = self.file.findings.iter().filter(|finding| finding.rule == &SYNTAX_ERROR);
        behind || in_front || stray.into_iter().any(|finding| finding.range.intersect(self.range).is_some())
    }

    /// The number of line ends between two statements.
    fn gap(&self, one: &Item, other: &Item) -> usize {
        let end = (one.start + one.statement.len).min(other.start);
        slice(&self.file.text, TextRange::new(end, other.start)).matches('\n').count()
    }

    /// The text of the window.
    pub(super) fn text(&self) -> &'w str {
        slice(&self.file.text, self.range)
    }

    /// All ranges that affect the verdict, relative to the start of the window.
    pub(super) fn ranges(&self) -> Vec<(i64, i64)> {
        let offset = |at: TextSize| i64::from(u32::from(at)) - i64::from(u32::from(self.range.start()));
        let all = self
            .unchecked_words
            .iter()
            .chain(&self.rewritten)
            .chain(self.edits.iter().map(|(range, _)| range));
        all.map(|range| (offset(range.start()), offset(range.end()))).collect()
    }

    /// The text of the window after the edits.
    pub(super) fn after(&self) -> Option<String> {
        let start = self.range.start();
        let moved = self.edits.iter().map(|(range, text)| (*range - start, *text));
        apply(self.text(), moved)
    }

    /// A hash of the window and the edits.
    pub(super) fn key(&self) -> u64 {
        hash(|hasher| self.hash(hasher))
    }
}

/// Extends a range by `NEIGHBORS` statements on each side. The result starts and ends between
/// statements.
fn surroundings(file: &FileSummary, touched: &Range<usize>, edits: TextRange) -> Option<TextRange> {
    const NEIGHBORS: usize = 3;
    const MAX_BYTES: u32 = 16 << 10;
    let items = &file.items;
    let end = |item: &Item| item.start + item.statement.len;
    let before = touched.start.checked_sub(NEIGHBORS).and_then(|at| items.get(at));
    let start = before.map_or(TextSize::new(0), end).min(edits.start());
    let stop = items
        .get(touched.end + NEIGHBORS - 1)
        .map_or(text_len(&file.text), |item| item.start)
        .max(edits.end());
    // More distant text is included only if statements are small.
    let start = start.max(edits.start().checked_sub(MAX_BYTES.into()).unwrap_or_default());
    let stop = stop.min(edits.end() + TextSize::from(MAX_BYTES));
    whole_characters(file.text.as_bytes(), TextRange::new(start, stop))
        .intersect(TextRange::up_to(text_len(&file.text)))
}

/// True if the item is not a statement, or is only the end of one.
fn is_unreadable(item: &Item) -> bool {
    let is_rest = |rule| [&SYNTAX_ERROR, &UNMATCHED_PARENTHESIS].contains(&rule);
    let broken = matches!(item.statement.kind, StatementKind::Broken);
    broken || item.statement.findings.iter().any(|finding| is_rest(finding.rule))
}
