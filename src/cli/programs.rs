//! Loading of whole programs for commands, with the texts of their files and additional facts
//! (`--facts FILE`).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ColorChoice;
use rustc_hash::FxHashMap;

use super::program_notes::{self, wider_programs};
use super::{output, surroundings};
use mangle_engine::kernel::{Kernel, Limits};
use mangle_engine::program::{FileSummary, Program};
use mangle_host::{
    CheckCache, CheckTarget, CheckTargets, GitRevision, GitRevisionError, LinkOptions, LinkedProgram,
    Overlay, PartialScan, Problem, ProgramScope, Resolution, SettingsProblems,
};
use mangle_ide::facts::{add_table, is_table};
use mangle_ide::file_findings::load_errors;
use mangle_report::{LoadError, LoadErrors, SourceText, Sources};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

/// The loaded programs of a command.
pub(super) struct Programs<J = LinkedProgram> {
    pub(super) all: Vec<J>,
    /// The texts of their files.
    pub(super) sources: Sources,
    /// Given paths that cannot be read.
    pub(super) problems: Vec<Problem>,
    /// Other files that cannot be read and are missing from the programs.
    unread: Vec<Problem>,
    /// The files of the programs that cannot be read.
    missing: LoadErrors,
    settings: SettingsProblems,
    /// Messages about programs with more files than the given ones.
    wider: Vec<String>,
    /// True if at least one file was found.
    pub(super) has_files: bool,
}

impl Programs {
    /// The only program.
    ///
    /// # Errors
    /// If there is none, or several. `place` names the searched location.
    pub(super) fn only(&self, place: &str) -> Result<&LinkedProgram, String> {
        mangle_host::only(&self.all, &|program| &program.name, place)
    }

    /// Joins all programs into one, with the settings of the first and the names of all. `None` if
    /// the list is empty.
    pub(super) fn take_joined(&mut self) -> Option<LinkedProgram> {
        let mut all = std::mem::take(&mut self.all).into_iter();
        let mut joined = all.next()?;
        for other in all {
            let files = joined.program.files.iter().chain(other.program.files.iter());
            let mut files: Vec<_> = files.map(Arc::clone).collect();
            files.sort_by_key(|file| file.id);
            files.dedup_by_key(|file| file.id);
            joined.program = Arc::new(Program::embedded(files, Arc::clone(&joined.program.embedding)));
            joined.name = format!("{}, {}", joined.name, other.name);
        }
        Some(joined)
    }

    /// Loads the programs of `paths`.
    pub(super) fn load(paths: &[PathBuf], working: &Path, scope: ProgramScope) -> Self {
        Self::load_as(
            paths,
            working,
            scope,
            &CheckCache::default(),
            Sources::default(),
            |resolution, files, _| mangle_host::join(resolution, files, &LinkOptions::default()),
        )
    }

    /// Loads the programs at a git revision of the repository that contains `working`.
    ///
    /// # Errors
    /// If git cannot read the revision.
    pub(super) fn load_past(
        revision: &str,
        paths: &[PathBuf],
        working: &Path,
    ) -> Result<Self, GitRevisionError> {
        let past = GitRevision::read(working, revision)?;
        let named = mangle_host::targets(paths, working);
        let (targets, overlay) = past.targets(&named.targets, surroundings::disk())?;
        let then = past.then(working)?;
        let (memory, sources) = (CheckCache::default(), Sources::default());
        let named = CheckTargets { targets, ..named };
        let resolution =
            mangle_host::resolve_scope(&named.targets, ProgramScope::Exact, &overlay, memory.table());
        let request = LoadRequest { resolution, named, is_everything: true, working: &then };
        Ok(request.load(&overlay, &memory, sources, |resolution, files, _| {
            mangle_host::join(resolution, files, &LinkOptions::default())
        }))
    }

