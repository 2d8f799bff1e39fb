//! The envelope as the runtime's types have it. A member that is missing, or `null`, is its zero value.

use std::collections::BTreeMap;

use super::decode::{
    AnyValue, Decode, DecodeContext, LenientMember, List, decode_member, decode_members, names,
};
use super::lenient;
use crate::envelope::json::NodeId;

/// Types whose members JSON is read into, by their names in JSON.
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

                const READS_ITSELF: bool = true;

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
        /// What the kernel gets.
        control: Packet = "control_packet",
        /// What a person reads.
        surface: String = "surface_response",
    }

    /// A control packet.
    Packet (lenient "mangle_updates": Updates, updates = lenient::updates) {
        /// What is to be done.
        intent: Intent = "intent_classification",
        /// Atoms for the kernel.
        updates: List<String> = "mangle_updates",
        /// What is to be remembered, and forgotten.
        memory: List<MemoryOperation> = "memory_operations",
        /// Whether the model corrects itself.
        self_correction: Option<Box<SelfCorrection>> = "self_correction",
        /// What the model thought.
        trace: String = "reasoning_trace",
        /// What it wants to know.
        knowledge: List<Knowledge> = "knowledge_requests",
        /// What it thinks of its context.
        feedback: Option<Box<Feedback>> = "context_feedback",
        /// The tools that it wants to be run.
        tools: List<Tool> = "tool_requests",
    }

    /// What is to be done.
    Intent (lenient "confidence": Confidence, confidence = lenient::confidence) {
        /// `/query`, `/mutation` or `/instruction`
        category: String = "category",
        /// `/fix`
        verb: String = "verb",
        /// What it is done to.
        target: String = "target",
        /// Under which condition.
        constraint: String = "constraint",
        /// From 0 to 1.
        confidence: f64 = "confidence",
    }

    /// Something to be remembered or forgotten.
    MemoryOperation {
        /// `promote_to_long_term`
        op: String = "op",
        /// `namespace:item`
        key: String = "key",
        /// What.
        value: String = "value",
    }

    /// The model takes something back.
    SelfCorrection {
        /// Whether it does.
        triggered: bool = "triggered",
        /// What it thinks went wrong.
        hypothesis: String = "hypothesis",
    }

    /// A question to a specialist.
    Knowledge {
        /// Whom.
        specialist: String = "specialist",
        /// What.
        query: String = "query",
        /// What for.
        purpose: String = "purpose",
        /// `required` or `optional`
        priority: String = "priority",
    }

    /// What the model thinks of its context.
    Feedback {
        /// From 0 to 1.
        usefulness: f64 = "overall_usefulness",
        /// Predicates that helped.
        helpful: List<String> = "helpful_facts",
        /// Predicates that did not.
        noise: List<String> = "noise_facts",
        /// What was missing.
        missing: String = "missing_context",
    }

    /// A tool that is to be run.
    Tool (lenient "required": Required, required = lenient::required) {
        /// Its name in this packet.
        id: String = "id",
        /// The tool.
        name: String = "tool_name",
        /// Its arguments; `None` for `null`.
        args: Option<BTreeMap<String, AnyValue>> = "tool_args",
        /// What for.
        purpose: String = "purpose",
        /// Whether nothing goes on without it.
        required: bool = "required",
    }
}
