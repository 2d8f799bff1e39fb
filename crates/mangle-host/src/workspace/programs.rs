//! The programs of the workspace across revisions. Unchanged programs keep their computed results.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::file::SnapshotFile;
use super::grammars::{GrammarState, SnapshotGrammar};
use super::program::{ProgramState, SnapshotProgram};
use super::program_inputs::{Identity, ProgramInputs};
use super::provenance::{ConfiguredAtoms, PromptRevisions};
use super::transcript::{SnapshotTranscript, TranscriptState};
use crate::project::{found_around, scan_limit, unreadable};
use crate::samples::{Tables, sample_name};
use crate::{
    AgentSettings, FileTable, PartialScan, Problem, ProgramFiles, ProgramOrigin, Project, Resolution, Shell,
};
use mangle_ide::file_findings::file_findings;
use mangle_settings::{FILE_NAME, RuleSettings};
use mangle_syntax::lint::{Diagnostic, Finding};
use mangle_syntax::memo::Memo;
use mangle_syntax::text::FileId;
use piggyback::envelope::Catalogue;

/// The programs and the configuration files that define them.
#[derive(Debug, Default)]
pub(super) struct Programs {
    list: Vec<ProgramState>,
    /// Programs of documents that are not on disk, one per document.
    lone: Vec<ProgramState>,
    projects: Vec<Project>,
    agents: Vec<AgentSettings>,
    transcripts: Vec<TranscriptState>,
    grammars: Vec<GrammarState>,
    /// Files that are in a program, or are transcripts, only because a document is open.
    only_while_open: FxHashSet<FileId>,
    /// Severities of the editor's settings, for rules that the configuration files do not set.
    base: Arc<RuleSettings>,
    unreadable: Vec<Unreadable>,
    partial_scans: Vec<PartialScan>,
    /// The number of files that may be transcripts and were not examined.
    unexamined: usize,
    /// The prompt atoms of the configurations, memoized by the number of changes of atom files.
    atoms: Memo<AtomsRevision, Vec<Arc<ConfiguredAtoms>>>,
    /// The shell that the programs are evaluated for.
    shell: Shell,
}

/// The number of changes of files that may contain prompt atoms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AtomsRevision(u64);

/// An unreadable file or folder and its diagnostics.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Unreadable {
    id: FileId,
    path: PathBuf,
    found: Arc<[Diagnostic]>,
}

impl Programs {
    /// An empty list of programs, for a command.
    pub(super) fn of_commands() -> Self {
        Self { shell: Shell::CommandLine, ..Self::default() }
    }

    /// Replaces all programs except programs of documents that are not on disk. Returns true if
    /// anything changed.
    pub(super) fn replace(
        &mut self,
        mut resolution: Resolution,
        problems: &[Problem],
        table: &FileTable,
    ) -> bool {
        // Kernels may now use these atoms.
        self.atoms.take();
        let mut different = self.take_programs(&resolution, table);
        different |= self.take_transcripts(&resolution);
        different |= self.take_grammars(&mut resolution);
        self.only_while_open = only_while_open(&resolution);
        different |= !same_projects(&self.projects, &resolution.projects);
        let cuts = resolution.partial_scans.iter().map(|cut| {
            let id = table.id(&cut.folder);
            let found = scan_limit(id, cut, &resolution.projects, &self.base).into();
            Unreadable { id, path: cut.folder.clone(), found }
        });
        let problems = problems.iter().map(|problem| {
            let id = table.id(&problem.path);
            let found = unreadable(id, problem, &resolution.projects, &self.base).into();
            Unreadable { id, path: problem.path.clone(), found }
        });
        let unreadable: Vec<_> = cuts.chain(problems).collect();
        different |= self.partial_scans != resolution.partial_scans;
        self.partial_scans = resolution.partial_scans;
        self.unexamined = resolution.without_replies.unexamined;
        different |= unreadable != self.unreadable;
        self.unreadable = unreadable;
        different |= !same_agents(&self.agents, &resolution.agents);
        self.agents = resolution.agents;
        self.projects = resolution.projects;
        different
    }

    /// Returns true if anything changed.
    pub(super) fn take_programs(&mut self, resolution: &Resolution, table: &FileTable) -> bool {
        let (before, mut different) = (self.list.len(), false);
        let mut old: FxHashMap<Identity, VecDeque<ProgramState>> = FxHashMap::default();
        for state in std::mem::take(&mut self.list) {
            old.entry(state.inputs.identity.clone()).or_default().push_back(state);
        }
        let around = ProgramContext { base: &self.base, table, shell: self.shell };
        for program in &resolution.programs {
            for inputs in inputs_of_units(program, &resolution.projects, around) {
                let state = match old.get_mut(&inputs.identity).and_then(VecDeque::pop_front) {
                    Some(mut state) => {
                        different |= state.set_inputs(inputs);
                        state
                    }
                    None => {
                        different = true;
                        ProgramState::new(inputs)
                    }
                };
                self.list.push(state);
            }
        }
        different || self.list.len() != before
    }

