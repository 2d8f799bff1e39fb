//! `--facts FILE`: additional facts for the evaluated programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::programs::Programs;
use mangle_engine::kernel::{Kernel, Limits};
use mangle_engine::program::{FileSummary, Program};
use mangle_host::{CheckCache, Overlay, Problem, ProgramScope};
use mangle_ide::facts::{add_table, is_table};
use mangle_report::{SourceText, Sources};
use mangle_syntax::syntax::SourceFile;

#[derive(Debug, Default)]
pub(super) struct ExtraFacts {
    /// Clause files, which are added to each program.
    pub(super) clauses: Vec<Arc<FileSummary>>,
    /// Tables: absolute path and display name.
    tables: Vec<(PathBuf, String)>,
    /// Files that cannot be read.
    pub(super) problems: Vec<Problem>,
}

impl ExtraFacts {
    /// Reads the clause files. Tables are read later, because their columns depend on the program.
    pub(super) fn load(
        files: &[PathBuf],
        working: &Path,
        memory: &CheckCache,
        sources: &mut Sources,
    ) -> Self {
        let mut given = Self::default();
        for file in files {
            let path = mangle_host::absolute(working, file);
            let name = mangle_host::relative(working, &path);
            if is_table(&path.to_string_lossy()) {
                given.tables.push((path, name));
                continue;
            }
            let problem = |why: String| Problem { path: path.clone(), why, named: true };
            if !mangle_host::is_mangle(&path) {
                given.problems.push(problem(
                    "facts are read from `.mg`, `.gl`, `.csv`, `.jsonl` and `.ndjson` files".into(),
                ));
                continue;
            }
            match mangle_host::read(&path, &Overlay::default()) {
                Ok(text) if text.is_unparsed() => {
                    let why =
                        text.findings.first().map(|finding| finding.message.trim_end_matches('.').to_owned());
                    given.problems.push(problem(why.unwrap_or_default()));
                }
                Ok(text) => {
                    let source = SourceFile::parse(Arc::clone(&text.text)).without_tree();
                    let id = memory.table().id(&path);
                    given.clauses.push(mangle_host::summarise(id, &source, &text.findings));
                    sources.insert_source(id, SourceText::new(name, text.text));
                }
                Err(error) => given.problems.push(problem(mangle_host::plain(&error))),
            }
        }
        given
    }

    /// Messages about clauses with syntax errors, which add no facts.
    pub(super) fn damaged(&self, sources: &Sources) -> Vec<String> {
        let items = self.clauses.iter().flat_map(|file| file.items.iter().map(move |item| (file, item)));
        items
            .filter(|(_, item)| item.statement.damaged)
            .map(|(file, item)| {
                let line = sources.place(file.id, item.start).line;
                format!("{}:{line}: this statement cannot be read; `check` says why", sources.name(file.id))
            })
            .collect()
    }

    /// Loads the tables into a kernel. Returns the errors, one per line.
    pub(super) fn give(&self, kernel: &mut Kernel, program: &Program, limits: Limits) -> Vec<String> {
        let mut complaints = Vec::new();
        for (path, name) in &self.tables {
            let file_name = path.file_name().unwrap_or_default().to_string_lossy();
            let report = mangle_host::open_facts(path, &Overlay::default())
                .map_err(|error| mangle_host::plain(&error))
                .and_then(|input| add_table(kernel, program, &file_name, input, limits.facts));
            match report {
                Ok(report) => {
                    let place = |line: u64, cell: usize| match cell {
                        0 => format!("{name}:{line}"),
                        cell => format!("{name}:{line}, cell {cell}"),
                    };
                    complaints.extend(
                        report.bad.iter().map(|bad| format!("{}: {}", place(bad.line, bad.cell), bad.why)),
                    );
                    let more = report.bad_count - report.bad.len() as u64;
                    if more > 0 {
                        complaints.push(format!("{name}: {more} more rows are no facts"));
                    }
                }
                Err(why) => complaints.push(format!("{name}: {why}")),
            }
        }
        complaints
    }
}

impl Programs {
    /// Loads the programs of `paths` with the facts of `files`. A sample or test among `paths`
    /// replaces its program, which is analyzed together with it.
    pub(super) fn load_with(
        paths: &[PathBuf],
        files: &[PathBuf],
        working: &Path,
        scope: ProgramScope,
    ) -> (Self, ExtraFacts) {
        let memory = CheckCache::default();
        let mut sources = Sources::default();
        let given = ExtraFacts::load(files, working, &memory, &mut sources);
        let mut programs = Self::load_beside(paths, working, scope, &memory, &given.clauses, sources);
        programs.problems.extend(given.problems.iter().cloned());
        (programs, given)
    }
}
