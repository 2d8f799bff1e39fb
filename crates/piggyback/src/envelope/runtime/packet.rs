//! The envelope types of the runtime. A missing or `null` member has its zero value.

use std::collections::BTreeMap;

use super::decode::{
    AnyValue, Decode, DecodeContext, LenientMember, List, decode_member, decode_members, names,
};
use super::lenient;
use crate::envelope::json::NodeId;

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
    Packet (lenient "mangle_updates": Updates, updates = lenient::updates) {
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
    Intent (lenient "confidence": Confidence, confidence = lenient::confidence) {
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
    Tool (lenient "required": Required, required = lenient::required) {
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
