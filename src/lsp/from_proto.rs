//! Conversion of LSP types to internal types. Positions remain lines and columns, because byte
//! offsets depend on the document.

use std::path::{Path, PathBuf};

use tower_lsp::ls_types::{Position, Range, TextDocumentContentChangeEvent, Uri};

use mangle_host::{PathStyle, absolute};
use mangle_syntax::text::{ContentChange, Encoding, LineCol, LineIndex, TextRange};

pub(super) fn line_col(position: Position) -> LineCol {
    LineCol { line: position.line, col: position.character }
}

/// Returns the byte range of an LSP range, normalized and clamped to the text.
pub(super) fn text_range(text: &str, lines: &LineIndex, range: Range, encoding: Encoding) -> TextRange {
    let start = lines.offset(text, line_col(range.start), encoding);
    let end = lines.offset(text, line_col(range.end), encoding);
    TextRange::new(start.min(end), start.max(end))
}

pub(super) fn content_change(change: TextDocumentContentChangeEvent) -> ContentChange {
    let range = change.range.map(|range| (line_col(range.start), line_col(range.end)));
    ContentChange { range, text: change.text }
}

/// Returns the path of a document. For a document that is not on disk, the path is the URI itself,
/// which is not an absolute path.
pub(super) fn document_path(uri: &Uri) -> PathBuf {
    file_path(uri).unwrap_or_else(|| PathBuf::from(uri.as_str()))
}

pub(super) fn named(uri: &Uri) -> DocumentName {
    DocumentName { path: document_path(uri), uri: uri.as_str().to_owned() }
}

/// Returns the path of a `file:` URI, without `.` and `..`.
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

/// A document identifier of the client.
#[derive(Debug, Clone)]
pub(super) struct DocumentName {
    pub(super) path: PathBuf,
    /// In the spelling of the client.
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
