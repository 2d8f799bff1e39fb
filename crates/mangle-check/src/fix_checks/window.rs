//! The stretch of a file that edits change: the statements that they touch, and one more on either side, which must stay
//! what they are.

use std::hash::Hash as _;
use std::ops::Range;

use super::claim::{Claim, hash};
use mangle_engine::program::FileSummary;
use mangle_syntax::lint::FileEdit;
use mangle_syntax::syntax::ast::{Item, StatementKind};
use mangle_syntax::syntax::rules::{SYNTAX_ERROR, UNMATCHED_PARENTHESIS};
use mangle_syntax::text::{TextRange, TextSize, apply, slice, text_len, whole_characters};

/// A stretch of a file and the edits to it. Ranges count from the start of the file.
#[derive(Debug)]
pub(super) struct Window<'w> {
    pub(super) file: &'w FileSummary,
    /// The stretch.
    pub(super) range: TextRange,
    /// The stretch with further statements and the comments around them, for a reader who does not know the statements.
    pub(super) surroundings: TextRange,
    /// The statements in it.
    pub(super) items: &'w [Item],
    /// Those of them that the edits touch.
    pub(super) touched: Range<usize>,
    /// The edits, sorted.
    pub(super) edits: Vec<(TextRange, &'w str)>,
    /// Bytes whose words may differ afterwards.
    pub(super) free: Vec<TextRange>,
    /// Bytes that are said in another way afterwards.
    pub(super) declared: Vec<TextRange>,
}

impl<'w> Window<'w> {
    /// `None` where the edits do not fit the file.
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
            free: if is_own { vec![claim.range] } else { Vec::new() },
            declared: declared.collect(),
        })
    }

    /// Whether text that cannot be read stands right behind what the edits touch, or beside it on its line: it may be a
    /// part of these statements.
    pub(super) fn goes_on(&self) -> bool {
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

    /// How many line ends there are between two statements.
    fn gap(&self, one: &Item, other: &Item) -> usize {
        let end = (one.start + one.statement.len).min(other.start);
        slice(&self.file.text, TextRange::new(end, other.start)).matches('\n').count()
    }

    /// The text of the stretch.
    pub(super) fn text(&self) -> &'w str {
        slice(&self.file.text, self.range)
    }

    /// All ranges that decide, from the start of the stretch.
    pub(super) fn ranges(&self) -> Vec<(i64, i64)> {
        let offset = |at: TextSize| i64::from(u32::from(at)) - i64::from(u32::from(self.range.start()));
        let all = self.free.iter().chain(&self.declared).chain(self.edits.iter().map(|(range, _)| range));
        all.map(|range| (offset(range.start()), offset(range.end()))).collect()
    }

    /// The text of the stretch after the edits.
    pub(super) fn after(&self) -> Option<String> {
        let start = self.range.start();
        let moved = self.edits.iter().map(|(range, text)| (*range - start, *text));
        apply(self.text(), moved)
    }

    /// A number for the stretch and the change.
    pub(super) fn key(&self) -> u64 {
        hash(|hasher| self.hash(hasher))
    }
}

/// A range with the statements `BESIDE` it on either side. It starts and ends between statements.
fn surroundings(file: &FileSummary, touched: &Range<usize>, edits: TextRange) -> Option<TextRange> {
    const BESIDE: usize = 3;
    const MAX_BYTES: u32 = 16 << 10;
    let items = &file.items;
    let end = |item: &Item| item.start + item.statement.len;
    let before = touched.start.checked_sub(BESIDE).and_then(|at| items.get(at));
    let start = before.map_or(TextSize::new(0), end).min(edits.start());
    let stop =
        items.get(touched.end + BESIDE - 1).map_or(text_len(&file.text), |item| item.start).max(edits.end());
    // What is further away is looked at only where statements are small.
    let start = start.max(edits.start().checked_sub(MAX_BYTES.into()).unwrap_or_default());
    let stop = stop.min(edits.end() + TextSize::from(MAX_BYTES));
    whole_characters(file.text.as_bytes(), TextRange::new(start, stop))
        .intersect(TextRange::up_to(text_len(&file.text)))
}

/// Whether a stretch of text is no statement, or only the end of one.
fn is_unreadable(item: &Item) -> bool {
    let is_rest = |rule| [&SYNTAX_ERROR, &UNMATCHED_PARENTHESIS].contains(&rule);
    let broken = matches!(item.statement.kind, StatementKind::Broken);
    broken || item.statement.findings.iter().any(|finding| is_rest(finding.rule))
}
