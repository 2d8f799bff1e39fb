//! Where in a program something is declared.

use mangle_syntax::text::{FileId, StatementId, TextRange};

/// A place in a file of the program, as [`mangle_syntax::lint::Span::of`] wants it.
pub type DeclarationPlace = (FileId, StatementId, TextRange);
