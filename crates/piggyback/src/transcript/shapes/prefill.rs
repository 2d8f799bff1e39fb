//! Assistant prefill: an answer that continues the last message of its request. Both are one reply.

use crate::envelope::json;
use crate::transcript::entry::holds_envelope;
use crate::transcript::turn::{Skip, TextKind, Turn, TurnRole};

/// Maximum length of a prefilled text, in bytes.
const MAX_LEN: usize = 64 << 10;

/// Joins the text of an assistant's message with the answer that continues it.
pub(super) fn join(record: &[u8], turns: &mut Vec<Turn>) {
    let mut at = 0;
    while let Some([one, next]) = turns.get(at..at + 2) {
        let is_said = |turn: &Turn| turn.kind == TextKind::Reply && turn.role == TurnRole::Assistant;
        if is_said(one) && is_said(next) && one.len() <= MAX_LEN {
            match relation(one, next, record) {
                Relation::None => {}
                Relation::Copy => {
                    if let Some(one) = turns.get_mut(at) {
                        one.kind = TextKind::Skipped(Skip::Repeated);
                    }
                }
                Relation::Continues => {
                    let joined = one.followed_by(next, record);
                    turns.splice(at..at + 2, [joined]);
                }
            }
        }
        at += 1;
    }
}

/// True if a conversation ends with a prompt or with an unfinished answer.
pub(super) fn is_request(record: &[u8], turns: &[Turn]) -> bool {
    turns.last().is_some_and(|last| match last.kind {
        TextKind::Prompt => true,
        TextKind::Reply => brace(last.text(record)).is_some_and(|text| json::value_end(text).is_err()),
        _ => false,
    })
}

enum Relation {
    None,
    /// The second text begins with the first.
    Copy,
    /// The second text continues the first.
    Continues,
}

fn relation(one: &Turn, next: &Turn, record: &[u8]) -> Relation {
    let (start, rest) = (one.text(record), next.text(record));
    // The last message of a request, and the first message of its response.
    let is_request = one.may_repeat && !next.may_repeat;
    let is_whole = brace(start).is_some_and(|text| json::value_end(text).is_ok());
    if is_whole || rest.trim_ascii().is_empty() {
        return Relation::None;
    }
    if is_request && rest.starts_with(start) {
        return Relation::Copy;
    }
    if is_request {
        return Relation::Continues;
    }
    // In a list of messages, both texts must form one envelope, and neither may be an envelope by
    // itself.
    if brace(start).is_none() || holds_envelope(rest) {
        return Relation::None;
    }
    let joined = [start, rest].concat();
    let is_envelope =
        brace(&joined).is_some_and(|text| json::value_end(text).is_ok()) && holds_envelope(&joined);
    if is_envelope { Relation::Continues } else { Relation::None }
}

fn brace(text: &[u8]) -> Option<&[u8]> {
    text.get(memchr::memchr(b'{', text)?..)
}