    /// Returns true if anything changed.
    fn take_transcripts(&mut self, resolution: &Resolution) -> bool {
        let mut old = std::mem::take(&mut self.transcripts);
        let before = old.len();
        let mut different = false;
        for found in &resolution.transcripts {
            let programs = found.programs.iter().filter_map(|&at| resolution.programs.get(at));
            let project = found.project.and_then(|at| resolution.projects.get(at));
            let agent = found.agent.and_then(|at| resolution.agents.get(at));
            let rules = project.map_or_else(RuleSettings::default, |project| project.settings.rules.clone());
            let identities = programs.map(|program| Identity::new(program, &resolution.projects));
            let mut state = TranscriptState::new(
                found,
                identities.collect(),
                rules.overriding(&self.base),
                project.and_then(|project| project.tools.clone()),
                agent.map(|agent| Arc::clone(&agent.limits)).unwrap_or_default(),
                project.map(|project| project.file),
            );
            let place = old.iter().position(|other| other.file == state.file);
            different |= !place.is_some_and(|place| state.succeed(old.swap_remove(place)));
            self.transcripts.push(state);
        }
        different | (self.transcripts.len() != before)
    }

    /// Returns true if anything changed.
    fn take_grammars(&mut self, resolution: &mut Resolution) -> bool {
        let mut old =
            std::mem::replace(&mut self.grammars, GrammarState::from_resolution(resolution, &self.base));
        let mut different = old.len() != self.grammars.len();
        for state in &mut self.grammars {
            let place = old.iter().position(|other| other.file() == state.file());
            different |= !place.is_some_and(|place| state.succeed(old.swap_remove(place)));
        }
        different
    }

    /// True if a configuration declares the file as a reply grammar.
    pub(super) fn is_grammar(&self, file: FileId) -> bool {
        self.grammars.iter().any(|state| state.file() == file)
    }

    /// True if a file is in a program, or is a transcript, only because a document is open.
    pub(super) fn is_only_while_open(&self, file: FileId) -> bool {
        self.only_while_open.contains(&file)
    }

    pub(super) fn is_transcript(&self, file: FileId) -> bool {
        self.transcripts.iter().any(|state| state.file == file)
    }

    /// Returns the maximum number of bytes that are read of a closed transcript. `None` if the
    /// file is not a transcript, or is not read while closed.
    pub(super) fn closed_limit(&self, file: FileId) -> Option<u64> {
        let state = self.transcripts.iter().find(|state| state.file == file)?;
        Some(state.closed_limit()).filter(|limit| *limit > 0)
    }

    /// [`Programs::closed_limit`] of all transcripts that have one.
    pub(super) fn closed_limits(&self) -> FxHashMap<FileId, u64> {
        let all = self.transcripts.iter().map(|state| (state.file, state.closed_limit()));
        all.filter(|(_, limit)| *limit > 0).collect()
    }

    /// Returns the prompt atoms of the configurations, after the given number of changes of atom
    /// files.
    pub(super) fn atoms(&self, changes: u64) -> Vec<Arc<ConfiguredAtoms>> {
        let compute = |_| Some(ConfiguredAtoms::from_projects(&self.projects, &self.base));
        self.atoms.get(AtomsRevision(changes), compute).unwrap_or_default()
    }

    /// Returns the diagnostics for a finding about a whole file.
    pub(super) fn found_in(&self, file: FileId, path: &Path, finding: Finding) -> Vec<Diagnostic> {
        found_around(file, path, finding, &self.projects, &self.base)
    }

    /// The incompletely scanned folders.
    pub(super) fn partial_scans(&self) -> &[PartialScan] {
        &self.partial_scans
    }

    pub(super) fn unexamined(&self) -> usize {
        self.unexamined
    }

    /// Returns the tool catalogs, by the paths of the configurations that name them.
    pub(super) fn catalogues(&self) -> Vec<(PathBuf, Arc<Catalogue>)> {
        let catalogue = |project: &Project| Some((project.path.clone(), Arc::clone(project.tools.as_ref()?)));
        self.projects.iter().filter_map(catalogue).collect()
    }

    pub(super) fn projects(&self) -> &[Project] {
        &self.projects
    }

    /// Returns the transcripts among these files. Call after [`Programs::at`].
    pub(super) fn transcripts(
        &mut self,
        files: &FxHashMap<FileId, Arc<SnapshotFile>>,
    ) -> Vec<Arc<SnapshotTranscript>> {
        let program = |identity: &Identity| last_of(&self.list, identity);
        self.transcripts.iter_mut().filter_map(|state| state.at(files, &program)).collect()
    }

