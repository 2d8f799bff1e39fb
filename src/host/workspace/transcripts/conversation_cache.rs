//! The cache of the conversations of a transcript: the one that was shown last, and where stretches of a file begin.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::host::transcripts::RecordStart;
use crate::ide::conversation::window::ConversationWindow;

/// How many starts of stretches are kept of a file.
const MOST_STARTS: usize = 10_000;

/// The stretch that was shown last: the index of its first record, how many it may have, whether a replay is in it.
type ShownStretch = ((usize, usize, bool), Arc<ConversationWindow>);

/// The conversation that was requested last.
#[derive(Debug, Default)]
pub(super) struct LastConversation(pub(super) Mutex<Option<ShownStretch>>);

/// Where stretches began that were read before, in their order.
#[derive(Debug, Default)]
pub(super) struct KnownStarts(Mutex<Vec<RecordStart>>);

impl KnownStarts {
    pub(super) fn all(&self) -> Vec<RecordStart> {
        self.0.lock().clone()
    }

    pub(super) fn add(&self, start: &RecordStart) {
        let mut all = self.0.lock();
        let at = all.partition_point(|known| known.number < start.number);
        // One of the same number is of the file as it was.
        if all.get(at).is_some_and(|known| known.number == start.number) {
            all.remove(at);
        }
        if all.len() < MOST_STARTS {
            all.insert(at, start.clone());
        }
    }
}
