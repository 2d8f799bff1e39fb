//! Lines of bytes without their line ends.

use mangle_syntax::text::{TextRange, size};

/// All bytes of a record that are no line end.
pub(super) fn without_line_end(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.strip_suffix(b"\r").unwrap_or(bytes)
}

/// The range of some bytes inside a record that begins with them.
pub(super) fn up_to(bytes: &[u8]) -> TextRange {
    TextRange::up_to(size(bytes.len()))
}
