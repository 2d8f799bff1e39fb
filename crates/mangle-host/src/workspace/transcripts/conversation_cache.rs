//! Cache of the conversations of a transcript: the last displayed one, and the starts of stretches
//! in its file.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::transcripts::RecordStart;
use mangle_ide::conversation::window::ConversationWindow;

/// The maximum number of cached starts per file.
const MAX_STARTS: usize = 10_000;

/// The last displayed stretch. The key is the index of its first record, the maximum number of
/// records, and a flag for replay results.
type ShownStretch = ((usize, usize, bool), Arc<ConversationWindow>);

/// The last requested conversation.
#[derive(Debug, Default)]
pub(super) struct LastConversation(pub(super) Mutex<Option<ShownStretch>>);

/// Starts of stretches that were read before, in file order.
#[derive(Debug, Default)]
pub(super) struct KnownStarts(Mutex<Vec<RecordStart>>);

impl KnownStarts {
    pub(super) fn all(&self) -> Vec<RecordStart> {
        self.0.lock().clone()
    }

    pub(super) fn add(&self, start: &RecordStart) {
        let mut all = self.0.lock();
        let at = all.partition_point(|known| known.number < start.number);
        // A start with the same number is from an older version of the file.
        if all.get(at).is_some_and(|known| known.number == start.number) {
            all.remove(at);
        }
        if all.len() < MAX_STARTS {
            all.insert(at, start.clone());
        }
    }
}
