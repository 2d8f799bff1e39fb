//! What becomes of a window: its text after the edits, and after the safe fixes for notation that its statements still
//! need before they can be read whole. Each step is compared with the one before.

use std::ops::Range;
use std::sync::Arc;

use super::window::Window;
use mangle_syntax::lint::{Applicability, Finding, Fix, Group, Severity};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::syntax::compare::{ComparePart, Gain, Side, compare, equal_count};
use mangle_syntax::text::{Symbol, TextRange, TextSize, apply, moved};

/// So many steps are tried.
const STEPS: usize = 12;

/// A window after its edits.
#[derive(Debug)]
pub(super) struct EditedWindow {
    /// Its text and statements.
    pub(super) source: SourceFile,
    /// The statements that changed.
    pub(super) changed: Range<usize>,
    /// Predicates that have statements of their own only now.
    pub(super) heads: Vec<(Symbol, u16)>,
    /// Words that are gone.
    pub(super) dropped: Vec<String>,
}

/// What the window becomes; `None` where the change loses something.
pub(super) fn settle(window: &Window<'_>) -> Option<EditedWindow> {
    if window.goes_on() {
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

    /// Applies the first safe fix for the notation of a statement that is or was damaged. `None` when there is nothing to do,
    /// `Some(None)` when it loses something.
    fn step(&self, window: &Window<'_>) -> Option<Option<Self>> {
        let touched = window.items.get(window.touched.clone()).unwrap_or_default();
        let was_damaged = touched.iter().any(|item| item.statement.damaged);
        // Of a damaged statement only the first damage is reported, so the rest comes to light now.
        let of_interest = |item: &&Item| (was_damaged || item.statement.damaged) && !item.rubble;
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

/// The findings of a statement about its notation that a safe fix ends.
fn safely_fixable(item: &Item) -> impl Iterator<Item = (&Item, &Finding, &Fix)> {
    let all = item.statement.findings.iter().filter(|finding| is_safely_fixable(finding));
    all.filter_map(move |finding| Some((item, finding, finding.fix.as_ref()?)))
}

/// Whether a finding is about notation, and a safe fix ends it.
pub(super) fn is_safely_fixable(finding: &Finding) -> bool {
    let is_error = finding.rule.severity == Some(Severity::Error) && finding.rule.group == Group::Syntax;
    is_error && finding.fix.as_ref().is_some_and(|fix| fix.applicability == Applicability::Safe)
}

/// The edits of a fix of the parser, from the start of the text, sorted.
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

/// What the fix of a window declares, from the start of the file.
fn parts(window: &Window<'_>) -> Vec<ComparePart> {
    let free = window.free.iter().map(|range| part(*range, false));
    free.chain(window.declared.iter().map(|range| part(*range, true))).collect()
}

/// Whether edits leave the ends of a range where they can be found again.
fn is_paired(range: TextRange, edits: &[(TextRange, &str)]) -> bool {
    edits
        .iter()
        .all(|(edit, _)| range.contains_range(*edit) || edit.intersect(range).is_none_or(TextRange::is_empty))
}

/// The parts, each marked with whether [`after`] has it.
fn paired(parts: &[ComparePart], edits: &[(TextRange, &str)]) -> Vec<ComparePart> {
    parts.iter().map(|part| ComparePart { is_paired: is_paired(part.range, edits), ..*part }).collect()
}

/// A part after edits, with what is inserted at its ends.
fn after(part: ComparePart, edits: &[(TextRange, &str)]) -> Option<ComparePart> {
    let [_, range] = moved(part.range, edits);
    is_paired(part.range, edits).then_some(ComparePart { range, ..part })
}

fn shifted(part: ComparePart, start: TextSize) -> Option<ComparePart> {
    let range = TextRange::new(part.range.start().checked_sub(start)?, part.range.end().checked_sub(start)?);
    Some(ComparePart { range, ..part })
}

/// Which statements differ from those of the window; `None` where one does that no edit touches.
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
