//! The diagnostics of a resolution: of its programs, its configuration files, and of what could
//! not be read.

use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::load::is_unparsed;
use super::preview_files::preview_name;
use super::resolve::{CorpusFiles, Cut, Member, Problem, ProgramFiles, Resolution};
use super::shared_files::drop_needed_elsewhere;
use super::tables::Tables;
use super::uses::sample_name;
use super::{AgentSettings, FileTable, Memory, Project};
use crate::ide::evaluation::{self, Readings, is_news};
use crate::ide::file_findings::file_findings;
use crate::ide::previews::{self, PreviewCheck};
use crate::ide::replays::of_evaluated;
use crate::report::Entry;
use mangle_check::diagnostics::diagnostics;
use mangle_engine::kernel::{Kernel, Limits};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::{FailOn, MaxFindings, RuleSettings, SCAN_LIMIT, UNREADABLE_FILE};
use mangle_syntax::lint::{Diagnostic, Finding};
use mangle_syntax::text::{Cancel, FileId, TextRange};

/// What a check found.
#[derive(Debug, Default)]
pub struct Checked {
    /// The findings, in no particular order; those of a file of two programs twice.
    pub entries: Vec<Entry>,
}

/// How to check.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner {
    /// From which severity on findings fail, instead of what the configuration says.
    pub fail_on: Option<FailOn>,
    /// Whether programs are evaluated, with their own facts and with each sample.
    pub evaluate: bool,
    /// How many findings of one rule in one file are shown, instead of what the configuration says.
    pub max_findings: Option<MaxFindings>,
}

/// Checks the programs of `resolution`, whose files [`super::load`] gave, in parallel. What `memory` knows of single statements is not computed again. `done` is called after
/// each program.
#[must_use]
pub fn check(
    resolution: &Resolution,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    memory: &Memory,
    manner: Manner,
    done: impl Fn() + Sync,
) -> Checked {
    let one = |program: &ProgramFiles| {
        let mut found = check_program(program, files, memory);
        let mut shown = Vec::new();
        if manner.evaluate {
            let project = program.project.and_then(|project| resolution.projects.get(project));
            shown = evaluated(program, project, files, memory, &found);
        }
        found.append(&mut shown);
        found.extend(previewed(program, resolution, files, memory));
        done();
        (found, program.settings.fail_on)
    };
    let mut of_programs: Vec<_> = resolution.programs.par_iter().map(one).collect();
    drop_needed_elsewhere(resolution, of_programs.iter_mut().map(|(found, _)| found));
    let of_projects = resolution.projects.iter().map(check_project);
    let of_corpora = resolution.corpora.iter().map(|corpus| check_corpus(corpus, &resolution.projects));
    let of_agents = resolution.agents.iter().filter(|agent| agent.reported);
    let of_agents = of_agents.map(|agent| check_agent(agent, &resolution.projects));
    let of_cuts = resolution.cuts.iter().map(|cut| check_cut(cut, &resolution.projects, memory.table()));
    let mut checked = Checked::default();
    for (found, configured) in
        of_programs.into_iter().chain(of_projects).chain(of_corpora).chain(of_agents).chain(of_cuts)
    {
        checked.add(found, manner.fail_on.unwrap_or(configured));
    }
    checked
}

impl Checked {
    /// Adds a finding for each of `problems` that was met on a walk, under the settings of the project
    /// around it.
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

    fn add(&mut self, found: Vec<Entry>, fail_on: FailOn) {
        let judged = |entry: Entry| Entry { fails: fail_on.fails(entry.diagnostic.severity), ..entry };
        self.entries.extend(found.into_iter().map(judged));
    }
}

/// What is said of a file or folder that could not be read, under the settings of the project around it,
/// and under `base` where it says nothing.
pub(super) fn unreadable(
    file: FileId,
    problem: &Problem,
    projects: &[Project],
    base: &RuleSettings,
) -> Vec<Diagnostic> {
    let message = format!("This cannot be read: {}.", problem.why);
    let finding = Finding::new(&UNREADABLE_FILE, TextRange::default(), message);
    found_around(file, &problem.path, finding, projects, base)
}

/// What is reported of a finding of a whole file or folder, under the settings of the project around it, and under `base`
/// where it says nothing.
pub(super) fn found_around(
    file: FileId,
    path: &Path,
    finding: Finding,
    projects: &[Project],
    base: &RuleSettings,
) -> Vec<Diagnostic> {
    let project = around(path, projects);
    let rules = project.map_or_else(|| base.clone(), |project| project.settings.rules.over(base));
    file_findings(file, vec![finding], &rules)
}

/// The project with the innermost root around a path.
fn around<'p>(path: &Path, projects: &'p [Project]) -> Option<&'p Project> {
    let around = projects.iter().filter(|project| path.starts_with(&project.root));
    around.max_by_key(|project| project.root.components().count())
}

