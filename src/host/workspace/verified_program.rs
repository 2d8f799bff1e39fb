//! What is known of the properties and the rules of a program at one of its revisions.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ide::verification::AnsweredProperty;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::FileId;

/// What is known of the properties of a program, or of its rules.
#[derive(Debug, Default)]
pub(super) struct VerifiedProgram {
    pub(super) properties: Arc<[AnsweredProperty]>,
    pub(super) diagnostics: FxHashMap<FileId, Vec<Diagnostic>>,
}

impl VerifiedProgram {
    /// What is found in a file.
    pub(super) fn diagnostics(&self, file: FileId) -> Option<&[Diagnostic]> {
        self.diagnostics.get(&file).map(Vec::as_slice)
    }
}
