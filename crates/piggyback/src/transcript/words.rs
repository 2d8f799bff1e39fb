//! Helpers for the contents of records: members of JSON objects by name, JSON pointers, words of
//! keys, and hashes of texts.

use std::borrow::Cow;
use std::hash::{Hash, Hasher as _};

use rustc_hash::FxHasher;

use crate::envelope::json::{Json, JsonKind, NodeId};
use crate::envelope::pointer::part;
use crate::envelope::runtime;

/// Returns the member of an object with a name. If there are several, returns the last one.
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
            // Most keys differ in length.
            raw.len() == name.len() + 2 && raw.get(1..=name.len()) == Some(name.as_bytes())
        }
        JsonKind::Escaped => json.string(key).is_some_and(|key| key == name),
        _ => false,
    }
}

/// Returns the string value of a member.
pub(super) fn text<'t>(json: &Json<'t>, object: NodeId, name: &str) -> Option<Cow<'t, str>> {
    json.string(member(json, object, name)?)
}

/// Like [`text`], but returns an owned string.
pub(super) fn member_string(json: &Json<'_>, node: NodeId, name: &str) -> Option<String> {
    text(json, node, name).map(Cow::into_owned)
}

pub(super) fn member_equals(json: &Json<'_>, object: NodeId, name: &str, value: &str) -> bool {
    text(json, object, name).is_some_and(|text| text == value)
}

pub(super) fn is_string(json: &Json<'_>, node: NodeId) -> bool {
    matches!(json.kind(node), JsonKind::Plain | JsonKind::Escaped)
}

/// True if a key is an envelope key, in any case, as in the runtime.
fn is_envelope_key(key: &str) -> bool {
    ["control_packet", "surface_response"].iter().any(|name| runtime::names(key, name, false))
}

/// True if a node is an object with an envelope key.
pub(super) fn is_envelope(json: &Json<'_>, node: NodeId) -> bool {
    json.members(node).any(|member| json.string(member.key).is_some_and(|key| is_envelope_key(&key)))
}

/// Keys that rarely occur outside of envelopes.
const CONTROL_KEYS: [&[u8]; 4] =
    [b"control_packet", b"surface_response", b"mangle_updates", b"intent_classification"];

/// True if a text contains the name of an envelope key.
pub(super) fn has_control_key(text: &[u8]) -> bool {
    CONTROL_KEYS.iter().any(|name| memchr::memmem::find(text, name).is_some())
}

/// True if a text contains an envelope key after a double quote.
pub(super) fn has_quoted_control_key(text: &[u8]) -> bool {
    let is_before = |at: usize| at.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'"');
    CONTROL_KEYS.iter().any(|name| memchr::memmem::find_iter(text, name).any(is_before))
}

/// Returns the range of the first envelope key in a text, including its quotes.
pub(super) fn quoted_control_key(text: &[u8]) -> Option<std::ops::Range<usize>> {
    let is_before = |at: &usize| at.checked_sub(1).and_then(|before| text.get(before)) == Some(&b'"');
    let place = |name: &&[u8]| {
        let at = memchr::memmem::find_iter(text, *name).find(is_before)?;
        let end = at + name.len();
        Some(at - 1..end + usize::from(text.get(end) == Some(&b'"')))
    };
    CONTROL_KEYS.iter().filter_map(place).min_by_key(|place| place.start)
}

/// Quotes a name or path for a message, truncated to 40 characters.
pub(super) fn quoted(text: &str) -> String {
    mangle_syntax::text::quoted(text, 40)
}

/// Appends one step to a JSON pointer.
pub(super) fn step(pointer: &str, key: impl std::fmt::Display) -> String {
    format!("{pointer}/{}", part(&key.to_string()))
}

/// Maximum number of words of a key that are examined.
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

/// Returns the words of a key in lower case. `reasoningContent`, `reasoning_content` and
/// `reasoning-content` have the same words.
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

/// True if `list` contains one of the words.
pub(super) fn has_word(words: &[String], list: &[&str]) -> bool {
    words.iter().any(|word| list.contains(&word.as_str()))
}

/// True if a word names the reasoning of a model. The word is the type of an event or the key of a
/// text.
pub(super) fn is_reasoning(word: &str) -> bool {
    has_word(&key_words(word), REASONING)
}

/// Returns a hash that is the same for equal values.
pub(super) fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
