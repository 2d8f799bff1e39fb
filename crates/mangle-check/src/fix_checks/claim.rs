//! A fix that claims to be safe, and the hash for caching verdicts.

use std::hash::Hasher as _;

use rustc_hash::FxHasher;

use mangle_syntax::lint::FileEdit;
use mangle_syntax::text::{FileId, TextRange, TextSize};

/// A fix of a finding, with file positions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim<'f> {
    /// The file of the finding.
    pub(crate) file: FileId,
    /// The base offset of the ranges in `replaces`.
    pub(crate) start: TextSize,
    /// The range of the finding in the file.
    pub(crate) range: TextRange,
    /// The ranges that the fix rewrites with the same meaning
    /// ([`mangle_syntax::lint::Fix::replaces`]).
    pub(crate) replaces: &'f [TextRange],
    /// The edits, sorted.
    pub(crate) edits: &'f [FileEdit],
}

/// Computes the hash of the input that `feed` writes.
pub(super) fn hash(feed: impl FnOnce(&mut FxHasher)) -> u64 {
    let mut hasher = FxHasher::default();
    feed(&mut hasher);
    hasher.finish()
}
