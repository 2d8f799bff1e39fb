//! Virtual documents: `mangle/virtualDocument`, and the notification
//! `mangle/virtualDocumentChanged` about changes of their sources.
//!
//! A URI consists of the scheme, a colon, and the URI of the source document, percent-encoded or
//! not. If the document has a name, the part after the colon is `/NAME?KEY=VALUE&of=URI`. Each
//! scheme is a file in this folder and an entry in [`SCHEMES`].

mod conversation;
mod preview;
mod property;
mod replay;
mod source;
mod split;
mod state;
mod syntax;
mod watch;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{Diagnostic, Location, Range, Uri};

pub(super) use self::conversation::shown_conversation;
use self::source::SourceName;
pub(super) use self::source::component;
pub(super) use self::watch::{Watch, Watches};
use super::from_proto;
use super::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_syntax::text::{Cancel, FileId};
use piggyback::envelope::secrets::masked;

pub(super) static SCHEMES: &[Scheme] = &[
    conversation::SCHEME,
    preview::SCHEME,
    property::SCHEME,
    replay::SCHEME,
    split::SCHEME,
    state::SCHEME,
    syntax::SCHEME,
];

/// The notification about a changed virtual document.
pub(super) const CHANGED: &str = "mangle/virtualDocumentChanged";

/// A kind of virtual document.
#[derive(Debug)]
pub(super) struct Scheme {
    /// The URI scheme, without the colon.
    pub(super) name: &'static str,
    /// Parses the part after the colon.
    read: fn(&str) -> Option<SourceName>,
    /// Finds the source document if the URI does not contain it.
    find: fn(&View, &SourceName) -> Option<FileId>,
    /// True if the virtual document is kept after its source document is closed, while another of
    /// its sources is open.
    outlives: bool,
    /// Returns a number that changes when a source changes, or `None` if no source is open. Must
    /// be cheap, because the writer calls it.
    stamp: fn(&View, &SnapshotFile) -> Option<u64>,
    /// Generates the document.
    make: fn(&View, &SnapshotFile, &SourceName, &Cancel) -> Result<DocumentContent>,
}

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

/// The result of a scheme.
#[derive(Debug, Clone, Default, Serialize)]
struct DocumentContent {
    text: String,
    origins: Vec<DocumentOrigin>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    folds: Vec<Fold>,
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<DocumentWindow>,
    /// Findings in the sources, at their positions in this document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<Diagnostic>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    turns: Vec<DocumentTurn>,
}

/// A turn in the document.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct DocumentTurn {
    title: String,
    /// The first line of its text.
    excerpt: String,
    /// The number of the reply. `None` for other turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    /// Zero-based line; the range includes both ends.
    start_line: u32,
    end_line: u32,
    /// The numbers of denied requests and of lost updates.
    denied: usize,
    lost: usize,
    /// True if the reply corrects itself.
    corrects: bool,
}

/// The excerpt of a transcript in the document.
#[derive(Debug, Clone, Serialize)]
struct DocumentWindow {
    /// The number of its first record.
    first: u64,
    /// The number of records.
    count: usize,
    /// The total number of records in the transcript. `null` if it is read in excerpts.
    total: Option<usize>,
    /// The URIs of the documents with the previous and next records, if any.
    before: Option<String>,
    after: Option<String>,
}

/// A foldable part of a virtual document.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Fold {
    /// Zero-based line; the range includes both ends.
    start_line: u32,
    end_line: u32,
    title: String,
}

/// The origin of a part of a virtual document.
#[derive(Debug, Clone, Serialize)]
struct DocumentOrigin {
    /// In the virtual document.
    range: Range,
    /// In a document of the workspace.
    location: Location,
    /// The kind of origin. Each scheme defines its own values.
    kind: String,
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

/// A scheme whose URIs always contain the source document.
fn nothing(_: &View, _: &SourceName) -> Option<FileId> {
    None
}
