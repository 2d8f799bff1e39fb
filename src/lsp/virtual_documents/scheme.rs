//! A kind of virtual document, and the content that it generates.

use serde::Serialize;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{Diagnostic, Location, Range};

use crate::lsp::source_name::SourceName;
use crate::lsp::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_syntax::text::{Cancel, FileId};

/// A kind of virtual document.
#[derive(Debug)]
pub(in crate::lsp) struct Scheme {
    /// The URI scheme, without the colon.
    pub(in crate::lsp) name: &'static str,
    /// Parses the part after the colon.
    pub(super) read: fn(&str) -> Option<SourceName>,
    /// Finds the source document if the URI does not contain it.
    pub(super) find: fn(&View, &SourceName) -> Option<FileId>,
    /// True if the virtual document is kept after its source document is closed, while another of
    /// its sources is open.
    pub(super) outlives: bool,
    /// Returns a number that changes when a source changes, or `None` if no source is open. Must
    /// be cheap, because the writer calls it.
    pub(super) stamp: fn(&View, &SnapshotFile) -> Option<u64>,
    /// Generates the document.
    pub(super) make: fn(&View, &SnapshotFile, &SourceName, &Cancel) -> Result<DocumentContent>,
}

/// The result of a scheme.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct DocumentContent {
    pub(super) text: String,
    pub(super) origins: Vec<DocumentOrigin>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) folds: Vec<Fold>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) window: Option<DocumentWindow>,
    /// Findings in the sources, at their positions in this document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) diagnostics: Vec<Diagnostic>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) turns: Vec<DocumentTurn>,
}

/// A turn in the document.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DocumentTurn {
    pub(super) title: String,
    /// The first line of its text.
    pub(super) excerpt: String,
    /// The number of the reply. `None` for other turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) number: Option<u64>,
    /// Zero-based line; the range includes both ends.
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    /// The numbers of denied requests and of lost updates.
    pub(super) denied: usize,
    pub(super) lost: usize,
    /// True if the reply corrects itself.
    pub(super) corrects: bool,
}

/// The excerpt of a transcript in the document.
#[derive(Debug, Clone, Serialize)]
pub(super) struct DocumentWindow {
    /// The number of its first record.
    pub(super) first: u64,
    /// The number of records.
    pub(super) count: usize,
    /// The total number of records in the transcript. `null` if it is read in excerpts.
    pub(super) total: Option<usize>,
    /// The URIs of the documents with the previous and next records, if any.
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

/// A foldable part of a virtual document.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fold {
    /// Zero-based line; the range includes both ends.
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    pub(super) title: String,
}

/// The origin of a part of a virtual document.
#[derive(Debug, Clone, Serialize)]
pub(super) struct DocumentOrigin {
    /// In the virtual document.
    pub(super) range: Range,
    /// In a document of the workspace.
    pub(super) location: Location,
    /// The kind of origin. Each scheme defines its own values.
    pub(super) kind: String,
}

/// A scheme whose URIs always contain the source document.
pub(super) fn nothing(_: &View, _: &SourceName) -> Option<FileId> {
    None
}