    /// Loads the programs of `paths` with further files in each. A given sample or test replaces
    /// its program.
    pub(super) fn load_beside(
        paths: &[PathBuf],
        working: &Path,
        scope: ProgramScope,
        memory: &CheckCache,
        with: &[Arc<FileSummary>],
        sources: Sources,
    ) -> Self {
        Self::load_as(paths, working, scope, memory, sources, |resolution, summaries, targets| {
            let files = targets.iter().filter_map(|target| match target {
                CheckTarget::File(path) | CheckTarget::Other(path) => memory.table().known(path),
                _ => None,
            });
            let beside = LinkOptions { named: files.collect(), with: with.to_vec() };
            mangle_host::join(resolution, summaries, &beside)
        })
    }
}

/// Resolved paths of a command.
struct LoadRequest<'a> {
    resolution: Resolution,
    named: CheckTargets,
    /// True if no path was given.
    is_everything: bool,
    working: &'a Path,
}

impl<J> Programs<J> {
    /// Loads the programs of `paths`. `join` links the files.
    pub(super) fn load_as(
        paths: &[PathBuf],
        working: &Path,
        scope: ProgramScope,
        memory: &CheckCache,
        sources: Sources,
        join: impl FnOnce(&Resolution, &FxHashMap<FileId, Arc<FileSummary>>, &[CheckTarget]) -> Vec<J>,
    ) -> Self {
        let named = mangle_host::targets(paths, working);
        let overlay = surroundings::disk();
        let resolution = mangle_host::resolve_scope(&named.targets, scope, &overlay, memory.table());
        let request = LoadRequest { resolution, named, is_everything: paths.is_empty(), working };
        request.load(&overlay, memory, sources, join)
    }
}

impl LoadRequest<'_> {
    fn load<J>(
        self,
        overlay: &Overlay,
        memory: &CheckCache,
        mut sources: Sources,
        join: impl FnOnce(&Resolution, &FxHashMap<FileId, Arc<FileSummary>>, &[CheckTarget]) -> Vec<J>,
    ) -> Programs<J> {
        let Self { mut resolution, named, is_everything, working } = self;
        resolution.problems.extend(named.problems);
        resolution.problems.extend(resolution.partial_scans.iter().map(PartialScan::problem));
        if !is_everything {
            resolution.problems.append(&mut resolution.empty_targets);
        }
        let wider = wider_programs(&resolution, memory.table(), working);
        let (files, problems) = mangle_host::load(&resolution, &named.targets, overlay, memory, || {});
        let missing = problems.iter().filter(|problem| !problem.named);
        let missing = missing.map(|problem| {
            LoadError::unreadable(mangle_host::relative(working, &problem.path), &problem.why)
        });
        let missing = LoadErrors::new(missing.collect());
        let settings = resolution.settings_problems(working);
        resolution.problems.extend(problems);
        resolution.problems.extend(mangle_host::unparsed(&files, &named.targets, memory.table()));
        for file in files.values() {
            let path = memory.table().path(file.id);
            let source = mangle_host::source_text(working, &path, Arc::clone(&file.text));
            sources.insert_source(file.id, source.with_statements(file));
        }
        let all = join(&resolution, &files, &named.targets);
        let (problems, unread) = resolution.problems.into_iter().partition(|problem| problem.named);
        Programs { all, sources, problems, unread, missing, settings, wider, has_files: !files.is_empty() }
    }
}

impl<J> Programs<J> {
    /// The errors that prevent some of these programs from loading. Errors of the settings come
    /// first.
    pub(super) fn load_errors<'p>(&self, programs: impl IntoIterator<Item = &'p Program>) -> LoadErrors {
        let mut errors = self.settings.errors.clone();
        errors.add(self.missing.clone());
        for program in programs {
            errors.add(load_errors(program, &|file| self.sources.name(file).to_owned()));
        }
        errors
    }

    /// Reports unreadable files, and files that were added to the given ones.
    pub(super) fn complain(&self, working: &Path, color: ColorChoice) {
        program_notes::write(&self.wider);
        output::warn_ignored(&self.settings, color);
        output::warn_unread(&self.unread, working, color);
        for problem in &self.problems {
            let name = mangle_host::relative(working, &problem.path);
            output::complain(color, &format!("{name}: {}", problem.why));
        }
    }
}

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
