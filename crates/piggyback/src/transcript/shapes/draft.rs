//! Texts of turns: assembled from the strings of a record, attached under another name, or
//! continued by a later text.

use rustc_hash::FxHashMap;

use crate::envelope::json::{self, Json, JsonKind as Node, NodeId};
use crate::transcript::entry::holds_envelope;
use crate::transcript::findings;
use crate::transcript::turn::{Skip, TextKind, Turn, TurnRole};
use crate::transcript::words::{is_string, step};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::{SegmentMap, SegmentMapBuilder, TextRange, TextSize, size};

/// Pieces of a text so far.
#[derive(Debug, Default)]
pub(in crate::transcript) struct Draft {
    /// The first piece, if it is an unchanged range of the record and no second piece was added.
    only: Option<TextRange>,
    /// The first piece, if it had escapes and no second piece was added.
    whole: Option<(Vec<u8>, SegmentMap)>,
    text: Vec<u8>,
    map: SegmentMapBuilder,
    seams: Vec<TextSize>,
    pointer: Option<String>,
}

impl Draft {
    /// Appends the value of a string; ignores other values. The pointer of the first piece becomes
    /// the pointer of the text.
    pub(in crate::transcript) fn push(&mut self, json: &Json<'_>, node: NodeId, pointer: String) {
        let is_first = self.pointer.is_none();
        match json.kind(node) {
            Node::Plain => {
                let range = json.range(node);
                let quote = TextSize::new(1);
                let inner =
                    TextRange::new(range.start() + quote, (range.end() - quote).max(range.start() + quote));
                match is_first {
                    true => self.only = Some(inner),
                    false => self.copy(json.text(), inner),
                }
            }
            Node::Escaped => {
                let Some((value, map)) = json.bytes_with_map(node) else { return };
                match is_first {
                    true => self.whole = Some((value, map)),
                    false => {
                        self.settle(json.text());
                        self.seam();
                        self.map.append(&map);
                        self.text.extend_from_slice(&value);
                    }
                }
            }
            _ => return,
        }
        self.pointer.get_or_insert(pointer);
    }

    /// Appends the value of a string, starting at an offset of the value.
    pub(in crate::transcript) fn push_from(
        &mut self,
        json: &Json<'_>,
        node: NodeId,
        pointer: String,
        from: usize,
    ) {
        let Some((value, map)) = json.string_with_map(node) else { return };
        let mut rest = SegmentMapBuilder::default();
        rest.copy(TextRange::new(size(from.min(value.len())), size(value.len())));
        self.settle(json.text());
        self.seam();
        self.map.append(&rest.finish().within(&map));
        self.text.extend_from_slice(value.as_bytes().get(from..).unwrap_or(&[]));
        self.pointer.get_or_insert(pointer);
    }

    /// Copies a text of one piece into `text`, so that more pieces can be appended.
    fn settle(&mut self, record: &[u8]) {
        if let Some(range) = self.only.take() {
            self.text.extend_from_slice(part(record, range));
            self.map.copy(range);
        }
        if let Some((text, map)) = self.whole.take() {
            self.text.extend_from_slice(&text);
            self.map.append(&map);
        }
    }

    fn copy(&mut self, record: &[u8], range: TextRange) {
        self.settle(record);
        self.seam();
        self.text.extend_from_slice(part(record, range));
        self.map.copy(range);
    }

    fn seam(&mut self) {
        if !self.text.is_empty() && self.seams.last() != Some(&size(self.text.len())) {
            self.seams.push(size(self.text.len()));
        }
    }

    /// True if there are no pieces.
    pub(in crate::transcript) fn is_empty(&self) -> bool {
        self.pointer.is_none()
    }

    /// Creates the turn with this text.
    pub(in crate::transcript) fn finish(self, role: TurnRole, kind: TextKind) -> Turn {
        let mut turn = match (self.only, self.whole) {
            (Some(range), _) => Turn::part(role, kind, range),
            (None, Some((text, map))) => Turn::from_decoded(role, kind, text, map),
            (None, None) => Turn::from_decoded(role, kind, self.text, self.map.finish()),
        };
        turn.seams = self.seams;
        turn.in_string(self.pointer.unwrap_or_default())
    }
}

fn part(record: &[u8], range: TextRange) -> &[u8] {
    record.get(range.start().into()..range.end().into()).unwrap_or(&[])
}

/// Creates a turn from an envelope that is a reply by itself.
pub(super) fn envelope(json: &Json<'_>, node: NodeId, pointer: &str) -> Turn {
    let mut turn = Turn::part(TurnRole::Assistant, TextKind::Reply, json.range(node));
    turn.path.extend((!pointer.is_empty()).then(|| pointer.to_owned()));
    turn
}

/// Creates a turn from the value of a string.
pub(in crate::transcript) fn string(
    json: &Json<'_>,
    node: NodeId,
    pointer: String,
    role: TurnRole,
    kind: TextKind,
) -> Turn {
    let mut draft = Draft::default();
    draft.push(json, node, pointer);
    draft.finish(role, kind)
}

/// Prefix of a reference: `attachment://NAME` refers to the member `NAME` of the nearest
/// `attachments`.
const SCHEME: &[u8] = b"attachment://";

/// Maximum length of a reference name, in bytes.
const MAX_NAME_LEN: usize = 256;

/// Attached texts of a record. The key is the pointer of the object that contains `attachments`,
/// and the name.
type Texts = FxHashMap<(String, String), (NodeId, String)>;

