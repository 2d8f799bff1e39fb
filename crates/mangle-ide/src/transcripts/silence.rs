//! Edits that silence a finding in a transcript.
//!
//! In JSON, the member `x_mangle_ls_ignore` is added to the object of the finding or to the whole
//! reply. In Markdown, a comment is added above the fence or at the top of the file. An existing
//! member or comment is extended.

use super::comments::Comments;
use super::members::NAME;
use super::records::Entry;
use super::{JsonPath, ReplyPosition, TranscriptView, outline};
use mangle_settings::Container;
use mangle_syntax::lint::{Edit, Fix, Rule, Span};
use mangle_syntax::text::{TextRange, TextSize, size};
use piggyback::envelope::json::{Json, JsonKind, NodeId};
use piggyback::transcript::map_fix_to_record;

/// Scope of the suppression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The object or fence that contains the finding.
    Here,
    /// The whole reply; in Markdown, the whole file.
    All,
}

/// Tool arguments. No member is added inside, because the tool would receive it.
const ARGUMENTS: &str = "tool_args";

/// Returns the insertion that silences a rule at an offset of the file. `None` if no valid position
/// exists.
#[must_use]
pub fn silence(
    opened: TranscriptView<'_>,
    rule: &Rule,
    at: TextSize,
    scope: Scope,
) -> Option<(TextRange, String)> {
    if !rule.is_silenceable() {
        return None;
    }
    let records = opened.records;
    if records.transcript().container() == Some(Container::Markdown)
        && let Some(edit) = comment(opened, rule, at, scope)
    {
        return Some(edit);
    }
    let entry = records.touching(TextRange::empty(at)).find(|entry| entry.range().contains_inclusive(at))?;
    in_reply(opened, rule, at, scope).or_else(|| in_record(records.bytes(entry), entry, rule, at))
}

/// Returns the comment above the fence at an offset, or at the top of the file.
fn comment(
    opened: TranscriptView<'_>,
    rule: &Rule,
    at: TextSize,
    scope: Scope,
) -> Option<(TextRange, String)> {
    let text = opened.records.text();
    let line = fence_line(opened, at)?;
    let comments = Comments::parse(text.as_bytes());
    let known = match scope {
        Scope::Here => comments.list_of(line as u64),
        Scope::All => comments.list_of_file(),
    };
    if let Some(end) = known {
        return Some((TextRange::empty(size(end)), format!(", {}", rule.name)));
    }
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    match scope {
        Scope::Here => {
            let rest = text.get(line..)?;
            let indent = rest.get(..rest.len() - rest.trim_start_matches([' ', '\t']).len())?;
            let comment = format!("{indent}<!-- mangle-ls: ignore {} -->{end}", rule.name);
            Some((TextRange::empty(size(line)), comment))
        }
        Scope::All => {
            let comment = format!("<!-- mangle-ls: ignore-file {} -->{end}", rule.name);
            Some((TextRange::empty(size(behind_front_matter(text))), comment))
        }
    }
}

/// Returns the start of the line that opens the fence at an offset.
fn fence_line(opened: TranscriptView<'_>, at: TextSize) -> Option<usize> {
    let records = opened.records;
    let text = records.text();
    let line_of = |offset: usize| text.get(..offset).map(|before| before.rfind('\n').map_or(0, |lf| lf + 1));
    let fence = records.fences().iter().find(|fence| fence.range().contains_inclusive(at));
    if let Some(fence) = fence {
        // The content of a fence starts on the line after its opening mark.
        return line_of(usize::from(fence.range().start()).checked_sub(1)?);
    }
    let mut around = records.touching(TextRange::empty(at));
    let start: usize = around.find(|entry| entry.range().contains_inclusive(at))?.start.into();
    let is_fence = text.get(start..)?.trim_start().starts_with(['`', '~']);
    line_of(start).filter(|_| is_fence)
}

/// Returns the offset after the front matter.
fn behind_front_matter(text: &str) -> usize {
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let is_mark = line.trim() == "---";
        if number == 0 && !is_mark {
            return 0;
        }
        at += line.len();
        if number > 0 && is_mark {
            return at;
        }
    }
    0
}

