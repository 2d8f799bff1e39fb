//! From the protocol's types to ours. Positions stay lines and columns here; what bytes they are
//! only the document knows.

use std::path::{Path, PathBuf};

use tower_lsp::ls_types::{Position, Range, TextDocumentContentChangeEvent, Uri};

use crate::host::{PathStyle, absolute};
use mangle_syntax::text::{ContentChange, Encoding, LineCol, LineIndex, TextRange};

/// A line and a column.
pub(super) fn line_col(position: Position) -> LineCol {
    LineCol { line: position.line, col: position.character }
}

/// The bytes of a range, put in order and clamped to the text.
pub(super) fn text_range(text: &str, lines: &LineIndex, range: Range, encoding: Encoding) -> TextRange {
    let start = lines.offset(text, line_col(range.start), encoding);
    let end = lines.offset(text, line_col(range.end), encoding);
    TextRange::new(start.min(end), start.max(end))
}

/// One change of a document.
pub(super) fn content_change(change: TextDocumentContentChangeEvent) -> ContentChange {
    let range = change.range.map(|range| (line_col(range.start), line_col(range.end)));
    ContentChange { range, text: change.text }
}

/// The name of a document: its absolute path, or the URI itself (which is no absolute path) for a
/// document that exists in the editor alone.
pub(super) fn document_path(uri: &Uri) -> PathBuf {
    file_path(uri).unwrap_or_else(|| PathBuf::from(uri.as_str()))
}

/// The document that a URI names.
pub(super) fn named(uri: &Uri) -> DocumentName {
    DocumentName { path: document_path(uri), uri: uri.as_str().to_owned() }
}

/// The path of a `file:` URI, without `.` and `..`.
pub(super) fn file_path(uri: &Uri) -> Option<PathBuf> {
    let is_file = uri.scheme().as_str().eq_ignore_ascii_case("file");
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let bytes = is_file.then(|| PathStyle::HERE.path_of_uri(authority, uri.path().as_str()))??;
    let path = absolute(Path::new("/"), &path_of(bytes));
    path.is_absolute().then_some(path)
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt as _;
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// A document as the client names it.
#[derive(Debug, Clone)]
pub(super) struct DocumentName {
    pub(super) path: PathBuf,
    /// As the client spells it.
    pub(super) uri: String,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[cfg(unix)]
    #[test]
    fn paths_of_uris() {
        let check = |uri: &str, expected: Option<&str>| {
            assert_eq!(file_path(&uri.parse().unwrap()).as_deref(), expected.map(Path::new), "{uri}");
        };
        check("file:///a/b%20c/%C3%A9.mg", Some("/a/b c/é.mg"));
        check("file://localhost/x/../a.mg", Some("/a.mg"));
        check("untitled:Untitled-1", None);
        check("git:/a.mg?ref", None);
    }

    #[test]
    fn reversed_ranges_are_put_in_order() {
        let text = "ab\ncd\n";
        let at = |line, character| Position { line, character };
        let range = Range { start: at(1, 1), end: at(0, 1) };
        let bytes = text_range(text, &LineIndex::new(text), range, Encoding::Utf16);
        assert_eq!(bytes, TextRange::new(1.into(), 4.into()));
    }
}
