//! Verification results of a program at one revision.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use mangle_ide::verification::AnsweredProperty;
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::FileId;

#[derive(Debug, Default)]
pub(super) struct VerifiedProgram {
    pub(super) properties: Arc<[AnsweredProperty]>,
    pub(super) diagnostics: FxHashMap<FileId, Vec<Diagnostic>>,
}

impl VerifiedProgram {
    pub(super) fn diagnostics(&self, file: FileId) -> Option<&[Diagnostic]> {
        self.diagnostics.get(&file).map(Vec::as_slice)
    }
}
