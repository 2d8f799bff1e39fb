//! Hash function for remembered texts.

use std::hash::{Hash, Hasher as _};

use rustc_hash::FxHasher;

/// Returns a hash that is the same for equal values.
pub(super) fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
