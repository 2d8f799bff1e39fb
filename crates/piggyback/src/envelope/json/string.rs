//! Decoding of string literals as in Go's decoder. Each invalid byte and unpaired surrogate becomes
//! U+FFFD.

use std::ops::Range;

use super::quotes::quote_at;
use super::{Literal, LiteralBytes};
use mangle_syntax::text::{SegmentMap, SegmentMapBuilder, TextRange, TextSize, size};

/// A part of a literal.
enum Piece<'t> {
    /// Text that is copied unchanged.
    Text(&'t str),
    /// One character that an escape or an invalid byte is decoded to.
    Char(char),
}

/// Returns the value of a literal. The closing quote may be missing.
pub(super) fn value(literal: Literal<'_, '_>) -> String {
    let mut value = String::with_capacity(literal.bytes.bytes().len());
    push_value(literal, &mut value);
    value
}

/// Appends the value of a literal to `out`.
pub(super) fn push_value(literal: Literal<'_, '_>, out: &mut String) {
    pieces(literal, |piece, _| match piece {
        Piece::Text(text) => out.push_str(text),
        Piece::Char(char) => out.push(char),
    });
}

/// Returns the value of a literal as UTF-8, with a map from its bytes to the source.
pub(super) fn value_with_map(literal: Literal<'_, '_>) -> (Vec<u8>, SegmentMap) {
    if let LiteralBytes::Text(text) = literal.bytes
        && let Some(found) = pairs_with_map(text.as_bytes(), literal)
    {
        return found;
    }
    let mut map = SegmentMapBuilder::with_escapes(literal.escapes.len());
    let start = TextSize::new(literal.start);
    let mut value = String::with_capacity(literal.bytes.bytes().len());
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
    (value.into_bytes(), map.finish())
}

/// Fast path of [`value_with_map`] if every escape is two bytes for one byte.
fn pairs_with_map(bytes: &[u8], literal: Literal<'_, '_>) -> Option<(Vec<u8>, SegmentMap)> {
    if bytes.first() != Some(&b'"') {
        return None;
    }
    let (_, end) = inner(bytes);
    let mut value = Vec::with_capacity(bytes.len() + SHORT);
    let mut places = Vec::with_capacity(literal.escapes.len());
    let mut at = 1.min(end);
    for escape in literal.escapes {
        let place = (escape - literal.start) as usize;
        let char = pair(*bytes.get(..end)?.get(place + 1)?)?;
        push_short(bytes.get(at..)?, place.checked_sub(at)?, &mut value);
        places.push(size(value.len()).into());
        value.push(char);
        at = place + 2;
    }
    value.extend_from_slice(bytes.get(at..end)?);
    let start = TextSize::new(literal.start);
    let source = TextRange::new(start + size(1.min(end)), start + size(end));
    Some((value, SegmentMap::of_pairs(source, places)))
}

/// Returns the byte that a two-byte escape with this second byte is decoded to.
#[inline]
fn pair(byte: u8) -> Option<u8> {
    Some(match byte {
        b'"' | b'\\' | b'/' => byte,
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 8,
        b'f' => 12,
        _ => return None,
    })
}

/// The number of bytes that are copied in one step.
const SHORT: usize = 16;

/// Copies the first `len` bytes. Short texts are copied as one fixed-size chunk, which avoids a
/// call.
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

/// Splits a literal into its pieces.
#[inline]
fn pieces<'t>(literal: Literal<'_, 't>, mut piece: impl FnMut(Piece<'t>, Range<usize>)) {
    let bytes = literal.bytes.bytes();
    let (start, end) = inner(bytes);
    let mut at = start.min(end);
    for place in literal.escapes.iter().map(|escape| (escape - literal.start) as usize) {
        // The low surrogate was consumed together with the high surrogate.
        if place < at {
            continue;
        }
        texts(literal.bytes, at..place, &mut piece);
        match escape(bytes.get(place..end).unwrap_or(&[])) {
            Some((char, len)) => {
                piece(Piece::Char(char), place..place + len);
                at = place + len;
            }
            None => {
                // The backslash of an unknown escape is kept.
                piece(Piece::Text("\\"), place..place + 1);
                at = place + 1;
            }
        }
    }
    texts(literal.bytes, at..end, &mut piece);
}

/// Returns the start and end of the text between the quotes. The quotes may be missing or of
/// different kinds.
fn inner(literal: &[u8]) -> (usize, usize) {
    let start = quote_at(literal).map_or(0, |(_, len)| len);
    let is_quote = |len: usize| {
        let at = literal.len().checked_sub(len).filter(|at| *at >= start)?;
        let quote = literal.get(at..).and_then(quote_at).filter(|(_, found)| *found == len)?;
        let is_same = start != 1 || len > 1 || literal.first() == literal.get(at);
        let backslashes = literal.get(..at)?.iter().rev().take_while(|byte| **byte == b'\\').count();
        (is_same && backslashes % 2 == 0).then_some(quote)
    };
    let end = [1, 2, 3].into_iter().find(|len| is_quote(*len).is_some()).unwrap_or(0);
    (start, literal.len() - end)
}

/// Emits text without escapes.
#[inline]
fn texts<'t>(
    literal: LiteralBytes<'t>,
    range: Range<usize>,
    piece: &mut impl FnMut(Piece<'t>, Range<usize>),
) {
    let bytes = match literal {
        // Bytes next to a backslash or quote are character boundaries.
        LiteralBytes::Text(text) => {
            let text = text.get(range.clone()).unwrap_or("");
            if !text.is_empty() {
                piece(Piece::Text(text), range);
            }
            return;
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
}

/// Returns the character of an escape and the length of the escape in bytes.
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

/// Decodes the less common escapes for [`escape`].
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

/// Returns the code unit of `\uXXXX`.
pub(super) fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
