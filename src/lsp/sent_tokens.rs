//! The semantic tokens that were sent to the client, for delta responses.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use tower_lsp::ls_types::SemanticToken;

use mangle_host::workspace::Snapshot;
use mangle_syntax::text::FileId;

#[derive(Debug, Default)]
pub(super) struct SentTokens {
    files: Mutex<FxHashMap<FileId, (String, Vec<SemanticToken>)>>,
    next: AtomicU64,
}

impl SentTokens {
    /// Stores the tokens of a file and removes tokens of closed documents. Returns the result id.
    pub(super) fn remember(&self, snapshot: &Snapshot, file: FileId, tokens: &[SemanticToken]) -> String {
        let id = self.next.fetch_add(1, Ordering::Relaxed).to_string();
        let mut files = self.files.lock();
        files.insert(file, (id.clone(), tokens.to_vec()));
        files.retain(|file, _| snapshot.file(*file).is_some_and(|file| file.open.is_some()));
        id
    }

    pub(super) fn recall(&self, file: FileId, id: &str) -> Option<Vec<SemanticToken>> {
        self.files.lock().get(&file).filter(|(known, _)| known == id).map(|(_, tokens)| tokens.clone())
    }
}
