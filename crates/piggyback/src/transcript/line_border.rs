//! What a line means for the record around it.

/// What a line means for the record around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Border {
    /// Nothing.
    Within,
    /// A record begins with it.
    Begin,
    /// A record ends with it.
    End,
}
