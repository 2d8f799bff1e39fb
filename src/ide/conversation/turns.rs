//! What a list of turns says of each: who speaks, what was denied, what was lost, whether a reply corrects itself.

use crate::ide::replays::TurnVerdicts;
use mangle_syntax::text::{TextRange, size};
use piggyback::envelope::account::AccountEntry;
use piggyback::transcript::{Skip, TextKind, Turn, Unsaid};

/// A turn in a list of turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnSummary {
    /// Where it is, in bytes of its record.
    pub place: TextRange,
    /// `turn 3 · assistant`
    pub title: String,
    /// The number of the answer; `None` for what is no answer.
    pub number: Option<u64>,
    /// How many requests the policies deny, the whole reply being one.
    pub denied: usize,
    /// How many updates the runtime does not keep.
    pub lost: usize,
    /// Whether the reply says that it corrects itself.
    pub is_correction: bool,
}

impl TurnSummary {
    /// The summary of a turn; `number` is that of the answer, or of the next one.
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

/// How many updates are lost.
pub(super) fn lost(account: &[AccountEntry]) -> usize {
    account.iter().filter(|entry| !entry.fate.is_kept()).count()
}

fn denied(verdicts: &TurnVerdicts) -> usize {
    let requests = verdicts.requests.iter().filter(|request| !request.is_permitted).count();
    requests + usize::from(verdicts.denied.is_some())
}

/// The bytes of a turn.
pub(super) fn place_of(turn: &Turn) -> TextRange {
    turn.place(TextRange::up_to(size(turn.len())))
}

/// What a turn is called.
pub(super) fn title(turn: &Turn, number: u64) -> String {
    let who = turn.role.as_str();
    match turn.kind {
        TextKind::Reply | TextKind::Object | TextKind::Surface => format!("turn {number} · {who}"),
        TextKind::Skipped(why) => format!("{who}, {}", skipped(why)),
        TextKind::Prompt | TextKind::Atom => who.to_owned(),
    }
}

/// Whether a turn is counted as an answer, as a replay counts them.
#[must_use]
pub fn is_answer(kind: TextKind) -> bool {
    matches!(kind, TextKind::Reply | TextKind::Object | TextKind::Surface)
}

fn skipped(why: Skip) -> &'static str {
    match why {
        Skip::Preview => "not read: the beginning of a longer text",
        Skip::Intermediate => "not read: said on the way to the answer",
        Skip::Ignored => "not read: the file says to ignore it",
        Skip::OtherRole => "not read",
        Skip::Empty => "an empty reply",
        Skip::Repeated => "a copy of another text, not shown",
        Skip::NotReply(Unsaid::Reasoning) => "not a reply: its reasoning",
        Skip::NotReply(Unsaid::ToolResult) => "not a reply: the result of a tool",
        Skip::NotReply(Unsaid::Argument) => "not a reply: an argument of a tool",
        Skip::NotReply(Unsaid::Attachment) => "not a reply: an attached file",
        Skip::NotReply(Unsaid::Quotation) => "not a reply: a quotation or summary",
    }
}
