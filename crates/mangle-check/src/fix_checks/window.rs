//! Window of a file around the edits of a fix: the touched statements and one neighbor on each side, which
//! must not change.
//!
//! [`settle`] applies the edits and the remaining safe syntax fixes of the statements. Each step is
//! compared with the previous one.

use std::hash::{Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHasher;

use mangle_engine::program::FileSummary;
use mangle_syntax::lint::{Applicability, FileEdit, Finding, Fix, Group, Severity};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Item, StatementKind};
use mangle_syntax::syntax::compare::{ComparePart, Gain, Side, compare, equal_count};
use mangle_syntax::syntax::rules::{SYNTAX_ERROR, UNMATCHED_PARENTHESIS};
use mangle_syntax::text::{
    FileId, Symbol, TextRange, TextSize, apply, moved, slice, text_len, whole_characters,
};

/// A fix of a finding, with file positions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim<'f> {
    /// The file of the finding.
    pub(crate) file: FileId,
    /// The base offset of the ranges in `replaces`.
    pub(crate) start: TextSize,
    /// The range of the finding in the file.
    pub(crate) range: TextRange,
    /// The ranges that the fix rewrites with the same meaning
    /// ([`mangle_syntax::lint::Fix::replaces`]).
    pub(crate) replaces: &'f [TextRange],
    /// The edits, sorted.
    pub(crate) edits: &'f [FileEdit],
}

/// Computes the hash of the input that `feed` writes.
pub(super) fn hash(feed: impl FnOnce(&mut FxHasher)) -> u64 {
    let mut hasher = FxHasher::default();
    feed(&mut hasher);
    hasher.finish()
}

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
    unchecked_words: Vec<TextRange>,
    /// Bytes that the edits rewrite with the same meaning.
    rewritten: Vec<TextRange>,
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

/// Maximum number of steps.
const STEPS: usize = 12;

/// A window after its edits.
#[derive(Debug)]
pub(super) struct EditedWindow {
    /// The text and the statements.
    pub(super) source: SourceFile,
    /// The statements that changed.
    pub(super) changed: Range<usize>,
    /// Predicates that had no statements before.
    pub(super) heads: Vec<(Symbol, u16)>,
    /// Words that the edits removed.
    pub(super) dropped: Vec<String>,
}

/// Applies the edits and further syntax fixes to a window. `None` if a step loses a part of the
/// program, or if [`STEPS`] steps leave no final text. Also `None` if unreadable text next to the
/// window can be a part of its statements.
pub(super) fn settle(window: &Window<'_>) -> Option<EditedWindow> {
    if window.continues() {
        return None;
    }
    let source = SourceFile::parse(window.after()?.into()).without_tree();
    let parts = parts(window);
    let new_parts: Vec<_> = parts.iter().filter_map(|part| after(*part, &window.edits)).collect();
    let (old_parts, start) = (paired(&parts, &window.edits), window.range.start());
    let new_parts: Vec<_> = new_parts.into_iter().filter_map(|part| shifted(part, start)).collect();
    let before = Side { text: &window.file.text, items: window.items, parts: &old_parts };
    let after = Side { text: source.text(), items: source.items(), parts: &new_parts };
    let gain = compare(before, after).ok()?;
    let changed = changed(window, source.items())?;
    let mut settled = EditedWindow { source, changed, heads: Vec::new(), dropped: Vec::new() };
    settled.add(gain);
    for _ in 0..STEPS {
        let Some(next) = settled.step(window) else { return Some(settled) };
        settled = next?;
    }
    None
}

impl EditedWindow {
    fn add(&mut self, gain: Gain) {
        self.heads.extend(gain.heads);
        self.dropped.extend(gain.dropped);
    }

    /// The statements that changed.
    pub(super) fn items(&self) -> &[Item] {
        self.source.items().get(self.changed.clone()).unwrap_or_default()
    }

    /// Applies the first safe syntax fix of a statement that has or had syntax errors. Returns
    /// `None` if no fix is left, `Some(None)` if a fix loses a part of the program.
    fn step(&self, window: &Window<'_>) -> Option<Option<Self>> {
        let touched = window.items.get(window.touched.clone()).unwrap_or_default();
        let was_damaged = touched.iter().any(|item| item.statement.damaged);
        // Only the first syntax error of a statement is reported, so fixes can reveal the next one.
        let of_interest = |item: &&Item| (was_damaged || item.statement.damaged) && !item.follows_damage;
        let (item, finding, fix) = self.items().iter().filter(of_interest).flat_map(safely_fixable).next()?;
        let edits = placed(fix, item.start)?;
        Some(self.after(window, finding.range + item.start, fix, item.start, &edits))
    }

