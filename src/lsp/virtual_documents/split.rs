//! `mangle-split:`, both channels of a transcript side by side: the text for the user, and the
//! updates for the kernel.

use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{Location, Position, Range};

use super::source::{SourceName, document};
use super::{DocumentContent, DocumentOrigin, Scheme, nothing};
use crate::lsp::to_proto;
use crate::lsp::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_ide::transcripts::split::{Part, split};
use mangle_syntax::text::{Cancel, LineIndex, TextSize};

pub(super) const SCHEME: Scheme = Scheme {
    name: "mangle-split",
    read: document,
    find: nothing,
    outlives: false,
    stamp: super::syntax::stamp,
    make,
};

/// Returns an empty document if the source is not a transcript.
fn make(view: &View, file: &SnapshotFile, _: &SourceName, _: &Cancel) -> Result<DocumentContent> {
    let Some(transcript) = view.snapshot.transcript(file.id) else {
        return Ok(DocumentContent { text: NO_TRANSCRIPT.to_owned(), ..DocumentContent::default() });
    };
    let made = transcript.with_policies(split);
    let lines = LineIndex::new(&made.text);
    let uri = to_proto::uri(file);
    let position = |offset: TextSize| {
        let at = lines.line_col(&made.text, offset, view.session.encoding);
        Position { line: at.line, character: at.col }
    };
    let origin = |part: &Part| {
        let range = Range { start: position(part.range.start()), end: position(part.range.end()) };
        let location = Location { uri: uri.clone()?, range: view.range(file, part.source) };
        Some(DocumentOrigin { range, location, kind: part.kind.to_owned() })
    };
    let origins = made.parts.iter().filter_map(origin).collect();
    Ok(DocumentContent { text: made.text, origins, ..DocumentContent::default() })
}

const NO_TRANSCRIPT: &str =
    "This document is not a transcript. `[transcripts] include` of mangle-ls.toml selects transcripts.\n";
