//! Tokenizer vocabularies as merges: each token is a pair of two earlier tokens.
//!
//! A file starts with the bytes of the first 256 tokens. Two columns follow: the ranks of the left
//! and right halves of all other tokens, with the high bytes first. This format needs a third of
//! the space of plain token text.

use rustc_hash::FxHashMap;
use tiktoken_rs::Rank;

pub(crate) const CL100K: &[u8] = include_bytes!("../vocabularies/cl100k_base.merges");
pub(crate) const O200K: &[u8] = include_bytes!("../vocabularies/o200k_base.merges");

/// The number of single-byte tokens, which come first.
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
    use std::path::Path;

    use tiktoken_rs::CoreBPE;

    use super::*;

    /// The vocabularies of the library are too large for the executable. `UPDATE_EXPECT=1`
    /// regenerates the merge files.
    #[test]
    fn merges_are_the_vocabularies_of_the_library() {
        for (name, committed, tokenizer) in [
            ("cl100k_base", CL100K, tiktoken_rs::cl100k_base_singleton()),
            ("o200k_base", O200K, tiktoken_rs::o200k_base_singleton()),
        ] {
            let tokens = tokens(tokenizer);
            assert!(tokens.len() > 100_000);
            let merges = merges(&tokens);
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vocabularies");
                std::fs::write(folder.join(format!("{name}.merges")), &merges).unwrap();
            } else {
                assert!(merges == committed, "{name} differs: run the test with UPDATE_EXPECT=1");
            }
            let ranks = ranks(&merges);
            assert_eq!(ranks.len(), tokens.len());
            for (rank, token) in (0..).zip(&tokens) {
                assert_eq!(ranks.get(token), Some(&rank));
            }
        }
    }

    /// All tokens except the special ones, by rank.
    fn tokens(tokenizer: &CoreBPE) -> Vec<Vec<u8>> {
        (0..).map_while(|rank| tokenizer.decode_bytes(&[rank]).ok()).collect()
    }

    fn merges(tokens: &[Vec<u8>]) -> Vec<u8> {
        let ranks: FxHashMap<&[u8], usize> =
            tokens.iter().enumerate().map(|(rank, token)| (&**token, rank)).collect();
        let (single, merged) = tokens.split_at(BYTES);
        let mut out = single.concat();
        assert_eq!(out.len(), BYTES, "the first tokens are one byte each");
        let (left, right): (Vec<usize>, Vec<usize>) = merged
            .iter()
            .zip(BYTES..)
            .map(|(token, rank)| halves(&ranks, token, rank).expect("a token consists of two earlier ones"))
            .unzip();
        for column in [left, right] {
            for shift in [16, 8, 0] {
                out.extend(column.iter().map(|rank| (rank >> shift & 0xff) as u8));
            }
        }
        out
    }

    /// The split with the smallest possible larger rank. These splits make the columns most
    /// repetitive.
    fn halves(ranks: &FxHashMap<&[u8], usize>, token: &[u8], rank: usize) -> Option<(usize, usize)> {
        let split = |at: usize| Some((*ranks.get(&token[..at])?, *ranks.get(&token[at..])?));
        let splits = (1..token.len()).filter_map(split).filter(|(left, right)| left.max(right) < &rank);
        splits.min_by_key(|(left, right)| *left.max(right))
    }
}
