//! Two-channel view of a transcript: the surface shown to the user, next to the updates sent to the
//! kernel.

use super::TranscriptView;
use super::outline::{AtomOutline, ReplyOutline};
use super::records::Entry;
use mangle_syntax::text::{TextRange, TextSize, text_len};
use piggyback::envelope::account::{NO_POLICY_NOTICE, UpdateFate};

/// Width of the surface column, in characters.
const WIDTH: usize = 60;

/// Maximum number of shown turns. The last turns are shown.
const MAX_TURNS: usize = 2_000;

/// Two-channel view as text with sources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Split {
    pub text: String,
    /// Parts in order.
    pub parts: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Range in the text.
    pub range: TextRange,
    /// Range in the transcript.
    pub source: TextRange,
    /// `turn`, `surface` or `atom`.
    pub kind: &'static str,
}

/// Renders the turns with a surface or with updates.
#[must_use]
pub fn split(opened: TranscriptView<'_>) -> Split {
    let mut turns = Vec::new();
    let list = opened.records.list();
    // Iterates backwards, because the last turns are shown, and every record has at least one turn.
    for entry in list.iter().rev() {
        let outlines = opened.records.outlines(entry, opened.settings);
        turns.extend(outlines.iter().rev().filter(|outline| speaks(outline)).map(|outline| (entry, outline)));
        if turns.len() > MAX_TURNS {
            break;
        }
    }
    let is_cut = turns.len() > MAX_TURNS;
    turns.truncate(MAX_TURNS);
    turns.reverse();
    let mut split = Split::default();
    if opened.declarations.is_none() {
        split.text.push_str(&format!("{NO_POLICY_NOTICE}\n\n"));
    }
    if is_cut {
        split.text.push_str(&format!("Only the last {MAX_TURNS} turns are shown.\n\n"));
    }
    split.line("turn", "surface", "updates");
    split.line("────", &"─".repeat(WIDTH), "───────");
    for (at, (entry, outline)) in turns.into_iter().enumerate() {
        split.turn(opened, at + 1, entry, outline);
    }
    split
}

fn speaks(outline: &ReplyOutline) -> bool {
    !outline.surface.is_empty() || outline.envelopes.iter().any(|envelope| !envelope.atoms.is_empty())
}

impl Split {
    /// Adds a line. Returns the start offsets of its three columns.
    fn line(&mut self, number: &str, left: &str, right: &str) -> [TextSize; 3] {
        let start = text_len(&self.text);
        self.text.push_str(&format!("{number:>4} │ "));
        let surface = text_len(&self.text);
        self.text.push_str(left);
        let blanks = WIDTH.saturating_sub(left.chars().count());
        self.text.push_str(&format!("{} │ ", " ".repeat(blanks)));
        let atom = text_len(&self.text);
        self.text.push_str(right);
        let end = self.text.trim_end_matches(' ').len();
        self.text.truncate(end);
        self.text.push('\n');
        [start, surface, atom]
    }

    fn turn(&mut self, opened: TranscriptView<'_>, number: usize, entry: &Entry, outline: &ReplyOutline) {
        let surface = wrapped(&outline.surface);
        let picked = outline.envelopes.iter().filter(|envelope| envelope.is_picked);
        let atoms: Vec<&AtomOutline> = picked.flat_map(|envelope| &envelope.atoms).collect();
        for row in 0..surface.len().max(atoms.len()).max(1) {
            let number = if row == 0 { number.to_string() } else { String::new() };
            let left = surface.get(row).map_or("", String::as_str);
            let right = atoms
                .get(row)
                .map(|atom| update(atom, &opened.outcome(entry, outline, atom)))
                .unwrap_or_default();
            let [start, left_start, right_start] = self.line(&number, left, &right);
            let mut add = |start: TextSize, text: &str, source: TextRange, kind| {
                if !text.is_empty() {
                    let range = TextRange::at(start, text_len(text));
                    self.parts.push(Part { range, source: entry.place(source), kind });
                }
            };
            if row == 0 {
                add(start, "    ", outline.range, "turn");
            }
            add(left_start, left, outline.surface_range, "surface");
            if let Some(atom) = atoms.get(row) {
                add(right_start, right.trim_end(), atom.text.range(), "atom");
            }
        }
    }
}

/// Formats an update on one line: a mark for kept or lost, and the reason.
fn update(atom: &AtomOutline, fate: &UpdateFate) -> String {
    let text = plain(&atom.text.embedded.text);
    match fate {
        UpdateFate::Passed(_) | UpdateFate::Asserted { is_reply_denied: false, .. } => format!("+ {text}"),
        UpdateFate::Asserted { .. } => format!("+ {text}  ({fate})"),
        _ => format!("- {text}  ({fate})"),
    }
}

/// Replaces hidden and control characters.
fn plain(text: &str) -> String {
    text.chars().map(|char| if is_shown(char) { char } else { '·' }).collect()
}

/// True for visible characters. False for line breaks, text direction controls and zero-width
/// characters.
fn is_shown(char: char) -> bool {
    !char.is_control()
        && !matches!(char, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// Wraps a text, preferably at spaces.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let mut rest = plain(line.trim_end());
        while let Some((end, _)) = rest.char_indices().nth(WIDTH) {
            let head = rest.get(..end).unwrap_or("");
            let cut = head.rfind(' ').filter(|cut| *cut > 0).unwrap_or(end);
            let tail = rest.get(cut..).unwrap_or("").trim_start().to_owned();
            lines.push(rest.get(..cut).unwrap_or("").to_owned());
            rest = tail;
        }
        lines.push(rest);
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}
