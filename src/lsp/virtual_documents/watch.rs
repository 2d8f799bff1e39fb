//! Which virtual documents the client has, so that it is told when they change.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::{CHANGED, DocumentAddress};
use crate::lsp::from_proto;
use crate::lsp::view::View;

/// So many documents are watched before those are forgotten whose sources are closed.
const MOST: usize = 200;

/// A virtual document that the client asked for.
#[derive(Debug)]
pub(in crate::lsp) struct Watch {
    /// As the client spells it.
    uri: String,
    address: DocumentAddress,
    /// The document that it is made from, as far as the URI names it.
    source: Option<PathBuf>,
}

impl Watch {
    /// The client asks for the document at `address`, which it spells `uri`.
    pub(in crate::lsp) fn new(uri: String, address: DocumentAddress) -> Self {
        let source = address.source().map(from_proto::document_path);
        Self { uri, address, source }
    }

    /// Whether the document is open that it is made from.
    fn is_open(&self, view: &View) -> bool {
        self.address.file(view).is_some_and(|file| file.open.is_some())
    }

    /// A number that changes with the document; `None` when nothing that it is made from is open.
    fn stamp(&self, view: &View) -> Option<u64> {
        (self.address.scheme.stamp)(view, self.address.file(view)?)
    }
}

/// The virtual documents that the client asked for and whose sources are open, with their stamps.
#[derive(Debug, Default)]
pub(in crate::lsp) struct Watches {
    watches: FxHashMap<String, (Watch, Option<u64>)>,
    /// The revision at which they were looked at last.
    looked_at: u64,
}

/// The parameters of the notification.
#[derive(Debug, Serialize)]
struct Changed<'a> {
    uri: &'a str,
    revision: u64,
}

impl Watches {
    /// Watches a document from `view` on, if what it is made from is open, or not known yet: whether a document is a
    /// transcript shows a moment later.
    pub(in crate::lsp) fn add(&mut self, watch: Watch, view: &View) {
        let stamp = watch.stamp(view);
        let is_known = !watch.address.scheme.outlives && watch.address.file(view).is_some();
        if stamp.is_none() && is_known {
            return;
        }
        // What is watched for as long as its file is there could become any number.
        if self.watches.len() >= MOST && !self.watches.contains_key(&watch.uri) {
            self.watches.retain(|_, (known, _)| known.is_open(view));
        }
        self.watches.insert(watch.uri.clone(), (watch, stamp));
    }

    /// Files changed on disk. A transcript that is too large to be held is not read for that, so its conversations are announced here.
    pub(in crate::lsp) fn files_changed<'p>(&self, paths: impl Iterator<Item = &'p Path>, view: &View) {
        let changed: FxHashSet<&Path> = paths.collect();
        for (watch, _) in self.watches.values() {
            let is_changed = watch.source.as_deref().is_some_and(|source| changed.contains(source));
            let file = watch.address.file(view).filter(|_| is_changed);
            if file.and_then(|file| view.snapshot.transcript(file.id)).is_some_and(|it| it.is_left_out()) {
                view.outbox.notify(CHANGED, Changed { uri: &watch.uri, revision: view.snapshot.revision });
            }
        }
    }

    /// The client closed a document: it has no interest in what was made from it.
    pub(in crate::lsp) fn close(&mut self, source: &Path) {
        self.watches
            .retain(|_, (watch, _)| watch.address.scheme.outlives || watch.source.as_deref() != Some(source));
    }

    /// Whether something may have changed since the last look.
    pub(in crate::lsp) fn is_due(&self, revision: u64) -> bool {
        !self.watches.is_empty() && self.looked_at != revision
    }

    /// Tells the client of the documents that changed since it was told last.
    pub(in crate::lsp) fn tell(&mut self, view: &View) {
        let revision = view.snapshot.revision;
        self.looked_at = revision;
        self.watches.retain(|_, (watch, told)| {
            !watch.address.scheme.outlives || told.is_none() || watch.stamp(view).is_some()
        });
        for (watch, told) in self.watches.values_mut() {
            let Some(stamp) = watch.stamp(view).filter(|stamp| Some(*stamp) != *told) else { continue };
            let is_first = told.replace(stamp).is_none();
            if is_first {
                continue;
            }
            view.outbox.notify(CHANGED, Changed { uri: &watch.uri, revision });
        }
    }
}
