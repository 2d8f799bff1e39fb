//! Sets of columns.

/// The end of a chain of tuples.
pub(super) const NONE: u32 = u32::MAX;

/// A bit set of columns. Columns from index 64 on are never part of an index.
pub type Columns = u64;
