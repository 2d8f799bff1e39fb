//! A short cut for answers: who computes one writes its JSON, too. The framework would make a tree of values of it first,
//! on the thread that all messages pass, and that takes several times as long as writing it.

use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;

/// Where the answer to one request is left as JSON. The handler then gives the framework a stand-in.
#[derive(Debug, Clone, Default)]
pub(super) struct Slot(Arc<Mutex<Option<Vec<u8>>>>);

impl Slot {
    /// Leaves an answer.
    ///
    /// # Errors
    /// When it has something that JSON has not.
    pub(super) fn fill(&self, answer: &impl Serialize) -> serde_json::Result<()> {
        self.fill_with(serde_json::to_vec(answer)?);
        Ok(())
    }

    /// Leaves an answer that is JSON already.
    pub(super) fn fill_with(&self, json: Vec<u8>) {
        *self.0.lock() = Some(json);
    }

    /// The answer, if one was left.
    pub(super) fn take(&self) -> Option<Vec<u8>> {
        self.0.lock().take()
    }
}
