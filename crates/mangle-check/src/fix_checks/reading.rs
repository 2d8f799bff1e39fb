//! Comparison of the visible statements and comments around a fix, before and after it.
//!
//! [`outline`](mangle_syntax::syntax::outline) reads both texts without the parser. A fix of syntax
//! is safe only if the text before it has a single reading, and the text after it has the same
//! reading.

use super::window::Window;
use mangle_syntax::lint::{Group, Severity};
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::syntax::outline::{Change, CommentPlace, Doubt, Outline};
use mangle_syntax::text::{TextRange, TextSize, apply, size, slice};

/// The text that [`keeps`] reads, and the position of the first edit in it.
pub(super) fn stretch<'w>(window: &Window<'w>) -> (&'w str, Option<TextSize>) {
    let edit = window.edits.first().map(|(edit, _)| edit.start() - window.surroundings.start());
    (slice(&window.file.text, window.surroundings), edit)
}

/// True if the edits neither remove nor add content in any reading of the text.
pub(super) fn keeps(window: &Window<'_>) -> bool {
    let stretch = window.surroundings;
    let before = slice(&window.file.text, stretch);
    let moved: Vec<_> = window.edits.iter().map(|(range, text)| (*range - stretch.start(), *text)).collect();
    let Some(after) = apply(before, moved.iter().copied()) else { return false };
    let edits = places_of(&moved);
    let Some((old, new)) = (Change { before, after: &after, edits: &edits }).outlines() else {
        return !is_about_notation(window);
    };
    let edited: Vec<_> = edits.iter().map(|(old, _)| *old).collect();
    let is_notation = is_about_notation(window);
    let is_read_alike = !is_notation || old.clauses == new.clauses;
    is_read_alike
        && !is_doubtful(&old, &edited, is_notation)
        && keeps_comments(&old, &new, &edits, is_notation)
}

/// True if the edits change a statement with a syntax error, or text between statements.
fn is_about_notation(window: &Window<'_>) -> bool {
    let touched = window.items.get(window.touched.clone()).unwrap_or_default();
    let is_odd = |item: &Item| {
        let mut findings = item.statement.findings.iter();
        item.statement.damaged
            || findings
                .any(|one| one.rule.group == Group::Syntax && one.rule.severity == Some(Severity::Error))
    };
    let mut stray = window.file.findings.iter().filter(|finding| finding.rule.group == Group::Syntax);
    touched.iter().any(is_odd)
        || stray.any(|finding| window.edits.iter().any(|(edit, _)| edit.intersect(finding.range).is_some()))
}

/// Each edit with the range of its text after all edits.
fn places_of(edits: &[(TextRange, &str)]) -> Vec<(TextRange, TextRange)> {
    let mut grown: i64 = 0;
    let place = |(range, text): &(TextRange, &str)| {
        let start = i64::from(u32::from(range.start())) + grown;
        let start = TextSize::new(u32::try_from(start).unwrap_or_default());
        let len = size(text.len());
        grown += i64::from(u32::from(len)) - i64::from(u32::from(range.len()));
        (*range, TextRange::at(start, len))
    };
    edits.iter().map(place).collect()
}

/// True if a changed statement has several readings, or can be a part of a neighboring statement.
fn is_doubtful(outline: &Outline, edits: &[TextRange], is_notation: bool) -> bool {
    // The period is not part of a statement.
    let touches = |statement: &TextRange| {
        meets(edits, TextRange::new(statement.start(), statement.end() + TextSize::new(2)))
    };
    let statements = &outline.statements;
    let first = statements.iter().position(touches);
    let last = statements.iter().rposition(touches);
    let behind = || {
        let edit = edits.first().map_or(TextSize::default(), |edit| edit.start());
        statements.partition_point(|statement| statement.end() <= edit)
    };
    let touched = match (first, last) {
        (Some(first), Some(last)) => first..last + 1,
        _ => behind()..behind(),
    };
    let range = |at: Option<usize>| at.and_then(|at| statements.get(at)).copied();
    let own = range(Some(touched.start))
        .zip(range(touched.end.checked_sub(1)))
        .filter(|_| !touched.is_empty())
        .map(|(first, last)| TextRange::new(first.start(), last.end().max(first.start()) + TextSize::new(2)));
    let beside = [range(touched.start.checked_sub(1)), range(Some(touched.end))];
    outline.doubts.iter().any(|(doubt, at)| {
        let is_own = own.is_some_and(|own| own.intersect(*at).is_some()) || meets(edits, *at);
        let is_beside = beside
            .iter()
            .flatten()
            .any(|one| TextRange::new(one.start(), one.end() + TextSize::new(1)).intersect(*at).is_some());
        let cuts = matches!(doubt, Doubt::CutOff | Doubt::FullStop);
        is_own && (is_notation || cuts) || is_beside && (cuts || is_notation && *doubt == Doubt::Bracket)
    })
}

/// True if one of some sorted ranges shares a byte or an end with another range.
fn meets(sorted: &[TextRange], range: TextRange) -> bool {
    let at = sorted.partition_point(|one| one.end() < range.start());
    sorted.get(at).is_some_and(|one| one.start() <= range.end())
}

/// True if all comments stay with their statements. A replaced comment must remain a comment. Only
/// fixes that are not about syntax can delete comments.
fn keeps_comments(old: &Outline, new: &Outline, edits: &[(TextRange, TextRange)], is_notation: bool) -> bool {
    let (old_edited, old_kept) = split(&old.comments, edits.iter().map(|edit| edit.0));
    let (new_edited, new_kept) = split(&new.comments, edits.iter().map(|edit| edit.1));
    let is_in_place = |(one, other): (&&CommentPlace, &&CommentPlace)| {
        one.statement == other.statement && one.is_above == other.is_above
    };
    let kept = || old_kept.iter().zip(&new_kept);
    old_kept.len() == new_kept.len()
        && kept().all(|(one, other)| one.body == other.body && is_in_place((one, other)))
        && (!is_notation
            || old_edited.len() == new_edited.len() && old_edited.iter().zip(&new_edited).all(is_in_place))
}

/// Splits comments into those that overlap sorted edits, and the rest.
fn split(
    comments: &[CommentPlace],
    edits: impl Iterator<Item = TextRange>,
) -> (Vec<&CommentPlace>, Vec<&CommentPlace>) {
    let edits: Vec<_> = edits.filter(|edit| !edit.is_empty()).collect();
    let is_edited = |comment: &&CommentPlace| {
        let at = edits.partition_point(|edit| edit.end() <= comment.range.start());
        edits.get(at).is_some_and(|edit| edit.start() < comment.range.end())
    };
    comments.iter().partition(is_edited)
}
