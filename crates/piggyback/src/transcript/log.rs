//! Logs: entries that begin with a timestamp and extend to the next entry.
//!
//! In logs of the runtime, a reply follows a marker or is the `response` field. In other logs, a
//! reply follows the prefix that the program writes.

use super::entry::{self, EntryForm, Prefix};
use super::findings;
use super::shapes::{self, Draft, native_calls};
use super::turn::{Record, RecordShape, Skip, TextKind, Turn, TurnRole};
use super::words::{is_envelope, is_string, member, step, text};
use crate::envelope::json::{Json, NodeId};
use mangle_syntax::text::{TextRange, size};

/// Timestamp pattern, for example `2026/03/01 12:00:00.000000 `. `0` stands for any digit.
const STAMP: &[u8] = b"0000/00/00 00:00:00";

/// Lengths of truncated previews of the runtime, in bytes.
const PREVIEWS: [usize; 3] = [200, 300, 500];

/// Maximum offset of a marker in an entry, in bytes.
const MARKER_WITHIN: usize = 256;

/// True if a line begins with a timestamp.
pub(super) fn is_stamped(line: &[u8]) -> bool {
    line.len() >= STAMP.len()
        && line.iter().zip(STAMP).all(|(byte, like)| match like {
            b'0' => byte.is_ascii_digit(),
            _ => byte == like,
        })
}

/// True if a JSON value is a log entry.
pub(super) fn is_entry(json: &Json<'_>, node: NodeId) -> bool {
    ["ts", "lvl", "msg"].iter().all(|name| member(json, node, name).is_some())
}

/// Reads an entry. `form` is the format of text entries of this log, if known.
pub(super) fn read(record: &mut Record<'_>, form: Option<&EntryForm>) -> Option<RecordShape> {
    let start = start(record.bytes);
    let body = record.bytes.get(start..).unwrap_or(&[]);
    let json = body.starts_with(b"{").then(|| Json::parse_part(record.bytes, start..record.bytes.len()));
    let other = json.as_ref().filter(|json| json.is_valid_to_the_end() && !is_envelope(json, json.root()));
    if let Some(shape) = other.and_then(|json| self::json(json, record)) {
        return Some(shape);
    }
    if let Some(marker) = marker(body) {
        let end = start + body.trim_ascii_end().len();
        let range = TextRange::new(size(start + marker.end.min(end - start)), size(end));
        let said = body.get(marker.end..).unwrap_or(&[]).trim_ascii_end();
        let kind = if marker.is_preview || is_preview(said) {
            TextKind::Skipped(Skip::Preview)
        } else {
            TextKind::Reply
        };
        let turn = Turn::part(TurnRole::Assistant, kind, range);
        add(turn, record);
        return Some(RecordShape::Log);
    }
    let found = form.map(|form| entry::read(record, form)).unwrap_or_default();
    let is_lost = found.is_empty();
    record.turns.extend(found);
    if let Some(json) = json.filter(|json| is_lost && !json.is_valid_to_the_end()) {
        let range = TextRange::new(size(start), size(record.bytes.len()));
        record.findings.push(findings::bad_record(&json, range, "entry"));
        return None;
    }
    Some(RecordShape::Log)
}

/// Returns the start of the message of an entry.
fn start(entry: &[u8]) -> usize {
    let line = entry.split(|byte| *byte == b'\n').next().unwrap_or(&[]);
    match is_stamped(entry) {
        true => stamp_end(entry),
        false => Prefix::parse(line).filter(|prefix| prefix.role.is_none()).map_or(0, |prefix| prefix.end),
    }
}

fn json(json: &Json<'_>, record: &mut Record<'_>) -> Option<RecordShape> {
    let root = json.root();
    if !is_entry(json, root) {
        let mut known = shapes::read(json, root, "");
        if let Some(shaped) = known.as_mut().filter(|shaped| !shaped.turns.is_empty()) {
            shapes::complete(json, root, "", shaped);
            record.turns.append(&mut shaped.turns);
            record.findings.append(&mut shaped.findings);
        } else if let Some(shaped) = shapes::by_envelope(json, root, "") {
            record.turns.extend(shaped.turns);
        }
        native_calls::mark(json, root, &mut record.turns);
        return Some(known.map_or(RecordShape::Log, |shaped| shaped.shape));
    }
    let response = member(json, root, "fields").and_then(|fields| member(json, fields, "response"));
    if let Some(response) = response.filter(|value| is_string(json, *value)) {
        let pointer = step(&step("", "fields"), "response");
        let mut turn = shapes::string(json, response, pointer, TurnRole::Assistant, TextKind::Reply);
        if is_preview(turn.text(record.bytes)) {
            turn.kind = TextKind::Skipped(Skip::Preview);
        }
        add(turn, record);
    } else if let (Some(node), Some(said)) = (member(json, root, "msg"), text(json, root, "msg"))
        && let Some(marker) = marker(said.as_bytes())
    {
        let mut draft = Draft::default();
        draft.push_from(json, node, step("", "msg"), marker.end);
        let is_preview = marker.is_preview || is_preview(said.get(marker.end..).unwrap_or("").as_bytes());
        let kind = if is_preview { TextKind::Skipped(Skip::Preview) } else { TextKind::Reply };
        add(draft.finish(TurnRole::Assistant, kind), record);
    }
    Some(RecordShape::Log)
}

fn add(turn: Turn, record: &mut Record<'_>) {
    if turn.kind == TextKind::Skipped(Skip::Preview) {
        let whole = TextRange::up_to(size(turn.len()));
        record.findings.push(findings::preview(turn.place(whole)));
    }
    if !turn.is_empty() {
        record.turns.push(turn);
    }
}

/// Returns the end of the timestamp and the white space after it.
fn stamp_end(entry: &[u8]) -> usize {
    let is_time = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let fraction = entry.iter().skip(STAMP.len()).take_while(|byte| is_time(byte)).count();
    let end = STAMP.len() + fraction;
    let rest = entry.get(end..).unwrap_or(&[]);
    end + (rest.len() - rest.trim_ascii_start().len())
}

/// Words before a reply.
struct Marker {
    end: usize,
    is_preview: bool,
}

/// Finds a marker such as `Raw LLM Response: ` or `Raw response preview: `.
fn marker(entry: &[u8]) -> Option<Marker> {
    let head = entry.get(..MARKER_WITHIN.min(entry.len()))?.to_ascii_lowercase();
    let head = head.split(|byte| *byte == b'\n').next().unwrap_or(&[]);
    if let Some(at) = memchr::memmem::find(head, b"preview=") {
        return Some(Marker { end: at + "preview=".len(), is_preview: true });
    }
    let words = ["raw response", "raw llm response"];
    let at = words.iter().filter_map(|words| memchr::memmem::find(head, words.as_bytes())).min()?;
    let colon = memchr::memmem::find(head.get(at..)?, b":")?;
    let between = head.get(at..at + colon)?;
    let has = |word: &[u8]| memchr::memmem::find(between, word).is_some();
    let is_preview = has(b"preview") || has(b"first ");
    let space = usize::from(head.get(at + colon + 1) == Some(&b' '));
    Some(Marker { end: at + colon + 1 + space, is_preview })
}

/// True if a text has the form of a truncated preview: a length in `PREVIEWS`, then `...`.
fn is_preview(said: &[u8]) -> bool {
    said.strip_suffix(b"...").is_some_and(|text| PREVIEWS.contains(&text.len()))
}
