//! A quick look that tells most texts free of secrets: one pass over the bytes, and a search for words that name secrets.
//!
//! Most replies hold no secret, and the full search decodes and splits them several times. What is found free here must have
//! nothing that the full search finds; the tests hold both against each other.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;

use super::{blocks, key_formats, names, random};

/// How long the shortest key is that needs no name: `xoxb-` and ten letters.
const SHORTEST_BARE: usize = 15;

/// Finds the beginning of a key in a block.
static BLOCK: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(blocks::BEGINNING));

/// Whether nothing in a text can be a secret.
pub(super) fn is_free(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_address = || memchr::memchr(b'@', bytes).is_some() && memmem::find(bytes, b"://").is_some();
    let may_hide = has_hiding_escape(bytes) || has_hiding_character(bytes);
    !(may_hide || has_key(bytes) || BLOCK.find(bytes).is_some() || has_address() || names::is_in(bytes))
}

/// Whether a word may be a key that needs no name: it is long enough, has a digit or a capital in it, and the form of one.
fn has_key(bytes: &[u8]) -> bool {
    let is_border = |byte: &u8| CLASS[usize::from(*byte)] == Class::Border;
    let mut start = 0;
    // Where a word is too short for a key, the next begins after the last border.
    while let Some(least) = bytes.get(start..start + SHORTEST_BARE) {
        if let Some(border) = least.iter().rposition(is_border) {
            start += border + 1;
            continue;
        }
        let rest = bytes.get(start..).unwrap_or(&[]);
        let end = start + rest.iter().position(is_border).unwrap_or(rest.len());
        let word = bytes.get(start..end).unwrap_or(&[]);
        let is_mixed = word.iter().any(|byte| CLASS[usize::from(*byte)] == Class::Mixed);
        if is_mixed && may_be_key(bytes, start..end) {
            return true;
        }
        start = end + 1;
    }
    false
}

/// Whether a word may be a key. What an escape ends with may be glued to its front.
fn may_be_key(bytes: &[u8], word: Range<usize>) -> bool {
    let is_behind_escape = word.start.checked_sub(1).and_then(|at| bytes.get(at)) == Some(&b'\\');
    let fronts: &[usize] = if is_behind_escape { &[0, 1, 5] } else { &[0] };
    fronts.iter().any(|front| {
        let word = bytes.get(word.start + front..word.end).and_then(|word| std::str::from_utf8(word).ok());
        word.is_some_and(|word| key_formats::find(word).is_some() || has_random_part(word))
    })
}

/// Whether a part of a word is of random letters: all of it, or what is behind `=` or `:`.
fn has_random_part(word: &str) -> bool {
    let starts = word.match_indices(['=', ':']).map(|(at, _)| at + 1);
    std::iter::once(0).chain(starts).any(|from| {
        let part = word.get(from..).unwrap_or("");
        part.len() >= random::SHORTEST && random::is_random("", super::trimmed(part))
    })
}

/// Whether an escape stands for a letter, a sign of a key, or a character without width, behind which a key may hide.
fn has_hiding_escape(bytes: &[u8]) -> bool {
    memchr::memchr_iter(b'\\', bytes).any(|at| match bytes.get(at + 1..).unwrap_or(&[]) {
        [b'x' | b'/', ..] | [b'u', b'{', ..] => true,
        [b'u', b'0', b'0', third, ..] => matches!(third, b'0'..=b'7' | b'a' | b'A'),
        [b'u', first, second, ..] => {
            matches!((first, second.to_ascii_lowercase()), (b'2', b'0') | (b'f' | b'F', b'e'))
        }
        _ => false,
    })
}

/// Whether a character without width is in a text: a word may go on behind it.
fn has_hiding_character(bytes: &[u8]) -> bool {
    !bytes.is_ascii()
        && memchr::memchr3_iter(0xe2, 0xef, 0xc2, bytes).any(|at| {
            matches!(
                bytes.get(at..).unwrap_or(&[]),
                [0xe2, 0x80, 0x8b..=0x8f | 0xaa..=0xae, ..]
                    | [0xe2, 0x81, 0xa0..=0xaf, ..]
                    | [0xef, 0xbb, 0xbf, ..]
                    | [0xc2, 0xad, ..]
            )
        })
}

/// What a byte does to a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// It ends it.
    Border,
    /// It goes on with it.
    Small,
    /// It goes on with it, and makes it more than a plain word.
    Mixed,
}

static CLASS: [Class; 256] = {
    let (mut table, mut at) = ([Class::Border; 256], 0u8);
    loop {
        table[at as usize] = match at {
            b'0'..=b'9' | b'A'..=b'Z' => Class::Mixed,
            b'a'..=b'z' | b'-' | b'_' | b'.' | b'/' | b'+' | b'=' | b'~' | b':' => Class::Small,
            _ => Class::Border,
        };
        if at == u8::MAX {
            break table;
        }
        at += 1;
    }
};
