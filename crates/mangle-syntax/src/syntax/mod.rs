//! Parser: incremental tree-sitter parsing, total lowering to the tree of [`ast`], values of
//! literals, and findings about syntax errors.
//!
//! The parser takes the text of one file and its edits, and returns [`SourceFile`]s. It does not
//! depend on other files. This file has the basics that all parts share: the kinds of tree nodes, the
//! signs that other characters resemble, and the digest of a statement.

pub mod ast;
pub mod compare;
mod foreign;
pub mod format;
mod lines;
pub mod literal;
mod lower;
pub mod outline;
mod recovery;
pub mod rules;
mod source;
pub mod time;
mod token;

pub use lines::directive_lines;
pub use lower::MAX_NESTING;
pub use source::SourceFile;
pub use token::{Token, TokenKind};

use std::hash::Hasher;
use std::sync::LazyLock;

use rustc_hash::FxHasher;
use tree_sitter::Node;

/// The ABI version of the compiled-in grammar, which hosts of tree-sitter check for compatibility.
#[must_use]
pub fn grammar_abi() -> usize {
    grammar().abi_version()
}

fn grammar() -> tree_sitter::Language {
    tree_sitter_mangle::LANGUAGE.into()
}

// Kinds are an enum, so that the lowering compares integers instead of strings.
macro_rules! kinds {
    ($($variant:ident = $name:literal),* $(,)?) => {
        /// The kind of a tree node. Nodes without a use in the lowering (mostly punctuation) are
        /// [`SyntaxKind::Token`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum SyntaxKind {
            $(#[doc = $name] $variant,)*
            /// Any other node.
            Token,
            /// An `ERROR` node of tree-sitter.
            Error,
        }

        const NAMES: &[(&str, SyntaxKind)] = &[$(($name, SyntaxKind::$variant),)*];
    };
}

kinds! {
    Package = "package", Use = "use", Declaration = "declaration", Clause = "clause", Query = "query",
    Temporal = "temporal", Descriptors = "descriptors", Bound = "bound", Inclusion = "inclusion",
    UnknownPart = "unknown_part", AtomList = "atom_list",
    Body = "body", Negation = "negation", TemporalPremise = "temporal_premise",
    TemporalOperator = "temporal_operator", Annotation = "annotation", Comparison = "comparison",
    Disjunction = "disjunction", BareTerm = "bare_term", WrongArrow = "wrong_arrow",
    Transform = "transform", Do = "do", Let = "let",
    Atom = "atom", BareAtom = "bare_atom", UnopenedAtom = "unopened_atom", BareName = "bare_name",
    BareMode = "bare_mode", TypedArgument = "typed_argument", Arithmetic = "arithmetic",
    List = "list", Map = "map", Struct = "struct", Pair = "pair", DotType = "dot_type",
    OptionalField = "optional_field",
    Identifier = "identifier", Variable = "variable", TypeName = "type_name", Constant = "constant",
    Number = "number", Float = "float", String = "string", Bytes = "bytes", Timestamp = "timestamp",
    Duration = "duration", Now = "now", Comment = "comment", ForeignComment = "foreign_comment",
    MissingDot = "missing_dot", MissingComma = "missing_comma", MissingParen = "missing_rparen",
    MissingBracket = "missing_rbracket", MissingBrace = "missing_rbrace",
    MissingAngle = "missing_rangle", DoubleComma = "double_comma",
    MissingQuote = "missing_quote", StrayParen = "stray_rparen",
    Comma = ",", Dot = ".", Bar = "|", Arrow = ":-", LongArrow = "⟸", Bang = "!",
}

static TABLE: LazyLock<Vec<SyntaxKind>> = LazyLock::new(|| {
    let language = grammar();
    let kinds = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
    let kind_of = |id| {
        let name = language.node_kind_for_id(id).unwrap_or("");
        // `do` is both a node and the keyword in it. Only the node has a kind.
        let is_word = name.starts_with(|c: char| c.is_ascii_alphabetic());
        if is_word && !language.node_kind_is_named(id) {
            return SyntaxKind::Token;
        }
        NAMES.iter().find(|(known, _)| *known == name).map_or(SyntaxKind::Token, |(_, kind)| *kind)
    };
    (0..kinds).map(kind_of).collect()
});

fn kind_of(node: Node<'_>) -> SyntaxKind {
    match node.kind_id() {
        u16::MAX => SyntaxKind::Error,
        id => TABLE.get(usize::from(id)).copied().unwrap_or(SyntaxKind::Token),
    }
}

/// The sign that a character resembles. Empty for invisible characters.
fn plain_sign(c: char) -> Option<&'static str> {
    let full_width = || {
        let ascii = u8::try_from(u32::from(c).checked_sub(0xfee0)?).ok()?;
        let at = PUNCTUATION.bytes().position(|sign| sign == ascii)?;
        PUNCTUATION.get(at..=at)
    };
    if c.is_ascii() {
        return (c == '\u{b}').then_some(" ");
    }
    SIGNS.iter().find(|(signs, _)| signs.contains(c)).map(|(_, plain)| *plain).or_else(full_width)
}

/// The signs with a full-width form, at code point + 0xFEE0.
const PUNCTUATION: &str = "!\"#%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/// Characters with the sign that they resemble.
const SIGNS: &[(&str, &str)] = &[
    ("\u{201c}\u{201d}\u{201e}\u{201f}\u{2033}", "\""),
    ("\u{2018}\u{2019}\u{201b}\u{2032}", "'"),
    ("\u{3001}\u{201a}", ","),
    ("\u{3002}", "."),
    ("\u{a789}\u{2236}", ":"),
    ("\u{2215}\u{2044}", "/"),
    ("\u{2223}", "|"),
    ("\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}\u{fe58}\u{fe63}", "-"),
    (
        "\u{a0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\u{2007}\u{2008}\u{2009}\u{200a}\
         \u{202f}\u{205f}\u{3000}\u{2028}\u{2029}\u{85}",
        " ",
    ),
    ("\u{ad}\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{2060}\u{feff}", ""),
];

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
