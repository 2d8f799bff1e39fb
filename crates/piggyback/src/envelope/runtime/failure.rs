//! The reasons why a text is no envelope.

use std::ops::Range;

use super::decode::LenientMember;
use crate::envelope::json::Flaw;

/// Why a text is no envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecodeFailure {
    /// It is no JSON. The offset counts from the start of the text that was decoded.
    Syntax(Flaw),
    /// A value that was read from its first brace on does not end.
    End,
    /// Something is of the wrong kind: its members, array indices left out, and its bytes in the reply.
    Kind {
        /// `control_packet.mangle_updates`
        field: String,
        /// What is there: `array`, `number 1e999`.
        found: String,
        /// The bytes of the value that cannot be decoded.
        range: Range<usize>,
    },
    /// A member that accepts several kinds of values has a value without a meaning.
    Value {
        /// The member.
        member: LenientMember,
        /// `control_packet.intent_classification.confidence`
        field: String,
        /// The bytes of the value.
        range: Range<usize>,
    },
    /// Strict mode rejects keys that no type has. The runtime reports one of them at random.
    UnknownKeys(Vec<String>),
    /// Nothing is shown.
    NoSurface,
    /// There is no category or no verb, where both are asked for.
    NoIntent,
}
