//! Parser for the key `budget` of a session file: the token budget of a prompt, and the reserve for
//! the reply.
//!
//! `budget: 300` sets only the tokens; `budget: {tokens: 300, reserved: 30}` sets both.

use super::number::{number, number_in};
use super::tree::{TreeKind, TreeNode};
use crate::derived_context::reserved_of;
use crate::rules::SESSION_KEY;
use crate::session::Count;
use mangle_syntax::lint::Finding;

/// The valid values of tokens and reserve. Adds findings for invalid values.
pub(super) fn read(node: &TreeNode, findings: &mut Vec<Finding>) -> (Option<u32>, Option<u32>) {
    let (tokens, reserved) = match &node.kind {
        TreeKind::Scalar(_) => (number(node), None),
        _ => (number_in(node, "tokens"), number_in(node, "reserved")),
    };
    let tokens = tokens.and_then(|count| {
        let used = u32::try_from(count.value).ok().filter(|tokens| *tokens > 0);
        if used.is_none() {
            let message = format!("{} tokens are not a valid budget", count.value);
            findings.push(Finding::new(&SESSION_KEY, count.range, message).note("the number is ignored"));
        }
        used
    });
    let reserved = reserved.and_then(|count| reserved_tokens(count, tokens, findings));
    (tokens, reserved)
}

fn reserved_tokens(count: Count, tokens: Option<u32>, findings: &mut Vec<Finding>) -> Option<u32> {
    let Ok(reserved) = u32::try_from(count.value) else {
        let message = format!("{} tokens cannot be reserved", count.value);
        findings.push(Finding::new(&SESSION_KEY, count.range, message).note("the number is ignored"));
        return None;
    };
    if let Some(tokens) = tokens.filter(|tokens| reserved >= *tokens) {
        let message = format!("{reserved} reserved tokens leave nothing of a budget of {tokens}");
        let note = format!("the runtime reserves a tenth instead, {}", reserved_of(tokens, reserved));
        findings.push(Finding::new(&SESSION_KEY, count.range, message).note(note));
    }
    Some(reserved)
}
