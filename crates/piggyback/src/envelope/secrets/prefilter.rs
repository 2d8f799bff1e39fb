//! A fast check for texts without secrets: one pass over the bytes, and a search for words that
//! name secrets.
//!
//! Most replies have no secrets, and the full search decodes and splits them several times. If this
//! check passes, the full search must find nothing. Tests compare both.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;
use wide::u8x16;

use super::{key_formats, labels};

/// The minimum length in bytes of a key that needs no name: `xoxb-` and ten letters.
const SHORTEST_BARE: usize = 15;

/// A search for the start of a private key.
static BLOCK: LazyLock<memmem::Finder<'static>> =
    LazyLock::new(|| memmem::Finder::new(key_formats::BLOCK_BEGINNING));

/// True if a text cannot contain a secret.
pub(super) fn is_free(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_address = || memmem::find(bytes, b"://").is_some();
    look(bytes).is_some_and(|has_at| !(has_at && has_address()))
        && BLOCK.find(bytes).is_none()
        && !labels::contains_word(bytes)
}

/// The number of bytes per step.
const STEP: usize = 16;

/// Scans a text for possible keys and for escapes that may hide keys. Returns `None` if any are
/// found.
///
/// Otherwise, the result is true if the text contains `@`.
fn look(bytes: &[u8]) -> Option<bool> {
    let (mut start, mut has_at) = (0, false);
    for (at, block) in (0..).step_by(STEP).zip(bytes.chunks(STEP)) {
        let bits = BlockBits::new(block);
        has_at |= bits.are_at != 0;
        let may_hide = |place: usize| is_hiding(bytes.get(place..).unwrap_or(&[]));
        if places(bits.may_hide, at).any(may_hide) {
            return None;
        }
        if bits.are_borders != 0 {
            // Words between two separators of the same block are too short.
            let (first, last) = (bits.are_borders.trailing_zeros(), bits.are_borders.ilog2());
            if is_key(bytes, start..at + first as usize) {
                return None;
            }
            start = at + last as usize + 1;
        }
    }
    (!is_key(bytes, start..bytes.len())).then_some(has_at)
}

/// Returns the offsets of the set bits. The lowest bit is `start`.
fn places(mut bits: u32, start: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = (bits != 0).then(|| start + bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        at
    })
}

/// Bit masks of the bytes of a block. The lowest bit is the first byte.
struct BlockBits {
    /// Separators of words.
    are_borders: u32,
    /// Backslashes and bytes outside of ASCII.
    may_hide: u32,
    /// `@`
    are_at: u32,
}

impl BlockBits {
    /// Computes the masks of at most [`STEP`] bytes.
    #[inline]
    fn new(bytes: &[u8]) -> Self {
        let block = bytes.first_chunk::<STEP>().map_or_else(|| padded(bytes), |block| u8x16::new(*block));
        let are = |byte: u8| block.simd_eq(u8x16::splat(byte));
        let small = block | u8x16::splat(0x20);
        let are_letters = small.max(u8x16::splat(b'a')).min(u8x16::splat(b'z')).simd_eq(small);
        // `-`, `.`, `/`, digits and `:` are consecutive in ASCII.
        let are_digits = block.max(u8x16::splat(b'-')).min(u8x16::splat(b':')).simd_eq(block);
        let are_others = are(b'+') | are(b'=') | are(b'_') | are(b'~');
        let are_words = (are_letters | are_digits | are_others).to_bitmask();
        let len = bytes.len().min(STEP);
        let all = u32::MAX >> (u32::BITS as usize - len.max(1));
        Self {
            are_borders: !are_words & all,
            may_hide: (are(b'\\') | block & u8x16::splat(0x80)).to_bitmask(),
            are_at: are(b'@').to_bitmask(),
        }
    }
}

/// Pads an incomplete block with spaces.
fn padded(bytes: &[u8]) -> u8x16 {
    let mut block = [b' '; STEP];
    block.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    u8x16::new(block)
}

/// True if a word may be a key that needs no name: long enough, with a digit or uppercase letter,
/// and in a key format.
#[inline]
fn is_key(bytes: &[u8], word: Range<usize>) -> bool {
    let is_mixed = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
    word.len() >= SHORTEST_BARE
        && bytes.get(word.clone()).is_some_and(|word| word.iter().any(is_mixed))
        && may_be_key(bytes, word)
}

/// True if a word may be a key. The end of an escape may be attached to its start.
fn may_be_key(bytes: &[u8], word: Range<usize>) -> bool {
    let is_behind_escape = word.start.checked_sub(1).and_then(|at| bytes.get(at)) == Some(&b'\\');
    let fronts: &[usize] = if is_behind_escape { &[0, 1, 5] } else { &[0] };
    fronts.iter().any(|front| {
        let word = bytes.get(word.start + front..word.end).and_then(|word| std::str::from_utf8(word).ok());
        word.is_some_and(|word| key_formats::find(word).is_some() || has_random_part(word))
    })
}

/// The maximum number of parts of a word. Words with more parts are left to the full search.
const MAX_PARTS: usize = 8;

/// True if a word, or a part of it after `=` or `:`, is a random string.
fn has_random_part(word: &str) -> bool {
    let mut starts = word.match_indices(['=', ':']).map(|(at, _)| at + 1);
    let first: Vec<_> = starts.by_ref().take(MAX_PARTS).collect();
    // Each part extends to the end of the word.
    if starts.next().is_some() {
        return true;
    }
    std::iter::once(0).chain(first).any(|from| {
        let part = word.get(from..).unwrap_or("");
        part.len() >= labels::MIN_RANDOM_LEN && labels::is_random("", super::trimmed(part))
    })
}

/// True if a text begins with an invisible character, or with an escape that may hide a key.
///
/// Such escapes encode a letter, a sign of a key, or a character without width.
fn is_hiding(text: &[u8]) -> bool {
    match text {
        [b'\\', b'x' | b'/', ..] | [b'\\', b'u', b'{', ..] => true,
        [b'\\', b'u', b'0', b'0', third, ..] => matches!(third, b'0'..=b'7' | b'a' | b'A'),
        [b'\\', b'u', first, second, ..] => {
            matches!((first, second.to_ascii_lowercase()), (b'2', b'0') | (b'f' | b'F', b'e'))
        }
        [0xe2, 0x80, 0x8b..=0x8f | 0xaa..=0xae, ..]
        | [0xe2, 0x81, 0xa0..=0xaf, ..]
        | [0xef, 0xbb, 0xbf, ..]
        | [0xc2, 0xad, ..] => true,
        _ => false,
    }
}
