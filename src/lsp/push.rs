//! Push diagnostics, for documents that the client does not pull. Each document is either pushed
//! or pulled.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp::ls_types::{PublishDiagnosticsParams, Uri};

use super::client::Outbox;
use super::report::{FileReport, ResultId};
use super::to_proto;
use super::view::View;
use mangle_host::workspace::SnapshotFile;

/// The documents whose diagnostics are pushed, by the client's capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PushScope {
    /// The client cannot pull: all documents.
    All,
    /// The client pulls open documents: documents that are not open.
    ClosedDocuments,
    /// The client pulls the workspace: configuration files and other files without a program.
    OutsidePrograms,
}

impl PushScope {
    /// True if diagnostics of this file are pushed.
    fn includes(self, view: &View, file: &SnapshotFile) -> bool {
        match self {
            Self::All => true,
            Self::ClosedDocuments => view.snapshot.is_outside_programs(file.id) || file.open.is_none(),
            Self::OutsidePrograms => view.snapshot.is_outside_programs(file.id),
        }
    }
}

/// The last pushed diagnostics, by URI, because a file can be open at several URIs.
#[derive(Debug, Default)]
pub(super) struct Publisher {
    published: FxHashMap<String, PublishedDocument>,
}

#[derive(Debug)]
struct PublishedDocument {
    uri: Uri,
    result: ResultId,
    /// Identifies the opening of the document.
    opening: Option<Arc<str>>,
}

impl PartialEq for PublishedDocument {
    /// Compares the opening also, because editors discard diagnostics when a document is opened
    /// again, for example Neovim at `:edit!`.
    fn eq(&self, other: &Self) -> bool {
        let same_opening = match (&self.opening, &other.opening) {
            (Some(one), Some(another)) => Arc::ptr_eq(one, another),
            (one, another) => one.is_none() && another.is_none(),
        };
        same_opening && self.result == other.result
    }
}

impl Publisher {
    /// Pushes changed diagnostics: open documents first, and each new version of them even without
    /// other changes. Stops if the view is outdated.
    ///
    /// The view must have been diagnosed. Returns true if everything was sent.
    pub(super) fn publish(&mut self, view: &View, audience: PushScope, outbox: &Outbox) -> bool {
        let reported = view.snapshot.reported();
        let further = view
            .snapshot
            .further_openings()
            .into_iter()
            .filter(|opening| reported.binary_search(&opening.file.id).is_ok());
        let files = reported.iter().filter_map(|id| view.snapshot.file(*id)).map(|file| (file, true));
        let further = further.map(|opening| (&opening.file, opening.is_same));
        let mut all: Vec<_> = files.chain(further).collect();
        all.retain(|(file, _)| audience.includes(view, file));
        all.sort_by_key(|(file, _)| file.open.is_none());
        let mut uris = FxHashSet::default();
        for (file, is_same) in all {
            if view.is_outdated() {
                return false;
            }
            let Some(uri) = to_proto::uri(file) else { continue };
            uris.insert(uri.as_str().to_owned());
            self.publish_file(uri, &FileReport::of_opening(view, file, is_same), outbox);
        }
        self.clear_all_but(&uris, outbox);
        true
    }

    fn publish_file(&mut self, uri: Uri, report: &FileReport<'_>, outbox: &Outbox) {
        let opening = report.opening();
        let now = PublishedDocument { uri: uri.clone(), result: report.id(), opening };
        let before = self.published.get(uri.as_str());
        if before == Some(&now) || before.is_none() && report.is_empty() && now.opening.is_none() {
            return;
        }
        let params = PublishDiagnosticsParams::new(uri.clone(), report.items(), now.result.version);
        outbox.notify("textDocument/publishDiagnostics", params);
        self.published.insert(uri.as_str().to_owned(), now);
    }

    /// Clears the diagnostics of documents that are no longer reported.
    fn clear_all_but(&mut self, uris: &FxHashSet<String>, outbox: &Outbox) {
        self.published.retain(|uri, published| {
            let keep = uris.contains(uri);
            if !keep {
                clear(published.uri.clone(), outbox);
            }
            keep
        });
    }
}

fn clear(uri: Uri, outbox: &Outbox) {
    outbox.notify("textDocument/publishDiagnostics", PublishDiagnosticsParams::new(uri, Vec::new(), None));
}
