//! Diagnostics that the server sends of itself: what the client does not pull. Never both for one
//! document.

use rustc_hash::{FxHashMap, FxHashSet};
use tower_lsp::ls_types::{PublishDiagnosticsParams, Uri};

use super::client::Outbox;
use super::report::{Report, ResultId};
use super::to_proto;
use super::view::View;
use crate::text::FileId;

/// What a client has to be told of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Audience {
    /// It cannot pull: everything.
    Listener,
    /// It pulls its open documents: those that are not open.
    DocumentPuller,
    /// It pulls the whole workspace: configuration files and their like, which nobody pulls.
    WorkspacePuller,
}

impl Audience {
    /// Whether diagnostics of this file are pushed.
    fn hears_of(self, view: &View, id: FileId) -> bool {
        match self {
            Self::Listener => true,
            Self::DocumentPuller => view.snapshot.is_apart(id) || is_closed(view, id),
            Self::WorkspacePuller => view.snapshot.is_apart(id),
        }
    }
}

fn is_closed(view: &View, id: FileId) -> bool {
    view.snapshot.file(id).is_none_or(|file| file.open.is_none())
}

/// What the client was told last, by file.
#[derive(Debug, Default)]
pub(super) struct Publisher {
    published: FxHashMap<FileId, (Uri, ResultId)>,
}

impl Publisher {
    /// Sends what differs from the last time: the open documents first, each new version of them
    /// even if nothing else is new. The view must have been diagnosed. Stops when it is outdated.
    pub(super) fn publish(&mut self, view: &View, audience: Audience, outbox: &Outbox) {
        let mut files: Vec<_> = view.snapshot.reported();
        files.retain(|id| audience.hears_of(view, *id));
        files.sort_by_key(|id| is_closed(view, *id));
        for &id in &files {
            if view.is_outdated() {
                return;
            }
            self.publish_file(view, id, outbox);
        }
        self.clear_all_but(&files.into_iter().collect(), outbox);
    }

    fn publish_file(&mut self, view: &View, id: FileId, outbox: &Outbox) {
        let Some(file) = view.snapshot.file(id) else { return };
        let Some(uri) = to_proto::uri(file) else { return };
        let report = Report::new(view, file);
        let result = report.id();
        let before = self.published.get(&id);
        if before.is_some_and(|(known, before)| *known == uri && *before == result)
            || before.is_none() && report.is_empty() && file.open.is_none()
        {
            return;
        }
        if let Some((old, _)) = before.filter(|(old, _)| *old != uri) {
            clear(old.clone(), outbox);
        }
        let params = PublishDiagnosticsParams::new(uri.clone(), report.items(), result.version);
        outbox.notify("textDocument/publishDiagnostics", params);
        self.published.insert(id, (uri, result));
    }

    /// Takes back what was said about files that are no longer shown.
    fn clear_all_but(&mut self, files: &FxHashSet<FileId>, outbox: &Outbox) {
        self.published.retain(|id, (uri, _)| {
            let keep = files.contains(id);
            if !keep {
                clear(uri.clone(), outbox);
            }
            keep
        });
    }
}

fn clear(uri: Uri, outbox: &Outbox) {
    outbox.notify("textDocument/publishDiagnostics", PublishDiagnosticsParams::new(uri, Vec::new(), None));
}
