//! The workspace at one revision: immutable, cheap to share, complete. Every question is answered
//! from one of these.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::file::SnapshotFile;
use crate::config::{FormatSettings, RuleSettings};
use crate::host::FileTable;
use crate::ide::Analysis;
use crate::ide::diagnostics::{FindingCache, diagnostics_unless, once};
use crate::lint::Diagnostic;
use crate::program::{Embedding, Program};
use crate::syntax::SourceFile;
use crate::text::{Cancel, FileId};
use crate::types::ProgramTypes;

/// A program as it was at some revision; shared by all revisions in which it is the same.
#[derive(Debug)]
pub struct SnapshotProgram {
    /// What it is called in output.
    pub name: Arc<str>,
    /// Its files, in the order of their ids.
    pub files: Vec<Arc<SnapshotFile>>,
    /// The files whose diagnostics are shown from here.
    pub(super) reported: Arc<[FileId]>,
    pub(super) rules: Arc<RuleSettings>,
    format: FormatSettings,
    pub(super) embedding: Arc<Embedding>,
    pub(super) cache: Arc<FindingCache>,
    program: OnceLock<Arc<Program>>,
    types: OnceLock<ProgramTypes>,
    diagnostics: OnceLock<FxHashMap<FileId, Arc<[Diagnostic]>>>,
}

impl SnapshotProgram {
    pub(super) fn new(
        name: Arc<str>,
        files: Vec<Arc<SnapshotFile>>,
        reported: Arc<[FileId]>,
        rules: Arc<RuleSettings>,
        format: FormatSettings,
        embedding: Arc<Embedding>,
        cache: Arc<FindingCache>,
    ) -> Self {
        let (program, types, diagnostics) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { name, files, reported, rules, format, embedding, cache, program, types, diagnostics }
    }

    /// The joined program.
    pub fn program(&self) -> &Arc<Program> {
        self.program.get_or_init(|| {
            let files = self.files.iter().map(|file| Arc::clone(file.summary())).collect();
            Arc::new(Program::embedded(files, Arc::clone(&self.embedding)))
        })
    }

    /// Computes the diagnostics of all files, unless somebody has already. Does nothing when
    /// `cancel` is raised meanwhile.
    pub fn diagnose(&self, cancel: &Cancel) {
        if self.is_diagnosed() || cancel.is_cancelled() {
            return;
        }
        let found = diagnostics_unless(cancel, self.program(), self.types(), &self.rules, &self.cache);
        if let Some(found) = found {
            let found = found.into_iter().map(|(file, found)| (file, found.into())).collect();
            // Somebody else may have been faster; then both found the same.
            let _ = self.diagnostics.set(found);
        }
    }

    /// Whether [`SnapshotProgram::diagnose`] has been through.
    #[must_use]
    pub fn is_diagnosed(&self) -> bool {
        self.diagnostics.get().is_some()
    }

    /// The diagnostics of a file that is reported from here; empty before
    /// [`SnapshotProgram::diagnose`].
    #[must_use]
    pub fn diagnostics(&self, file: FileId) -> &[Diagnostic] {
        self.diagnostics.get().and_then(|found| found.get(&file)).map_or(&[], |found| found)
    }

    /// Whether diagnostics of `file` are shown from here.
    #[must_use]
    pub fn reports(&self, file: FileId) -> bool {
        self.reported.binary_search(&file).is_ok()
    }
}

impl Analysis for SnapshotProgram {
    fn program(&self) -> &Program {
        self.program()
    }

    fn types(&self) -> &ProgramTypes {
        self.types.get_or_init(|| self.cache.types(self.program()))
    }

    fn source(&self, file: FileId) -> Option<&SourceFile> {
        let at = self.files.binary_search_by_key(&file, |file| file.id).ok()?;
        self.files.get(at).map(|file| file.source())
    }
}

/// The whole workspace.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Counts changes of any kind: an edit, a file event, a configuration.
    pub revision: u64,
    /// The programs.
    pub programs: Vec<Arc<SnapshotProgram>>,
    files: FxHashMap<FileId, Arc<SnapshotFile>>,
    /// What is wrong with the configuration files, and with files that could not be read.
    others: FxHashMap<FileId, Arc<[Diagnostic]>>,
    table: Arc<FileTable>,
}

impl Snapshot {
    pub(super) fn new(
        revision: u64,
        programs: Vec<Arc<SnapshotProgram>>,
        files: FxHashMap<FileId, Arc<SnapshotFile>>,
        others: FxHashMap<FileId, Arc<[Diagnostic]>>,
        table: Arc<FileTable>,
    ) -> Self {
        Self { revision, programs, files, others, table }
    }

    /// The id of a path.
    #[must_use]
    pub fn id(&self, path: &Path) -> Option<FileId> {
        self.table.known(path)
    }

    /// A file.
    #[must_use]
    pub fn file(&self, id: FileId) -> Option<&Arc<SnapshotFile>> {
        self.files.get(&id)
    }

    /// All files, in no particular order.
    pub fn files(&self) -> impl Iterator<Item = &Arc<SnapshotFile>> {
        self.files.values()
    }

    /// Whether a file is in no program: a configuration file, or one that could not be read.
    #[must_use]
    pub fn is_apart(&self, file: FileId) -> bool {
        self.others.contains_key(&file)
    }

    /// The files whose diagnostics are shown, also those apart; each once, sorted.
    #[must_use]
    pub fn reported(&self) -> Vec<FileId> {
        let programs = self.programs.iter().flat_map(|program| program.reported.iter());
        let mut files: Vec<_> = programs.chain(self.others.keys()).copied().collect();
        files.retain(|file| self.files.contains_key(file));
        files.sort_unstable();
        files.dedup();
        files
    }

    /// The programs that show diagnostics of a file: one, unless a configuration puts the file
    /// into several.
    pub fn programs_of(&self, file: FileId) -> impl Iterator<Item = &Arc<SnapshotProgram>> {
        self.programs.iter().filter(move |program| program.reports(file))
    }

    /// The programs that a file is part of.
    pub fn programs_with(&self, file: FileId) -> impl Iterator<Item = &Arc<SnapshotProgram>> {
        self.programs
            .iter()
            .filter(move |program| program.files.binary_search_by_key(&file, |member| member.id).is_ok())
    }

    /// How a file is laid out.
    #[must_use]
    pub fn format(&self, file: FileId) -> FormatSettings {
        self.programs_of(file).next().map(|program| program.format).unwrap_or_default()
    }

    /// The diagnostics of a file, sorted by start, each once. The programs of the file must have
    /// been diagnosed.
    #[must_use]
    pub fn diagnostics(&self, file: FileId) -> Vec<&Diagnostic> {
        if let Some(found) = self.others.get(&file) {
            return found.iter().collect();
        }
        let lists = self.programs_of(file).map(|program| program.diagnostics(file));
        let mut found = once(&lists.collect::<Vec<_>>());
        found.sort_by_key(|diagnostic| (diagnostic.range.start(), diagnostic.range.end()));
        found
    }
}
