//! Hash of a statement's content that ignores layout and comments.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// Computes the digest of a statement's text, valid within this process. Strings are hashed byte by
/// byte, so `'a'` and `"a"` differ.
#[must_use]
pub fn digest(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    digest_into(text, &mut hasher);
    hasher.finish()
}

/// Feeds the content of a statement to `hasher`, without layout and comments. Spaces between two
/// words are significant: `pen di()` is not `pendi()`.
pub fn digest_into(text: &str, hasher: &mut impl Hasher) {
    let mut rest = text.as_bytes();
    let (mut left, mut is_apart) = (None, false);
    while let [byte, tail @ ..] = rest {
        let after = match byte {
            b' ' | b'\t' | b'\r' | b'\n' | 0x0c => tail,
            b'#' => tail.get(memchr::memchr(b'\n', tail).unwrap_or(tail.len())..).unwrap_or_default(),
            _ => {
                if is_apart && left.is_some_and(|left| would_merge(left, rest)) {
                    hasher.write_u8(b' ');
                }
                let (token, after) = rest.split_at(token_len(rest, *byte));
                hasher.write(token);
                left = token.last().copied().filter(|_| token != ARROW);
                (rest, is_apart) = (after, false);
                continue;
            }
        };
        (rest, is_apart) = (after, true);
    }
}

/// The arrow between head and body. Its last character is not part of a word.
const ARROW: &[u8] = b":-";

/// True if the text that ends in `left` and `right` would form other tokens without the layout in
/// between.
fn would_merge(left: u8, right: &[u8]) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_\"'`".contains(&byte);
    // Before a word, these characters start or continue it: `/name`, `fn:name`, `1.5`, `-1`.
    let is_joint = |byte: u8| b"/:.-".contains(&byte);
    let (Some(&first), second) = (right.first(), right.get(1).copied()) else { return false };
    let begins_word = is_word(first) || is_joint(first) && second.is_some_and(is_word);
    let is_sign = matches!(
        (left, first),
        (b':' | b'<', b'-') | (b'<' | b'>' | b'!', b'=') | (b'|' | b'-' | b'=', b'>') | (b'<', b'+')
    );
    is_sign || begins_word && (is_word(left) || is_joint(left))
}

/// The length of the first token of `text`: a string, an arrow, or one byte.
fn token_len(text: &[u8], first: u8) -> usize {
    match first {
        b'"' | b'\'' | b'`' => string_len(text, first),
        _ if text.starts_with(ARROW) => ARROW.len(),
        _ => 1,
    }
}

/// The length of the string at the start of `text`, including quotes.
fn string_len(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(found) = memchr::memchr2(quote, b'\\', text.get(at..).unwrap_or_default()) {
        at += found + 1;
        if text.get(at - 1) == Some(&quote) {
            return at;
        }
        // Skip the escaped character.
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
        equal(
            "p(X):-q(X),!r(X),X=-1|>do fn:f(X),let Y=2.5.",
            "p( X ) :- q(X) , ! r( X ),X = -1 |> do fn:f(X), let Y = 2.5 .",
            true,
        );
    }

    #[test]
    fn layout_between_words_does() {
        for (apart, joined) in [
            ("p(X) :- pen di(X).", "p(X) :- pendi(X)."),
            ("Decl p(X).", "Declp(X)."),
            ("p(/a /b).", "p(/a/b)."),
            ("p(1 .5).", "p(1.5)."),
            ("p(1. 5).", "p(1.5)."),
            ("p(- 1).", "p(-1)."),
            ("p(X) :- X = fn: f(1).", "p(X) :- X = fn:f(1)."),
            ("p(X) :- X = fn :f(1).", "p(X) :- X = fn:f(1)."),
            ("p(X) : - q(X).", "p(X) :- q(X)."),
            ("p(X) :- X ! = 1.", "p(X) :- X != 1."),
            ("p(é 漢).", "p(é漢)."),
            ("p(b \"a\").", "p(b\"a\")."),
            ("p(a# b\nc).", "p(ac)."),
        ] {
            equal(apart, joined, false);
        }
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
