//! Responses that are serialized by the thread that computes them. The framework would first build
//! a tree of JSON values on the thread of all messages, which takes several times as long.

use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;

/// Holder of the response to one request as JSON. The handler returns a placeholder to the
/// framework.
#[derive(Debug, Clone, Default)]
pub(super) struct ResponseSlot(Arc<Mutex<Option<Vec<u8>>>>);

impl ResponseSlot {
    /// Stores a response.
    ///
    /// # Errors
    ///
    /// If the response cannot be represented in JSON.
    pub(super) fn fill(&self, answer: &impl Serialize) -> serde_json::Result<()> {
        self.fill_with(serde_json::to_vec(answer)?);
        Ok(())
    }

    /// Stores a response that is already JSON.
    pub(super) fn fill_with(&self, json: Vec<u8>) {
        *self.0.lock() = Some(json);
    }

    /// Takes the stored response, if any.
    pub(super) fn take(&self) -> Option<Vec<u8>> {
        self.0.lock().take()
    }
}
