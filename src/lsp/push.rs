//! Diagnostics that the server sends of itself: what the client does not pull. Never both for one
//! document.

use std::sync::Arc;

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
    published: FxHashMap<FileId, Published>,
}

/// What the client was told about one file.
#[derive(Debug)]
struct Published {
    uri: Uri,
    result: ResultId,
    /// Which opening of the document it was about.
    opening: Option<Arc<str>>,
}

impl PartialEq for Published {
    /// Editors forget what they were told about a document that is opened again, as Neovim does at `:edit!`: the same
    /// diagnostics are not the same then.
    fn eq(&self, other: &Self) -> bool {
        let same_opening = match (&self.opening, &other.opening) {
            (Some(one), Some(another)) => Arc::ptr_eq(one, another),
            (one, another) => one.is_none() && another.is_none(),
        };
        same_opening && self.uri == other.uri && self.result == other.result
    }
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
        let opening = file.open.as_ref().map(|open| Arc::clone(&open.uri));
        let now = Published { uri, result: report.id(), opening };
        let before = self.published.get(&id);
        if before == Some(&now) || before.is_none() && report.is_empty() && now.opening.is_none() {
            return;
        }
        if let Some(before) = before.filter(|before| before.uri != now.uri) {
            clear(before.uri.clone(), outbox);
        }
        let params = PublishDiagnosticsParams::new(now.uri.clone(), report.items(), now.result.version);
        outbox.notify("textDocument/publishDiagnostics", params);
        self.published.insert(id, now);
    }

    /// Takes back what was said about files that are no longer shown.
    fn clear_all_but(&mut self, files: &FxHashSet<FileId>, outbox: &Outbox) {
        self.published.retain(|id, published| {
            let keep = files.contains(id);
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
