//! The hash by which texts are remembered.

use std::hash::{Hash, Hasher as _};

use rustc_hash::FxHasher;

/// A number that is the same for equal values.
pub(super) fn hash(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}
