//! What the second evaluator (`tests/all/naive`) takes from its surroundings: numbers, which here come from the input, and
//! programs.
#![allow(unreachable_pub, missing_docs)]

use std::sync::Arc;

use mangle_engine::program::{FileSummary, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

/// Numbers made of bytes, one byte each as long as there are some; then numbers that only look random, so that
/// generators that try again come to an end.
pub struct Random {
    bytes: Vec<u8>,
    at: usize,
    state: u64,
}

impl Random {
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let state =
            bytes.iter().fold(1, |hash: u64, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
        Self { bytes: bytes.to_vec(), at: 0, state }
    }

    pub fn seeded(seed: u64) -> Self {
        Self::from_bytes(&seed.to_le_bytes())
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound.max(1);
        if let Some(byte) = self.bytes.get(self.at) {
            self.at += 1;
            return usize::from(*byte) % bound;
        }
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.state >> 33).unwrap_or(0) % bound
    }
}

/// The program of these texts; ids are 0, 1, … in order.
pub fn program(texts: &[impl AsRef<str>]) -> Program {
    let files = texts.iter().zip(0..).map(|(text, id)| {
        let source = SourceFile::parse(text.as_ref().into());
        Arc::new(FileSummary::new(FileId(id), &source))
    });
    Program::new(files.collect())
}
