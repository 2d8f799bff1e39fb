//! Documents that the server makes: `mangle/virtualDocument`, and `mangle/virtualDocumentChanged` when what
//! they are made from changes.
//!
//! The URI of one is its scheme, a colon, and the URI of the document that it is made from, percent-encoded or
//! not. A scheme is a file here and a line in [`SCHEMES`].

mod source;
mod split;
mod syntax;
mod watch;

use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{Location, Range, Uri};

pub(super) use self::watch::{Watch, Watches};
use super::view::View;
use crate::host::workspace::SnapshotFile;

/// The schemes that are served.
pub(super) static SCHEMES: &[Scheme] = &[split::SCHEME, syntax::SCHEME];

/// The notification that a virtual document is another one by now.
pub(super) const CHANGED: &str = "mangle/virtualDocumentChanged";

/// A kind of virtual document.
#[derive(Debug)]
pub(super) struct Scheme {
    /// What its URIs begin with, without the colon.
    pub(super) name: &'static str,
    /// A number that changes with whatever the document is made from. Cheap: the writer asks for it.
    stamp: fn(&View, &SnapshotFile) -> u64,
    /// Makes the document.
    make: fn(&View, &SnapshotFile) -> Made,
}

/// The parameters of `mangle/virtualDocument`.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct VirtualDocumentParams {
    /// A string, not a URI: editors decode more or less of it.
    pub(super) uri: String,
}

/// The answer.
#[derive(Debug, Clone, Serialize)]
pub(super) struct VirtualDocument {
    #[serde(flatten)]
    made: Made,
    /// The state of the workspace that it is made from.
    revision: u64,
}

/// What a scheme makes.
#[derive(Debug, Clone, Serialize)]
struct Made {
    text: String,
    origins: Vec<Origin>,
}

/// Where a part of a virtual document comes from.
#[derive(Debug, Clone, Serialize)]
struct Origin {
    /// In the virtual document.
    range: Range,
    /// In a document of the workspace.
    location: Location,
    /// What it is there; each scheme has its own words.
    kind: String,
}

/// A virtual document that somebody asks for.
#[derive(Debug, Clone)]
pub(super) struct Address {
    scheme: &'static Scheme,
    source: Uri,
}

impl Address {
    /// Reads the URI of a virtual document.
    ///
    /// # Errors
    /// `InvalidParams` for a scheme that is not served, and for what is no URI behind it.
    pub(super) fn parse(uri: &str) -> Result<Self> {
        let (name, rest) = uri.split_once(':').unwrap_or((uri, ""));
        let scheme = SCHEMES.iter().find(|scheme| scheme.name == name).ok_or_else(|| {
            let known: Vec<_> = SCHEMES.iter().map(|scheme| format!("{}:", scheme.name)).collect();
            Error::invalid_params(format!("virtual documents have URIs with {}", known.join(", ")))
        })?;
        let source = source::uri(rest).ok_or_else(|| {
            Error::invalid_params(format!("`{name}:` is followed by the URI of a document"))
        })?;
        Ok(Self { scheme, source })
    }

    /// The document that it is made from.
    pub(super) fn source(&self) -> &Uri {
        &self.source
    }

    /// Makes the document.
    ///
    /// # Errors
    /// `InvalidParams` when the document that it is made from is not known.
    pub(super) fn make(&self, view: &View) -> Result<VirtualDocument> {
        let file = view.file(&self.source).ok_or_else(|| {
            Error::invalid_params(format!("{} is not a document of the workspace", self.source.as_str()))
        })?;
        Ok(VirtualDocument { made: (self.scheme.make)(view, file), revision: view.snapshot.revision })
    }
}