    /// Returns the reply grammars and adds them to `files`. Call after [`Programs::at`].
    pub(super) fn grammars(
        &mut self,
        files: &mut FxHashMap<FileId, Arc<SnapshotFile>>,
    ) -> Vec<Arc<SnapshotGrammar>> {
        let program = |identity: &Identity| last_of(&self.list, identity);
        self.grammars.iter_mut().map(|state| state.at(files, &program)).collect()
    }

    /// Sets the severities of rules that the configuration files do not set. Programs on disk
    /// change at the next [`Programs::replace`]. Returns true if the severities changed.
    pub(super) fn set_base(&mut self, base: RuleSettings) -> bool {
        if *self.base == base {
            return false;
        }
        self.base = base.into();
        for state in &mut self.lone {
            state.set_inputs(ProgramInputs { rules: Arc::clone(&self.base), ..(*state.inputs).clone() });
        }
        true
    }

    /// Adds a single-file program for a document that is not on disk.
    pub(super) fn add_lone(&mut self, file: FileId, path: &Path) {
        self.remove_lone(file);
        let inputs = ProgramInputs::unsaved(file, path, Arc::clone(&self.base));
        self.lone.push(ProgramState::new(inputs));
        self.lone.sort_by(|one, another| one.inputs.members.cmp(&another.inputs.members));
    }

    /// Removes the program of a document that is not on disk.
    pub(super) fn remove_lone(&mut self, file: FileId) {
        self.lone.retain(|state| state.inputs.members != [file]);
    }

    fn all(&self) -> impl Iterator<Item = &ProgramState> {
        self.list.iter().chain(&self.lone)
    }

    /// True if a preview read the file, or a file in the folder, in addition to policies.
    pub(super) fn feeds_previews(&self, path: &Path) -> bool {
        self.all().any(|state| state.caches.previews.reads(path))
    }

    /// True if a program reports diagnostics of a file.
    pub(super) fn reports(&self, file: FileId) -> bool {
        self.all().any(|state| state.inputs.reported.binary_search(&file).is_ok())
    }

    /// Returns all files of all programs, and the transcripts.
    pub(super) fn files(&self) -> FxHashSet<FileId> {
        let transcripts = self.transcripts.iter().map(|state| state.file);
        self.all().flat_map(|state| state.inputs.members.iter().copied()).chain(transcripts).collect()
    }

    /// Returns the known files on disk that affect findings: of programs, transcripts, grammars
    /// and configurations.
    pub(super) fn paths(&self, table: &FileTable) -> Vec<PathBuf> {
        let grammars = self.grammars.iter().map(GrammarState::file);
        let read = self.files().into_iter().chain(grammars).map(|file| table.path(file).to_path_buf());
        let projects = self.projects.iter().map(|project| project.path.clone());
        let agents = self.agents.iter().map(|agent| agent.path.clone());
        read.chain(projects).chain(agents).filter(|path| path.is_absolute()).collect()
    }

    /// Adds the files that are in no program to `files`, and returns their findings: configuration
    /// files and unreadable files. An open configuration file that was edited after it was read
    /// has no findings, because their positions may be wrong.
    pub(super) fn others(
        &self,
        files: &mut FxHashMap<FileId, Arc<SnapshotFile>>,
    ) -> FxHashMap<FileId, Arc<[Diagnostic]>> {
        let mut diagnostics = FxHashMap::default();
        for project in &self.projects {
            let file = files.entry(project.file).or_insert_with(|| {
                let (path, text) = (project.path.as_path().into(), Arc::clone(&project.text));
                Arc::new(SnapshotFile::non_mangle(project.file, path, None, text))
            });
            let found = if file.text() == &project.text {
                file_findings(
                    project.file,
                    project.findings.clone(),
                    &project.settings.rules.overriding(&self.base),
                )
            } else {
                Vec::new()
            };
            diagnostics.insert(project.file, found.into());
        }
        for agent in &self.agents {
            let file = files.entry(agent.file).or_insert_with(|| {
                let (path, text) = (agent.path.as_path().into(), Arc::clone(&agent.text));
                Arc::new(SnapshotFile::non_mangle(agent.file, path, None, text))
            });
            let project = agent.project.and_then(|at| self.projects.get(at));
            let own = project.map_or_else(RuleSettings::default, |project| project.settings.rules.clone());
            let found = match file.text() == &agent.text && agent.reported {
                true => file_findings(agent.file, agent.findings.clone(), &own.overriding(&self.base)),
                false => Vec::new(),
            };
            diagnostics.insert(agent.file, found.into());
        }
        for Unreadable { id, path, found } in &self.unreadable {
            files.entry(*id).or_insert_with(|| {
                Arc::new(SnapshotFile::non_mangle(*id, path.as_path().into(), None, "".into()))
            });
            // An unreadable configuration has no other finding.
            let known = diagnostics.entry(*id).or_insert_with(|| Arc::clone(found));
            if known.is_empty() {
                *known = Arc::clone(found);
            }
        }
        diagnostics
    }

