//! Inlay hints in a transcript: the parse result of each reply, the number of kept updates, and
//! lost updates.

use super::TranscriptView;
use super::outline::{ReplyOutline, stage_words};
use super::records::Entry;
use crate::inlay_hints::{Hint, HintKind};
use mangle_syntax::text::{TextRange, TextSize};
use piggyback::envelope::account::{Tally, UpdateFate};

/// Returns the hints in a range of the file, sorted by offset.
#[must_use]
pub fn hints(opened: TranscriptView<'_>, range: TextRange) -> Vec<Hint> {
    let mut found = Vec::new();
    for entry in opened.records.touching(range) {
        for outline in opened.records.outlines(entry, opened.settings) {
            of_reply(opened, entry, outline, &mut |offset, label, full| {
                let (kind, parameter) = (HintKind::Outcome, None);
                found.push(Hint { offset: offset + entry.start, label, kind, full: Some(full), parameter });
            });
        }
    }
    found.retain(|hint| range.contains_inclusive(hint.offset));
    found.sort_by_key(|hint| hint.offset);
    found
}

fn of_reply(
    opened: TranscriptView<'_>,
    entry: &Entry,
    outline: &ReplyOutline,
    add: &mut impl FnMut(TextSize, String, String),
) {
    let Some(outcome) = &outline.outcome else { return };
    let picked = outline.envelopes.iter().find(|envelope| envelope.is_picked);
    let start = picked.map_or(outline.range.start(), |envelope| envelope.range.start());
    let (label, full) = match outcome.stage {
        None => ("refused".to_owned(), "Strict mode: the reply has no valid envelope.".to_owned()),
        Some(stage) => {
            let mut label = format!("{} {:.2}", stage.method(), stage.confidence());
            let Tally { kept, dropped, blocked, withdrawn } = opened.tally(entry, outline);
            let lost = dropped + blocked + withdrawn;
            if kept + lost > 0 {
                let word = if opened.declarations.is_some() { "kept" } else { "not judged" };
                label.push_str(&format!(" · {kept} {word}"));
            }
            if lost > 0 {
                label.push_str(&format!(", {lost} lost"));
            }
            (label, format!("The runtime's reading: {}.", stage_words(stage)))
        }
    };
    add(start, label, full);
    for atom in picked.iter().flat_map(|envelope| &envelope.atoms) {
        let fate = opened.outcome(entry, outline, atom);
        if let Some(label) = label_of(&fate) {
            add(atom.text.range().end(), label.to_owned(), sentence(&fate));
        }
    }
}

/// Returns the label after a lost update.
fn label_of(fate: &UpdateFate) -> Option<&'static str> {
    match fate {
        UpdateFate::Passed(_) | UpdateFate::Asserted { .. } | UpdateFate::NotTaken => None,
        UpdateFate::Cut => Some("lost: too many"),
        UpdateFate::Dropped(_) | UpdateFate::Blank => Some("lost: dropped"),
        UpdateFate::Blocked(_) => Some("lost: blocked"),
        UpdateFate::Withdrawn(_) => Some("lost: reply denied"),
    }
}

/// Describes the outcome of an update as a sentence.
pub(super) fn sentence(fate: &UpdateFate) -> String {
    let said = fate.to_string();
    let mut chars = said.chars();
    chars.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), chars.as_str()))
}
