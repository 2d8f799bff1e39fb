//! Changes of the text of a reply: members put in, taken out, renamed and exchanged, byte for byte what they were.

use super::json::{Json, NodeId};
use super::runtime::{self, Caps};
use super::view::View;
use mangle_syntax::lint::{Anchor, Fix};
use mangle_syntax::text::{TextRange, TextSize, size};

/// A text as a JSON string, quotes included.
#[must_use]
pub fn quoted(text: &str) -> String {
    // Writing a string as JSON cannot fail; the empty one stands for what cannot happen.
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".to_owned())
}

/// The edit that puts a member in front of the others, or behind them. `None` where the object is damaged.
#[must_use]
pub fn insert_member(
    view: &View<'_>,
    name: &str,
    value: &str,
    is_first: bool,
) -> Option<(TextRange, String)> {
    insert_members(view, &[(name, value)], is_first)
}

/// The same with several members, each a name and a value.
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
    // A single member on its brace's line says nothing of what stands between members.
    let space =
        if first.key == last.key && space.is_empty() && colon == ": " { " ".to_owned() } else { space };
    let text = written(colon).into_iter().map(|member| format!(",{space}{member}")).collect();
    Some((TextRange::empty(end), text))
}

/// The bytes of a member or an element together with one of its commas, so that what is left is in order.
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

/// The bytes from the key of a member to the end of its value.
#[must_use]
pub fn member_range(json: &Json<'_>, key: NodeId, value: NodeId) -> TextRange {
    json.range(key).cover(json.range(value))
}

/// Exchanges two stretches of text that do not overlap. `None` where they are no text.
#[must_use]
pub fn swap(fix: Fix, json: &Json<'_>, one: TextRange, other: TextRange) -> Option<Fix> {
    let text = |range: TextRange| {
        let bytes = json.text().get(usize::from(range.start())..usize::from(range.end()))?;
        std::str::from_utf8(bytes).ok()
    };
    Some(fix.replace(one, text(other)?).replace(other, text(one)?))
}

/// A text after a fix; `None` where the edits do not fit.
#[must_use]
pub fn applied(raw: &[u8], fix: &Fix) -> Option<Vec<u8>> {
    let mut edits: Vec<_> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| edit.span.range.start());
    let (mut new, mut at) = (Vec::with_capacity(raw.len()), 0);
    for edit in edits {
        let here = matches!(edit.span.anchor, Anchor::Here | Anchor::File);
        new.extend_from_slice(raw.get(at..usize::from(edit.span.range.start())).filter(|_| here)?);
        new.extend_from_slice(edit.text.as_bytes());
        at = edit.span.range.end().into();
    }
    new.extend_from_slice(raw.get(at..)?);
    Some(new)
}

/// Whether the runtime reads the same from two texts, whichever way it finds it.
#[must_use]
pub fn reads_the_same(one: &[u8], other: &[u8], caps: &Caps) -> bool {
    let read = |raw| {
        let reading = runtime::read(raw, caps).ok()?;
        Some((reading.picked?.packet, reading.surface))
    };
    let before = read(one);
    before.is_some() && before == read(other)
}

fn space_before(json: &Json<'_>, key: NodeId) -> String {
    let before = json.text().get(..usize::from(json.range(key).start())).unwrap_or(&[]);
    let space = before.get(before.trim_ascii_end().len()..).unwrap_or(&[]);
    String::from_utf8_lossy(space).into_owned()
}

/// Whether a space stands behind the colon of a key.
fn follows_space(json: &Json<'_>, key: NodeId) -> bool {
    let behind = json.text().get(usize::from(json.range(key).end())..).unwrap_or(&[]);
    matches!(behind.trim_ascii_start(), [b':', b' ' | b'\n' | b'\t' | b'\r', ..])
}
