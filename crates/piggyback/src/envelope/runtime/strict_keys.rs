//! Detection of unknown keys in strict mode.

use super::Caps;
use super::decode::float;
use super::failure::DecodeFailure;
use crate::envelope::json::{Json, JsonKind, NodeId};

/// Keys of an object with the keys of their values. `None` accepts any value.
struct Keys(&'static [(&'static str, Option<&'static Keys>)]);

static ENVELOPE: Keys = Keys(&[("control_packet", Some(&PACKET)), ("surface_response", None)]);

static PACKET: Keys = Keys(&[
    ("intent_classification", Some(&INTENT)),
    ("mangle_updates", None),
    ("memory_operations", Some(&MEMORY)),
    ("self_correction", Some(&CORRECTION)),
    ("reasoning_trace", None),
    ("knowledge_requests", Some(&KNOWLEDGE)),
    ("context_feedback", Some(&FEEDBACK)),
    ("tool_requests", Some(&TOOL)),
]);

static INTENT: Keys =
    Keys(&[("category", None), ("verb", None), ("target", None), ("constraint", None), ("confidence", None)]);

static MEMORY: Keys = Keys(&[("op", None), ("key", None), ("value", None)]);

static CORRECTION: Keys = Keys(&[("triggered", None), ("hypothesis", None)]);

static KNOWLEDGE: Keys =
    Keys(&[("specialist", None), ("query", None), ("purpose", None), ("priority", None)]);

static FEEDBACK: Keys = Keys(&[
    ("overall_usefulness", None),
    ("helpful_facts", None),
    ("noise_facts", None),
    ("missing_context", None),
]);

static TOOL: Keys =
    Keys(&[("id", None), ("tool_name", None), ("tool_args", None), ("purpose", None), ("required", None)]);

/// Rejects an envelope with unknown keys if strict mode is active and the runtime supports it.
pub(super) fn check(json: &Json<'_>, caps: &Caps) -> Result<(), DecodeFailure> {
    if !(caps.strict && caps.runtime.strict_keys) || has_overflow(json) {
        return Ok(());
    }
    let mut found = Vec::new();
    unknown(json, json.root(), &ENVELOPE, &mut found);
    found.sort();
    found.dedup();
    if found.is_empty() { Ok(()) } else { Err(DecodeFailure::UnknownKeys(found)) }
}

/// True if a number is too large for a float. The runtime then does not check the keys.
fn has_overflow(json: &Json<'_>) -> bool {
    json.nodes().any(|node| json.kind(node) == JsonKind::Number && float(json.raw(node)).is_none())
}

/// Collects the unknown keys of a value. Lists have the keys of their elements. Only the last of
/// several equal keys is checked.
fn unknown(json: &Json<'_>, node: NodeId, keys: &Keys, found: &mut Vec<String>) {
    let members: Vec<_> =
        json.members(node).filter_map(|member| Some((json.string(member.key)?, member.value))).collect();
    for (at, (key, value)) in members.iter().enumerate() {
        let is_last = || members.iter().skip(at + 1).all(|(other, _)| other != key);
        match keys.0.iter().find(|(name, _)| name == key) {
            None => found.push(key.to_string()),
            Some((_, Some(inner))) if is_last() => {
                super::decode::with_room(|| unknown(json, *value, inner, found));
            }
            Some(_) => {}
        }
    }
    for element in json.elements(node) {
        super::decode::with_room(|| unknown(json, element, keys, found));
    }
}
