//! A scanner that splits possibly damaged text into strings, comments and code.

use mangle_syntax::text::{TextRange, size};

/// The kind of a part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stretch {
    /// Text outside of strings and comments.
    Code,
    /// The content of a closed string, with its quote character.
    String(u8),
    /// A comment.
    Comment,
    /// Text after a quote that is not closed.
    Unclosed,
}

/// Returns the parts of a text in order. Only quotes are omitted.
pub(super) fn stretches(text: &str) -> Vec<(TextRange, Stretch)> {
    let bytes = text.as_bytes();
    let range = |from: usize, to: usize| TextRange::new(size(from), size(to));
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(rest) = bytes.get(at..) {
        let Some(next) = rest.iter().position(|byte| matches!(byte, b'"' | b'\'' | b'`' | b'#')) else {
            found.push((range(at, bytes.len()), Stretch::Code));
            break;
        };
        let next = at + next;
        found.push((range(at, next), Stretch::Code));
        let Some(&sign) = bytes.get(next) else { break };
        if sign == b'#' {
            let end =
                bytes.iter().skip(next).position(|byte| *byte == b'\n').map_or(bytes.len(), |len| next + len);
            found.push((range(next, end), Stretch::Comment));
            at = end;
        } else if let Some(end) = string_end(bytes, next + 1, sign) {
            found.push((range(next + 1, end), Stretch::String(sign)));
            at = end + 1;
        } else {
            found.push((range(next + 1, bytes.len()), Stretch::Unclosed));
            break;
        }
    }
    found
}

/// Returns the offset of the closing quote of a string with its content at `at`.
fn string_end(bytes: &[u8], mut at: usize, quote: u8) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            b'\\' => at += 2,
            byte if byte == quote => return Some(at),
            _ => at += 1,
        }
    }
}
