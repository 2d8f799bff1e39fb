//! The reasons for which a text has several readings.

use crate::text::TextRange;

/// A reason for which a text can be read in several ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// A sign at the start of a line may be the marker of a list, of a quotation or of a diff.
    Marker,
    /// A comment or the end of a line is between a sign and what it applies to.
    SignApart,
    /// A comma or an operator has nothing before it or behind it.
    Missing,
    /// A full stop may be too much, or missing.
    FullStop,
    /// Premises without a head follow a statement.
    CutOff,
    /// A bracket is missing, and there are several places for it.
    Bracket,
    /// Words or values stand beside each other.
    Words,
    /// Variables of another language that differ, such as `$x` and `$X`, have the same name in this one.
    Variables,
    /// Commas and alternatives stand beside each other.
    Alternatives,
    /// A comment in the notation of another language has code in it.
    CommentedCode,
    /// Any other text that is not understood.
    Unreadable,
}

/// The doubts about a text, each with the index of its token, and those about comments with their places.
#[derive(Debug, Default)]
pub(super) struct Doubts(pub(super) Vec<(Doubt, usize)>, pub(super) Vec<TextRange>);

impl Doubts {
    pub(super) fn add(&mut self, doubt: Doubt, token: usize) {
        self.0.push((doubt, token));
    }

    pub(super) fn add_comment(&mut self, range: TextRange) {
        self.1.push(range);
    }
}
