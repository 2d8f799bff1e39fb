//! One check: from its targets to findings that are ready for output.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::ExitStatus;
use super::surroundings;
use super::terminal::Progress;
use mangle_engine::program::FileSummary;
use mangle_host::{
    AgentSettings, CheckCache, CheckInputsMap, CheckOptions, CheckTarget, Checked, CheckedTranscripts,
    FileTable, Overlay, Problem, ProgramFiles, Resolution, TranscriptRequest, WithoutReplies,
};
use mangle_report::{
    self, CheckSummary, FilePart, LinePosition, LoadErrors, OverflowCounts, ReportEntry, SourceText, Sources,
};
use mangle_settings::{FILE_NAME, MaxFindings, Profile};
use mangle_syntax::lint::Severity;
use mangle_syntax::text::{FileId, compare_paths};

/// Input of a check.
pub(super) struct FindingsRequest<'a> {
    /// The files and folders to check.
    pub(super) targets: &'a [CheckTarget],
    /// Documents that replace files on disk.
    pub(super) overlay: &'a Overlay,
    /// Cached results of earlier checks.
    pub(super) memory: &'a CheckCache,
    /// The base of file names in output.
    pub(super) working: &'a Path,
    pub(super) options: CheckOptions,
    /// The prescribed protocol version of all transcripts.
    pub(super) profile: Option<Profile>,
}

pub(super) struct Findings {
    /// The findings, in output order.
    pub(super) entries: Vec<ReportEntry>,
    /// The texts of files with findings.
    pub(super) sources: Sources,
    /// The requested files, sorted by name.
    pub(super) files: Vec<FileId>,
    /// Given files that could not be checked.
    pub(super) failures: Vec<Problem>,
    /// The number of baseline entries that are no longer found.
    pub(super) stale: usize,
    /// Findings that are only counted.
    pub(super) omitted: Vec<OverflowCounts>,
    /// True if no files were found.
    pub(super) is_nothing: bool,
    /// Maximum number of findings per rule, for files with a non-default limit.
    max_findings_by_file: FxHashMap<FileId, MaxFindings>,
    /// Maximum number of findings per rule for all files.
    max_findings: Option<MaxFindings>,
    /// The checked configurations of agent runtimes and grammars of replies.
    agents: Vec<FileId>,
    /// Inputs of prompts besides policies.
    prompt_inputs: FxHashSet<FileId>,
    clauses: usize,
    envelopes: u64,
    engines: BTreeSet<&'static str>,
    runtimes: BTreeSet<&'static str>,
    undeclared: usize,
    without_replies: WithoutReplies,
    /// The number of undecided questions about rules.
    undecided: usize,
    /// The errors that prevent the evaluation of programs.
    pub(super) unloaded: LoadErrors,
}

impl Findings {
    /// Checks the programs of `resolution`.
    pub(super) fn gather(request: &FindingsRequest<'_>, resolution: &mut Resolution) -> Self {
        let (table, fail_on) = (request.memory.table(), request.options.fail_on);
        let files = load(request, resolution);
        let progress = Progress::new("checking", resolution.programs.len());
        let cancel = surroundings::cancel();
        let mut checked = mangle_host::check(
            resolution,
            &files,
            request.memory,
            request.overlay,
            &cancel,
            request.options,
            || progress.step(),
        );
        let (mut failures, met): (Vec<_>, Vec<_>) =
            resolution.problems.iter().cloned().partition(|problem| problem.named);
        checked.add_unreadable(&met, &resolution.projects, table, fail_on);
        let mut transcripts = check_transcripts(request, resolution, &files);
        let mut sources = sources(resolution, &files, &checked, table, request.working);
        let (named, met): (Vec<_>, Vec<_>) =
            std::mem::take(&mut transcripts.problems).into_iter().partition(|problem| problem.named);
        failures.extend(named);
        checked.add_unreadable(&met, &resolution.projects, table, fail_on);
        add_transcripts(&mut sources, &mut transcripts, table, request.working);
        let (mut entries, undecided, unloaded) = (checked.entries, checked.undecided, checked.unloaded);
        entries.append(&mut transcripts.entries);
        mangle_report::sort(&mut entries, &sources);
        let policies = reported(resolution, &files);
        let clauses = policies.iter().flat_map(|file| file.items.iter());
        let clauses = clauses.filter(|item| item.statement.clause().is_some()).count();
        let atoms = resolution.corpora.iter().flat_map(|corpus| corpus.reported.iter().copied());
        let agents = resolution.agents.iter().filter(|agent| agent.reported);
        let grammars = resolution.grammars.iter();
        let files = policies.iter().map(|file| file.id).chain(transcripts.files).chain(atoms);
        let mut files: Vec<_> = files.collect();
        files.par_sort_by(|one, another| compare_paths(sources.name(*one), sources.name(*another)));
        let is_nothing = files.is_empty() && agents.clone().next().is_none();
        Self {
            entries,
            sources,
            files,
            failures,
            stale: 0,
            omitted: transcripts.omitted,
            agents: agents.map(|agent| agent.file).chain(grammars.map(|grammar| grammar.file)).collect(),
            prompt_inputs: resolution.beside().map(|(file, ..)| file).collect(),
            is_nothing: is_nothing && !request.targets.iter().any(is_configuration),
            max_findings_by_file: most(resolution),
            max_findings: request.options.max_findings,
            clauses,
            envelopes: transcripts.envelopes,
            engines: resolution
                .programs
                .iter()
                .map(|program| program.embedding.engine.name.as_str())
                .collect(),
            runtimes: resolution.transcripts.iter().map(|found| found.settings.caps.runtime.name()).collect(),
            undeclared: transcripts.undeclared,
            without_replies: resolution.without_replies,
            undecided,
            unloaded,
        }
    }

