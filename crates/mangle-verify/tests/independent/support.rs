//! Programs from texts and random numbers, for the evaluator that this test shares with `tests/all`.

use std::sync::Arc;

use mangle_engine::program::{FileSummary, Program};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

/// The program of some texts. Files are numbered from zero.
pub fn program(texts: &[impl AsRef<str>]) -> Program {
    let summary = |(text, id): (&_, u32)| {
        let text: &str = AsRef::as_ref(text);
        Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.into())))
    };
    Program::new(texts.iter().zip(0..).map(summary).collect())
}

/// A deterministic sequence of numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, or zero.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}
