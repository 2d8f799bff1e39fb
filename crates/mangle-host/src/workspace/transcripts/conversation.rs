//! Excerpts of a transcript as conversations. The last one is cached, because an editor requests
//! it repeatedly.

use std::sync::Arc;

use super::SnapshotTranscript;
use mangle_ide::conversation::window::{ConversationWindow, window};
use mangle_ide::file_findings::Lists;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::Cancel;

impl SnapshotTranscript {
    /// Returns the records from an index on, with the findings of `check` and of a replay. Returns
    /// `None` if canceled.
    pub fn conversation(
        &self,
        first: usize,
        count: usize,
        cancel: &Cancel,
    ) -> Option<Arc<ConversationWindow>> {
        self.diagnose(cancel);
        self.replay_for_readers(cancel);
        if cancel.is_cancelled() {
            return None;
        }
        let key = (first, count, self.replayed.get().is_some());
        let mut last = self.conversation.0.lock();
        if let Some((_, shown)) = last.as_ref().filter(|(known, _)| *known == key) {
            return Some(Arc::clone(shown));
        }
        let found: Vec<Diagnostic> = self.findings().into_iter().cloned().collect();
        let shown = Arc::new(self.with_policies(|opened| window(opened, &found, first, count)));
        *last = Some((key, Arc::clone(&shown)));
        Some(shown)
    }

    /// Returns the known findings of `check` and of a replay, sorted by start.
    #[must_use]
    pub fn findings(&self) -> Vec<&Diagnostic> {
        let others = vec![&*self.replayed().diagnostics];
        Lists { checks: vec![self.diagnostics()], others, ..Lists::default() }.merged(None)
    }
}
