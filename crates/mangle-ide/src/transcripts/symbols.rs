//! Document symbols of a transcript: turns, envelopes, members and updates.

use super::TranscriptView;
use super::outline::{EnvelopeOutline, Member, ReplyOutline, counted, is_key, shortened};
use super::records::Entry;
use crate::symbols::{DocumentSymbol, SymbolType};
use mangle_syntax::text::{TextRange, TextSize};
use piggyback::transcript;

/// Maximum number of records with full symbols. Larger transcripts only show turns.
const MAX_RECORDS: usize = 5_000;

/// Maximum number of turns.
const MAX_TURNS: usize = 20_000;

/// Returns the outline, in source order.
#[must_use]
pub fn symbols(opened: TranscriptView<'_>) -> Vec<DocumentSymbol> {
    let list = opened.records.list();
    if list.len() > MAX_RECORDS {
        return list.iter().take(MAX_TURNS).map(record).collect();
    }
    let mut found = Vec::new();
    for entry in list {
        let outlines = opened.records.outlines(entry, opened.settings);
        for outline in outlines.iter().take(MAX_TURNS.saturating_sub(found.len())) {
            found.push(turn(Place { opened, entry, outline }, found.len() + 1));
        }
    }
    found
}

fn record(entry: &Entry) -> DocumentSymbol {
    let (range, name) = (entry.range(), format!("record {}", entry.number));
    let detail = counted(entry.body.turns.len(), "turn");
    DocumentSymbol {
        name,
        detail,
        kind: SymbolType::Turn,
        range,
        selection: start_of(range),
        children: Vec::new(),
    }
}

#[derive(Clone, Copy)]
struct Place<'a> {
    opened: TranscriptView<'a>,
    entry: &'a Entry,
    outline: &'a ReplyOutline,
}

fn turn(place: Place<'_>, number: usize) -> DocumentSymbol {
    let Place { entry, outline, .. } = place;
    let range = entry.place(outline.range);
    let detail = match outline.outcome.as_ref().map(|outcome| outcome.stage) {
        Some(Some(stage)) => format!("{} {:.2}", stage.method(), stage.confidence()),
        Some(None) => "refused".to_owned(),
        None => what(outline.kind).to_owned(),
    };
    let envelopes = outline.envelopes.iter().map(|one| envelope(place, one));
    DocumentSymbol {
        name: format!("{number} {}", outline.role.as_str()),
        detail,
        kind: SymbolType::Turn,
        range,
        selection: start_of(range),
        children: inside(range, envelopes.collect()),
    }
}

fn what(kind: transcript::TextKind) -> &'static str {
    match kind {
        transcript::TextKind::Reply | transcript::TextKind::Object => "reply",
        transcript::TextKind::Surface => "surface",
        transcript::TextKind::Atom => "update",
        transcript::TextKind::Prompt => "prompt",
        transcript::TextKind::Skipped(_) => "passed over",
    }
}

fn envelope(place: Place<'_>, outline: &EnvelopeOutline) -> DocumentSymbol {
    let entry = place.entry;
    let range = entry.place(outline.range);
    let mut children: Vec<_> = outline.members.iter().map(|one| member(place, outline, one)).collect();
    if outline.members.is_empty() {
        children = atoms(place, outline);
    }
    DocumentSymbol {
        name: "envelope".to_owned(),
        detail: if outline.is_picked { String::new() } else { "not taken".to_owned() },
        kind: SymbolType::Envelope,
        range,
        selection: start_of(range),
        children: inside(range, children),
    }
}

fn member(place: Place<'_>, of: &EnvelopeOutline, member: &Member) -> DocumentSymbol {
    let entry = place.entry;
    let range = entry.place(member.key.cover(member.value));
    let children = match is_key(&member.name, "mangle_updates") {
        true => atoms(place, of),
        false => member.members.iter().map(|inner| self::member(place, of, inner)).collect(),
    };
    let name = shortened(&member.name);
    DocumentSymbol {
        name: if name.is_empty() { "\"\"".to_owned() } else { name },
        detail: member.detail.clone(),
        kind: SymbolType::Member,
        range,
        selection: entry.place(member.key),
        children: inside(range, children),
    }
}

fn atoms(place: Place<'_>, of: &EnvelopeOutline) -> Vec<DocumentSymbol> {
    let Place { opened, entry, outline } = place;
    let atom = |atom: &super::outline::AtomOutline| {
        let range = entry.place(atom.text.range());
        let name = shortened(&atom.text.embedded.text);
        DocumentSymbol {
            name: if name.is_empty() { "(empty)".to_owned() } else { name },
            detail: if opened.outcome(entry, outline, atom).is_kept() {
                String::new()
            } else {
                "lost".to_owned()
            },
            kind: SymbolType::Facts,
            range,
            selection: range,
            children: Vec::new(),
        }
    };
    of.atoms.iter().map(atom).collect()
}

/// Keeps the symbols inside a range. Parts of a text split into pieces may be outside.
fn inside(range: TextRange, symbols: Vec<DocumentSymbol>) -> Vec<DocumentSymbol> {
    let lies = |symbol: &DocumentSymbol| {
        range.contains_range(symbol.range) && symbol.range.contains_range(symbol.selection)
    };
    symbols.into_iter().filter(lies).collect()
}

fn start_of(range: TextRange) -> TextRange {
    TextRange::new(range.start(), range.end().min(range.start() + TextSize::new(1)))
}