    /// The message about undecided questions about rules.
    pub(super) fn undecided(&self) -> Option<String> {
        match self.undecided {
            0 => None,
            1 => Some("one question about a rule was not decided".to_owned()),
            count => Some(format!("{count} questions about rules were not decided")),
        }
    }

    /// True if fixes apply to the finding's file and to all files that its fix edits.
    pub(super) fn is_fixed(&self, entry: &ReportEntry) -> bool {
        let file = self.sources.owner(entry.file);
        let edits = entry.diagnostic.fix.iter().flat_map(|fix| &fix.edits);
        let is_alone =
            file != entry.file || self.agents.contains(&file) || self.prompt_inputs.contains(&file);
        let touches_own = edits.map(|edit| edit.file).all(|edited| edited == entry.file);
        (is_alone || self.files.contains(&file)) && (!is_alone || touches_own)
    }

    /// Maximum number of findings per rule in a file.
    pub(super) fn most(&self, file: FileId) -> MaxFindings {
        let configured = || self.max_findings_by_file.get(&file).copied().unwrap_or_default();
        self.max_findings.unwrap_or_else(configured)
    }

    /// The totals for the end of a report.
    pub(super) fn summary(&self, elapsed_ms: u64) -> CheckSummary {
        let (files, clauses) = (self.files.len() + self.agents.len(), self.clauses);
        let (envelopes, undeclared) = (self.envelopes, self.undeclared);
        let nothing_to_check = self.is_nothing;
        let counts = mangle_report::count(&self.entries);
        let mut summary =
            CheckSummary { files, clauses, envelopes, undeclared, elapsed_ms, nothing_to_check, ..counts };
        summary.json_without_replies = self.without_replies.json;
        summary.logs_without_replies = self.without_replies.logs;
        summary.unexamined = self.without_replies.unexamined;
        summary.engines.clone_from(&self.engines);
        summary.runtimes.clone_from(&self.runtimes);
        for omitted in &self.omitted {
            summary.errors += omitted.of_severity(Severity::Error);
            summary.warnings += omitted.of_severity(Severity::Warning);
            summary.information += omitted.of_severity(Severity::Information);
            summary.hints += omitted.of_severity(Severity::Hint);
            summary.omitted += omitted.count();
        }
        summary
    }

    pub(super) fn outcome(&self) -> ExitStatus {
        if !self.failures.is_empty() {
            ExitStatus::Failure
        } else if self.entries.iter().any(|entry| entry.fails)
            || self.omitted.iter().any(|omitted| omitted.fails)
        {
            ExitStatus::Findings
        } else {
            ExitStatus::Clean
        }
    }
}

/// Maximum number of findings per rule, by file. For a file of several projects, the largest limit
/// applies.
fn most(resolution: &Resolution) -> FxHashMap<FileId, MaxFindings> {
    let programs = resolution.programs.iter();
    let of_programs =
        programs.flat_map(|program| program.own().map(|member| (member.file, program.settings.max_findings)));
    let transcripts = resolution.transcripts.iter();
    let of_transcripts = transcripts.filter_map(|found| {
        let project = resolution.projects.get(found.project?)?;
        Some((found.file, project.settings.max_findings))
    });
    let mut most: FxHashMap<FileId, MaxFindings> = FxHashMap::default();
    for (file, own) in of_programs.chain(of_transcripts) {
        most.entry(file).and_modify(|known| *known = known.larger(own)).or_insert(own);
    }
    most
}

