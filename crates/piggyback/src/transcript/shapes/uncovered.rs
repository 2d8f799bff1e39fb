//! Envelopes in the parts of a record that no turn covers, at any depth and in nested JSON strings.
//! Answers of the model among them are replies; other envelopes are not.

use rustc_hash::FxHashSet;

use super::draft::{envelope, string};
use super::finder::ValuePlace;
use super::value::ValueReader;
use super::value_author::{ValueAuthor, is_schema};
use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::transcript::entry::{begins_envelope, holds_envelope};
use crate::transcript::turn::{NonReplyPlace, Skip, TextKind, Turn, TurnRole};
use crate::transcript::words::{has_control_key, has_quoted_control_key, hash, is_envelope, is_string, step};
use mangle_syntax::text::{SegmentMap, TextRange, size};

/// Maximum nesting depth that is searched.
const MAX_DEPTH: usize = 64;

/// Maximum number of envelopes that are collected from a record.
const MAX_ENVELOPES: usize = 10_000;

/// Minimum length of a gap that can contain an envelope, in bytes.
const MIN_GAP: usize = 20;

/// Envelopes in the uncovered parts of a record.
#[derive(Debug, Default)]
pub(in crate::transcript) struct UncoveredEnvelopes {
    /// Answers of the model, and envelopes that are not replies.
    pub(in crate::transcript) turns: Vec<Turn>,
    /// Number of envelopes that are not read because of limits, and the range of the first one.
    pub(in crate::transcript) unread: Option<(usize, TextRange)>,
}

/// Searches a value. `covered` holds the sorted ranges of existing turns.
///
/// If the format is unknown, each text with a quoted envelope key is a reply. Otherwise a reply
/// must contain an envelope.
pub(super) fn read(
    json: &Json<'_>,
    node: NodeId,
    pointer: &str,
    covered: &[TextRange],
    is_known: bool,
) -> UncoveredEnvelopes {
    if !may_hold_envelope(json.raw(node)) {
        return UncoveredEnvelopes::default();
    }
    let mut search = Search { covered, is_known, rest: UncoveredEnvelopes::default() };
    let mut reading = ValueReader::new(json, 0);
    search.look(&mut reading, &ValuePlace::new(node, pointer), ValueAuthor::Model, 0);
    let mut rest = search.rest;
    rest.turns = reading.turns;
    rest
}

/// Returns the sorted ranges of the record that its turns cover.
pub(super) fn covered(turns: &[Turn]) -> Vec<TextRange> {
    let mut covered = Vec::with_capacity(turns.len());
    for turn in turns {
        let whole = TextRange::up_to(size(turn.len()));
        match turn.seams.is_empty() {
            true => covered.push(turn.place(whole)),
            false => covered.extend(turn.places(whole)),
        }
    }
    covered.sort_by_key(|range| range.start());
    covered
}

/// True if the gaps between the covered ranges may contain an envelope. Most records have only a
/// few keys there.
pub(super) fn has_rest(record: &[u8], all: TextRange, covered: &[TextRange]) -> bool {
    let mut at = usize::from(all.start());
    let ends = covered.iter().map(|range| (usize::from(range.start()), usize::from(range.end())));
    for (start, end) in ends.chain([(all.end().into(), all.end().into())]) {
        let gap = record.get(at..start.max(at)).unwrap_or(&[]);
        if gap.len() >= MIN_GAP && memchr::memchr2(b'_', b'\\', gap).is_some() && may_hold_envelope(gap) {
            return true;
        }
        at = at.max(end);
    }
    false
}

/// True if a text may contain an envelope key, possibly with escaped letters.
fn may_hold_envelope(raw: &[u8]) -> bool {
    has_control_key(raw) || memchr::memmem::find(raw, b"\\u00").is_some()
}

struct Search<'c> {
    covered: &'c [TextRange],
    is_known: bool,
    rest: UncoveredEnvelopes,
}

