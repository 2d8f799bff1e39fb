//! A number for what a statement says, whatever its layout and comments: equal statements have
//! equal numbers.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// The digest of a statement's text, within this process. Strings count byte for byte, so `'a'` and
/// `"a"` differ.
#[must_use]
pub fn digest(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    digest_into(text, &mut hasher);
    hasher.finish()
}

/// Feeds what a statement says to `hasher`, without its layout and comments.
pub fn digest_into(text: &str, hasher: &mut impl Hasher) {
    let mut rest = text.as_bytes();
    while let [byte, tail @ ..] = rest {
        rest = match byte {
            b' ' | b'\t' | b'\r' | b'\n' | 0x0c => tail,
            b'#' => tail.get(memchr::memchr(b'\n', tail).unwrap_or(tail.len())..).unwrap_or_default(),
            b'"' | b'\'' | b'`' => {
                let (string, after) = rest.split_at(string_len(rest, *byte));
                hasher.write(string);
                after
            }
            _ => {
                hasher.write_u8(*byte);
                tail
            }
        };
    }
}

/// The length of the string that `text` starts with, quotes included.
fn string_len(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(found) = memchr::memchr2(quote, b'\\', text.get(at..).unwrap_or_default()) {
        at += found + 1;
        if text.get(at - 1) == Some(&quote) {
            return at;
        }
        // What the backslash escapes is no end.
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::digest;

    #[track_caller]
    fn equal(one: &str, other: &str, expected: bool) {
        assert_eq!(digest(one) == digest(other), expected, "{one} against {other}");
    }

    #[test]
    fn layout_and_comments_do_not_count() {
        equal("p(X) :- q(X, 1).", "p(X):-\r\n\tq(X,# why\n 1) .", true);
        equal("p().", "p(\n).", true);
    }

    #[test]
    fn everything_else_does() {
        equal("p(X) :- q(X).", "p(Y) :- q(Y).", false);
        equal("p(\"a b\").", "p(\"ab\").", false);
        equal("p(\"a # b\").", "p(\"a # c\").", false);
        equal(r#"p("a\" ", 1)."#, r#"p("a\"", 1)."#, false);
        equal("p('a').", "p(\"a\").", false);
    }

    #[test]
    fn broken_strings_end_somewhere() {
        equal("p(\"a", "p(\"a", true);
        equal("p(\"a\\", "p(\"a\\", true);
    }
}
