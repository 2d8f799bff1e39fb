//! Outcomes of the updates of each turn of a record: updates in envelopes, and standalone updates
//! in a log.

use mangle_settings::TranscriptSettings;
use piggyback::envelope::Reply;
use piggyback::envelope::account::{AccountEntry, UpdateFate};
use piggyback::transcript::{Record, TextKind, Turn};

/// Determines the outcome of updates, either with the filters alone or from a replay.
pub trait JudgeUpdates {
    /// Returns the outcomes of the updates of a reply. `at` is the index of the turn in the record.
    fn reply(&mut self, at: usize, turn: &Turn, reply: &Reply<'_>) -> Vec<AccountEntry>;

    /// Returns the outcome of an update without an envelope. `before` is the number of such updates
    /// since the last surface. `None` if the outcome is unknown.
    fn standalone_update(&mut self, text: &str, before: usize) -> Option<UpdateFate>;
}

/// Returns the outcomes of updates for each turn of a record. `lone` counts the updates without an
/// envelope since the last surface, across records.
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
            let fate = judge.standalone_update(&text, *lone);
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
