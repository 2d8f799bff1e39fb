//! Role of a line as a boundary between records.

/// Role of a line as a boundary between records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Border {
    /// Not a boundary.
    Within,
    /// First line of a record.
    Begin,
    /// Last line of a record.
    End,
}
