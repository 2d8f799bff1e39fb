//! A program as the features of the editor see it.

#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used)]

use std::sync::{Arc, OnceLock};

use mangle_engine::program::{FileSummary, Program};
use mangle_engine::types::{ProgramTypes, TypeCache};
use mangle_ide::Analysis;
use mangle_syntax::lint::FileEdit;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{FileId, apply};

/// A program with its sources; files have the ids 0, 1, … in order.
pub struct World {
    pub sources: Vec<SourceFile>,
    pub program: Program,
    types: OnceLock<ProgramTypes>,
}

impl World {
    pub fn new(texts: &[Arc<str>]) -> Self {
        Self::of(texts.iter().map(|text| SourceFile::parse(Arc::clone(text))).collect(), &[])
    }

    /// Files that are the same as before keep their summary.
    pub fn of(sources: Vec<SourceFile>, before: &[Arc<FileSummary>]) -> Self {
        let files = sources.iter().zip(0..).map(|(source, id)| {
            let known = before.get(id as usize).filter(|file| Arc::ptr_eq(&file.items, source.items()));
            known.cloned().unwrap_or_else(|| Arc::new(FileSummary::new(FileId(id), source)))
        });
        let program = Program::new(files.collect());
        Self { sources, program, types: OnceLock::new() }
    }

    /// The program after sorted edits.
    pub fn after(&self, edits: &[FileEdit]) -> Self {
        let mut sources = self.sources.clone();
        for edits in edits.chunk_by(|one, other| one.file == other.file) {
            let source = &mut sources[edits[0].file.0 as usize];
            let changes = edits.iter().map(|edit| (edit.range, edit.text.as_str()));
            *source = SourceFile::parse(apply(source.text(), changes).unwrap().into());
        }
        Self::of(sources, &self.program.files)
    }
}

impl Analysis for World {
    fn program(&self) -> &Program {
        &self.program
    }

    fn types(&self) -> &ProgramTypes {
        self.types.get_or_init(|| ProgramTypes::new(&self.program, &mut TypeCache::default()))
    }

    fn source(&self, file: FileId) -> Option<&SourceFile> {
        self.sources.get(file.0 as usize)
    }
}
