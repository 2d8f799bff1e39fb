//! Documents that the server makes: `mangle/virtualDocument`, and `mangle/virtualDocumentChanged` when what
//! they are made from changes.
//!
//! The URI of one is its scheme, a colon, and the URI of the document that it is made from, percent-encoded or
//! not; of one that has a name, `/NAME?KEY=VALUE&of=URI`. A scheme is a file here and a line in [`SCHEMES`].

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
use crate::host::workspace::SnapshotFile;
use mangle_syntax::text::{Cancel, FileId};
use piggyback::envelope::secrets::masked;

/// The schemes that are served.
pub(super) static SCHEMES: &[Scheme] = &[
    conversation::SCHEME,
    preview::SCHEME,
    property::SCHEME,
    replay::SCHEME,
    split::SCHEME,
    state::SCHEME,
    syntax::SCHEME,
];

/// The notification that a virtual document is another one by now.
pub(super) const CHANGED: &str = "mangle/virtualDocumentChanged";

/// A kind of virtual document.
#[derive(Debug)]
pub(super) struct Scheme {
    /// What its URIs begin with, without the colon.
    pub(super) name: &'static str,
    /// Reads what stands behind the colon.
    read: fn(&str) -> Option<SourceName>,
    /// The document that it is made from, where its URI does not say that.
    find: fn(&View, &SourceName) -> Option<FileId>,
    /// Whether it lives on when the document is closed that it is made from, as long as something else is open that it
    /// is made from as well.
    outlives: bool,
    /// A number that changes with whatever the document is made from; `None` when nothing of that is open. Cheap: the
    /// writer asks for it.
    stamp: fn(&View, &SnapshotFile) -> Option<u64>,
    /// Makes the document.
    make: fn(&View, &SnapshotFile, &SourceName, &Cancel) -> Result<DocumentContent>,
}

/// The parameters of `mangle/virtualDocument`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct VirtualDocumentParams {
    /// A string, not a URI: editors decode more or less of it.
    pub(super) uri: String,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct VirtualDocument {
    #[serde(flatten)]
    made: DocumentContent,
    /// The state of the workspace that it is made from.
    revision: u64,
}

/// What a scheme makes.
#[derive(Debug, Clone, Default, Serialize)]
struct DocumentContent {
    text: String,
    origins: Vec<DocumentOrigin>,
    /// Its sections, where it has any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    folds: Vec<Fold>,
    /// Which stretch of its source it shows, where it does not show all of any.
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<DocumentWindow>,
    /// What is found in what it is made from, in its places here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<Diagnostic>,
    /// The turns that it shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    turns: Vec<DocumentTurn>,
}

/// A turn that a document shows.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct DocumentTurn {
    title: String,
    /// The first line of what is said in it.
    excerpt: String,
    /// The number of the answer; none for what is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    /// Its lines, from 0, both included.
    start_line: u32,
    end_line: u32,
    /// How many requests are denied, and how many updates are lost.
    denied: usize,
    lost: usize,
    /// Whether it corrects itself.
    corrects: bool,
}

/// The stretch of a transcript that a document shows.
#[derive(Debug, Clone, Serialize)]
struct DocumentWindow {
    /// The number of its first record.
    first: u64,
    /// How many records it has.
    count: usize,
    /// How many records the transcript has; `null` where it is read in stretches.
    total: Option<usize>,
    /// The URIs of the documents with the records before and after it, where there are any.
    before: Option<String>,
    after: Option<String>,
}

/// A part of a virtual document that can be folded.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Fold {
    /// Its lines, from 0, both included.
    start_line: u32,
    end_line: u32,
    /// What it is called.
    title: String,
}

/// Where a part of a virtual document comes from.
#[derive(Debug, Clone, Serialize)]
struct DocumentOrigin {
    /// In the virtual document.
    range: Range,
    /// In a document of the workspace.
    location: Location,
    /// What it is there; each scheme has its own words.
    kind: String,
}

/// A virtual document that somebody asks for.
#[derive(Debug, Clone)]
pub(super) struct DocumentAddress {
    scheme: &'static Scheme,
    named: SourceName,
}

impl DocumentAddress {
    /// Reads the URI of a virtual document.
    ///
    /// # Errors
    /// `InvalidParams` for a scheme that is not served, and for what is no URI behind it.
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

    /// The document that it is made from, as far as its URI says.
    pub(super) fn source(&self) -> Option<&Uri> {
        self.named.source.as_ref()
    }

    /// The document that it is made from.
    fn file<'v>(&self, view: &'v View) -> Option<&'v SnapshotFile> {
        let found = match &self.named.source {
            Some(source) => view.file(source),
            None => (self.scheme.find)(view, &self.named).and_then(|file| view.snapshot.file(file)),
        };
        found.map(AsRef::as_ref)
    }

    /// Makes the document.
    ///
    /// # Errors
    /// `InvalidParams` when the document that it is made from is not known, `ContentModified` when it is another one
    /// before it was made.
    pub(super) fn make(&self, view: &View, cancel: &Cancel) -> Result<VirtualDocument> {
        let file = self.file(view).ok_or_else(|| {
            let what = self.named.source.as_ref().map_or(self.named.name.as_str(), |source| source.as_str());
            Error::invalid_params(format!("{what} is not a document of the workspace"))
        })?;
        let made = (self.scheme.make)(view, file, &self.named, cancel)?;
        // Byte for byte as long, so that the places of its parts stay.
        let made = DocumentContent { text: masked(&made.text).into_owned(), ..made };
        Ok(VirtualDocument { made, revision: view.snapshot.revision })
    }
}

/// What a virtual document is made from; `None` for other documents.
pub(super) fn source_of(uri: &Uri) -> Option<PathBuf> {
    DocumentAddress::parse(uri.as_str()).ok()?.source().map(from_proto::document_path)
}

/// The document whose program an answer about a document needs: of a virtual one, what that is made from.
pub(super) fn document_behind(uri: &Uri) -> PathBuf {
    source_of(uri).unwrap_or_else(|| from_proto::document_path(uri))
}

/// The scheme says nothing of documents that its URIs do not name.
fn nothing(_: &View, _: &SourceName) -> Option<FileId> {
    None
}
