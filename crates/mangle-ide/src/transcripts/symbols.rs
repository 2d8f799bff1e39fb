//! Structure of a transcript: document symbols and folding ranges of turns, envelopes, members and
//! updates, and semantic tokens of its Mangle texts.

use super::TranscriptView;
use super::outline::{EnvelopeOutline, Member, ReplyOutline, counted, is_key, shortened};
use super::records::Entry;
use crate::folding::{Fold, FoldKind};
use crate::semantic_tokens::{SemanticToken, semantic_tokens, whole};
use crate::symbols::{DocumentSymbol, SymbolType};
use mangle_check::lines::line_start;
use mangle_syntax::text::{TextRange, TextSize, slice};
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

/// Maximum range in bytes per request. Editors request the visible range.
const MAX_LEN: u32 = 4 << 20;

/// Returns the tokens that overlap a range of the file, in order.
#[must_use]
pub fn tokens(opened: TranscriptView<'_>, range: TextRange) -> Vec<SemanticToken> {
    let mut found = Vec::new();
    if u32::from(range.len()) > MAX_LEN {
        return found;
    }
    for entry in opened.records.touching(range) {
        for text in opened.records.mangle(entry, opened.settings) {
            if entry.place(text.range()).intersect(range).is_none() {
                continue;
            }
            let of_text = semantic_tokens(text.source(), text.summary(), whole(text.source()));
            let place = |range| entry.place(text.to_source(range));
            found.extend(
                of_text.into_iter().map(|token| SemanticToken { range: place(token.range), ..token }),
            );
        }
    }
    for text in opened.records.fences().iter().filter(|text| text.range().intersect(range).is_some()) {
        let of_text = semantic_tokens(text.source(), text.summary(), whole(text.source())).into_iter();
        found.extend(of_text.map(|token| SemanticToken { range: text.to_source(token.range), ..token }));
    }
    found.sort_by_key(|token| token.range.start());
    found.dedup_by(|one, before| one.range.start() < before.range.end());
    found
}
