//! What a feature sees of a program.

use mangle_engine::program::Program;
use mangle_engine::types::ProgramTypes;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{EmbeddedKind, FileId};

/// A program at one revision, as features see it. What is costly is made when first asked for, and
/// kept.
pub trait Analysis {
    /// The joined program.
    fn program(&self) -> &Program;

    /// What its relations hold.
    fn types(&self) -> &ProgramTypes;

    /// A file of it as it was parsed. Offsets count in this text, be it a file or a part of one.
    fn source(&self, file: FileId) -> Option<&SourceFile>;

    /// What kind of text a file is.
    fn kind(&self, _file: FileId) -> EmbeddedKind {
        EmbeddedKind::File
    }
}
