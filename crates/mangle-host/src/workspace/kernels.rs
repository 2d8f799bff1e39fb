//! The files that a sample kernel uses determine its program. If an edit changes these files,
//! programs are searched again.

use std::sync::Arc;

use super::Workspace;
use crate::paths::is_kernel;
use crate::samples::uses;
use mangle_syntax::text::FileId;

impl Workspace {
    /// Applies a change to the text of a file, open or not. Schedules a search for programs if a
    /// sample kernel uses different files afterwards.
    pub(super) fn refresh_if_uses_changed<R>(
        &mut self,
        id: FileId,
        change: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let before = self.uses_of(id);
        let result = change(self);
        self.due.programs |= self.uses_of(id) != before;
        result
    }

    /// Returns the names of the files that a sample kernel uses in its current text, if it names
    /// any. Returns `None` for other files.
    fn uses_of(&mut self, id: FileId) -> Option<Option<Vec<String>>> {
        if !is_kernel(&self.table.path(id)) {
            return None;
        }
        let text = match self.documents.get_mut(&id) {
            Some(document) => document.flushed_text(),
            None => Arc::clone(self.closed.get(&id)?.text()),
        };
        Some(uses(&text).map(|names| names.into_iter().map(str::to_owned).collect()))
    }
}
