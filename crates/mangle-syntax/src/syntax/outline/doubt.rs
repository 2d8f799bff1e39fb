//! Reasons for ambiguous readings of a text.

use crate::text::TextRange;

/// A reason that a text has several readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// A sign at the start of a line can be a marker of a list, a quotation or a diff.
    Marker,
    /// A comment or a line ending separates a sign and its operand.
    SignApart,
    /// A comma or an operator has no operand before or after it.
    Missing,
    /// A period can be superfluous or missing.
    FullStop,
    /// Premises without a head follow a statement.
    CutOff,
    /// A bracket is missing, and several positions are possible.
    Bracket,
    /// Words or values are adjacent.
    Words,
    /// Distinct variables of another language, such as `$x` and `$X`, have the same name in Mangle.
    Variables,
    /// Commas and alternatives are mixed.
    Alternatives,
    /// A foreign comment contains code.
    CommentedCode,
    /// Other unreadable text.
    Unreadable,
}

/// The doubts about a text, each with the index of its token, and the ranges of doubtful comments.
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
