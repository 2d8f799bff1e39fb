//! The value of a string literal, as Go's decoder makes it: what does not belong into text becomes U+FFFD, byte by
//! byte and surrogate by surrogate.

use std::ops::Range;

use super::LiteralBytes;
use mangle_syntax::text::{SegmentMap, SegmentMapBuilder, TextRange, TextSize, size};

/// A stretch of a literal.
enum Piece<'t> {
    /// Taken over as it is.
    Text(&'t str),
    /// One character that several bytes stand for, or that stands for a byte that cannot be.
    Char(char),
}

/// The value of a literal, quotes included; the last one may be missing.
pub(super) fn value(literal: LiteralBytes<'_>) -> String {
    let mut value = String::with_capacity(literal.bytes().len());
    push_value(literal, &mut value);
    value
}

/// Writes the value of a literal behind what is there.
pub(super) fn push_value(literal: LiteralBytes<'_>, out: &mut String) {
    pieces(literal, |piece, _| match piece {
        Piece::Text(text) => out.push_str(text),
        Piece::Char(char) => out.push(char),
    });
}

/// The value of a literal that begins at `start`, and where its bytes come from.
pub(super) fn value_with_map(literal: LiteralBytes<'_>, start: TextSize) -> (String, SegmentMap) {
    let bytes = literal.bytes();
    let escapes = memchr::memchr_iter(b'\\', bytes).count();
    let mut map = SegmentMapBuilder::with_escapes(escapes);
    if let LiteralBytes::Text(text) = literal {
        // Pieces of text and whole characters are text.
        let value = String::from_utf8(text_with_map(text, start, &mut map)).unwrap_or_default();
        return (value, map.finish());
    }
    let mut value = String::with_capacity(bytes.len());
    pieces(literal, |piece, range| {
        let source = TextRange::new(start + size(range.start), start + size(range.end));
        match piece {
            Piece::Text(text) => {
                value.push_str(text);
                map.copy(source);
            }
            Piece::Char(char) => {
                value.push(char);
                map.escape(size(char.len_utf8()), source);
            }
        }
    });
    (value, map.finish())
}

/// [`pieces`] of a literal that is text, for whole replies: what is met all the time costs a few instructions. Gives the
/// value.
fn text_with_map(literal: &str, start: TextSize, map: &mut SegmentMapBuilder) -> Vec<u8> {
    let bytes = literal.as_bytes();
    let quote = bytes.first().copied().unwrap_or(b'"');
    let end = bytes.len() - usize::from(closed(bytes, quote));
    let mut value = Vec::with_capacity(bytes.len() + SHORT);
    let mut at = 1.min(end);
    while let Some(rest) = bytes.get(at..end).filter(|rest| !rest.is_empty()) {
        let plain = backslash(rest);
        push_short(rest, plain, &mut value);
        let (source, behind) = (start + size(at), rest.get(plain..).unwrap_or(&[]));
        let copied = u32::from(size(plain));
        match (behind.get(1), escape(behind)) {
            // So it is nearly always.
            (Some(b'"' | b'\\'), _) => {
                value.extend(behind.get(1));
                map.copy_and_escape(source, copied, (1, 2));
                at += plain + 2;
            }
            (_, Some((char, len))) => {
                let mut buffer = [0; 4];
                let written = char.encode_utf8(&mut buffer).as_bytes();
                value.extend_from_slice(written);
                map.copy_and_escape(source, copied, (size(written.len()).into(), size(len).into()));
                at += plain + len;
            }
            _ => {
                // The end, or an unknown escape: the backslash stays.
                let len = plain + usize::from(!behind.is_empty());
                value.extend(behind.first());
                map.copy(TextRange::at(source, size(len)));
                at += len;
            }
        }
    }
    value
}

/// How many bytes are copied in one step.
const SHORT: usize = 16;

/// Copies the first `len` bytes. Few are copied as many, for that takes no call.
#[inline]
fn push_short(bytes: &[u8], len: usize, out: &mut Vec<u8>) {
    match bytes.first_chunk::<SHORT>() {
        Some(chunk) if len <= SHORT => {
            let end = out.len() + len;
            out.extend_from_slice(chunk);
            out.truncate(end);
        }
        _ => out.extend_from_slice(bytes.get(..len).unwrap_or(bytes)),
    }
}

