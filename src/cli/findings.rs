//! One check: from what is to be checked to findings that are ready to be written.

use std::path::Path;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Outcome;
use super::progress::Progress;
use crate::host::{
    self, Checked, FileTable, Manner, Memory, Overlay, Problem, ProgramFiles, Resolution, Target,
};
use crate::program::FileSummary;
use crate::report::{self, Entry, SourceText, Sources, Summary};
use crate::text::FileId;

/// What is to be checked, and how.
pub(super) struct Request<'a> {
    /// The files and folders.
    pub(super) targets: &'a [Target],
    /// Documents that count instead of what is on disk.
    pub(super) overlay: &'a Overlay,
    /// What is known from the last time.
    pub(super) memory: &'a Memory,
    /// The folder that names of files are relative to.
    pub(super) working: &'a Path,
    /// How.
    pub(super) manner: Manner,
}

/// What was found.
pub(super) struct Findings {
    /// The findings, in the order of all output.
    pub(super) entries: Vec<Entry>,
    /// The files that they point into.
    pub(super) sources: Sources,
    /// The files whose findings were wanted, sorted by name.
    pub(super) files: Vec<FileId>,
    /// What could not be checked although it was named.
    pub(super) failures: Vec<Problem>,
    /// How many findings of a baseline are no longer there.
    pub(super) stale: usize,
    clauses: usize,
}

impl Findings {
    /// Checks the programs of `resolution`.
    pub(super) fn gather(request: &Request<'_>, resolution: &mut Resolution) -> Self {
        let table = request.memory.table();
        let progress = Progress::new("reading", resolution.files().len());
        let (files, problems) =
            host::load(resolution, request.targets, request.overlay, request.memory, || progress.step());
        drop(progress);
        resolution.problems.extend(problems);
        let progress = Progress::new("checking", resolution.programs.len());
        let mut checked = host::check(resolution, &files, request.memory, request.manner, || progress.step());
        let (failures, met): (Vec<_>, Vec<_>) =
            resolution.problems.iter().cloned().partition(|problem| problem.named);
        checked.add_unreadable(&met, &resolution.projects, table, request.manner.fail_on);
        let sources = sources(resolution, &files, &checked, table, request.working);
        let mut entries = checked.entries;
        report::sort(&mut entries, &sources);
        let reported = reported(resolution);
        let summaries = files.values().filter(|file| reported.contains(&file.id));
        let clauses = summaries.clone().flat_map(|file| file.items.iter());
        let clauses = clauses.filter(|item| item.statement.clause().is_some()).count();
        let mut files: Vec<_> = summaries.map(|file| file.id).collect();
        files.sort_by_key(|file| sources.name(*file));
        Self { entries, sources, files, failures, stale: 0, clauses }
    }

    /// The numbers at the end of a report.
    pub(super) fn summary(&self, elapsed_ms: u64) -> Summary {
        let (files, clauses) = (self.files.len(), self.clauses);
        Summary { files, clauses, elapsed_ms, ..report::count(&self.entries) }
    }

    /// The exit status.
    pub(super) fn outcome(&self) -> Outcome {
        if !self.failures.is_empty() {
            Outcome::Failure
        } else if self.entries.iter().any(|entry| entry.fails) {
            Outcome::Findings
        } else {
            Outcome::Clean
        }
    }
}

/// The names and texts of all files that output may show.
fn sources(
    resolution: &Resolution,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    checked: &Checked,
    table: &FileTable,
    working: &Path,
) -> Sources {
    let mut sources = Sources::default();
    let source = |file: FileId, text: &Arc<str>| {
        let path = table.path(file);
        SourceText::new(host::relative(working, &path), Arc::clone(text)).at(&path)
    };
    for entry in &checked.entries {
        sources.insert_source(entry.file, source(entry.file, &"".into()));
    }
    for project in &resolution.projects {
        sources.insert_source(project.file, source(project.file, &project.text));
    }
    for file in files.values() {
        sources.insert_source(file.id, source(file.id, &file.text).with_statements(file));
    }
    sources
}

/// The files whose findings are wanted.
fn reported(resolution: &Resolution) -> FxHashSet<FileId> {
    let members = resolution.programs.iter().flat_map(ProgramFiles::own);
    members.filter(|member| member.reported).map(|member| member.file).collect()
}
