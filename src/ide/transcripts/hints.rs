//! Hints in a transcript: how the runtime reads each reply, how many updates it keeps, and which are lost.

use super::Opened;
use super::outline::{Fate, ReplyOutline, stage_words};
use crate::ide::inlay_hints::{Hint, HintKind};
use crate::text::{TextRange, TextSize};

/// The hints in a range of the file, in order.
#[must_use]
pub fn hints(opened: Opened<'_>, range: TextRange) -> Vec<Hint> {
    let mut found = Vec::new();
    for entry in opened.records.touching(range) {
        for outline in opened.records.outlines(entry, opened.settings) {
            of_reply(outline, &mut |offset, label, full| {
                let (kind, parameter) = (HintKind::Outcome, None);
                found.push(Hint { offset: offset + entry.start, label, kind, full: Some(full), parameter });
            });
        }
    }
    found.retain(|hint| range.contains_inclusive(hint.offset));
    found.sort_by_key(|hint| hint.offset);
    found
}

fn of_reply(outline: &ReplyOutline, add: &mut impl FnMut(TextSize, String, String)) {
    let Some(outcome) = &outline.outcome else { return };
    let picked = outline.envelopes.iter().find(|envelope| envelope.is_picked);
    let start = picked.map_or(outline.range.start(), |envelope| envelope.range.start());
    let (label, full) = match outcome.stage {
        None => ("refused".to_owned(), "Strict mode: the reply has no valid envelope.".to_owned()),
        Some(stage) => {
            let mut label = format!("{} {:.2}", stage.method(), stage.confidence());
            if outcome.kept + outcome.lost > 0 {
                label.push_str(&format!(" · {} kept", outcome.kept));
            }
            if outcome.lost > 0 {
                label.push_str(&format!(", {} lost", outcome.lost));
            }
            (label, format!("The runtime's reading: {}.", stage_words(stage)))
        }
    };
    add(start, label, full);
    for atom in picked.iter().flat_map(|envelope| &envelope.atoms) {
        if let Some(label) = label_of(&atom.fate) {
            add(atom.text.range().end(), label.to_owned(), atom.fate.sentence().to_owned());
        }
    }
}

/// What is shown behind an update that is lost.
fn label_of(fate: &Fate) -> Option<&'static str> {
    match fate {
        Fate::Kept | Fate::NotTaken => None,
        Fate::Cut => Some("lost: too many"),
        Fate::Dropped(_) => Some("lost: dropped"),
        Fate::Refused(_) => Some("lost: refused"),
    }
}