impl Search<'_> {
    fn is_covered(&self, range: TextRange) -> bool {
        self.covered_in(range).next().is_some_and(|covered| covered.contains_range(range))
    }

    /// Returns the covered ranges that overlap a range.
    fn covered_in(&self, range: TextRange) -> impl Iterator<Item = TextRange> {
        let from = self.covered.partition_point(|covered| covered.end() <= range.start());
        let touching = self.covered.get(from..).unwrap_or(&[]).iter().copied();
        touching.take_while(move |covered| covered.start() < range.end())
    }

    fn look(
        &mut self,
        reading: &mut ValueReader<'_, '_>,
        place: &ValuePlace,
        voice: ValueAuthor,
        depth: usize,
    ) {
        let json = reading.json();
        if matches!(voice, ValueAuthor::Given | ValueAuthor::Partial)
            || !may_hold_envelope(json.raw(place.node))
        {
            return;
        }
        if depth > MAX_DEPTH || reading.turns.len() >= MAX_ENVELOPES {
            self.leave(json.range(place.node));
            return;
        }
        match json.kind(place.node) {
            Node::Plain | Node::Escaped => self.text(reading, place, voice),
            Node::Array => {
                for (at, element) in json.elements(place.node).enumerate() {
                    self.look(reading, &ValuePlace::new(element, step(&place.pointer, at)), voice, depth + 1);
                }
            }
            Node::Object if is_envelope(json, place.node) => {
                let is_known = self.is_covered(json.range(place.node)) || is_schema(json, place);
                if !is_known {
                    self.object(reading, place, voice);
                }
            }
            Node::Object => self.members(reading, place, voice, depth),
            _ => {}
        }
    }

    fn leave(&mut self, range: TextRange) {
        let (count, _) = self.rest.unread.get_or_insert((0, range));
        *count += 1;
    }

    fn members(
        &mut self,
        reading: &mut ValueReader<'_, '_>,
        place: &ValuePlace,
        voice: ValueAuthor,
        depth: usize,
    ) {
        let json = reading.json();
        let is_only = json.members(place.node).nth(1).is_none();
        // The arguments or their only member may be an envelope. Other arguments of a tool are not
        // replies.
        let voice = match voice {
            ValueAuthor::Arguments if is_only => ValueAuthor::Arguments,
            ValueAuthor::Arguments => ValueAuthor::Unsaid(NonReplyPlace::Argument),
            voice => voice.of_object(reading, place),
        };
        for member in json.members(place.node) {
            let Some(key) = json.string(member.key) else { continue };
            let inner = ValuePlace::new(member.value, step(&place.pointer, &*key));
            self.look(reading, &inner, voice.of_key(&key), depth + 1);
        }
    }

    fn object(&mut self, reading: &mut ValueReader<'_, '_>, place: &ValuePlace, voice: ValueAuthor) {
        let mut turn = envelope(reading.json(), place.node, &place.pointer);
        (turn.role, turn.kind) = match voice {
            ValueAuthor::Unsaid(unsaid) => (role_of(unsaid), TextKind::Skipped(Skip::NotReply(unsaid))),
            _ => (TurnRole::Assistant, TextKind::Object),
        };
        reading.turns.push(turn);
    }

    fn text(&mut self, reading: &mut ValueReader<'_, '_>, place: &ValuePlace, voice: ValueAuthor) {
        let json = reading.json();
        let range = json.range(place.node);
        let touching: Vec<TextRange> = self.covered_in(range).collect();
        if !touching.is_empty() && !has_rest(json.text(), range, &touching) {
            return;
        }
        if let Some((turns, rest)) = self.inside(reading, place, voice, &touching) {
            reading.turns.extend(turns);
            if let Some((count, _)) = rest {
                self.leave(range);
                if let Some((all, _)) = &mut self.rest.unread {
                    *all += count - 1;
                }
            }
            return;
        }
        if !touching.is_empty() {
            return;
        }
        let mut turn = string(json, place.node, place.pointer.clone(), TurnRole::Assistant, TextKind::Reply);
        let said = turn.text(json.text());
        let is_envelope = match (voice, self.is_known) {
            (ValueAuthor::Model | ValueAuthor::Call, false) => has_quoted_control_key(said),
            _ => has_quoted_control_key(said) && holds_envelope(said),
        };
        match voice {
            _ if !is_envelope => return,
            // Texts that are passed to a tool are not answers.
            ValueAuthor::Call => return,
            ValueAuthor::Arguments if !begins_envelope(said.trim_ascii_start()) => {
                turn.kind = TextKind::Skipped(Skip::NotReply(NonReplyPlace::Argument));
            }
            ValueAuthor::Unsaid(unsaid) => {
                (turn.role, turn.kind) = (role_of(unsaid), TextKind::Skipped(Skip::NotReply(unsaid)));
            }
            _ => {}
        }
        reading.turns.push(turn);
    }

    /// Returns the turns of the JSON in a string.
    #[allow(clippy::type_complexity)]
    fn inside(
        &self,
        reading: &ValueReader<'_, '_>,
        place: &ValuePlace,
        voice: ValueAuthor,
        touching: &[TextRange],
    ) -> Option<(Vec<Turn>, Option<(usize, TextRange)>)> {
        let covered = match touching.is_empty() {
            true => Vec::new(),
            false => {
                let (_, map) = reading.json().string_with_map(place.node)?;
                touching.iter().filter_map(|range| derived(&map, *range)).collect()
            }
        };
        let mut search =
            Search { covered: &covered, is_known: self.is_known, rest: UncoveredEnvelopes::default() };
        let (_, turns) = reading.json_inside(place, |inner, root| search.look(inner, root, voice, 0))?;
        Some((turns, search.rest.unread))
    }
}

