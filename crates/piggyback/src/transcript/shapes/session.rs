//! Stored codeNERD sessions (K8): `session_id` and `messages`.
//!
//! A session contains the texts that the user saw, so an envelope in a session is a leak.

use super::chat::message;
use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::transcript::turn::{TextKind, Turn};
use crate::transcript::words::{has_control_key, member, step, text};

/// Returns the messages of a session, or `None` if the value is not a session.
pub(in crate::transcript) fn messages(json: &Json<'_>, node: NodeId) -> Option<Vec<NodeId>> {
    text(json, node, "session_id")?;
    let list = member(json, node, "messages").filter(|list| json.kind(*list) == Node::Array)?;
    Some(json.elements(list).collect())
}

/// Reads the turns of one message of a session.
pub(in crate::transcript) fn shown(json: &Json<'_>, index: usize) -> Option<Vec<Turn>> {
    let mut turns = message(json, json.root(), &step("/messages", index))?;
    for turn in turns.iter_mut().filter(|turn| turn.kind == TextKind::Reply) {
        if has_control_key(turn.text(json.text())) {
            turn.is_shown = true;
        } else {
            turn.kind = TextKind::Surface;
        }
    }
    super::add_record_details(json, json.root(), &mut turns);
    Some(turns)
}