/// True if the target is a configuration file, which is itself checked.
fn is_configuration(target: &CheckTarget) -> bool {
    matches!(target, CheckTarget::File(path) if path.ends_with(FILE_NAME))
}

/// Reads the files of the programs. Read errors are added to `resolution`.
fn load(request: &FindingsRequest<'_>, resolution: &mut Resolution) -> FxHashMap<FileId, Arc<FileSummary>> {
    let progress = Progress::new("reading", resolution.files().len());
    let (files, problems) =
        mangle_host::load(resolution, request.targets, request.overlay, request.memory, || progress.step());
    resolution.problems.extend(problems);
    files
}

/// Checks the transcripts of `resolution`.
fn check_transcripts(
    request: &FindingsRequest<'_>,
    resolution: &Resolution,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
) -> CheckedTranscripts {
    if resolution.transcripts.is_empty() {
        return CheckedTranscripts::default();
    }
    let sizes = resolution.transcripts.iter().map(|found| found.path.metadata().map(|data| data.len()).ok());
    let progress = Progress::of_bytes("transcripts", sizes.sum());
    let knowledges = CheckInputsMap::new(resolution, files, request.profile);
    let asked = request.of_transcripts(resolution, &knowledges);
    mangle_host::check_transcripts(asked, &|bytes| progress.add(bytes))
}

impl<'a> FindingsRequest<'a> {
    /// Restricts the request to transcripts.
    pub(super) fn of_transcripts(
        &self,
        resolution: &'a Resolution,
        knowledges: &'a CheckInputsMap,
    ) -> TranscriptRequest<'a> {
        TranscriptRequest {
            resolution,
            transcripts: &resolution.transcripts,
            knowledges,
            overlay: self.overlay,
            table: self.memory.table(),
            working: self.working,
            options: self.options,
            cancel: surroundings::cancel(),
        }
    }
}

/// The names and texts of all files in output.
fn sources(
    resolution: &Resolution,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    checked: &Checked,
    table: &FileTable,
    working: &Path,
) -> Sources {
    let mut sources = Sources::default();
    let source = |file: FileId, text: &Arc<str>| {
        mangle_host::source_text(working, &table.path(file), Arc::clone(text))
    };
    for entry in &checked.entries {
        sources.insert_source(entry.file, source(entry.file, &"".into()));
    }
    for project in &resolution.projects {
        sources.insert_source(project.file, source(project.file, &project.text));
    }
    for agent in resolution.agents.iter().filter(|agent| agent.reported) {
        sources.insert_source(agent.file, agent_source(agent, checked, working));
    }
    for grammar in &resolution.grammars {
        sources.insert_source(grammar.file, source(grammar.file, &grammar.text));
    }
    for (file, _, text) in resolution.beside() {
        sources.insert_source(file, source(file, text));
    }
    for file in files.values() {
        sources.insert_source(file.id, source(file.id, &file.text).with_statements(file));
    }
    sources
}

/// Adds the names of transcripts, and of their records in output.
fn add_transcripts(
    sources: &mut Sources,
    transcripts: &mut CheckedTranscripts,
    table: &FileTable,
    working: &Path,
) {
    for (part, source) in std::mem::take(&mut transcripts.sources) {
        sources.insert_source(part, source);
    }
    for file in &transcripts.files {
        sources.insert_source(*file, mangle_host::source_text(working, &table.path(*file), "".into()));
    }
}

/// The text of a runtime configuration for output, without its credentials.
fn agent_source(agent: &AgentSettings, checked: &Checked, working: &Path) -> SourceText {
    let found = checked.entries.iter().filter(|entry| entry.file == agent.file);
    let found: Vec<_> = found.map(|entry| entry.diagnostic.clone()).collect();
    let start = LinePosition::default();
    let part = FilePart::new(agent.file, 0, start, agent.text.as_bytes(), agent.file, &found);
    SourceText::of_part(mangle_host::relative(working, &agent.path), part).at(&agent.path)
}

/// The policies with requested findings.
fn reported<'f>(
    resolution: &Resolution,
    files: &'f FxHashMap<FileId, Arc<FileSummary>>,
) -> Vec<&'f FileSummary> {
    let members = resolution.programs.iter().flat_map(ProgramFiles::own);
    let wanted: FxHashSet<_> = members.filter(|member| member.reported).map(|member| member.file).collect();
    files.values().filter(|file| wanted.contains(&file.id)).map(AsRef::as_ref).collect()
}
