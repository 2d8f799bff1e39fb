//! Summary of a turn for lists: speaker, denied requests, lost updates, self-correction.

use crate::replays::TurnVerdicts;
use mangle_syntax::text::{TextRange, size};
use piggyback::envelope::account::AccountEntry;
use piggyback::transcript::{NonReplyPlace, Skip, TextKind, Turn};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnSummary {
    /// Byte range in the record.
    pub place: TextRange,
    /// For example `turn 3 · assistant`.
    pub title: String,
    /// Number of the answer. `None` if the turn is not an answer.
    pub number: Option<u64>,
    /// Number of requests that the policies deny. A denied reply counts as one request.
    pub denied: usize,
    /// Number of updates that the runtime drops.
    pub lost: usize,
    /// True if the reply reports a self-correction.
    pub is_correction: bool,
}

impl TurnSummary {
    /// Creates the summary of a turn. `number` is the number of the answer, or of the next answer.
    pub(super) fn new(
        turn: &Turn,
        number: u64,
        account: &[AccountEntry],
        verdicts: Option<&TurnVerdicts>,
    ) -> Self {
        Self {
            place: place_of(turn),
            title: title(turn, number),
            number: is_answer(turn.kind).then_some(number),
            denied: verdicts.map_or(0, denied),
            lost: lost(account),
            is_correction: false,
        }
    }
}

/// Returns the number of dropped updates.
pub(super) fn lost(account: &[AccountEntry]) -> usize {
    account.iter().filter(|entry| !entry.fate.is_kept()).count()
}

fn denied(verdicts: &TurnVerdicts) -> usize {
    let requests = verdicts.requests.iter().filter(|request| !request.is_permitted).count();
    requests + usize::from(verdicts.denied.is_some())
}

/// Returns the byte range of a turn in its record.
pub(super) fn place_of(turn: &Turn) -> TextRange {
    turn.place(TextRange::up_to(size(turn.len())))
}

pub(super) fn title(turn: &Turn, number: u64) -> String {
    let who = turn.role.as_str();
    match turn.kind {
        TextKind::Reply | TextKind::Object | TextKind::Surface => format!("turn {number} · {who}"),
        TextKind::Skipped(why) => format!("{who}, {}", skipped(why)),
        TextKind::Prompt | TextKind::Atom => who.to_owned(),
    }
}

/// True if a replay counts the turn as an answer.
#[must_use]
pub fn is_answer(kind: TextKind) -> bool {
    matches!(kind, TextKind::Reply | TextKind::Object | TextKind::Surface)
}

fn skipped(why: Skip) -> &'static str {
    match why {
        Skip::Preview => "not read: the beginning of a longer text",
        Skip::Intermediate => "not read: intermediate text before the answer",
        Skip::Ignored => "not read: suppressed in the file",
        Skip::OtherRole => "not read",
        Skip::Empty => "an empty reply",
        Skip::Repeated => "a copy of another text, not shown",
        Skip::NotReply(NonReplyPlace::Reasoning) => "not a reply: its reasoning",
        Skip::NotReply(NonReplyPlace::ToolResult) => "not a reply: the result of a tool",
        Skip::NotReply(NonReplyPlace::Argument) => "not a reply: an argument of a tool",
        Skip::NotReply(NonReplyPlace::Attachment) => "not a reply: an attached file",
        Skip::NotReply(NonReplyPlace::Quotation) => "not a reply: a quotation or summary",
    }
}
