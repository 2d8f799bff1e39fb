//! Rows of codeNERD's `reasoning_traces` (K9): the prompts and the answer of a shard.

use super::{member_string, string};
use crate::envelope::json::{Json, JsonKind as Node, NodeId};
use crate::transcript::turn::{TextKind, Turn, TurnRole};
use crate::transcript::words::{is_string, member, step};
use mangle_syntax::text::TextRange;

/// Reads the turns of a row.
pub(super) fn read(json: &Json<'_>, node: NodeId, pointer: &str) -> Option<Vec<Turn>> {
    let one = |name: &str, role: TurnRole, kind: TextKind| {
        let value = member(json, node, name).filter(|value| is_string(json, *value))?;
        Some(string(json, value, step(pointer, name), role, kind))
    };
    let system = one("system_prompt", TurnRole::System, TextKind::Prompt);
    let user = one("user_prompt", TurnRole::User, TextKind::Prompt);
    if system.is_none() && user.is_none() {
        return None;
    }
    let mut reply = one("response", TurnRole::Assistant, TextKind::Reply)?;
    let details = reply.details.get_or_insert_default();
    details.shard = member_string(json, node, "shard_type");
    details.tokens = number(json, node, "tokens_used");
    details.milliseconds = number(json, node, "duration_ms");
    Some([system, user, Some(reply)].into_iter().flatten().collect())
}

fn number(json: &Json<'_>, node: NodeId, name: &str) -> Option<(f64, TextRange)> {
    let value = member(json, node, name).filter(|value| json.kind(*value) == Node::Number)?;
    let written = std::str::from_utf8(json.raw(value)).ok()?;
    Some((written.parse().ok()?, json.range(value)))
}