    fn after(
        &self,
        window: &Window<'_>,
        range: TextRange,
        fix: &Fix,
        start: TextSize,
        edits: &[(TextRange, &str)],
    ) -> Option<Self> {
        let text: Arc<str> = apply(self.source.text(), edits.iter().copied())?.into();
        let source = SourceFile::parse(text).without_tree();
        let declared = fix.replaces.iter().map(|range| part(*range + start, true));
        let parts: Vec<_> = std::iter::once(part(range, false)).chain(declared).collect();
        let new_parts: Vec<_> = parts.iter().filter_map(|part| after(*part, edits)).collect();
        let old_parts = paired(&parts, edits);
        let before = Side { text: self.source.text(), items: self.source.items(), parts: &old_parts };
        let gain =
            compare(before, Side { text: source.text(), items: source.items(), parts: &new_parts }).ok()?;
        let changed = changed(window, source.items())?;
        let (heads, dropped) = (self.heads.clone(), self.dropped.clone());
        let mut settled = Self { source, changed, heads, dropped };
        settled.add(gain);
        Some(settled)
    }
}

/// The syntax findings of a statement with a safe fix.
fn safely_fixable(item: &Item) -> impl Iterator<Item = (&Item, &Finding, &Fix)> {
    let all = item.statement.findings.iter().filter(|finding| is_safely_fixable(finding));
    all.filter_map(move |finding| Some((item, finding, finding.fix.as_ref()?)))
}

/// True if a finding is about syntax and has a safe fix.
pub(super) fn is_safely_fixable(finding: &Finding) -> bool {
    let is_error = finding.rule.severity == Some(Severity::Error) && finding.rule.group == Group::Syntax;
    is_error && finding.fix.as_ref().is_some_and(|fix| fix.applicability == Applicability::Safe)
}

/// The edits of a parser fix, relative to the start of the text, sorted.
fn placed(fix: &Fix, start: TextSize) -> Option<Vec<(TextRange, &str)>> {
    let is_own =
        |edit: &mangle_syntax::lint::Edit| edit.span == mangle_syntax::lint::Span::here(edit.span.range);
    if !fix.edits.iter().all(is_own) {
        return None;
    }
    let mut edits: Vec<_> =
        fix.edits.iter().map(|edit| (edit.span.range + start, edit.text.as_str())).collect();
    edits.sort_by_key(|(range, _)| (range.start(), range.end()));
    Some(edits)
}

fn part(range: TextRange, is_declared: bool) -> ComparePart {
    ComparePart { range, is_declared, is_paired: true }
}

/// The ranges that the fix of a window rewrites, relative to the start of the file.
fn parts(window: &Window<'_>) -> Vec<ComparePart> {
    let free = window.unchecked_words.iter().map(|range| part(*range, false));
    free.chain(window.rewritten.iter().map(|range| part(*range, true))).collect()
}

/// True if the ends of a range can still be located after the edits.
fn is_paired(range: TextRange, edits: &[(TextRange, &str)]) -> bool {
    edits
        .iter()
        .all(|(edit, _)| range.contains_range(*edit) || edit.intersect(range).is_none_or(TextRange::is_empty))
}

/// The parts, each with a flag that is true if [`after`] returns it.
fn paired(parts: &[ComparePart], edits: &[(TextRange, &str)]) -> Vec<ComparePart> {
    parts.iter().map(|part| ComparePart { is_paired: is_paired(part.range, edits), ..*part }).collect()
}

/// A part after the edits, including insertions at its ends.
fn after(part: ComparePart, edits: &[(TextRange, &str)]) -> Option<ComparePart> {
    let [_, range] = moved(part.range, edits);
    is_paired(part.range, edits).then_some(ComparePart { range, ..part })
}

fn shifted(part: ComparePart, start: TextSize) -> Option<ComparePart> {
    let range = TextRange::new(part.range.start().checked_sub(start)?, part.range.end().checked_sub(start)?);
    Some(ComparePart { range, ..part })
}

/// The range of statements that differ from the window. `None` if a statement outside of the edits
/// differs.
fn changed(window: &Window<'_>, items: &[Item]) -> Option<Range<usize>> {
    let start = equal_count(window.items.iter(), items.iter());
    let start = start.min(window.touched.start);
    if start < window.touched.start {
        return None;
    }
    let behind = window.items.len().checked_sub(window.touched.end)?;
    let old = window.items.get(start..).unwrap_or_default();
    let end = equal_count(old.iter().rev(), items.get(start..).unwrap_or_default().iter().rev());
    let end = items.len().checked_sub(end.min(behind))?;
    (items.len() - end == behind).then_some(start..end)
}
