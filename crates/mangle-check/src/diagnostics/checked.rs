//! Result of checking a program.

use std::sync::Arc;

use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::FileId;

/// Result of checking a program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckedProgram {
    /// The findings of each file, in the order of
    /// [`Program::files`](mangle_engine::program::Program::files).
    pub diagnostics: Vec<(FileId, Arc<[Diagnostic]>)>,
    /// The findings that make the engine reject the program, from
    /// [`rejections`](super::rejections).
    pub rejections: Vec<(FileId, Diagnostic)>,
}
