//! Reasons for an envelope that cannot be decoded.

use std::ops::Range;

use super::decode::LenientMember;
use crate::envelope::json::Flaw;

/// The reason for an envelope that cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecodeFailure {
    /// A JSON syntax error. The offset is relative to the start of the decoded text.
    Syntax(Flaw),
    /// The text ends inside the value that begins at the first brace.
    End,
    /// A value of the wrong kind.
    Kind {
        /// The path without array indices, for example `control_packet.mangle_updates`.
        field: String,
        /// The actual value, for example `array` or `number 1e999`.
        found: String,
        /// The byte range of the value in the reply.
        range: Range<usize>,
    },
    /// A member that accepts several kinds of values has an invalid value.
    Value {
        /// The member.
        member: LenientMember,
        /// The path, for example `control_packet.intent_classification.confidence`.
        field: String,
        /// The byte range of the value in the reply.
        range: Range<usize>,
    },
    /// Unknown keys in strict mode. The runtime reports one of them at random.
    UnknownKeys(Vec<String>),
    /// The surface is missing or empty.
    NoSurface,
    /// The category or verb is missing although both are required.
    NoIntent,
}