/// The findings of the reported files. A kernel or a test is checked as the program (or what it uses) plus itself; what
/// that says of the program's own files is not wanted.
fn check_program(
    program: &ProgramFiles,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    memory: &Memory,
) -> Vec<Entry> {
    let summary = |member: &Member| files.get(&member.file).map(Arc::clone);
    let members: Vec<_> = program.members.iter().filter_map(summary).collect();
    let rules = &program.settings.rules;
    let join = |files| Program::embedded(files, Arc::clone(&program.embedding));
    let mut found = Vec::new();
    if program.members.iter().any(|member| member.reported) {
        let all = diagnostics(&join(members), rules, &memory.cache(program, None));
        let wanted: FxHashSet<_> =
            program.members.iter().filter(|member| member.reported).map(|member| member.file).collect();
        found.extend(all.into_iter().filter(|(file, _)| wanted.contains(file)));
    }
    for single in program.singles.iter().filter(|single| single.member.reported) {
        let file = single.member.file;
        let around = program.with(single).into_iter().filter_map(|file| files.get(&file).map(Arc::clone));
        let all = diagnostics(&join(around.collect()), rules, &memory.cache(program, Some(file)));
        found.extend(all.into_iter().filter(|(other, _)| *other == file));
    }
    found.extend(unparsed_beside(program, files));
    found.into_iter().flat_map(|(file, diagnostics)| entries(file, diagnostics)).collect()
}

/// The files that are only read for the sake of others, and of which nothing counts: what they declare is missing.
fn unparsed_beside(
    program: &ProgramFiles,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
) -> Vec<(FileId, Vec<Diagnostic>)> {
    let beside = program.members.iter().filter(|member| !member.reported);
    let beside = beside.filter_map(|member| files.get(&member.file));
    let found = beside.filter_map(|file| {
        let findings: Vec<_> = file.findings.iter().filter(|finding| is_unparsed(finding)).cloned().collect();
        (!findings.is_empty()).then(|| (file.id, file_findings(file.id, findings, &program.settings.rules)))
    });
    found.collect()
}

/// What is wrong with prompts and with what they are made of.
pub(super) fn of_prompts(
    resolution: &Resolution,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    memory: &Memory,
) -> Vec<Entry> {
    let programs = resolution.programs.iter();
    let of_programs = programs.flat_map(|program| previewed(program, resolution, files, memory));
    let corpora = resolution.corpora.iter();
    let of_corpora = corpora.flat_map(|corpus| check_corpus(corpus, &resolution.projects).0);
    of_programs.chain(of_corpora).collect()
}

/// The findings of the reported files of a corpus.
fn check_corpus(corpus: &CorpusFiles, projects: &[Project]) -> (Vec<Entry>, FailOn) {
    let settings = corpus.project.and_then(|index| projects.get(index)).map(|project| &project.settings);
    let rules = settings.map_or_else(RuleSettings::default, |settings| settings.rules.clone());
    let found = previews::corpus_findings(&corpus.atoms.corpus, &rules);
    let found = found.into_iter().filter(|(file, _)| corpus.reported.contains(file));
    let found = found.flat_map(|(file, found)| entries(file, found)).collect();
    (found, settings.map_or_else(FailOn::default, |settings| settings.fail_on))
}

/// What shows in the previews that the sample kernels of a program ask for, each finding once.
fn previewed(
    program: &ProgramFiles,
    resolution: &Resolution,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    memory: &Memory,
) -> Vec<Entry> {
    let mut out = Unique::default();
    let is_reported = |file: FileId| program.own().any(|member| member.reported && member.file == file);
    for single in &program.singles {
        let Some(of) = resolution.previews.get(&single.member.file) else { continue };
        let around = program.with(single).into_iter().filter_map(|file| files.get(&file).map(Arc::clone));
        let joined = Arc::new(Program::embedded(around.collect(), Arc::clone(&program.embedding)));
        let name = preview_name(&memory.table().path(single.member.file));
        let wanted = of.wanted(&name);
        let beside: Vec<FileId> = of.texts().map(|(file, ..)| file).collect();
        let subject = PreviewCheck {
            program: &joined,
            kernel: single.member.file,
            header: &of.header,
            wanted,
            paths: &of.findings,
            settings: &program.settings,
        };
        for (file, diagnostics) in previews::check(subject, &Cancel::new()) {
            let is_beside = single.member.reported && beside.contains(&file);
            if !is_reported(file) && !is_beside {
                continue;
            }
            entries(file, diagnostics).for_each(|entry| out.add(entry));
        }
    }
    out.found
}

