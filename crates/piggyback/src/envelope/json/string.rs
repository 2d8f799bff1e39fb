//! The value of a string literal, as Go's decoder makes it: what does not belong into text becomes U+FFFD, byte by
//! byte and surrogate by surrogate.

use std::ops::Range;

use super::quotes::quote_at;
use super::{Literal, LiteralBytes};
use mangle_syntax::text::{SegmentMap, SegmentMapBuilder, TextRange, TextSize, size};

/// A stretch of a literal.
enum Piece<'t> {
    /// Taken over as it is.
    Text(&'t str),
    /// One character that several bytes stand for, or that stands for a byte that cannot be.
    Char(char),
}

/// The value of a literal, quotes included; the last one may be missing.
pub(super) fn value(literal: Literal<'_, '_>) -> String {
    let mut value = String::with_capacity(literal.bytes.bytes().len());
    push_value(literal, &mut value);
    value
}

/// Writes the value of a literal behind what is there.
pub(super) fn push_value(literal: Literal<'_, '_>, out: &mut String) {
    pieces(literal, |piece, _| match piece {
        Piece::Text(text) => out.push_str(text),
        Piece::Char(char) => out.push(char),
    });
}

/// The value of a literal as UTF-8, and where its bytes come from.
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

/// [`value_with_map`] where each escape is two bytes for one, as it is in most replies: costs a few instructions an escape.
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

/// The byte that a backslash and this one stand for.
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
fn pieces<'t>(literal: Literal<'_, 't>, mut piece: impl FnMut(Piece<'t>, Range<usize>)) {
    let bytes = literal.bytes.bytes();
    let (start, end) = inner(bytes);
    let mut at = start.min(end);
    for place in literal.escapes.iter().map(|escape| (escape - literal.start) as usize) {
        // The second half of a pair was taken with the first.
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
                // No escape that anybody knows: the backslash is what it is.
                piece(Piece::Text("\\"), place..place + 1);
                at = place + 1;
            }
        }
    }
    texts(literal.bytes, at..end, &mut piece);
}

/// Where the text of a literal begins and ends, between its quotes. Either of them may be missing or of another kind.
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

/// Text without escapes.
#[inline]
fn texts<'t>(
    literal: LiteralBytes<'t>,
    range: Range<usize>,
    piece: &mut impl FnMut(Piece<'t>, Range<usize>),
) {
    let bytes = match literal {
        // The bytes beside a backslash and a quote are ends of characters.
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
