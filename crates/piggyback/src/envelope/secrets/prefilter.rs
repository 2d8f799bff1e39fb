//! A quick look that tells most texts free of secrets: one pass over the bytes, and a search for words that name secrets.
//!
//! Most replies hold no secret, and the full search decodes and splits them several times. What is found free here must have
//! nothing that the full search finds; the tests hold both against each other.

use std::sync::LazyLock;

use memchr::memmem;
use regex::bytes::Regex;

use super::labels;

/// How long the shortest key is that needs no name: `xoxb-` and ten letters.
const SHORTEST_BARE: usize = 15;

/// The words that name secrets; `None` if they make no pattern, and then no text is told free.
static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words: Vec<_> = labels::words().map(regex::escape).collect();
    Regex::new(&format!("(?i-u:{})", words.join("|"))).ok()
});

/// Whether nothing in a text can be a secret.
pub(super) fn is_free(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has = |part: &[u8]| memmem::find(bytes, part).is_some();
    let has_name = || NAMES.as_ref().is_none_or(|names| names.is_match(bytes));
    let has_address = || has(b"://") && has(b"@");
    let may_hide = has_hiding_escape(bytes) || has_hiding_character(bytes);
    !(may_hide || has_long_word(bytes) || has(b"-----BEGIN ") || has_address() || has_name())
}

/// Whether a word is as long as a key that needs no name, and has a digit or a capital in it.
fn has_long_word(bytes: &[u8]) -> bool {
    let (mut len, mut is_mixed) = (0, false);
    for byte in bytes {
        match CLASS[usize::from(*byte)] {
            Class::Border => (len, is_mixed) = (0, false),
            Class::Small => len += 1,
            Class::Mixed => (len, is_mixed) = (len + 1, true),
        }
        if is_mixed && len >= SHORTEST_BARE {
            return true;
        }
    }
    false
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
    memchr::memchr3_iter(0xe2, 0xef, 0xc2, bytes).any(|at| {
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
            b'a'..=b'z' | b'-' | b'_' | b'.' | b'/' | b'+' | b'=' | b'~' | b':' | 0x80.. => Class::Small,
            _ => Class::Border,
        };
        if at == u8::MAX {
            break table;
        }
        at += 1;
    }
};
