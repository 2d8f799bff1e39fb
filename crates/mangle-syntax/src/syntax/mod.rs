//! Parser: incremental tree-sitter parsing, total lowering to the tree of [`ast`], values of
//! literals, and findings about syntax errors.
//!
//! The parser takes the text of one file and its edits, and returns [`SourceFile`]s. It does not
//! depend on other files.

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

/// The ABI version of the compiled-in grammar, which hosts of tree-sitter check for compatibility.
#[must_use]
pub fn grammar_abi() -> usize {
    grammar().abi_version()
}

fn grammar() -> tree_sitter::Language {
    tree_sitter_mangle::LANGUAGE.into()
}
