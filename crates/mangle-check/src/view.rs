//! Interface between editor features and a program.

use mangle_engine::program::Program;
use mangle_engine::types::ProgramTypes;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{EmbeddedKind, FileId};

/// Access to a program at one revision. Expensive results are computed on demand and cached.
pub trait Analysis {
    /// The joined program.
    fn program(&self) -> &Program;

    /// The inferred types of the program.
    fn types(&self) -> &ProgramTypes;

    /// A parsed file of the program. Offsets are relative to its text, which is a file or a part of
    /// one.
    fn source(&self, file: FileId) -> Option<&SourceFile>;

    /// The kind of text in a file.
    fn kind(&self, _file: FileId) -> EmbeddedKind {
        EmbeddedKind::File
    }
}
