//! Vocabularies of tokenizers as the build script writes them: each token as the two earlier ones that it consists of.

use rustc_hash::FxHashMap;
use tiktoken_rs::Rank;

/// `cl100k_base`.
pub(crate) const CL100K: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cl100k"));
/// `o200k_base`.
pub(crate) const O200K: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k"));

/// How many tokens are one byte; they come first.
const BYTES: usize = 256;

/// The rank of each token of a vocabulary.
pub(crate) fn ranks(merges: &[u8]) -> FxHashMap<Vec<u8>, Rank> {
    let (single, columns) = merges.split_at_checked(BYTES).unwrap_or((merges, &[]));
    let count = columns.len() / 6;
    let number = |half: usize, at: usize| {
        (0..3).fold(0, |number: usize, byte| {
            let byte = columns.get((half * 3 + byte) * count + at).copied().unwrap_or_default();
            number << 8 | usize::from(byte)
        })
    };
    let mut tokens: Vec<Vec<u8>> = single.iter().map(|byte| vec![*byte]).collect();
    tokens.reserve(count);
    for at in 0..count {
        let half = |half| tokens.get(number(half, at)).map(Vec::as_slice).unwrap_or_default();
        let token = [half(0), half(1)].concat();
        tokens.push(token);
    }
    tokens.into_iter().zip(0..).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens are those of the library, whose singletons are too large to be part of the program.
    #[test]
    fn merges_are_the_vocabularies() {
        for (merges, tokenizer) in
            [(CL100K, tiktoken_rs::cl100k_base_singleton()), (O200K, tiktoken_rs::o200k_base_singleton())]
        {
            let ranks = ranks(merges);
            assert!(ranks.len() > 100_000);
            for (token, rank) in &ranks {
                assert_eq!(tokenizer.decode_bytes(&[*rank]).ok().as_ref(), Some(token));
            }
            let behind = Rank::try_from(ranks.len()).unwrap_or_default();
            assert!(tokenizer.decode_bytes(&[behind]).is_err(), "no rank is missing");
        }
    }
}
