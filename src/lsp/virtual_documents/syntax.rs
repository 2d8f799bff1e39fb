//! `mangle-syntax:`, the syntax tree of a document, one node per line.

use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{Position, Range};

use super::source::{SourceName, document};
use super::{DocumentContent, DocumentOrigin, Scheme, nothing};
use crate::lsp::to_proto;
use crate::lsp::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_ide::syntax_tree::{Line, syntax_tree};
use mangle_syntax::text::{Cancel, LineIndex, TextSize};

pub(super) const SCHEME: Scheme =
    Scheme { name: "mangle-syntax", read: document, find: nothing, outlives: false, stamp, make };

pub(super) fn stamp(_: &View, file: &SnapshotFile) -> Option<u64> {
    let open = file.open.as_ref()?;
    Some(u64::from(open.version.unsigned_abs()) << 32 | open.text.len() as u64)
}

fn make(view: &View, file: &SnapshotFile, _: &SourceName, _: &Cancel) -> Result<DocumentContent> {
    let tree = syntax_tree(file.source());
    let lines = LineIndex::new(&tree.text);
    let uri = to_proto::uri(file);
    let origin = |line: &Line| {
        let position = |offset: TextSize| {
            let at = lines.line_col(&tree.text, offset, view.session.encoding);
            Position { line: at.line, character: at.col }
        };
        Some(DocumentOrigin {
            range: Range { start: position(line.start), end: position(line.end) },
            location: tower_lsp::ls_types::Location {
                uri: uri.clone()?,
                range: view.range(file, line.range),
            },
            kind: line.kind.to_string(),
        })
    };
    let origins = tree.lines.iter().filter_map(origin).collect();
    Ok(DocumentContent { text: tree.text, origins, ..DocumentContent::default() })
}