impl<'t> LiteralBytes<'t> {
    fn bytes(self) -> &'t [u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// Takes a literal apart.
#[inline]
fn pieces<'t>(literal: LiteralBytes<'t>, mut piece: impl FnMut(Piece<'t>, Range<usize>)) {
    let bytes = literal.bytes();
    let quote = bytes.first().copied().unwrap_or(b'"');
    let end = match closed(bytes, quote) {
        true => bytes.len() - 1,
        false => bytes.len(),
    };
    let mut at = usize::from(!bytes.is_empty());
    while let Some(rest) = bytes.get(at..end).filter(|rest| !rest.is_empty()) {
        let plain = at + backslash(rest);
        at = texts(literal, at..plain, &mut piece);
        let behind = bytes.get(plain..end).unwrap_or(&[]);
        if let Some((char, len)) = escape(behind) {
            piece(Piece::Char(char), at..at + len);
            at += len;
        } else if !behind.is_empty() {
            // No escape that anybody knows: the backslash is what it is.
            piece(Piece::Text("\\"), at..at + 1);
            at += 1;
        }
    }
}

/// How far it is to the next backslash.
#[inline]
fn backslash(rest: &[u8]) -> usize {
    super::near::find(rest, b'\\', b'\\')
}

/// Whether a literal ends with its quote.
fn closed(literal: &[u8], quote: u8) -> bool {
    let Some((&last, inner)) = literal.split_last() else { return false };
    let backslashes = inner.iter().rev().take_while(|byte| **byte == b'\\').count();
    last == quote && !inner.is_empty() && backslashes % 2 == 0
}

/// Text without escapes; gives where it ends.
#[inline]
fn texts<'t>(
    literal: LiteralBytes<'t>,
    range: Range<usize>,
    piece: &mut impl FnMut(Piece<'t>, Range<usize>),
) -> usize {
    let bytes = match literal {
        // The bytes beside a backslash and a quote are ends of characters.
        LiteralBytes::Text(text) => {
            let text = text.get(range.clone()).unwrap_or("");
            if !text.is_empty() {
                piece(Piece::Text(text), range.clone());
            }
            return range.end;
        }
        LiteralBytes::Bytes(bytes) => bytes.get(range.clone()).unwrap_or(&[]),
    };
    let mut at = range.start;
    for chunk in bytes.utf8_chunks() {
        if !chunk.valid().is_empty() {
            piece(Piece::Text(chunk.valid()), at..at + chunk.valid().len());
            at += chunk.valid().len();
        }
        for _ in chunk.invalid() {
            piece(Piece::Char(char::REPLACEMENT_CHARACTER), at..at + 1);
            at += 1;
        }
    }
    at
}

/// The character that an escape stands for, and how many bytes it takes.
#[inline]
fn escape(text: &[u8]) -> Option<(char, usize)> {
    let simple = |char| Some((char, 2));
    match text.get(1)? {
        b'"' => simple('"'),
        b'\\' => simple('\\'),
        b'n' => simple('\n'),
        _ => rare_escape(text),
    }
}

/// [`escape`] of those that are not met all the time.
fn rare_escape(text: &[u8]) -> Option<(char, usize)> {
    let simple = |char| Some((char, 2));
    match text.get(1)? {
        b'/' => simple('/'),
        b'b' => simple('\u{8}'),
        b'f' => simple('\u{c}'),
        b'r' => simple('\r'),
        b't' => simple('\t'),
        b'u' => {
            let first = unit(text)?;
            let second = text.get(6..).and_then(unit).filter(|_| (0xd800..0xdc00).contains(&first));
            let pair = second.and_then(|second| char::decode_utf16([first, second]).next()?.ok());
            Some(match pair {
                Some(char) => (char, 12),
                None => (char::from_u32(first.into()).unwrap_or(char::REPLACEMENT_CHARACTER), 6),
            })
        }
        _ => None,
    }
}

/// The code unit of `\uXXXX`.
pub(super) fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
