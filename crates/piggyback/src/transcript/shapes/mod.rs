//! Formats of JSON records and the turns in them, with one file per kind of record. The formats of
//! codeNERD are here: sessions, reasoning traces and the audit log.

mod chat;
mod custom_shape;
mod draft;
mod finder;
mod message;
pub(super) mod native_calls;
mod table;
mod uncovered;
mod value;
mod value_author;

use super::turn::{Details, RecordShape, TextKind, Turn, TurnRole};
use super::words::{has_control_key, is_envelope, is_string, member, member_string, step, text};
use crate::envelope::json::{self, Json, JsonKind as Node, NodeId};
use chat::message;
use draft::envelope;
use finder::ValuePlace;
use mangle_settings::{Profile, TranscriptShape};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::TextRange;
use value::{ValueReader, ValueRole};

pub(super) use chat::{border, object};
pub(super) use custom_shape::CustomShapes;
pub(super) use draft::{Draft, string};

/// A record of a recognized format.
#[derive(Debug)]
pub(super) struct ShapedRecord {
    pub(super) shape: RecordShape,
    pub(super) turns: Vec<Turn>,
    /// Number of envelopes that are not read because of limits, and the range of the first one.
    pub(super) unread: Option<(usize, TextRange)>,
    /// Findings about the record.
    pub(super) findings: Vec<Finding>,
}

impl ShapedRecord {
    fn new(shape: RecordShape, turns: Vec<Turn>) -> Self {
        Self { shape, turns, unread: None, findings: Vec::new() }
    }
}

