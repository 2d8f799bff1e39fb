//! Registry of the client's virtual documents, for notifications about their changes.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::{CHANGED, DocumentAddress};
use crate::lsp::from_proto;
use crate::lsp::view::View;

/// The maximum number of watched documents before documents with closed sources are removed.
const MAX_DOCUMENTS: usize = 200;

/// A virtual document that the client requested.
#[derive(Debug)]
pub(in crate::lsp) struct Watch {
    /// In the spelling of the client.
    uri: String,
    address: DocumentAddress,
    /// The source document, if the URI contains it.
    source: Option<PathBuf>,
}

impl Watch {
    /// A watch for the document at `address`; `uri` has the spelling of the client.
    pub(in crate::lsp) fn new(uri: String, address: DocumentAddress) -> Self {
        let source = address.source().map(from_proto::document_path);
        Self { uri, address, source }
    }

    /// True if the source document is open.
    fn is_open(&self, view: &View) -> bool {
        self.address.file(view).is_some_and(|file| file.open.is_some())
    }

    /// Returns a number that changes when the document changes, or `None` if no source is open.
    fn stamp(&self, view: &View) -> Option<u64> {
        (self.address.scheme.stamp)(view, self.address.file(view)?)
    }
}

/// The requested virtual documents with open sources, with their stamps.
#[derive(Debug, Default)]
pub(in crate::lsp) struct Watches {
    watches: FxHashMap<String, (Watch, Option<u64>)>,
    /// The revision at the last check.
    looked_at: u64,
}

/// The parameters of the notification.
#[derive(Debug, Serialize)]
struct Changed<'a> {
    uri: &'a str,
    revision: u64,
}

impl Watches {
    /// Watches a document from `view` on, if its source is open or not known yet. A document may
    /// be recognized as a transcript later.
    pub(in crate::lsp) fn add(&mut self, watch: Watch, view: &View) {
        let stamp = watch.stamp(view);
        let is_known = !watch.address.scheme.outlives && watch.address.file(view).is_some();
        if stamp.is_none() && is_known {
            return;
        }
        // Documents that are watched as long as their file exists could accumulate without limit.
        if self.watches.len() >= MAX_DOCUMENTS && !self.watches.contains_key(&watch.uri) {
            self.watches.retain(|_, (known, _)| known.is_open(view));
        }
        self.watches.insert(watch.uri.clone(), (watch, stamp));
    }

    /// Reports changes of files on disk. A transcript that is too large to hold in memory is not
    /// read again, so its conversations are announced here.
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

    /// Removes the documents of a closed source.
    pub(in crate::lsp) fn close(&mut self, source: &Path) {
        self.watches
            .retain(|_, (watch, _)| watch.address.scheme.outlives || watch.source.as_deref() != Some(source));
    }

    /// True if something may have changed since the last check.
    pub(in crate::lsp) fn is_due(&self, revision: u64) -> bool {
        !self.watches.is_empty() && self.looked_at != revision
    }

    /// Notifies the client about documents that changed since the last notification.
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
