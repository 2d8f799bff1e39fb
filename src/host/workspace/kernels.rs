//! What a sample kernel uses decides which program it is: programs are looked for when its text uses other files.

use std::sync::Arc;

use super::Workspace;
use crate::host::paths::is_kernel;
use crate::host::uses::uses;
use mangle_syntax::text::FileId;

impl Workspace {
    /// Makes a change that may give a file another text, whether it is open or not, and looks for programs if a sample kernel
    /// uses other files afterwards.
    pub(super) fn minding_uses<R>(&mut self, id: FileId, change: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.uses_of(id);
        let result = change(self);
        self.due.programs |= self.uses_of(id) != before;
        result
    }

    /// The names of the files that a sample kernel uses by its present text, if it names any; `None` for other files.
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
