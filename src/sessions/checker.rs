//! Policies and settings for checking sessions, loaded once.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Session, SessionLines, TurnForm};
use mangle_engine::kernel::Clock;
use mangle_engine::program::FileSummary;
use mangle_host::{
    AccountPolicies, CheckCache, CheckInputsMap, CheckOptions, CheckTarget, CheckTargets, FileTable,
    LinkOptions, Overlay, PartialScan, Problem, ProgramFiles, Resolution, Shell, TranscriptFile,
    TranscriptPrograms,
};
use mangle_ide::file_findings::load_errors;
use mangle_report::{ReportEntry, SourceText, Sources};
use mangle_settings::{Container, FILE_NAME, MaxFindings, Settings, TranscriptSettings};
use mangle_syntax::lint::Severity;
use mangle_syntax::text::{Cancel, FileId};

type LoadedText = (FileId, String, Arc<str>);

/// A checker of sessions with loaded policies and settings.
pub struct Checker {
    pub(super) resolution: Resolution,
    pub(super) knowledges: CheckInputsMap,
    pub(super) memory: CheckCache,
    /// The policies for replaying requests.
    pub(super) policies: AccountPolicies,
    /// The policies that may deny whole replies. Only these policies affect updates.
    pub(super) denying: AccountPolicies,
    /// The files of the policies with names and texts.
    pub(super) texts: Vec<(mangle_syntax::text::FileId, String, Arc<str>)>,
    /// A template transcript next to the policies, with their settings.
    pub(super) template: TranscriptFile,
    /// The base folder of file names.
    pub(super) root: PathBuf,
    pub(super) settings: Arc<Settings>,
    /// The evaluation time of policies.
    pub(super) clock: Clock,
    form: TurnForm,
}

impl fmt::Debug for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").field("root", &self.root).finish_non_exhaustive()
    }
}

/// The reason for an unusable policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadError {
    /// A given path does not exist or cannot be read.
    Unreadable(String),
    /// The policies have errors. Contains the findings in the format of `check`.
    Errors(String),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(why) => f.write_str(why),
            Self::Errors(found) => write!(f, "the policies have errors:\n{found}"),
        }
    }
}

impl std::error::Error for LoadError {}

/// The containers with one record per line.
pub const LINE_CONTAINERS: [Container; 3] =
    [Container::ChatLines, Container::EnvelopeLines, Container::Traces];

/// Resolves only the given policies or, if none are given, the program of the folder.
fn resolve(
    targets: &[CheckTarget],
    policies: &[PathBuf],
    overlay: &Overlay,
    table: &FileTable,
) -> Resolution {
    match policies {
        [] => mangle_host::resolve_with_transcripts(targets, Shell::CommandLine, overlay, table),
        _ => mangle_host::resolve_exactly_with_transcripts(targets, overlay, table),
    }
}

/// The file name of the transcript of each session.
const NAME: &str = "session.jsonl";

