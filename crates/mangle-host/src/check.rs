//! Diagnostics of a resolution: of its programs, its configuration files and its unreadable files.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::decode::is_unparsed;
use super::linked_programs::other_program_for;
use super::project::{around, scan_limit, unreadable};
use super::resolve::{CorpusFiles, PartialScan, Problem, ProgramFiles, Resolution};
use super::workspace::{GrammarPrograms, Snapshot, SnapshotProgram};
use super::{AgentSettings, CheckCache, FileTable, Overlay, Project, VersionOptions};
use mangle_engine::program::FileSummary;
use mangle_ide::file_findings::{Lists, file_findings};
use mangle_ide::previews::corpus_findings;
use mangle_report::{LoadErrors, ReportEntry};
use mangle_settings::{FailOn, MaxFindings, RuleSettings};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{Cancel, FileId};

#[derive(Debug, Default)]
pub struct Checked {
    /// In no particular order.
    pub entries: Vec<ReportEntry>,
    /// The number of undecided questions of the search for redundant rules.
    pub undecided: usize,
    /// Errors of programs that could not be evaluated or verified because they do not load.
    pub unloaded: LoadErrors,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct CheckOptions {
    /// The minimum severity that fails the check. Overrides the configuration.
    pub fail_on: Option<FailOn>,
    /// Evaluate each program, alone and with each sample.
    pub evaluate: bool,
    /// Check the properties of policy tests, and search for rules that change nothing in any small
    /// world.
    pub verify: bool,
    /// Evaluate programs even if they do not load.
    pub anyway: bool,
    /// The maximum number of findings per rule and file. Overrides the configuration.
    pub max_findings: Option<MaxFindings>,
}

/// Checks the programs of `resolution` in parallel. `files` is the result of [`super::load`].
///
/// The result equals the diagnostics of an editor without open documents. Unchanged results are
/// taken from `memory`. `done` is called after each program; the result of a canceled check is
/// incomplete.
#[must_use]
pub fn check(
    resolution: &Resolution,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    memory: &CheckCache,
    overlay: &Overlay,
    cancel: &Cancel,
    options: CheckOptions,
    done: impl Fn() + Sync,
) -> Checked {
    let snapshot = memory.snapshot(resolution, files, overlay);
    let reported = ReportedFiles::new(resolution);
    let (undecided, unloaded) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    snapshot.programs.par_iter().for_each(|program| {
        program.diagnose(cancel);
        let is_reported = || program.files.iter().any(|file| reported.has(file.id));
        let is_evaluated = options.evaluate && !program.is_test() && is_reported();
        let loads = (!is_evaluated && !options.verify) || program.load_errors().is_empty();
        if !loads && is_reported() {
            unloaded.lock().push(Arc::clone(program));
        }
        if is_evaluated && (loads || options.anyway) {
            program.evaluate(cancel);
        }
        if options.verify && (loads || options.anyway) {
            undecided.fetch_add(
                verify(&snapshot, program, &reported, overlay.versions(), cancel),
                Ordering::Relaxed,
            );
        }
        snapshot.trace_prompts(program, cancel);
        program.release();
        if program.single().is_none() && program.sample().is_none() {
            done();
        }
    });
    let corpora = corpora(resolution);
    let lists = reported.lists(&snapshot, &corpora, options.evaluate).into_par_iter();
    let reported = &reported;
    let found = lists.flat_map_iter(|(file, lists)| {
        let found = lists.merged(files.get(&file).map(|file| &**file)).into_iter();
        found.map(move |diagnostic| ReportEntry {
            file,
            diagnostic: diagnostic.clone(),
            fails: reported.fails(file, diagnostic, options),
        })
    });
    let mut checked = Checked {
        entries: found.collect(),
        undecided: undecided.into_inner(),
        unloaded: load_errors_of(unloaded.into_inner()),
    };
    let of_unparsed = resolution.programs.iter().map(|program| unparsed_beside(program, files));
    let of_projects = resolution.projects.iter().map(check_project);
    let of_agents = resolution.agents.iter().filter(|agent| agent.reported);
    let of_agents = of_agents.map(|agent| check_agent(agent, &resolution.projects));
    let of_cuts =
        resolution.partial_scans.iter().map(|cut| check_cut(cut, &resolution.projects, memory.table()));
    let grammars = GrammarPrograms::new(resolution, files);
    let of_grammars = resolution.grammars.iter().map(|grammar| {
        let found = grammars.check(grammar, &grammar.text);
        (entries(grammar.file, found).collect(), grammars.fail_on(grammar))
    });
    let beside_programs = of_projects.chain(of_agents).chain(of_grammars).chain(of_cuts);
    for (found, configured) in of_unparsed.chain(beside_programs) {
        checked.add(found, options.fail_on.unwrap_or(configured));
    }
    checked
}

/// Returns the load errors, in the order of the programs.
fn load_errors_of(mut programs: Vec<Arc<SnapshotProgram>>) -> LoadErrors {
    programs.sort_by(|a, b| (a.root(), a.name(), a.single()).cmp(&(b.root(), b.name(), b.single())));
    let mut all = LoadErrors::default();
    programs.iter().for_each(|program| all.add(program.load_errors().clone()));
    all
}

/// Checks the properties of a policy test, or searches any other program for rules that change
/// nothing. Returns the number of undecided questions of that search.
fn verify(
    snapshot: &Snapshot,
    program: &SnapshotProgram,
    reported: &ReportedFiles,
    versions: VersionOptions,
    cancel: &Cancel,
) -> usize {
    if program.is_test() {
        let other =
            |folder: &Path, path: &str, working: &Path| other_program_for(versions, folder, path, working);
        snapshot.verify(program, &other, &mut |_| {}, cancel);
    }
    match program.single() {
        None if program.sample().is_none() => program.survey(&|file| reported.has(file), cancel),
        _ => 0,
    }
}

/// Returns the findings about prompts and their sources, by file.
pub(super) fn of_prompts(
    resolution: &Resolution,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    memory: &CheckCache,
    overlay: &Overlay,
) -> FxHashMap<FileId, Vec<Diagnostic>> {
    let snapshot = memory.snapshot(resolution, files, overlay);
    snapshot.programs.iter().for_each(|program| snapshot.trace_prompts(program, &Cancel::new()));
    let corpora = corpora(resolution);
    let lists = ReportedFiles::new(resolution).prompt_lists(&snapshot, &corpora);
    lists.into_iter().map(|(file, lists)| (file, lists.merged(None).into_iter().cloned().collect())).collect()
}

/// The files to report, with the `fail_on` setting of each project that contains the file.
struct ReportedFiles(FxHashMap<FileId, Vec<FailOn>>);

impl ReportedFiles {
    fn new(resolution: &Resolution) -> Self {
        let mut files: FxHashMap<FileId, Vec<FailOn>> = FxHashMap::default();
        let mut add = |file: FileId, fail_on| files.entry(file).or_default().push(fail_on);
        for program in &resolution.programs {
            for member in program.own().filter(|member| member.reported) {
                add(member.file, program.settings.fail_on);
                // The session files, atoms and captured prompts of a sample are reported with
                // the sample.
                let preview = resolution.previews.get(&member.file).into_iter();
                preview
                    .flat_map(|files| files.texts())
                    .for_each(|(beside, ..)| add(beside, program.settings.fail_on));
            }
        }
        for corpus in &resolution.corpora {
            let project = corpus.project.and_then(|index| resolution.projects.get(index));
            let fail_on = project.map_or_else(FailOn::default, |project| project.settings.fail_on);
            corpus.reported.iter().for_each(|file| add(*file, fail_on));
        }
        Self(files)
    }

