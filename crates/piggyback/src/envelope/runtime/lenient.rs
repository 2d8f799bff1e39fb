//! Decoding of the control packet members that accept several kinds of values.

use super::decode::{Decode, DecodeContext, List};
use super::go;
use crate::envelope::json::{Json, JsonKind, NodeId};

/// Words for confidence values.
const WORDS: [(&str, f64); 4] = [("high", 0.9), ("medium", 0.5), ("med", 0.5), ("low", 0.1)];

const TRUE: [&str; 5] = ["true", "1", "yes", "y", "on"];

const FALSE: [&str; 5] = ["false", "0", "no", "n", "off"];

/// Decodes `mangle_updates`: a list of strings, or one string. An empty string is an empty list.
pub(super) fn updates(node: NodeId, context: &DecodeContext<'_>) -> Option<List<String>> {
    let json = context.json;
    if let Some(one) = json.string(node) {
        return Some(List::from_slots(if one.is_empty() { Vec::new() } else { vec![one.into_owned()] }));
    }
    let mut inner = DecodeContext::new(json, context.runtime);
    let mut list = List::default();
    list.decode(node, &mut inner);
    inner.error().is_none().then_some(list)
}

/// Decodes `confidence`: a number, `null` for 0, a word, or text that Go parses as a float.
pub(super) fn confidence(node: NodeId, context: &DecodeContext<'_>) -> Option<f64> {
    let json = context.json;
    match json.kind(node) {
        JsonKind::Null => Some(0.0),
        JsonKind::Number => super::decode::float(json.raw(node)),
        _ => word(json, node).and_then(|word| {
            let known = WORDS.iter().find(|(known, _)| *known == word).map(|(_, confidence)| *confidence);
            known.or_else(|| go::float(&word))
        }),
    }
}

/// Decodes `required`: a boolean, `null` for false, a word, or an integer.
pub(super) fn required(node: NodeId, context: &DecodeContext<'_>) -> Option<bool> {
    let json = context.json;
    match json.kind(node) {
        JsonKind::Null => Some(false),
        JsonKind::Bool(value) => Some(value),
        JsonKind::Number => std::str::from_utf8(json.raw(node))
            .ok()
            .and_then(|raw| raw.parse().ok())
            .map(|number: i64| number != 0),
        _ => word(json, node).and_then(|word| {
            let word = word.as_str();
            TRUE.contains(&word).then_some(true).or(FALSE.contains(&word).then_some(false))
        }),
    }
}

/// Returns the text of a string in lower case, without surrounding quotes and white space.
fn word(json: &Json<'_>, node: NodeId) -> Option<String> {
    let text = go::lower_case(&json.string(node)?);
    Some(text.trim_matches(['"', '\t', '\n', '\r', ' ']).to_owned())
}

/// True if the member with this name accepts a value of a kind that differs from its type.
#[must_use]
pub fn fits_leniently(name: &str, json: &Json<'_>, node: NodeId) -> bool {
    let context = DecodeContext::new(json, mangle_settings::Runtime::newest());
    match name {
        "mangle_updates" => json.string(node).is_some(),
        "confidence" => confidence(node, &context).is_some(),
        "required" => required(node, &context).is_some(),
        _ => false,
    }
}
