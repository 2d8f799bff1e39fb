//! From text to typed statements: the incremental tree-sitter parse, the total lowering to the
//! tree of [`ast`], the values of literals, and the messages about what does not parse.
//!
//! Takes the text of one file and the edits to it; gives [`SourceFile`]s. Knows nothing of other
//! files.

pub mod ast;
pub mod literal;
mod source;

pub use source::SourceFile;