/// Replaces references with the attached texts. Returns findings about replies whose text is
/// missing.
pub(super) fn resolve_attachments(
    json: &Json<'_>,
    root: NodeId,
    pointer: &str,
    turns: &mut [Turn],
) -> Vec<Finding> {
    let (mut texts, mut found) = (None, Vec::new());
    for turn in turns {
        let Some(name) = name(turn.text(json.text())) else { continue };
        let texts = texts.get_or_insert_with(|| attached_texts(json, root, pointer));
        match text(texts, turn.path.first().map_or("", String::as_str), &name) {
            Some((node, pointer)) if turn.levels == 1 => {
                let new = string(json, *node, pointer.clone(), turn.role, turn.kind);
                let old = std::mem::replace(turn, new);
                (turn.details, turn.may_repeat) = (old.details, old.may_repeat);
            }
            _ if turn.is_reply() => {
                let whole = TextRange::up_to(size(turn.len()));
                found.push(findings::lost_attachment(turn.place(whole)));
                turn.kind = TextKind::Skipped(Skip::Preview);
            }
            _ => {}
        }
    }
    found
}

/// Returns the name in a text that is a reference.
fn name(text: &[u8]) -> Option<String> {
    let name = text.strip_prefix(SCHEME).filter(|name| name.len() <= MAX_NAME_LEN && !name.is_empty())?;
    let is_name = |byte: &u8| byte.is_ascii_graphic() && *byte != b'/';
    name.iter().all(is_name).then(|| String::from_utf8_lossy(name).into_owned())
}

/// Returns the attached text with a name that is nearest to a place.
fn text<'t>(texts: &'t Texts, place: &str, name: &str) -> Option<&'t (NodeId, String)> {
    let mut around = place;
    loop {
        if let Some(found) = texts.get(&(around.to_owned(), name.to_owned())) {
            return Some(found);
        }
        around = around.rsplit_once('/')?.0;
    }
}

fn attached_texts(json: &Json<'_>, root: NodeId, pointer: &str) -> Texts {
    let mut texts = Texts::default();
    let mut waiting = vec![(root, pointer.to_owned())];
    while let Some((node, pointer)) = waiting.pop() {
        if json.kind(node) == Node::Array {
            let elements = json.elements(node).enumerate();
            waiting.extend(elements.map(|(at, element)| (element, step(&pointer, at))));
        }
        for member in json.members(node) {
            let Some(key) = json.string(member.key) else { continue };
            let inner = step(&pointer, &*key);
            match json.kind(member.value) {
                Node::Object if key == "attachments" => {
                    for text in json.members(member.value).filter(|text| is_string(json, text.value)) {
                        if let Some(name) = json.string(text.key) {
                            let place = (text.value, step(&inner, &*name));
                            texts.insert((pointer.clone(), name.into_owned()), place);
                        }
                    }
                }
                Node::Object | Node::Array => waiting.push((member.value, inner)),
                _ => {}
            }
        }
    }
    texts
}

/// Maximum length of a prefilled text, in bytes.
const MAX_PREFILL_LEN: usize = 64 << 10;

/// Joins the text of an assistant's message with the answer that continues it (assistant prefill).
/// Both are one reply.
pub(super) fn join_continued(record: &[u8], turns: &mut Vec<Turn>) {
    let mut at = 0;
    while let Some([one, next]) = turns.get(at..at + 2) {
        let is_said = |turn: &Turn| turn.kind == TextKind::Reply && turn.role == TurnRole::Assistant;
        if is_said(one) && is_said(next) && one.len() <= MAX_PREFILL_LEN {
            match relation(one, next, record) {
                Relation::None => {}
                Relation::Copy => {
                    if let Some(one) = turns.get_mut(at) {
                        one.kind = TextKind::Skipped(Skip::Repeated);
                    }
                }
                Relation::Continues => {
                    let joined = one.followed_by(next, record);
                    turns.splice(at..at + 2, [joined]);
                }
            }
        }
        at += 1;
    }
}

/// True if a conversation ends with a prompt or with an unfinished answer.
pub(super) fn is_request(record: &[u8], turns: &[Turn]) -> bool {
    turns.last().is_some_and(|last| match last.kind {
        TextKind::Prompt => true,
        TextKind::Reply => brace(last.text(record)).is_some_and(|text| json::value_end(text).is_err()),
        _ => false,
    })
}

enum Relation {
    None,
    /// The second text begins with the first.
    Copy,
    /// The second text continues the first.
    Continues,
}

fn relation(one: &Turn, next: &Turn, record: &[u8]) -> Relation {
    let (start, rest) = (one.text(record), next.text(record));
    // The last message of a request, and the first message of its response.
    let is_request = one.may_repeat && !next.may_repeat;
    let is_whole = brace(start).is_some_and(|text| json::value_end(text).is_ok());
    if is_whole || rest.trim_ascii().is_empty() {
        return Relation::None;
    }
    if is_request && rest.starts_with(start) {
        return Relation::Copy;
    }
    if is_request {
        return Relation::Continues;
    }
    // In a list of messages, both texts must form one envelope, and neither may be an envelope by
    // itself.
    if brace(start).is_none() || holds_envelope(rest) {
        return Relation::None;
    }
    let joined = [start, rest].concat();
    let is_envelope =
        brace(&joined).is_some_and(|text| json::value_end(text).is_ok()) && holds_envelope(&joined);
    if is_envelope { Relation::Continues } else { Relation::None }
}

fn brace(text: &[u8]) -> Option<&[u8]> {
    text.get(memchr::memchr(b'{', text)?..)
}