    fn has(&self, file: FileId) -> bool {
        self.0.contains_key(&file)
    }

    fn fails(&self, file: FileId, diagnostic: &Diagnostic, options: CheckOptions) -> bool {
        match options.fail_on {
            Some(fail_on) => fail_on.fails(diagnostic.severity),
            None => self.0.get(&file).into_iter().flatten().any(|fail_on| fail_on.fails(diagnostic.severity)),
        }
    }

    fn lists<'s>(
        &self,
        snapshot: &'s Snapshot,
        corpora: &'s [FoundInFile],
        evaluated: bool,
    ) -> FxHashMap<FileId, Lists<'s>> {
        let mut lists = self.prompt_lists(snapshot, corpora);
        for program in &snapshot.programs {
            for file in program.reported() {
                lists.entry(*file).or_default().checks.push(program.diagnostics(*file));
            }
        }
        for program in snapshot.in_order_of_evaluation().into_iter().filter(|_| evaluated) {
            for (file, found) in program.evaluation_findings().filter(|(file, _)| self.has(*file)) {
                lists.entry(file).or_default().evaluations.push(found);
            }
        }
        for (file, found) in snapshot.programs.iter().flat_map(|program| program.verification_findings()) {
            if self.has(file) {
                lists.entry(file).or_default().evaluations.push(found);
            }
        }
        lists
    }

    fn prompt_lists<'s>(
        &self,
        snapshot: &'s Snapshot,
        corpora: &'s [FoundInFile],
    ) -> FxHashMap<FileId, Lists<'s>> {
        let mut lists: FxHashMap<FileId, Lists<'s>> = FxHashMap::default();
        let of_kernels = snapshot.programs.iter().flat_map(|program| program.prompt_findings());
        let of_corpora = corpora.iter().map(|(file, found)| (*file, found.as_slice()));
        for (file, found) in of_kernels.chain(of_corpora).filter(|(file, _)| self.has(*file)) {
            lists.entry(file).or_default().others.push(found);
        }
        lists
    }
}