/// Findings, of which there is one of a rule at a place.
#[derive(Default)]
struct Unique {
    found: Vec<Entry>,
    places: FxHashSet<(FileId, &'static str, TextRange)>,
}

impl Unique {
    /// Adds a finding, unless there is one of its rule at its place.
    fn add(&mut self, entry: Entry) {
        let Diagnostic { rule, range, .. } = entry.diagnostic;
        if self.places.insert((entry.file, rule.code, range)) {
            self.found.push(entry);
        }
    }
}

/// What shows when a program is evaluated with its own facts and with each of its samples, as far as it is not `known`.
fn evaluated(
    program: &ProgramFiles,
    project: Option<&Project>,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    memory: &Memory,
    known: &[Entry],
) -> Vec<Entry> {
    let mut out = Unique::default();
    let mut known_of: FxHashMap<FileId, Vec<&Diagnostic>> = FxHashMap::default();
    for entry in known {
        known_of.entry(entry.file).or_default().push(&entry.diagnostic);
    }
    let samples = project.map_or(&[][..], |project| &project.samples);
    let tables = Tables::new(samples);
    let mut add = |members: Vec<FileId>, sample: Option<&str>| {
        let tables = if sample.is_some() { &tables } else { &Tables::default() };
        for entry in evaluate(program, &members, sample, tables, files) {
            let is_reported = program.own().any(|member| member.reported && member.file == entry.file);
            let of_file = known_of.get(&entry.file).map_or(&[][..], Vec::as_slice);
            let is_news =
                files.get(&entry.file).is_some_and(|file| is_news(file, &entry.diagnostic, of_file));
            if is_reported && is_news {
                out.add(entry);
            }
        }
    };
    if program.members.iter().any(|member| member.reported) {
        add(program.members.iter().map(|member| member.file).collect(), None);
    }
    let mut is_alone = true;
    for single in &program.singles {
        if let Some(name) = sample_name(&memory.table().path(single.member.file), project) {
            add(program.with(single), Some(&name));
            is_alone = false;
        }
    }
    if let Some(name) = tables.name().filter(|_| is_alone) {
        add(program.members.iter().map(|member| member.file).collect(), Some(&name));
    }
    out.found
}

/// What shows when these files are evaluated.
fn evaluate(
    program: &ProgramFiles,
    members: &[FileId],
    sample: Option<&str>,
    tables: &Tables,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
) -> Vec<Entry> {
    let summaries = members.iter().filter_map(|file| files.get(file).map(Arc::clone));
    let joined = Arc::new(Program::embedded(summaries.collect(), Arc::clone(&program.embedding)));
    let settings = &program.settings.kernel;
    let limits = Limits::of(settings);
    let give = |kernel: &mut Kernel, program: &Program| tables.give(kernel, program, limits);
    let Some(readings) = Readings::new(&joined, settings, limits, &give, &Cancel::new()) else {
        return Vec::new();
    };
    let mut found = evaluation::findings(&readings, &joined, sample);
    found.extend(of_evaluated(&readings, &joined, &program.settings.replay));
    let found = evaluation::diagnostics(&joined, &program.settings.rules, &found);
    found.into_iter().flat_map(|(file, diagnostics)| entries(file, diagnostics)).collect()
}

fn check_project(project: &Project) -> (Vec<Entry>, FailOn) {
    let Project { file, settings, findings, .. } = project;
    let found = entries(*file, file_findings(*file, findings.clone(), &settings.rules));
    (found.collect(), settings.fail_on)
}

fn check_cut(cut: &Cut, projects: &[Project], table: &FileTable) -> (Vec<Entry>, FailOn) {
    let file = table.id(&cut.folder);
    let found = scan_limit(file, cut, projects, &RuleSettings::default());
    let project = around(&cut.folder, projects);
    (entries(file, found).collect(), project.map_or_else(FailOn::default, |project| project.settings.fail_on))
}

/// What is said of a folder of which only a part was scanned.
pub(super) fn scan_limit(
    file: FileId,
    cut: &Cut,
    projects: &[Project],
    base: &RuleSettings,
) -> Vec<Diagnostic> {
    let message = format!("this folder {}", cut.reason());
    let finding = Finding::new(&SCAN_LIMIT, TextRange::default(), message).help(cut.help());
    found_around(file, &cut.folder, finding, projects, base)
}

fn check_agent(agent: &AgentSettings, projects: &[Project]) -> (Vec<Entry>, FailOn) {
    let rules = agent_rules(agent, projects);
    let found = entries(agent.file, file_findings(agent.file, agent.findings.clone(), &rules));
    let project = agent.project.and_then(|index| projects.get(index));
    (found.collect(), project.map_or_else(FailOn::default, |project| project.settings.fail_on))
}

/// The severities for the configuration of an agent's runtime.
pub(super) fn agent_rules(agent: &AgentSettings, projects: &[Project]) -> RuleSettings {
    let project = agent.project.and_then(|index| projects.get(index));
    project.map_or_else(RuleSettings::default, |project| project.settings.rules.clone())
}

fn entries(file: FileId, diagnostics: Vec<Diagnostic>) -> impl Iterator<Item = Entry> {
    diagnostics.into_iter().map(move |diagnostic| Entry { file, diagnostic, fails: false })
}
