//! Token counts: two estimates of the reference runtime, and two real tokenizers.

use mangle_settings::Tokenizer;
use tiktoken_rs::CoreBPE;

use crate::vocabulary::{CL100K, O200K};

/// A token counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Estimator {
    /// One token for 4 bytes, rounded up. Used by the prompt compiler.
    #[default]
    Bytes4,
    /// One token for 4 characters, rounded down. Used by the compressor.
    Chars4,
    /// The tokenizer `cl100k_base` of OpenAI models.
    Cl100k,
    /// The tokenizer `o200k_base` of OpenAI models.
    O200k,
}

impl Estimator {
    /// The counter for a configured tokenizer.
    #[must_use]
    pub fn new(tokenizer: Tokenizer) -> Self {
        match tokenizer {
            Tokenizer::Bytes4 => Self::Bytes4,
            Tokenizer::Chars4 => Self::Chars4,
            Tokenizer::Cl100k => Self::Cl100k,
            Tokenizer::O200k => Self::O200k,
        }
    }

    /// The number of tokens of a text.
    #[must_use]
    pub fn count(self, text: &str) -> usize {
        match self {
            Self::Bytes4 => text.len().div_ceil(4),
            Self::Chars4 => text.chars().count() / 4,
            Self::Cl100k | Self::O200k => match self.tokenizer() {
                Some(tokenizer) => real(tokenizer, text),
                None => Self::Bytes4.count(text),
            },
        }
    }

    /// `None` for estimates, and while the vocabulary is not loaded.
    fn tokenizer(self) -> Option<&'static CoreBPE> {
        match self {
            Self::Cl100k => CL100K.tokenizer(),
            Self::O200k => O200K.tokenizer(),
            Self::Bytes4 | Self::Chars4 => None,
        }
    }

    /// True if the vocabulary is not loaded, so that [`Estimator::Bytes4`] is used.
    fn is_missing(self) -> bool {
        cfg!(target_family = "wasm")
            && matches!(self, Self::Cl100k | Self::O200k)
            && self.tokenizer().is_none()
    }

    /// The name in settings and output. If the vocabulary is missing, the name of the substitute.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            _ if self.is_missing() => Tokenizer::Bytes4.as_str(),
            Self::Bytes4 => Tokenizer::Bytes4.as_str(),
            Self::Chars4 => Tokenizer::Chars4.as_str(),
            Self::Cl100k => Tokenizer::Cl100k.as_str(),
            Self::O200k => Tokenizer::O200k.as_str(),
        }
    }
}

/// The number of bytes to count at once. The time of the tokenizer for a run of blanks is more than
/// linear.
const PIECE: usize = 4 << 10;

/// Counts in pieces. Each boundary can add one token.
fn real(tokenizer: &CoreBPE, text: &str) -> usize {
    let (mut count, mut rest) = (0, text);
    while !rest.is_empty() {
        let end =
            (0..=PIECE.min(rest.len())).rev().find(|at| rest.is_char_boundary(*at)).unwrap_or(rest.len());
        let (piece, behind) = rest.split_at(end);
        count += tokenizer.encode_ordinary(piece).len();
        rest = behind;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_round_as_the_runtime_does() {
        let counts = |text| (Estimator::Bytes4.count(text), Estimator::Chars4.count(text));
        assert_eq!(counts(""), (0, 0));
        assert_eq!(counts("abcde"), (2, 1));
        assert_eq!(counts("éééé"), (2, 1));
    }

    #[test]
    fn real_tokenizers_know_their_words() {
        assert_eq!(Estimator::Cl100k.count("hello world"), 2);
        assert_eq!(Estimator::O200k.count("hello world"), 2);
        assert_eq!(Estimator::O200k.count(""), 0);
        for text in ["fn main() { println!(\"é {}\", 12345); }\r\n\n  x", "DON'T don't  \t日本語 1234 "] {
            let expected = |tokenizer: &CoreBPE| tokenizer.encode_ordinary(text).len();
            assert_eq!(
                Estimator::Cl100k.count(text),
                expected(tiktoken_rs::cl100k_base_singleton()),
                "{text}"
            );
            assert_eq!(Estimator::O200k.count(text), expected(tiktoken_rs::o200k_base_singleton()), "{text}");
        }
        let blanks = " ".repeat(1 << 20) + &"a".repeat(1 << 20);
        assert!(Estimator::Cl100k.count(&blanks) < 1 << 20);
    }
}