/// Returns a member for an envelope, escaped for the enclosing strings.
fn in_reply(
    opened: TranscriptView<'_>,
    rule: &Rule,
    at: TextSize,
    scope: Scope,
) -> Option<(TextRange, String)> {
    let spot = ReplyPosition::at(opened, at)?;
    let (json, object) = match spot.way().filter(|_| scope == Scope::Here) {
        Some((_, way)) => (way.json, innermost(&way)),
        None => {
            let is_around = |range: &std::ops::Range<usize>| {
                size(range.start) <= spot.offset && spot.offset <= size(range.end)
            };
            let around = spot.reply.objects.iter().rev().find(|object| is_around(&object.range));
            let object = around.or_else(|| spot.reply.picked_object())?;
            (&object.json, object.json.root())
        }
    };
    let (range, text) = member(json, object, rule)?;
    let edit = Edit { span: Span::here(range), text };
    let fix = Fix { edits: vec![edit], ..Fix::safe("") };
    let fix = map_fix_to_record(fix, spot.turn, opened.records.bytes(spot.entry))?;
    let edit = fix.edits.into_iter().next()?;
    Some((spot.entry.place(edit.span.range), edit.text))
}

/// Returns the innermost object that may receive a member.
fn innermost(way: &JsonPath<'_, '_>) -> NodeId {
    let is_object = |node: &NodeId| way.json.kind(*node) == JsonKind::Object;
    if way.keys.iter().any(|key| outline::is_key(key, ARGUMENTS)) {
        return way.json.root();
    }
    let own = Some(way.node).filter(|node| way.key.is_none() && is_object(node));
    own.or_else(|| way.around.iter().rev().copied().find(is_object)).unwrap_or_else(|| way.json.root())
}

/// Returns a member for the record itself, if its reply has no envelope.
fn in_record(bytes: &[u8], entry: &Entry, rule: &Rule, at: TextSize) -> Option<(TextRange, String)> {
    let json = Json::parse(bytes);
    let way = JsonPath::to(&json, at.checked_sub(entry.start)?);
    let (range, text) = member(&json, innermost(&way), rule)?;
    Some((entry.place(range), text))
}

/// Returns the insertion that adds a rule to the suppression member of an object. `None` if the
/// object is not closed.
fn member(json: &Json<'_>, object: NodeId, rule: &Rule) -> Option<(TextRange, String)> {
    let raw = json.raw(object);
    if json.kind(object) != JsonKind::Object || !raw.ends_with(b"}") {
        return None;
    }
    let known = json.members(object).find(|found| json.string(found.key).is_some_and(|key| key == NAME));
    if let Some(known) = known {
        return one_more(json, known.value, rule);
    }
    let name = rule.name;
    let Some(last) = json.members(object).last() else {
        let inside = json.range(object).start() + size(1);
        return Some((TextRange::empty(inside), format!("\"{NAME}\": \"{name}\"")));
    };
    let end = json.range(last.value).end();
    let key = json.range(last.key).start();
    Some((TextRange::empty(end), format!(",{}\"{NAME}\": \"{name}\"", gap(json.text(), key))))
}

/// Returns the white space before a key, as separator for a new member.
fn gap(text: &[u8], key: TextSize) -> &str {
    let before = text.get(..key.into()).unwrap_or(&[]);
    let len = before.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
    let blank = before.get(before.len() - len..).unwrap_or(&[]);
    std::str::from_utf8(blank).unwrap_or(" ")
}

/// Returns the insertion that adds a name to an existing value.
fn one_more(json: &Json<'_>, value: NodeId, rule: &Rule) -> Option<(TextRange, String)> {
    let (range, raw, name) = (json.range(value), json.raw(value), rule.name);
    match json.kind(value) {
        JsonKind::Plain | JsonKind::Escaped if raw.len() > 1 && raw.ends_with(b"\"") => {
            let inner = raw.get(1..raw.len() - 1)?;
            let names =
                memchr::memmem::find(inner, b"--").map_or(inner, |end| inner.get(..end).unwrap_or(inner));
            let names = names.trim_ascii_end();
            let comma = if names.trim_ascii().is_empty() { "" } else { ", " };
            Some((TextRange::empty(range.start() + size(1 + names.len())), format!("{comma}{name}")))
        }
        JsonKind::Array if raw.ends_with(b"]") => match json.elements(value).last() {
            Some(last) => Some((TextRange::empty(json.range(last).end()), format!(", \"{name}\""))),
            None => Some((TextRange::empty(range.start() + size(1)), format!("\"{name}\""))),
        },
        _ => None,
    }
}
