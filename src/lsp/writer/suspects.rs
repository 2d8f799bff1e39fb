//! Handling of lost texts: marks documents as suspect and informs the user.

use std::path::Path;

use tower_lsp::ls_types::Uri;

use super::Writer;
use crate::lsp::body::{Loss, LostDocument};
use crate::lsp::from_proto;
use crate::lsp::message::DocumentChange;

/// The recommendation in the message.
const HELP: &str = "Until then, mangle-ls shows no findings in it and does not format, rename or fix it.";

impl Writer {
    pub(super) fn change(&mut self, changed: &DocumentChange) {
        let Some(encoding) = self.session.as_ref().map(|session| session.encoding) else { return };
        let DocumentChange { path, uri, version, changes } = changed;
        self.workspace.activate(uri);
        let was_suspect = self.workspace.is_suspect(path);
        let result = self.workspace.change_sent(path, uri, *version, changes, encoding);
        if let Err(error) = result
            && !was_suspect
        {
            tracing::warn!(path = %path.display(), version, %error, "an edit does not fit; the document is suspect");
            self.warn_of(path, "does not fit its text");
        }
    }

    /// Processes the effects of a lost message.
    pub(super) fn lost(&mut self, loss: &Loss) {
        if loss.files {
            self.workspace.look_for_programs();
        }
        let mut is_unknown = loss.unknown;
        for document in &loss.documents {
            is_unknown |= !self.lost_document(document);
        }
        if !is_unknown {
            return;
        }
        let documents = self.workspace.mark_all_suspect();
        if documents > 0 {
            tracing::warn!(documents, "a message cannot be read; the open documents are suspect");
            self.outbox.show_warning(&format!(
                "A message of the editor could not be read. It may have been an edit of any open document. Close the \
                 {documents} open documents and open them again. Until then, mangle-ls shows no findings in them and \
                 does not format, rename or fix them."
            ));
        }
    }

    /// Processes a lost text. Returns true if the document is known.
    fn lost_document(&mut self, LostDocument { uri, is_opening, is_certain }: &LostDocument) -> bool {
        let Ok(parsed) = uri.parse::<Uri>() else { return false };
        let path = from_proto::document_path(&parsed);
        self.workspace.activate(uri);
        let is_news = match self.workspace.is_open(&path) {
            true => self.workspace.mark_suspect(&path),
            false if *is_opening => self.workspace.lose_opening(&path, uri),
            // The URI may also be damaged.
            false => return *is_certain,
        };
        if is_news {
            tracing::warn!(path = %path.display(), "an edit cannot be read; the document is suspect");
            self.warn_of(&path, "could not be read");
        }
        true
    }

    fn warn_of(&self, path: &Path, what: &str) {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        self.outbox.show_warning(&format!(
            "An edit of `{name}` {what}. Close the document and open it again. {HELP}"
        ));
    }
}