type FoundInFile = (FileId, Vec<Diagnostic>);

/// Returns the findings of prompt atoms that no sample kernel uses.
fn corpora(resolution: &Resolution) -> Vec<FoundInFile> {
    let findings = |corpus: &CorpusFiles| {
        let project = corpus.project.and_then(|index| resolution.projects.get(index));
        let rules = project.map_or_else(RuleSettings::default, |project| project.settings.rules.clone());
        corpus_findings(&corpus.atoms.corpus, &rules)
    };
    resolution.corpora.iter().flat_map(findings).collect()
}

impl Checked {
    /// Adds a finding for each error of a directory walk, with the settings of the enclosing
    /// project.
    pub fn add_unreadable(
        &mut self,
        problems: &[Problem],
        projects: &[Project],
        table: &FileTable,
        fail_on: Option<FailOn>,
    ) {
        for problem in problems.iter().filter(|problem| !problem.named) {
            let project = around(&problem.path, projects);
            let file = table.id(&problem.path);
            let configured = project.map_or_else(FailOn::default, |project| project.settings.fail_on);
            let found = entries(file, unreadable(file, problem, projects, &RuleSettings::default()));
            self.add(found.collect(), fail_on.unwrap_or(configured));
        }
    }

    fn add(&mut self, found: Vec<ReportEntry>, fail_on: FailOn) {
        let judged =
            |entry: ReportEntry| ReportEntry { fails: fail_on.fails(entry.diagnostic.severity), ..entry };
        self.entries.extend(found.into_iter().map(judged));
    }
}

/// Returns the context files that could not be parsed. Their declarations are missing from the
/// program.
fn unparsed_beside(
    program: &ProgramFiles,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
) -> (Vec<ReportEntry>, FailOn) {
    let beside = program.members.iter().filter(|member| !member.reported);
    let beside = beside.filter_map(|member| files.get(&member.file));
    let found = beside.flat_map(|file| {
        let findings = file.findings.iter().filter(|finding| is_unparsed(finding)).cloned().collect();
        entries(file.id, file_findings(file.id, findings, &program.settings.rules))
    });
    (found.collect(), program.settings.fail_on)
}

fn check_project(project: &Project) -> (Vec<ReportEntry>, FailOn) {
    let Project { file, settings, findings, .. } = project;
    let found = entries(*file, file_findings(*file, findings.clone(), &settings.rules));
    (found.collect(), settings.fail_on)
}

fn check_cut(cut: &PartialScan, projects: &[Project], table: &FileTable) -> (Vec<ReportEntry>, FailOn) {
    let file = table.id(&cut.folder);
    let found = scan_limit(file, cut, projects, &RuleSettings::default());
    let project = around(&cut.folder, projects);
    (entries(file, found).collect(), project.map_or_else(FailOn::default, |project| project.settings.fail_on))
}

fn check_agent(agent: &AgentSettings, projects: &[Project]) -> (Vec<ReportEntry>, FailOn) {
    let rules = agent_rules(agent, projects);
    let found = entries(agent.file, file_findings(agent.file, agent.findings.clone(), &rules));
    let project = agent.project.and_then(|index| projects.get(index));
    (found.collect(), project.map_or_else(FailOn::default, |project| project.settings.fail_on))
}

/// Returns the severities for an agent runtime configuration.
pub(super) fn agent_rules(agent: &AgentSettings, projects: &[Project]) -> RuleSettings {
    let project = agent.project.and_then(|index| projects.get(index));
    project.map_or_else(RuleSettings::default, |project| project.settings.rules.clone())
}

fn entries(file: FileId, diagnostics: Vec<Diagnostic>) -> impl Iterator<Item = ReportEntry> {
    diagnostics.into_iter().map(move |diagnostic| ReportEntry { file, diagnostic, fails: false })
}
