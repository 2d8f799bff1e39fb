//! Vocabularies of real tokenizers.
//!
//! In WebAssembly they are not part of the binary, to keep it small. The host program provides a
//! loaded vocabulary.

use std::fmt;
use std::sync::OnceLock;

#[cfg(target_family = "wasm")]
use base64::Engine as _;
#[cfg(target_family = "wasm")]
use base64::engine::general_purpose::STANDARD;
use rustc_hash::FxHashMap;
#[cfg(target_family = "wasm")]
use tiktoken_rs::Rank;
use tiktoken_rs::{CoreBPE, O200K_BASE_PAT_STR};

#[cfg(not(target_family = "wasm"))]
use crate::merges;

/// A tokenizer with a vocabulary that is loaded on demand.
pub struct Vocabulary {
    /// The regular expression that splits text into words.
    words: &'static str,
    #[cfg(not(target_family = "wasm"))]
    merges: &'static [u8],
    tokenizer: OnceLock<CoreBPE>,
}

/// The vocabulary `cl100k_base`.
pub static CL100K: Vocabulary = Vocabulary {
    words: CL100K_WORDS,
    #[cfg(not(target_family = "wasm"))]
    merges: merges::CL100K,
    tokenizer: OnceLock::new(),
};
/// The vocabulary `o200k_base`.
pub static O200K: Vocabulary = Vocabulary {
    words: O200K_BASE_PAT_STR,
    #[cfg(not(target_family = "wasm"))]
    merges: merges::O200K,
    tokenizer: OnceLock::new(),
};

/// The regular expression of `cl100k_base` that splits text into words.
const CL100K_WORDS: &str = concat!(
    r"'(?i:[sdmt]|ll|ve|re)",
    r"|[^\r\n\p{L}\p{N}]?+\p{L}++",
    r"|\p{N}{1,3}+",
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+",
    r"|\s++$",
    r"|\s*[\r\n]",
    r"|\s+(?!\S)",
    r"|\s",
);

impl fmt::Debug for Vocabulary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Vocabulary({})",
            if self.tokenizer.get().is_some() { "provided" } else { "missing" }
        )
    }
}

impl Vocabulary {
    /// Sets the vocabulary from lines with a base64-encoded token and its rank. Returns false if
    /// the format is invalid or a vocabulary is already set.
    #[cfg(target_family = "wasm")]
    pub fn provide(&self, lines: &str) -> bool {
        let mut ranks: FxHashMap<Vec<u8>, Rank> = FxHashMap::default();
        for line in lines.lines() {
            let Some((token, rank)) = line.split_once(' ') else { return false };
            let (Ok(token), Ok(rank)) = (STANDARD.decode(token), rank.parse()) else { return false };
            ranks.insert(token, rank);
        }
        match CoreBPE::new(ranks, FxHashMap::default(), self.words) {
            Ok(tokenizer) => self.tokenizer.set(tokenizer).is_ok(),
            Err(_) => false,
        }
    }

    /// The tokenizer, if its vocabulary is loaded.
    #[cfg(target_family = "wasm")]
    pub(crate) fn tokenizer(&self) -> Option<&CoreBPE> {
        self.tokenizer.get()
    }

    /// The tokenizer. Loads its vocabulary at the first call.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn tokenizer(&self) -> Option<&CoreBPE> {
        let load = || {
            let tokenizer = CoreBPE::new(merges::ranks(self.merges), FxHashMap::default(), self.words);
            tokenizer.expect("the expressions are constants")
        };
        Some(self.tokenizer.get_or_init(load))
    }
}
