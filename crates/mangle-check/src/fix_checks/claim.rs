//! A fix that claims to be safe, and the hash that verdicts are kept under.

use std::hash::Hasher as _;

use rustc_hash::FxHasher;

use mangle_syntax::lint::FileEdit;
use mangle_syntax::text::{FileId, TextRange, TextSize};

/// A fix of a finding in a file, and where both stand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim<'f> {
    /// The file of the finding.
    pub(crate) file: FileId,
    /// What the ranges of `replaces` count from.
    pub(crate) start: TextSize,
    /// What the finding underlines, in the file.
    pub(crate) range: TextRange,
    /// What the fix says in another way ([`mangle_syntax::lint::Fix::replaces`]).
    pub(crate) replaces: &'f [TextRange],
    /// The edits, sorted.
    pub(crate) edits: &'f [FileEdit],
}

/// A number for what is hashed.
pub(super) fn hash(feed: impl FnOnce(&mut FxHasher)) -> u64 {
    let mut hasher = FxHasher::default();
    feed(&mut hasher);
    hasher.finish()
}
