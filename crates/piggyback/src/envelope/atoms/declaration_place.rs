//! The location of a declaration in a program.

use mangle_syntax::text::{FileId, StatementId, TextRange};

/// A location in a file of the program, in the format of [`mangle_syntax::lint::Span::new`].
pub type DeclarationPlace = (FileId, StatementId, TextRange);
