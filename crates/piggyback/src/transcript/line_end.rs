//! Lines of bytes without their line ends.

use mangle_syntax::text::{TextRange, size};

/// Returns a line without its line end (`\n` or `\r\n`).
pub(super) fn without_line_end(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.strip_suffix(b"\r").unwrap_or(bytes)
}

/// Returns the range of all bytes of a record or of a prefix of it.
pub(super) fn up_to(bytes: &[u8]) -> TextRange {
    TextRange::up_to(size(bytes.len()))
}
