//! The formatter: where line ends and blanks belong between the tokens of a file.
//!
//! Takes a parsed file and a [`Style`]; gives [`LayoutEdit`]s, which can write nothing but line ends and blanks, so that no
//! token is ever changed. Comments stay between the tokens that they stand between. What could not be read, what a
//! comment protects (`mangle-ls: format off`, `on`, `skip`) and what lies between such text and its neighbours stays
//! as it is, byte for byte.
//!
//! Nothing is given before it was checked: the new text is parsed, and a statement whose tokens, tree or comments
//! would not be the same is left alone ([`Formatting::distrusted`]).
//!
//! How it works: `top` goes over the file; `token` lists the tokens of a statement, `spacing` says which have a
//! blank before them on one line, `layout` where lines end, `print` writes what differs, `align` places comments
//! behind code, `verify` checks.

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

/// What can be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// How many columns the premises of a rule are indented, and the arguments of an atom that is broken.
    pub indent: u32,
    /// Lines are broken only beyond this many columns.
    pub width: u32,
}

impl Default for Style {
    fn default() -> Self {
        Self { indent: 4, width: 100 }
    }
}

/// What formatting a file comes to.
#[derive(Debug, Default)]
pub struct Formatting {
    /// The changes: sorted, none touches another.
    pub edits: Vec<LayoutEdit>,
    /// What stayed as it is because it cannot be read.
    pub unread: Vec<TextRange>,
    /// Statements of a file without damage that stayed as they are because formatting them would have changed more than
    /// layout. There are none, unless there is a bug. Beside damage such a statement is not among them: where the parser
    /// goes on there depends on the layout.
    pub distrusted: Vec<TextRange>,
}

impl Formatting {
    /// `text`, which must be the text that was formatted, with the changes.
    #[must_use]
    pub fn apply(&self, text: &str) -> String {
        edit::apply(text, &self.edits)
    }
}

/// Formats a file; with `scope`, only the statements and comments that it touches. A file that dropped its tree is
/// parsed anew.
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

/// A text too damaged to be parsed.
fn unread(source: &SourceFile) -> Formatting {
    let all = TextRange::new(TextSize::new(0), TextSize::of(source.text().as_ref()));
    Formatting { unread: vec![all], ..Formatting::default() }
}
