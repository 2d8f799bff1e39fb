//! Runtime-loaded vocabularies of real tokenizers for WebAssembly.
//!
//! There they are not part of the binary, to keep it small. The host program provides a loaded
//! vocabulary.

use std::fmt;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustc_hash::FxHashMap;
use tiktoken_rs::{CoreBPE, O200K_BASE_PAT_STR, Rank};

use crate::tokens::CL100K_WORDS;

/// A tokenizer with a vocabulary that is loaded at run time.
pub struct Vocabulary {
    words: &'static str,
    tokenizer: OnceLock<CoreBPE>,
}

/// The vocabulary `cl100k_base`.
pub static CL100K: Vocabulary = Vocabulary { words: CL100K_WORDS, tokenizer: OnceLock::new() };
/// The vocabulary `o200k_base`.
pub static O200K: Vocabulary = Vocabulary { words: O200K_BASE_PAT_STR, tokenizer: OnceLock::new() };

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
    pub(crate) fn tokenizer(&self) -> Option<&CoreBPE> {
        self.tokenizer.get()
    }
}