/// Reads a record. Returns `None` if its format is unknown.
pub(super) fn read(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<ShapedRecord> {
    if is_envelope(json, node) {
        return Some(ShapedRecord::new(RecordShape::Envelope, vec![envelope(json, node, pointer)]));
    }
    let mut usual = usual(json, node, pointer);
    if let Some(found) = usual
        .as_mut()
        .filter(|found| found.shape != RecordShape::Chat || found.turns.iter().any(Turn::is_answer))
    {
        if found.shape == RecordShape::Chat && draft::is_request(json.text(), &found.turns) {
            add_answer(json, node, pointer, &mut found.turns);
        }
        return usual;
    }
    let mut reading = ValueReader::new(json, 0);
    let is_known = by_table(&mut reading, &ValuePlace::new(node, pointer), usual.is_some());
    let turns = std::mem::take(&mut reading.turns);
    match usual {
        Some(mut usual) => {
            usual.turns.extend(turns);
            Some(usual)
        }
        None => (is_known || !turns.is_empty()).then_some(ShapedRecord::new(RecordShape::Chat, turns)),
    }
}

/// Adds the answer to a conversation that ends with a request.
fn add_answer(json: &Json<'_>, node: NodeId, pointer: &str, turns: &mut Vec<Turn>) {
    let mut reading = ValueReader::new(json, 0);
    if !table::likely(&mut reading, &ValuePlace::new(node, pointer)) {
        return;
    }
    let known: Vec<_> = turns.iter().map(Turn::start).collect();
    let mut answers = std::mem::take(&mut reading.turns);
    answers.retain(|turn| turn.is_reply() && !known.contains(&turn.start()));
    if !answers.is_empty() {
        add_record_details(json, node, &mut answers);
        turns.iter_mut().for_each(|turn| turn.may_repeat = true);
        turns.extend(answers);
    }
}

/// Like [`read`], but tries the shapes of the settings first.
pub(super) fn read_with(
    own: &[TranscriptShape],
    json: &Json<'_>,
    node: NodeId,
    pointer: &str,
    is_element: bool,
) -> Option<ShapedRecord> {
    custom_shape::read_record(own, json, &ValuePlace::new(node, pointer), is_element).or_else(|| {
        match json.kind(node) {
            json::JsonKind::Object => read(json, node, pointer),
            _ => listed(json, node, pointer),
        }
    })
}

/// Reads the turns of a record of unknown format, by the keys of envelopes.
pub(super) fn by_envelope(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<ShapedRecord> {
    let rest = uncovered::read(json, node, pointer, &[], false);
    let mut shaped = ShapedRecord::new(RecordShape::Unknown, Vec::new());
    uncovered::merge(json.text(), &mut shaped.turns, rest.turns);
    shaped.turns.iter_mut().for_each(|turn| turn.may_repeat = true);
    shaped.unread = rest.unread;
    (!shaped.turns.is_empty() || shaped.unread.is_some()).then_some(shaped)
}

/// Completes the turns of a record: attached texts, answers that continue a text of their request,
/// and envelopes in unexpected places.
pub(super) fn complete(json: &Json<'_>, node: NodeId, pointer: &str, shaped: &mut ShapedRecord) {
    let turns = &mut shaped.turns;
    shaped.findings.extend(draft::resolve_attachments(json, node, pointer, turns));
    draft::join_continued(json.text(), turns);
    let covered = uncovered::covered(turns);
    if !uncovered::has_rest(json.text(), json.range(node), &covered) {
        return;
    }
    let mut rest = uncovered::read(json, node, pointer, &covered, true);
    add_record_details(json, node, &mut rest.turns);
    uncovered::merge(json.text(), turns, rest.turns);
    shaped.unread = rest.unread;
}

/// Returns the names of the supported formats.
pub(super) fn names() -> Vec<&'static str> {
    ["envelopes", "chat messages", "answers of model APIs", "streams"]
        .into_iter()
        .chain(table::names())
        .collect()
}

/// Reads a record that is not an object: a list of messages or answers, or a string with JSON or an
/// envelope.
fn listed(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<ShapedRecord> {
    let mut reading = ValueReader::new(json, 0);
    reading.value(&ValuePlace::new(node, pointer), ValueRole::Conversation);
    let is_reply = |turn: &Turn| !turn.is_reply() || has_control_key(turn.text(json.text()));
    let is_known = json.kind(node) == json::JsonKind::Array || reading.turns.iter().all(is_reply);
    let turns = reading.turns;
    (is_known && !turns.is_empty()).then_some(ShapedRecord::new(RecordShape::Chat, turns))
}

/// Reads a record with the table of formats. `is_message` is true if its messages were already
/// read.
fn by_table(reading: &mut ValueReader<'_, '_>, place: &ValuePlace, is_message: bool) -> bool {
    // A record that is marked as a tool result or reasoning has no answer, regardless of its keys.
    if value_author::is_unsaid(reading, place) {
        return true;
    }
    let is_known = match is_message {
        true => table::likely(reading, place),
        false => table::read(reading, place) || table::wrapped(reading, place),
    };
    add_nested_details(reading, place);
    is_known
}

/// Reads a record that is nested in another value.
fn record(reading: &mut ValueReader<'_, '_>, place: &ValuePlace) {
    let json = reading.json();
    let before = reading.turns.len();
    if place.is_value() && is_envelope(json, place.node) {
        reading.turns.push(envelope(json, place.node, &place.pointer));
        return;
    }
    let usual = place.is_value().then(|| usual(json, place.node, &place.pointer)).flatten();
    let usual = usual.map(|found| found.turns).unwrap_or_default();
    let is_read = usual.iter().any(Turn::is_answer);
    let is_message = !usual.is_empty();
    reading.turns.extend(usual);
    if is_read {
        return;
    }
    let is_known = by_table(reading, place, is_message);
    if !is_known && reading.turns.len() == before && reading.finder.kind(place) != json::JsonKind::Null {
        reading.deeper(|reading| reading.conversation(place));
    }
}

/// Reads a record of a format that is not in the table.
fn usual(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<ShapedRecord> {
    let as_shape = |shape: RecordShape| move |turns: Vec<Turn>| ShapedRecord::new(shape, turns);
    read_trace(json, node, pointer)
        .map(as_shape(RecordShape::Trace))
        .or_else(|| read_audit_entry(json, node, pointer).map(as_shape(RecordShape::Audit)))
        .or_else(|| super::stream::is_delta(json, node).then(|| as_shape(RecordShape::Delta)(Vec::new())))
        .or_else(|| chat::read_response(json, node, pointer).map(as_shape(RecordShape::Provider)))
        .or_else(|| chat::read(json, node, pointer).map(as_shape(RecordShape::Chat)))
        .map(|mut shaped| {
            add_record_details(json, node, &mut shaped.turns);
            shaped
        })
}

/// Keys of the timestamp of a record.
const TIMES: [&str; 11] = [
    "timestamp",
    "time",
    "created_at",
    "created",
    "ts",
    "createdAt",
    "start_time",
    "startTime",
    "startTimeUnixNano",
    "timeUnixNano",
    "date",
];

/// Keys of the session of a record.
const SESSIONS: [&str; 13] = [
    "session_id",
    "sessionId",
    "conversation_id",
    "conversationId",
    "thread_id",
    "threadId",
    "chat_id",
    "chatId",
    "custom_id",
    "trace_id",
    "traceId",
    "sample_id",
    "session",
];

/// Adds the metadata of a record to its turns.
fn add_record_details(json: &Json<'_>, node: NodeId, turns: &mut [Turn]) {
    if turns.is_empty() {
        return;
    }
    let mut details = Details { profile: version(json, node), ..Details::default() };
    details.timestamp = TIMES.iter().find_map(|name| {
        let value = member(json, node, name)?;
        match json.kind(value) {
            json::JsonKind::Number => Some(String::from_utf8_lossy(json.raw(value)).into_owned()),
            _ => json.string(value).map(std::borrow::Cow::into_owned),
        }
    });
    details.session = SESSIONS.iter().find_map(|name| member_string(json, node, name));
    details.call =
        ["tool_call_id", "tool_use_id", "request_id"].iter().find_map(|name| member_string(json, node, name));
    add_details(&details, turns);
}

/// Adds metadata to turns. Existing metadata of a turn has priority.
fn add_details(details: &Details, turns: &mut [Turn]) {
    if *details == Details::default() {
        return;
    }
    for turn in turns {
        let own = turn.details.get_or_insert_default();
        own.profile = own.profile.or(details.profile);
        own.call = own.call.take().or_else(|| details.call.clone());
        own.timestamp = own.timestamp.take().or_else(|| details.timestamp.clone());
        own.session = own.session.take().or_else(|| details.session.clone());
    }
}

/// Like [`add_record_details`], for a record among others.
fn add_nested_details(reading: &mut ValueReader<'_, '_>, place: &ValuePlace) {
    if place.is_value() {
        let json = reading.json();
        add_record_details(json, place.node, &mut reading.turns);
    }
}

/// Returns the protocol version that a record names.
fn version(json: &Json<'_>, node: NodeId) -> Option<Profile> {
    let value = member(json, node, "piggyback_version")?;
    let written = match is_string(json, value) {
        true => json.string(value)?.into_owned(),
        false => String::from_utf8_lossy(json.raw(value)).into_owned(),
    };
    profile(&written)
}

/// Parses a version number or the name of a profile.
pub(super) fn profile(word: &str) -> Option<Profile> {
    let word = word.trim();
    let base = word.strip_suffix(".0").filter(|base| base.contains('.')).unwrap_or(word);
    Profile::parse(base).or(match base {
        "1.3" => Some(Profile::Draft1_3),
        _ => None,
    })
}

/// Returns the messages of a stored codeNERD session (K8), or `None` if the value is not a session.
pub(super) fn session_messages(json: &Json<'_>, node: NodeId) -> Option<Vec<NodeId>> {
    text(json, node, "session_id")?;
    let list = member(json, node, "messages").filter(|list| json.kind(*list) == Node::Array)?;
    Some(json.elements(list).collect())
}

/// Reads the turns of one message of a session.
///
/// A session contains the texts that the user saw, so an envelope in a session is a leak.
pub(super) fn session_turns(json: &Json<'_>, index: usize) -> Option<Vec<Turn>> {
    let mut turns = message(json, json.root(), &step("/messages", index))?;
    for turn in turns.iter_mut().filter(|turn| turn.kind == TextKind::Reply) {
        if has_control_key(turn.text(json.text())) {
            turn.is_shown = true;
        } else {
            turn.kind = TextKind::Surface;
        }
    }
    add_record_details(json, json.root(), &mut turns);
    Some(turns)
}

/// Reads a row of codeNERD's `reasoning_traces` (K9): the prompts and the answer of a shard.
fn read_trace(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Vec<Turn>> {
    let one = |name: &str, role: TurnRole, kind: TextKind| {
        let value = member(json, node, name).filter(|value| is_string(json, *value))?;
        Some(string(json, value, step(pointer, name), role, kind))
    };
    let system = one("system_prompt", TurnRole::System, TextKind::Prompt);
    let user = one("user_prompt", TurnRole::User, TextKind::Prompt);
    if system.is_none() && user.is_none() {
        return None;
    }
    let mut reply = one("response", TurnRole::Assistant, TextKind::Reply)?;
    let details = reply.details.get_or_insert_default();
    details.shard = member_string(json, node, "shard_type");
    details.tokens = number_member(json, node, "tokens_used");
    details.milliseconds = number_member(json, node, "duration_ms");
    Some([system, user, Some(reply)].into_iter().flatten().collect())
}

fn number_member(json: &Json<'_>, node: NodeId, name: &str) -> Option<(f64, TextRange)> {
    let value = member(json, node, name).filter(|value| json.kind(*value) == Node::Number)?;
    let written = std::str::from_utf8(json.raw(value)).ok()?;
    Some((written.parse().ok()?, json.range(value)))
}

/// Reads the atom of an entry of codeNERD's audit log (K10), which is in `mangle`.
fn read_audit_entry(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Vec<Turn>> {
    member(json, node, "event")?;
    member(json, node, "ts")?;
    let atom = member(json, node, "mangle").filter(|atom| is_string(json, *atom))?;
    let turn = string(json, atom, step(pointer, "mangle"), TurnRole::Other, TextKind::Atom);
    Some(Some(turn).filter(|turn| !turn.is_empty()).into_iter().collect())
}