impl Checker {
    /// Loads the given policies and the policies of the `mangle-ls.toml` at `config`, which may be
    /// its folder.
    ///
    /// Policies are evaluated at `clock`. Default: the time in the settings, or the current time.
    ///
    /// # Errors
    /// Returns an error if a given path cannot be read, or if `check` finds an error in the
    /// policies.
    pub fn load(
        config: Option<&Path>,
        policies: &[PathBuf],
        clock: Option<Clock>,
    ) -> Result<Self, LoadError> {
        let working = std::env::current_dir().map_err(|error| LoadError::Unreadable(error.to_string()))?;
        let root = root(config, policies, &working)?;
        let (memory, mut overlay) = (CheckCache::default(), Overlay::default());
        let path = root.join(NAME);
        overlay.insert_transcript(path.clone(), Arc::from(&b"\n"[..]));
        let named: Vec<PathBuf> = policies.iter().map(|path| mangle_host::absolute(&working, path)).collect();
        let named =
            if named.is_empty() { CheckTargets::default() } else { mangle_host::targets(&named, &root) };
        let mut targets = named.targets.clone();
        targets.extend(config.map(|_| CheckTarget::Folder(root.clone())));
        targets.push(CheckTarget::Transcript(path.clone()));
        let mut resolution = resolve(&targets, policies, &overlay, memory.table());
        let (files, unread) = mangle_host::load(&resolution, &targets, &overlay, &memory, || {});
        let cuts = resolution.partial_scans.iter().map(PartialScan::problem);
        let mut problems: Vec<Problem> = named.problems.into_iter().chain(unread).chain(cuts).collect();
        problems.append(&mut resolution.problems);
        problems.append(&mut resolution.empty_targets);
        // The folder of a configuration may have no policies.
        problems.retain(|problem| problem.path != root || config.is_none());
        if let Some(problem) = problems.first() {
            let name = mangle_host::relative(&root, &problem.path);
            return Err(LoadError::Unreadable(format!("{name}: {}", problem.why)));
        }
        if !policies.is_empty() && files.is_empty() {
            return Err(LoadError::Unreadable("there are no Mangle files (`.mg`, `.gl`) here".to_owned()));
        }
        let texts: Vec<_> = files
            .values()
            .map(|file| {
                (file.id, mangle_host::relative(&root, &memory.table().path(file.id)), Arc::clone(&file.text))
            })
            .collect();
        require_loadable(&resolution, &files, &memory, &overlay, &root, &texts)?;
        let like = resolution.transcripts.iter().find(|found| found.path == path).cloned();
        let mut like =
            like.ok_or_else(|| LoadError::Unreadable(format!("{}: no such folder", root.display())))?;
        let container = Some(Container::ChatLines);
        like.settings = TranscriptSettings { container, ..TranscriptSettings::clone(&like.settings) }.into();
        let is_named = |program: &ProgramFiles| {
            let paths = program.own().map(|member| memory.table().path(member.file));
            paths.into_iter().any(|path| named.targets.iter().any(|target| target.covers(&path)))
        };
        let beside = resolution.programs.iter().enumerate().filter(|(_, program)| is_named(program));
        like.programs.extend(beside.map(|(at, _)| at));
        like.programs.sort_unstable();
        like.programs.dedup();
        resolution.transcripts = vec![like.clone()];
        let knowledges = CheckInputsMap::new(&resolution, &files, None);
        let project = like.project.and_then(|at| resolution.projects.get(at));
        let settings = project.map_or_else(Arc::default, |project| Arc::clone(&project.settings));
        let clock = clock.unwrap_or_else(|| Clock::from_settings(&settings.kernel));
        let programs =
            TranscriptPrograms { resolution: &resolution, knowledges: &knowledges, clock: Some(clock) };
        let policies = AccountPolicies::with_verdicts(programs);
        let denying = AccountPolicies::with_denials(programs);
        Ok(Self {
            resolution,
            knowledges,
            memory,
            policies,
            denying,
            texts,
            template: like,
            root,
            settings,
            clock,
            form: TurnForm::Message,
        })
    }

    /// Changes the checker to sessions whose turns are JSON records of a log.
    ///
    /// If `container` is `None`, it is detected for each session, as for a file. Returns `None` for
    /// a container without one record per line.
    #[must_use]
    pub fn of_records(mut self, container: Option<Container>) -> Option<Self> {
        if !container.is_none_or(|container| LINE_CONTAINERS.contains(&container)) {
            return None;
        }
        self.form = TurnForm::Record;
        self.template.settings =
            TranscriptSettings { container, ..TranscriptSettings::clone(&self.template.settings) }.into();
        self.resolution.transcripts = vec![self.template.clone()];
        Some(self)
    }

    pub(super) fn lines(&self, session: &Session<'_>) -> SessionLines {
        SessionLines::from_session(session, self.form)
    }

    /// The evaluation time of policies, in nanoseconds since 1970.
    #[must_use]
    pub fn now_ns(&self) -> i64 {
        self.clock.now_ns
    }

    /// Returns all loaded files, with paths relative to the folder of the configuration, and their
    /// texts.
    ///
    /// A checker of the same files in another folder has the same results.
    #[must_use]
    pub fn files(&self) -> Vec<(String, Arc<str>)> {
        let policies = self.texts.iter().map(|(_, name, text)| (name.clone(), Arc::clone(text)));
        let name = |path: &Path| mangle_host::relative(&self.root, path);
        let projects = self.resolution.projects.iter();
        let projects = projects.map(|project| (name(&project.path), Arc::clone(&project.text)));
        let agents = self.resolution.agents.iter().map(|agent| (name(&agent.path), Arc::clone(&agent.text)));
        policies.chain(projects).chain(agents).chain(self.catalogue()).collect()
    }

