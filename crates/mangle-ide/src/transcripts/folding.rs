//! Folding ranges of a transcript: turns, envelopes, members.

use super::TranscriptView;
use super::outline::Member;
use crate::folding::{Fold, FoldKind};
use mangle_check::lines::line_start;
use mangle_syntax::text::{TextRange, slice};

/// Maximum number of folds.
const MAX_FOLDS: usize = 5_000;

/// Returns the folds of the file, sorted by start and properly nested, with at most one fold per
/// starting line.
#[must_use]
pub fn folds(opened: TranscriptView<'_>) -> Vec<Fold> {
    let text = opened.records.text();
    let mut ranges = Vec::new();
    for entry in opened.records.list() {
        // A record on one line has no folds.
        if !slice(text, entry.range()).contains('\n') {
            continue;
        }
        let mut add = |range: TextRange| ranges.push(entry.place(range));
        for outline in opened.records.outlines(entry, opened.settings) {
            add(outline.range);
            for envelope in &outline.envelopes {
                add(envelope.range);
                envelope.members.iter().for_each(|member| of_member(member, &mut add));
            }
        }
        if ranges.len() > MAX_FOLDS {
            break;
        }
    }
    ranges.retain(|range| slice(text, *range).trim_end().contains('\n'));
    ranges.sort_by_key(|range| (line_start(text, range.start()), std::cmp::Reverse(range.end())));
    ranges.dedup_by_key(|range| line_start(text, range.start()));
    ranges.truncate(MAX_FOLDS);
    nested(ranges).into_iter().map(|range| Fold { range, kind: FoldKind::Code, summary: None }).collect()
}

fn of_member(member: &Member, add: &mut impl FnMut(TextRange)) {
    add(member.key.cover(member.value));
    member.members.iter().for_each(|inner| of_member(inner, add));
}

fn nested(ranges: Vec<TextRange>) -> Vec<TextRange> {
    let mut open: Vec<TextRange> = Vec::new();
    let mut kept = Vec::new();
    for range in ranges {
        while open.pop_if(|last| last.end() <= range.start()).is_some() {}
        if open.last().is_none_or(|last| range.end() <= last.end()) {
            open.push(range);
            kept.push(range);
        }
    }
    kept
}
