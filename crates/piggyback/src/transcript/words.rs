//! Members of JSON objects by name, and pointers to them.

use std::borrow::Cow;

use crate::envelope::json::{Json, JsonKind, NodeId};
use crate::envelope::pointer::part;
use crate::envelope::runtime;

/// The member of an object that counts under a name: of several the last.
pub(super) fn member(json: &Json<'_>, object: NodeId, name: &str) -> Option<NodeId> {
    if !json.may_have(object, name) {
        return None;
    }
    json.members(object).filter(|member| is_named(json, member.key, name)).last().map(|member| member.value)
}

fn is_named(json: &Json<'_>, key: NodeId, name: &str) -> bool {
    match json.kind(key) {
        JsonKind::Plain => {
            let raw = json.raw(key);
            // Most keys have another length.
            raw.len() == name.len() + 2 && raw.get(1..=name.len()) == Some(name.as_bytes())
        }
        JsonKind::Escaped => json.string(key).is_some_and(|key| key == name),
        _ => false,
    }
}

/// The text of a member.
pub(super) fn text<'t>(json: &Json<'t>, object: NodeId, name: &str) -> Option<Cow<'t, str>> {
    json.string(member(json, object, name)?)
}

/// Whether a member has this text.
pub(super) fn says(json: &Json<'_>, object: NodeId, name: &str, value: &str) -> bool {
    text(json, object, name).is_some_and(|text| text == value)
}

/// Whether a node is a string.
pub(super) fn is_string(json: &Json<'_>, node: NodeId) -> bool {
    matches!(json.kind(node), JsonKind::Plain | JsonKind::Escaped)
}

/// Whether a key is one of those of an envelope, in any case, as the runtime reads it.
fn is_envelope_key(key: &str) -> bool {
    ["control_packet", "surface_response"].iter().any(|name| runtime::names(key, name, false))
}

/// Whether a node is an object that looks like an envelope.
pub(super) fn is_envelope(json: &Json<'_>, node: NodeId) -> bool {
    json.members(node).any(|member| json.string(member.key).is_some_and(|key| is_envelope_key(&key)))
}

/// Keys that hardly anything but an envelope has.
const CONTROL_KEYS: [&[u8]; 4] =
    [b"control_packet", b"surface_response", b"mangle_updates", b"intent_classification"];

/// Whether a text names a key of an envelope.
pub(super) fn has_control_key(text: &[u8]) -> bool {
    CONTROL_KEYS.iter().any(|name| memchr::memmem::find(text, name).is_some())
}

/// Whether a text has a key of an envelope in quotes, as JSON writes it.
pub(super) fn has_quoted_control_key(text: &[u8]) -> bool {
    let is_before = |at: usize| at.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'"');
    CONTROL_KEYS.iter().any(|name| memchr::memmem::find_iter(text, name).any(is_before))
}

/// The first key of an envelope in a text, with the quotes around it.
pub(super) fn quoted_control_key(text: &[u8]) -> Option<std::ops::Range<usize>> {
    let is_before = |at: &usize| at.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'"');
    let place = |name: &&[u8]| {
        let at = memchr::memmem::find_iter(text, *name).find(is_before)?;
        let end = at + name.len();
        Some(at - 1..end + usize::from(text.get(end) == Some(&b'"')))
    };
    CONTROL_KEYS.iter().filter_map(place).min_by_key(|place| place.start)
}

/// A name or path for a message: at most 40 characters.
pub(super) fn quoted(text: &str) -> String {
    mangle_syntax::text::quoted(text, 40)
}

/// A pointer with one more step.
pub(super) fn step(pointer: &str, key: impl std::fmt::Display) -> String {
    format!("{pointer}/{}", part(&key.to_string()))
}

/// How many words of a key are looked at.
const MAX_WORDS: usize = 8;

/// Words that name the reasoning of a model.
pub(super) const REASONING: &[&str] = &[
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "scratchpad",
    "rationale",
    "cot",
    "deliberation",
    "reflection",
    "monologue",
];

/// The words of a key in lower case: `reasoningContent`, `reasoning_content` and `reasoning-content` have the same.
pub(super) fn key_words(key: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut is_inside, mut was_lower) = (false, false);
    for char in key.chars() {
        if !char.is_alphanumeric() {
            is_inside = false;
            continue;
        }
        let begins = !is_inside || was_lower && char.is_uppercase();
        if begins {
            if words.len() == MAX_WORDS {
                break;
            }
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(char.to_lowercase());
        }
        (is_inside, was_lower) = (true, char.is_lowercase() || char.is_ascii_digit());
    }
    words
}

/// True if one of some words is in a list.
pub(super) fn has_word(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.as_str()))
}

/// True if a word names the reasoning of a model: the type of an event, or the key of a text.
pub(super) fn is_reasoning(word: &str) -> bool {
    has_word(&key_words(word), REASONING)
}
