//! Virtual documents: `mangle/virtualDocument`, and the notification
//! `mangle/virtualDocumentChanged` about changes of their sources.
//!
//! A URI consists of the scheme, a colon, and the URI of the source document, percent-encoded or
//! not. If the document has a name, the part after the colon is `/NAME?KEY=VALUE&of=URI`. Each
//! scheme is an entry in [`SCHEMES`]. The documents that the client watches are registered.

mod conversation;
mod policy;
mod scheme;
mod transcript;

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::Uri;

use self::scheme::{DocumentContent, Scheme};
use super::from_proto;
use super::source_name::SourceName;
use super::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_syntax::text::Cancel;
use piggyback::envelope::secrets::masked;

pub(super) use conversation::shown_conversation;

pub(super) static SCHEMES: &[Scheme] = &[
    conversation::SCHEME,
    policy::PREVIEW,
    policy::PROPERTY,
    transcript::REPLAY,
    transcript::SPLIT,
    transcript::STATE,
    policy::SYNTAX,
];

/// The notification about a changed virtual document.
pub(super) const CHANGED: &str = "mangle/virtualDocumentChanged";

#[derive(Debug, Clone, Deserialize)]
pub(super) struct VirtualDocumentParams {
    /// A string instead of a URI, because editors decode it to different degrees.
    pub(super) uri: String,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct VirtualDocument {
    #[serde(flatten)]
    made: DocumentContent,
    /// The revision of the workspace that the document was generated from.
    revision: u64,
}

/// The parsed URI of a virtual document.
#[derive(Debug, Clone)]
pub(super) struct DocumentAddress {
    scheme: &'static Scheme,
    named: SourceName,
}

impl DocumentAddress {
    /// Parses the URI of a virtual document.
    ///
    /// # Errors
    ///
    /// `InvalidParams` if the scheme is unknown, or if the source is not a URI.
    pub(super) fn parse(uri: &str) -> Result<Self> {
        let (name, rest) = uri.split_once(':').unwrap_or((uri, ""));
        let scheme = SCHEMES.iter().find(|scheme| scheme.name == name).ok_or_else(|| {
            let known: Vec<_> = SCHEMES.iter().map(|scheme| format!("{}:", scheme.name)).collect();
            Error::invalid_params(format!("the schemes of virtual documents are {}", known.join(", ")))
        })?;
        let named = (scheme.read)(rest).ok_or_else(|| {
            Error::invalid_params(format!(
                "`{name}:` is followed by the URI of a document, or by `/NAME?of=URI`"
            ))
        })?;
        Ok(Self { scheme, named })
    }

    /// The source document, if the URI contains it.
    pub(super) fn source(&self) -> Option<&Uri> {
        self.named.source.as_ref()
    }

    /// Returns the source document.
    fn file<'v>(&self, view: &'v View) -> Option<&'v SnapshotFile> {
        let found = match &self.named.source {
            Some(source) => view.file(source),
            None => (self.scheme.find)(view, &self.named).and_then(|file| view.snapshot.file(file)),
        };
        found.map(AsRef::as_ref)
    }

    /// Generates the document.
    ///
    /// # Errors
    ///
    /// `InvalidParams` if the source document is unknown, `ContentModified` if it changes
    /// meanwhile.
    pub(super) fn make(&self, view: &View, cancel: &Cancel) -> Result<VirtualDocument> {
        let file = self.file(view).ok_or_else(|| {
            let what = self.named.source.as_ref().map_or(self.named.name.as_str(), |source| source.as_str());
            Error::invalid_params(format!("{what} is not a document of the workspace"))
        })?;
        let made = (self.scheme.make)(view, file, &self.named, cancel)?;
        // Masking keeps the byte length, so that the positions of parts stay valid.
        let made = DocumentContent { text: masked(&made.text).into_owned(), ..made };
        Ok(VirtualDocument { made, revision: view.snapshot.revision })
    }
}

/// Returns the source of a virtual document, or `None` for other documents.
pub(super) fn source_of(uri: &Uri) -> Option<PathBuf> {
    DocumentAddress::parse(uri.as_str()).ok()?.source().map(from_proto::document_path)
}

/// Returns the document whose program a response needs: for a virtual document, its source.
pub(super) fn document_behind(uri: &Uri) -> PathBuf {
    source_of(uri).unwrap_or_else(|| from_proto::document_path(uri))
}

/// The maximum number of watched documents before documents with closed sources are removed.
const MAX_DOCUMENTS: usize = 200;

/// A virtual document that the client requested.
#[derive(Debug)]
pub(super) struct Watch {
    /// In the spelling of the client.
    uri: String,
    address: DocumentAddress,
    /// The source document, if the URI contains it.
    source: Option<PathBuf>,
}

impl Watch {
    /// A watch for the document at `address`; `uri` has the spelling of the client.
    pub(super) fn new(uri: String, address: DocumentAddress) -> Self {
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
pub(super) struct Watches {
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
    pub(super) fn add(&mut self, watch: Watch, view: &View) {
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
    pub(super) fn files_changed<'p>(&self, paths: impl Iterator<Item = &'p Path>, view: &View) {
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
    pub(super) fn close(&mut self, source: &Path) {
        self.watches
            .retain(|_, (watch, _)| watch.address.scheme.outlives || watch.source.as_deref() != Some(source));
    }

    /// True if something may have changed since the last check.
    pub(super) fn is_due(&self, revision: u64) -> bool {
        !self.watches.is_empty() && self.looked_at != revision
    }

    /// Notifies the client about documents that changed since the last notification.
    pub(super) fn tell(&mut self, view: &View) {
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
