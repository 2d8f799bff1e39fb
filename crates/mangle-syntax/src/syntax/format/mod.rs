//! Formatter: line breaks and blanks between the tokens of a file.
//!
//! The formatter takes a parsed file and a [`Style`], and returns [`LayoutEdit`]s, which can only
//! write line breaks and blanks. Tokens never change, and comments stay between their tokens.
//!
//! Unreadable text and text protected by a comment (`mangle-ls: format off`, `on`, `skip`) stay
//! unchanged, byte for byte. The same applies to the gaps around them.
//!
//! The result is verified before it is returned: the new text is parsed, and a statement with
//! different tokens, tree or comments is left unchanged ([`Formatting::distrusted`]).
//!
//! * `top` walks over the file.
//! * `token` lists the tokens of a statement.
//! * `spacing` sets blanks between tokens, and `layout` sets line breaks.
//! * `print` writes edits, and `align` places trailing comments.
//! * `verify` checks the result.

mod align;
pub mod directive;
mod edit;
mod layout;
mod print;
mod spacing;
#[cfg(test)]
mod tests;
mod token;
mod top;
mod verify;

pub use self::edit::LayoutEdit;
pub use self::layout::{PART_INDENT, PIPE};

use super::SourceFile;
use crate::text::{TextRange, TextSize};

/// Style options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Indentation of the premises of a rule, and of the arguments of a broken atom, in columns.
    pub indent: u32,
    /// Maximum line width, in columns. Only longer lines are broken.
    pub width: u32,
}

impl Default for Style {
    fn default() -> Self {
        Self { indent: 4, width: 100 }
    }
}

/// Result of formatting a file.
#[derive(Debug, Default)]
pub struct Formatting {
    /// The edits, sorted and without overlaps.
    pub edits: Vec<LayoutEdit>,
    /// Unreadable text, which stays unchanged.
    pub unread: Vec<TextRange>,
    /// Statements that stay unchanged because formatting them would change more than layout. In a
    /// file without syntax errors, an entry indicates a bug in the formatter. Statements next to
    /// syntax errors are not listed, because error recovery depends on the layout.
    pub distrusted: Vec<TextRange>,
}

impl Formatting {
    /// Applies the edits to `text`, which must be the formatted text.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        edit::apply(text, &self.edits)
    }
}

/// Formats a file. With `scope`, formats only the statements and comments that intersect it. A file
/// that dropped its tree is parsed again.
#[must_use]
pub fn format(source: &SourceFile, style: Style, scope: Option<TextRange>) -> Formatting {
    match source.tree() {
        Some(tree) => verify::formatted(source, tree, style, scope),
        None => {
            let parsed = SourceFile::parse(source.text().clone());
            parsed
                .tree()
                .map_or_else(|| unread(&parsed), |tree| verify::formatted(&parsed, tree, style, scope))
        }
    }
}

/// The result for a text with too many errors to be parsed.
fn unread(source: &SourceFile) -> Formatting {
    let all = TextRange::new(TextSize::new(0), TextSize::of(source.text().as_ref()));
    Formatting { unread: vec![all], ..Formatting::default() }
}
