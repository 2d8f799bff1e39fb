//! Edits of a reply that insert, remove, rename and swap members and leave the other bytes
//! unchanged.

use super::json::{Json, NodeId};
use super::runtime::{self, Caps};
use super::view::View;
use mangle_syntax::lint::{Anchor, Fix};
use mangle_syntax::text::{TextRange, TextSize, size};

/// Returns a text as a quoted JSON string.
#[must_use]
pub fn quoted(text: &str) -> String {
    // Serializing a string cannot fail.
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".to_owned())
}

/// Returns the edit that inserts a member before or after all others. `None` if the object is
/// damaged.
#[must_use]
pub fn insert_member(
    view: &View<'_>,
    name: &str,
    value: &str,
    is_first: bool,
) -> Option<(TextRange, String)> {
    insert_members(view, &[(name, value)], is_first)
}

/// Returns the edit that inserts several members, each a name and a value.
#[must_use]
pub fn insert_members(view: &View<'_>, new: &[(&str, &str)], is_first: bool) -> Option<(TextRange, String)> {
    let json = view.json;
    let object = *view.nodes.last().filter(|_| json.problems.is_empty())?;
    let members: Vec<_> =
        [json.members(object).next(), json.members(object).last()].into_iter().flatten().collect();
    let written = |colon: &str| -> Vec<String> {
        new.iter().map(|(name, value)| format!("{}{colon}{value}", quoted(name))).collect()
    };
    let Some((first, last)) = members.first().zip(members.last()) else {
        let start = json.range(object).start() + TextSize::new(1);
        return Some((TextRange::empty(start), written(": ").join(", ")));
    };
    let colon = if follows_space(json, last.key) { ": " } else { ":" };
    if is_first {
        let start = json.range(first.key).start();
        let space = space_before(json, last.key);
        let text = written(colon).into_iter().map(|member| format!("{member},{space}")).collect();
        return Some((TextRange::empty(start), text));
    }
    let end = json.range(last.value).end();
    let space = space_before(json, last.key);
    // A single member on the line of its brace shows no separator between members.
    let space =
        if first.key == last.key && space.is_empty() && colon == ": " { " ".to_owned() } else { space };
    let text = written(colon).into_iter().map(|member| format!(",{space}{member}")).collect();
    Some((TextRange::empty(end), text))
}

/// Returns the range of a member or element with one of its commas, for deletion.
#[must_use]
pub fn with_comma(json: &Json<'_>, item: TextRange) -> TextRange {
    let text = json.text();
    let behind = text.get(usize::from(item.end())..).unwrap_or(&[]);
    let space = behind.len() - behind.trim_ascii_start().len();
    if behind.get(space) == Some(&b',') {
        let rest = behind.get(space + 1..).unwrap_or(&[]);
        let more = rest.len() - rest.trim_ascii_start().len();
        return TextRange::new(item.start(), item.end() + size(space + 1 + more));
    }
    let before = text.get(..usize::from(item.start())).unwrap_or(&[]).trim_ascii_end();
    match before.last() {
        Some(b',') => TextRange::new(size(before.len() - 1), item.end()),
        _ => item,
    }
}

/// Returns the range from the key of a member to the end of its value.
#[must_use]
pub fn member_range(json: &Json<'_>, key: NodeId, value: NodeId) -> TextRange {
    json.range(key).cover(json.range(value))
}

/// Swaps two ranges that do not overlap. Returns `None` if they are not UTF-8.
#[must_use]
pub fn swap(fix: Fix, json: &Json<'_>, one: TextRange, other: TextRange) -> Option<Fix> {
    let text = |range: TextRange| {
        let bytes = json.text().get(usize::from(range.start())..usize::from(range.end()))?;
        std::str::from_utf8(bytes).ok()
    };
    Some(fix.replace(one, text(other)?).replace(other, text(one)?))
}

/// Applies a fix to a text. Returns `None` if the edits are out of range.
#[must_use]
pub fn applied(raw: &[u8], fix: &Fix) -> Option<Vec<u8>> {
    let mut edits: Vec<_> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| edit.span.range.start());
    let (mut new, mut at) = (Vec::with_capacity(raw.len()), 0);
    for edit in edits {
        let here = matches!(edit.span.anchor, Anchor::Own | Anchor::File);
        new.extend_from_slice(raw.get(at..usize::from(edit.span.range.start())).filter(|_| here)?);
        new.extend_from_slice(edit.text.as_bytes());
        at = edit.span.range.end().into();
    }
    new.extend_from_slice(raw.get(at..)?);
    Some(new)
}

/// True if the runtime decodes the same packet and surface from both texts, in any stage.
#[must_use]
pub fn reads_the_same(one: &[u8], other: &[u8], caps: &Caps) -> bool {
    let read = |raw| {
        let reading = runtime::read(raw, caps).ok()?;
        Some((reading.accepted?.packet, reading.surface))
    };
    let before = read(one);
    before.is_some() && before == read(other)
}

fn space_before(json: &Json<'_>, key: NodeId) -> String {
    let before = json.text().get(..usize::from(json.range(key).start())).unwrap_or(&[]);
    let space = before.get(before.trim_ascii_end().len()..).unwrap_or(&[]);
    String::from_utf8_lossy(space).into_owned()
}

/// True if white space follows the colon of a key.
fn follows_space(json: &Json<'_>, key: NodeId) -> bool {
    let behind = json.text().get(usize::from(json.range(key).end())..).unwrap_or(&[]);
    matches!(behind.trim_ascii_start(), [b':', b' ' | b'\n' | b'\t' | b'\r', ..])
}