/// Converts a range of a record to a range of the text that was decoded from it.
fn derived(map: &SegmentMap, range: TextRange) -> Option<TextRange> {
    let (start, end) = (map.to_derived(range.start())?, map.to_derived(range.end())?);
    (start <= end).then(|| TextRange::new(start, end))
}

fn role_of(unsaid: NonReplyPlace) -> TurnRole {
    match unsaid {
        NonReplyPlace::Reasoning | NonReplyPlace::Argument => TurnRole::Assistant,
        NonReplyPlace::ToolResult => TurnRole::Tool,
        NonReplyPlace::Attachment | NonReplyPlace::Quotation => TurnRole::Other,
    }
}

/// Merges the additional turns of a record. An envelope that occurs twice in a record is one turn.
pub(super) fn merge(record: &[u8], turns: &mut Vec<Turn>, rest: Vec<Turn>) {
    let mut known: FxHashSet<u64> =
        turns.iter().filter(|turn| turn.is_reply()).filter_map(|turn| key(turn, record)).collect();
    let cut: Vec<Vec<u8>> = turns
        .iter()
        .filter(|turn| turn.is_reply())
        .map(|turn| turn.text(record).trim_ascii().to_vec())
        .collect();
    let is_single = cut.len() == 1;
    let mut before = Vec::new();
    for turn in rest {
        let own = key(&turn, record);
        let is_known = own.is_some_and(|own| known.contains(&own));
        let is_part = |all: &Vec<u8>| is_beginning(turn.text(record), all);
        if is_known && is_single && turn.is_reply() && is_in_list(&turn) {
            // The answer of the record repeats one of its steps. Keep the step, at its place in the
            // order.
            if let Some(answer) = turns.iter_mut().find(|turn| turn.is_reply()) {
                answer.kind = TextKind::Skipped(Skip::Repeated);
                before.push(turn);
            }
            continue;
        }
        if is_known || cut.iter().any(is_part) {
            continue;
        }
        known.extend(own.filter(|_| turn.is_reply()));
        match is_single && turn.is_reply() && is_in_list(&turn) {
            // The steps of a record come before its answer.
            true => before.push(turn),
            false => turns.push(turn),
        }
    }
    if turns.iter().chain(&before).any(Turn::is_reply) {
        turns.retain(|turn| turn.kind != TextKind::Skipped(Skip::Empty));
    }
    let at = turns.iter().position(Turn::is_answer).unwrap_or(turns.len());
    turns.splice(at..at, before);
}

/// True if a text is a truncated copy of another text.
fn is_beginning(text: &[u8], all: &[u8]) -> bool {
    let text = text.trim_ascii();
    let ends: [&[u8]; 2] = [b"...", "…".as_bytes()];
    let text = ends.iter().find_map(|end| text.strip_suffix(*end)).unwrap_or(text);
    !text.is_empty() && all.starts_with(text)
}

/// True if a turn is inside a list of its record.
fn is_in_list(turn: &Turn) -> bool {
    let pointer = turn.path.first().map_or("", String::as_str);
    pointer.split('/').any(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns a hash of an envelope that does not depend on formatting and the order of members.
fn key(turn: &Turn, record: &[u8]) -> Option<u64> {
    let text = turn.text(record);
    let brace = memchr::memchr(b'{', text)?;
    let json = Json::parse_part(text, brace..text.len());
    Some(value_key(&json, json.root(), 0))
}

fn value_key(json: &Json<'_>, node: NodeId, depth: usize) -> u64 {
    if depth > MAX_DEPTH {
        return 0;
    }
    match json.kind(node) {
        Node::Object => json
            .members(node)
            .map(|member| hash((json.string(member.key), value_key(json, member.value, depth + 1))))
            .fold(1, u64::wrapping_add),
        Node::Array => {
            json.elements(node).fold(2, |all, element| hash((all, value_key(json, element, depth + 1))))
        }
        _ if is_string(json, node) => hash(json.string(node)),
        _ => hash(json.raw(node)),
    }
}
