//! The result of a check of a program.

use std::sync::Arc;

use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::FileId;

/// The result of a check of a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckedProgram {
    /// The findings of each file, in the order of [`Program::files`](mangle_engine::program::Program::files).
    pub diagnostics: Vec<(FileId, Arc<[Diagnostic]>)>,
    /// The findings because of which the engine rejects the program, as [`rejections`](super::rejections) gives them.
    pub rejections: Vec<(FileId, Diagnostic)>,
}