    /// Returns the tool catalog of the configuration.
    fn catalogue(&self) -> Option<(String, Arc<str>)> {
        let project = self.template.project.and_then(|at| self.resolution.projects.get(at))?;
        let path = project.root.join(project.settings.transcripts.tools.as_ref()?);
        let text = mangle_host::read(&path, &Overlay::default()).ok()?;
        Some((mangle_host::relative(&self.root, &path), text.text))
    }

    /// Returns check options without a limit on findings.
    pub(super) fn options() -> CheckOptions {
        CheckOptions { max_findings: Some(MaxFindings::new(0)), ..CheckOptions::default() }
    }

    /// Returns the transcript of the session with this number.
    pub(super) fn transcript(&self, number: usize) -> TranscriptFile {
        let path = self.root.join(format!("{number}/{NAME}"));
        TranscriptFile { file: mangle_syntax::text::FileId::from_path(&path), path, ..self.template.clone() }
    }

    pub(super) fn sources(&self) -> Sources {
        sources(&self.texts)
    }
}

/// Rejects programs with errors or load failures, even if the settings disable the findings.
///
/// # Errors
/// Returns the errors, if any.
fn require_loadable(
    resolution: &Resolution,
    files: &FxHashMap<FileId, Arc<FileSummary>>,
    memory: &CheckCache,
    overlay: &Overlay,
    root: &Path,
    texts: &[LoadedText],
) -> Result<(), LoadError> {
    let (options, cancel) = (CheckOptions::default(), Cancel::new());
    let checked = mangle_host::check(resolution, files, memory, overlay, &cancel, options, || {});
    require_no_errors(&checked.entries, texts)?;
    let name = |file| {
        let named = texts.iter().find(|(known, ..)| *known == file);
        named.map(|(_, name, _)| name.clone()).unwrap_or_default()
    };
    let mut errors = resolution.settings_problems(root).errors;
    for joined in mangle_host::join(resolution, files, &LinkOptions::default()) {
        errors.add(load_errors(&joined.program, &name));
    }
    if errors.is_empty() { Ok(()) } else { Err(LoadError::Errors(errors.lines().join("\n"))) }
}

/// # Errors
/// Returns the formatted findings if any of them is an error.
fn require_no_errors(
    found: &[ReportEntry],
    texts: &[(mangle_syntax::text::FileId, String, Arc<str>)],
) -> Result<(), LoadError> {
    let errors = found.iter().filter(|entry| entry.diagnostic.severity == Severity::Error);
    let mut errors: Vec<_> = errors.cloned().collect();
    if errors.is_empty() {
        return Ok(());
    }
    let sources = sources(texts);
    mangle_report::sort(&mut errors, &sources);
    let renderer = annotate_snippets::Renderer::plain();
    let text = errors.iter().map(|entry| mangle_report::text(entry, &sources, &renderer));
    Err(LoadError::Errors(text.collect()))
}

fn sources(texts: &[(mangle_syntax::text::FileId, String, Arc<str>)]) -> Sources {
    let mut sources = Sources::default();
    for (file, name, text) in texts {
        sources.insert_source(*file, SourceText::new(name.clone(), Arc::clone(text)));
    }
    sources
}

/// Returns the base folder: of the configuration, of the first policy, or the working folder.
///
/// # Errors
/// Returns an error if a given configuration does not exist.
fn root(config: Option<&Path>, policies: &[PathBuf], working: &Path) -> Result<PathBuf, LoadError> {
    let parent = |path: &Path| path.parent().map_or_else(|| working.to_path_buf(), Path::to_path_buf);
    if let Some(config) = config {
        let path = mangle_host::absolute(working, config);
        let file = if path.is_dir() { path.join(FILE_NAME) } else { path };
        return match file.is_file() && file.ends_with(FILE_NAME) {
            true => Ok(parent(&file)),
            false => {
                Err(LoadError::Unreadable(format!("{}: there is no `{FILE_NAME}` here", config.display())))
            }
        };
    }
    let of_policy = policies.first().map(|policy| mangle_host::absolute(working, policy));
    Ok(match of_policy {
        Some(policy) if policy.is_dir() => policy,
        Some(policy) => parent(&policy),
        None => working.to_path_buf(),
    })
}
