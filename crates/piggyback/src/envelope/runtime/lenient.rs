//! Members of a control packet that accept several kinds of values.

use super::decode::{Decode, DecodeContext, List};
use super::go;
use super::packet::{Intent, Packet, Tool};
use crate::envelope::json::{Json, JsonKind, NodeId};

/// The confidences that words stand for.
const WORDS: [(&str, f64); 4] = [("high", 0.9), ("medium", 0.5), ("med", 0.5), ("low", 0.1)];

const TRUE: [&str; 5] = ["true", "1", "yes", "y", "on"];

const FALSE: [&str; 5] = ["false", "0", "no", "n", "off"];

/// Reads `mangle_updates`: a list of strings, or one string. An empty string is an empty list.
pub(super) fn updates(packet: &mut Packet, node: NodeId, context: &mut DecodeContext<'_>) -> bool {
    let json = context.json;
    if let Some(one) = json.string(node) {
        packet.updates = List::of(if one.is_empty() { Vec::new() } else { vec![one.into_owned()] });
        return true;
    }
    let mut inner = DecodeContext::new(json, context.runtime);
    let mut list = List::default();
    list.decode(node, &mut inner);
    let is_list = inner.error().is_none();
    if is_list {
        packet.updates = list;
    }
    is_list
}

/// Reads `confidence`: a number, `null` for 0, a word, or text that Go reads as a float.
pub(super) fn confidence(intent: &mut Intent, node: NodeId, context: &mut DecodeContext<'_>) -> bool {
    let json = context.json;
    let found = match json.kind(node) {
        JsonKind::Null => Some(0.0),
        JsonKind::Number => super::decode::float(json.raw(node)),
        _ => word(json, node).and_then(|word| {
            let known = WORDS.iter().find(|(known, _)| *known == word).map(|(_, confidence)| *confidence);
            known.or_else(|| go::float(&word))
        }),
    };
    if let Some(found) = found {
        intent.confidence = found;
    }
    found.is_some()
}

/// Reads `required`: a boolean, `null` for false, a word, or an integer.
pub(super) fn required(tool: &mut Tool, node: NodeId, context: &mut DecodeContext<'_>) -> bool {
    let json = context.json;
    let found = match json.kind(node) {
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
    };
    if let Some(found) = found {
        tool.required = found;
    }
    found.is_some()
}

/// The text of a string in lower case, without quotes and white space around it.
fn word(json: &Json<'_>, node: NodeId) -> Option<String> {
    let text = go::lower_case(&json.string(node)?);
    Some(text.trim_matches(['"', '\t', '\n', '\r', ' ']).to_owned())
}

/// True if a member of this name accepts a value that has not the kind of its type.
#[must_use]
pub fn fits_leniently(name: &str, json: &Json<'_>, node: NodeId) -> bool {
    let mut context = DecodeContext::new(json, mangle_settings::Runtime::newest());
    match name {
        "mangle_updates" => json.string(node).is_some(),
        "confidence" => confidence(&mut Intent::default(), node, &mut context),
        "required" => required(&mut Tool::default(), node, &mut context),
        _ => false,
    }
}
