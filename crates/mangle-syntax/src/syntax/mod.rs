//! From text to typed statements: the incremental tree-sitter parse, the total lowering to the
//! tree of [`ast`], the values of literals, and the messages about what does not parse.
//!
//! Takes the text of one file and the edits to it; gives [`SourceFile`]s. Knows nothing of other
//! files.

pub mod ast;
pub mod compare;
mod digest;
mod directives;
mod foreign;
pub mod format;
mod kind;
mod line_ends;
pub mod literal;
mod lookalikes;
mod lower;
pub mod outline;
mod recovery;
mod reparse;
pub mod rules;
mod source;
pub mod time;
mod token;

pub use digest::{digest, digest_into};
pub use directives::directive_lines;
pub use lower::MAX_NESTING;
pub use source::SourceFile;
pub use token::{Token, TokenKind};

/// The ABI of the compiled-in grammar, by which hosts of tree-sitter say what they can load.
#[must_use]
pub fn grammar_abi() -> usize {
    grammar().abi_version()
}

fn grammar() -> tree_sitter::Language {
    tree_sitter_mangle::LANGUAGE.into()
}
