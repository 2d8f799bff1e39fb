//! What becomes of the updates of each turn of a record: of those in envelopes, and of those that a log has by themselves.

use mangle_settings::TranscriptSettings;
use piggyback::envelope::Reply;
use piggyback::envelope::account::{AccountEntry, UpdateFate};
use piggyback::transcript::{Record, TextKind, Turn};

/// What tells the fate of updates: filters alone, or a replay.
pub trait JudgeUpdates {
    /// The updates of a reply, which is the turn at an index of the record.
    fn reply(&mut self, at: usize, turn: &Turn, reply: &Reply<'_>) -> Vec<AccountEntry>;

    /// An update without an envelope, after so many others since the last surface; `None` where that is not known.
    fn lone(&mut self, text: &str, before: usize) -> Option<UpdateFate>;
}

/// A list for each turn of a record. `lone` is how many updates without an envelope came since the last surface.
pub fn turn_accounts(
    record: &Record<'_>,
    settings: &TranscriptSettings,
    lone: &mut usize,
    judge: &mut dyn JudgeUpdates,
) -> Vec<Vec<AccountEntry>> {
    let mut of_turn = |(at, turn): (usize, &Turn)| match turn.kind {
        TextKind::Reply | TextKind::Object => judge.reply(at, turn, &turn.reply(record.bytes, settings)),
        TextKind::Atom => {
            let text = String::from_utf8_lossy(turn.text(record.bytes)).into_owned();
            let fate = judge.lone(&text, *lone);
            *lone += 1;
            fate.map(|fate| AccountEntry { index: Some(0), text, fate }).into_iter().collect()
        }
        TextKind::Surface => {
            *lone = 0;
            Vec::new()
        }
        TextKind::Prompt | TextKind::Skipped(_) => Vec::new(),
    };
    record.turns.iter().enumerate().map(&mut of_turn).collect()
}
