//! The envelope types of the runtime. A missing or `null` member has its zero value.
//!
//! Some members accept several kinds of values. In strict mode, unknown keys are rejected.

use std::collections::BTreeMap;

use super::decode::{
    AnyValue, Decode, DecodeContext, LenientMember, List, decode_member, decode_members, float, names,
};
use super::{DecodeFailure, go};
use crate::envelope::json::{Json, JsonKind, NodeId};
use mangle_settings::Caps;

/// Defines types that are decoded from JSON, with the JSON names of their members.
macro_rules! members {
    ($($(#[$doc:meta])* $type:ident $((lenient $lenient:literal: $which:ident, $field:ident = $read:path))? {
        $($(#[$of:meta])* $member:ident: $kind:ty = $name:literal,)*
    })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct $type {
            $($(#[$of])* pub $member: $kind,)*
        }

        impl Decode for $type {
            $(
                const LENIENT: Option<(&'static str, LenientMember)> = Some(($lenient, LenientMember::$which));

                const HAS_OWN_UNMARSHALER: bool = true;

                fn lenient(&mut self, node: NodeId, context: &mut DecodeContext<'_>) -> bool {
                    let found = $read(node, context);
                    let is_found = found.is_some();
                    found.into_iter().for_each(|value| self.$field = value);
                    is_found
                }
            )?

            fn decode(&mut self, node: NodeId, context: &mut DecodeContext<'_>) {
                decode_members(self, node, context);
            }

            fn member(&mut self, key: &str, value: NodeId, context: &mut DecodeContext<'_>, exact: bool) -> bool {
                $(if names(key, $name, exact) {
                    decode_member(&mut self.$member, $name, value, context);
                    return true;
                })*
                false
            }
        }
    )*};
}

members! {
    /// An envelope.
    Envelope {
        /// The control packet for the kernel.
        control: Packet = "control_packet",
        /// The text for the user.
        surface: String = "surface_response",
    }

    /// A control packet.
    Packet (lenient "mangle_updates": Updates, updates = updates) {
        /// The classified intent of the user.
        intent: Intent = "intent_classification",
        /// Atoms for the kernel.
        updates: List<String> = "mangle_updates",
        /// Operations on the long-term memory.
        memory: List<MemoryOperation> = "memory_operations",
        /// A self-correction of the model.
        self_correction: Option<Box<SelfCorrection>> = "self_correction",
        /// The reasoning of the model.
        trace: String = "reasoning_trace",
        /// Questions to specialists.
        knowledge: List<Knowledge> = "knowledge_requests",
        /// The model's rating of its context.
        feedback: Option<Box<Feedback>> = "context_feedback",
        /// Requested tool calls.
        tools: List<Tool> = "tool_requests",
    }

    /// The classified intent of the user.
    Intent (lenient "confidence": Confidence, confidence = confidence) {
        /// The category: `/query`, `/mutation` or `/instruction`.
        category: String = "category",
        /// The verb, for example `/fix`.
        verb: String = "verb",
        /// The target of the action.
        target: String = "target",
        /// The constraint of the action.
        constraint: String = "constraint",
        /// The confidence, from 0 to 1.
        confidence: f64 = "confidence",
    }

    /// An operation on the long-term memory.
    MemoryOperation {
        /// The operation, for example `promote_to_long_term`.
        op: String = "op",
        /// The key, in the form `namespace:item`.
        key: String = "key",
        /// The value.
        value: String = "value",
    }

    /// A self-correction of the model.
    SelfCorrection {
        /// True if the model corrects itself.
        triggered: bool = "triggered",
        /// The suspected cause of the error.
        hypothesis: String = "hypothesis",
    }

    /// A question to a specialist.
    Knowledge {
        /// The name of the specialist.
        specialist: String = "specialist",
        /// The question.
        query: String = "query",
        /// The purpose of the question.
        purpose: String = "purpose",
        /// The priority: `required` or `optional`.
        priority: String = "priority",
    }

    /// The model's rating of its context.
    Feedback {
        /// The usefulness, from 0 to 1.
        usefulness: f64 = "overall_usefulness",
        /// Predicates that helped.
        helpful: List<String> = "helpful_facts",
        /// Predicates that did not help.
        noise: List<String> = "noise_facts",
        /// A description of missing context.
        missing: String = "missing_context",
    }

    /// A requested tool call.
    Tool (lenient "required": Required, required = required) {
        /// The identifier of the request in this packet.
        id: String = "id",
        /// The name of the tool.
        name: String = "tool_name",
        /// The arguments. `None` for `null`.
        args: Option<BTreeMap<String, AnyValue>> = "tool_args",
        /// The purpose of the call.
        purpose: String = "purpose",
        /// True if the call is required to continue.
        required: bool = "required",
    }
}

/// Words for confidence values.
const CONFIDENCE_WORDS: [(&str, f64); 4] = [("high", 0.9), ("medium", 0.5), ("med", 0.5), ("low", 0.1)];

const TRUE_WORDS: [&str; 5] = ["true", "1", "yes", "y", "on"];

const FALSE_WORDS: [&str; 5] = ["false", "0", "no", "n", "off"];

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
            let known =
                CONFIDENCE_WORDS.iter().find(|(known, _)| *known == word).map(|(_, confidence)| *confidence);
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
            TRUE_WORDS.contains(&word).then_some(true).or(FALSE_WORDS.contains(&word).then_some(false))
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
pub(super) fn check_keys(json: &Json<'_>, caps: &Caps) -> Result<(), DecodeFailure> {
    if !(caps.strict && caps.runtime.strict_keys) || has_overflow(json) {
        return Ok(());
    }
    let mut found = Vec::new();
    collect_unknown(json, json.root(), &ENVELOPE, &mut found);
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
fn collect_unknown(json: &Json<'_>, node: NodeId, keys: &Keys, found: &mut Vec<String>) {
    let members: Vec<_> =
        json.members(node).filter_map(|member| Some((json.string(member.key)?, member.value))).collect();
    for (at, (key, value)) in members.iter().enumerate() {
        let is_last = || members.iter().skip(at + 1).all(|(other, _)| other != key);
        match keys.0.iter().find(|(name, _)| name == key) {
            None => found.push(key.to_string()),
            Some((_, Some(inner))) if is_last() => {
                super::decode::with_room(|| collect_unknown(json, *value, inner, found));
            }
            Some(_) => {}
        }
    }
    for element in json.elements(node) {
        super::decode::with_room(|| collect_unknown(json, element, keys, found));
    }
}
