//! Sets of columns.

/// No tuple: the end of a chain.
pub(super) const NONE: u32 = u32::MAX;

/// A set of columns, bit by bit. Columns from the 64th on are never part of an index.
pub type Columns = u64;