    /// Returns the snapshots of the programs with these files.
    pub(super) fn at(
        &mut self,
        files: &FxHashMap<FileId, Arc<SnapshotFile>>,
        prompt_revisions: PromptRevisions,
    ) -> Vec<Arc<SnapshotProgram>> {
        self.list.iter_mut().chain(&mut self.lone).map(|state| state.at(files, prompt_revisions)).collect()
    }
}

/// Returns the last snapshot of the program with this identity.
fn last_of(list: &[ProgramState], identity: &Identity) -> Option<Arc<SnapshotProgram>> {
    list.iter().find(|state| state.inputs.identity == *identity)?.last.clone()
}

/// Returns the files that are in a program, or are transcripts, only because a document is open.
fn only_while_open(resolution: &Resolution) -> FxHashSet<FileId> {
    let lone = resolution.programs.iter().filter(|program| program.origin == ProgramOrigin::Lone);
    let members = lone.flat_map(ProgramFiles::own).map(|member| member.file);
    let transcripts = resolution.transcripts.iter().filter(|transcript| transcript.only_while_open);
    let outside = resolution.outside.iter().copied();
    members.chain(transcripts.map(|transcript| transcript.file)).chain(outside).collect()
}

/// Returns the inputs of the units of a program that report findings, or whose evaluations are
/// shown with other units.
fn inputs_of_units(
    program: &ProgramFiles,
    projects: &[Project],
    of: ProgramContext<'_>,
) -> Vec<ProgramInputs> {
    let project = program.project.and_then(|project| projects.get(project));
    let tables: Arc<Tables> = Tables::new(project.map_or(&[][..], |project| &project.samples)).into();
    let of_program = ProgramInputs {
        identity: Identity::new(program, projects),
        members: Vec::new(),
        reported: Vec::new(),
        rules: program.settings.rules.overriding(of.base).into(),
        settings: Arc::clone(&program.settings),
        sample: None,
        tables: Arc::default(),
        versions: Arc::clone(&program.versions),
        embedding: Arc::clone(&program.embedding),
        shell: of.shell,
        settings_errors: project.map(|project| project.errors(FILE_NAME)).unwrap_or_default().into(),
    };
    let mut units = Vec::new();
    for unit in program.units() {
        let single = unit.single.map(|single| single.member.file);
        if single.is_some_and(|file| unit.reported.is_empty() && program.embedding.is_test(file)) {
            continue;
        }
        let mut inputs = of_program.clone();
        inputs.identity.single = single;
        (inputs.members, inputs.reported) = (unit.files, unit.reported);
        inputs.members.sort_unstable();
        inputs.reported.sort_unstable();
        if let Some(sample) = single.and_then(|file| sample_name(&of.table.path(file), project)) {
            (inputs.sample, inputs.tables) = (Some(sample.into()), Arc::clone(&tables));
        }
        units.push(inputs);
    }
    // If a sample has only tables, they are added to the program itself.
    let has_sample = units.iter().any(|inputs| inputs.sample.is_some());
    if let (false, Some(name), Some(own)) = (has_sample, tables.name(), units.first()) {
        let mut inputs = ProgramInputs { members: own.members.clone(), tables, ..of_program };
        inputs.identity.is_with_tables = true;
        inputs.sample = Some(name.into());
        units.push(inputs);
    }
    units
}

/// Inputs of a program in addition to its files and settings.
#[derive(Clone, Copy)]
struct ProgramContext<'a> {
    /// The severities of rules that the configuration does not set.
    base: &'a RuleSettings,
    table: &'a FileTable,
    shell: Shell,
}

fn same_agents(a: &[AgentSettings], b: &[AgentSettings]) -> bool {
    let key = |agent: &AgentSettings| (agent.file, agent.project, Arc::clone(&agent.text));
    a.iter().map(key).eq(b.iter().map(key))
}

/// True if the configurations have equal content. The files that they name, such as a tool
/// catalog, may have changed.
fn same_projects(a: &[Project], b: &[Project]) -> bool {
    let same =
        |(a, b): (&Project, &Project)| a.file == b.file && a.text == b.text && a.findings == b.findings;
    a.len() == b.len() && a.iter().zip(b).all(same)
}
