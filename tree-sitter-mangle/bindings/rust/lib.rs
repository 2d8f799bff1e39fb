//! The Mangle grammar for [tree-sitter](https://tree-sitter.github.io).
//!
//! [`LANGUAGE`] is all that a parser needs; the queries are for editors. The README says what a reader
//! of the tree must know: which nodes stand for mistakes, and that `has_error` does not tell of them.

use tree_sitter_language::LanguageFn;

#[allow(unsafe_code)]
mod ffi {
    unsafe extern "C" {
        pub(super) fn tree_sitter_mangle() -> *const ();
    }
}

/// The grammar, for `tree_sitter::Parser::set_language(&LANGUAGE.into())`.
#[allow(unsafe_code)]
// SAFETY: the generated function takes nothing and returns a pointer to a static table.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(ffi::tree_sitter_mangle) };

/// The content of `node-types.json`: every node kind with its fields and children.
pub const NODE_TYPES: &str = include_str!("../../src/node-types.json");

/// The query `highlights.scm`: colours.
pub const HIGHLIGHTS_QUERY: &str = include_str!("../../queries/highlights.scm");

/// The query `locals.scm`: scopes of variables.
pub const LOCALS_QUERY: &str = include_str!("../../queries/locals.scm");

/// The query `injections.scm`: other languages inside.
pub const INJECTIONS_QUERY: &str = include_str!("../../queries/injections.scm");

/// The query `folds.scm`: what folds.
pub const FOLDS_QUERY: &str = include_str!("../../queries/folds.scm");

/// The query `indents.scm`: indentation.
pub const INDENTS_QUERY: &str = include_str!("../../queries/indents.scm");

/// The query `tags.scm`: definitions and references.
pub const TAGS_QUERY: &str = include_str!("../../queries/tags.scm");

/// The query `textobjects.scm`: what a motion selects.
pub const TEXTOBJECTS_QUERY: &str = include_str!("../../queries/textobjects.scm");
