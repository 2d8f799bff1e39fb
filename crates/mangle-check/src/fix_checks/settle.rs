//! Text of a window after the edits and after the remaining safe syntax fixes of its statements.
//! Each step is compared with the previous one.

use std::ops::Range;
use std::sync::Arc;

use super::window::Window;
use mangle_syntax::lint::{Applicability, Finding, Fix, Group, Severity};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::syntax::compare::{ComparePart, Gain, Side, compare, equal_count};
use mangle_syntax::text::{Symbol, TextRange, TextSize, apply, moved};

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
