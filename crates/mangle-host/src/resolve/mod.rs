//! Resolution of targets to programs: members, reported files and settings of each program.
//!
//! The nearest `mangle-ls.toml` above a file governs it, and its `[[program]]` tables assign the
//! files below it to programs. Without a configuration, the folder determines the program
//! ([`folders`]), both on the command line and in the editor. Commands that compare policies use
//! exactly the given files ([`ProgramScope::Exact`]).

mod default_programs;
mod folders;
mod links;
mod other_files;
mod resolution;
mod transcripts;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::folders::Folders;
use super::agents::is_agent_settings;
use super::atoms::AtomFiles;
use super::paths::{is_kernel, is_other_text};
use super::project::ProjectProgram;
use super::samples::used_files;
use super::transcripts::is_markdown;
use super::versions::{SharedSettings, Undecided, VersionFinder};
use super::walk::{FileTree, WalkEntry, WalkOptions, walk_within};
use super::{CheckTarget, FileTable, Overlay, Project, is_mangle, is_single, is_test, project};
use mangle_settings::{FILE_NAME, FilesSettings, Settings};
use mangle_syntax::text::{Cancel, FileId};

pub use super::project::ProgramOrigin;
pub use super::read::Problem;
pub use super::walk::PartialScan;
pub(super) use resolution::Unit;
pub use resolution::{CorpusFiles, GrammarFile, Member, ProgramFiles, Resolution, StandaloneFile};
pub use transcripts::WithoutReplies;

/// The caller of the resolution. An editor opens arbitrary documents, and has less time for an
/// evaluation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shell {
    /// Targets are the given paths.
    CommandLine,
    /// Targets are the workspace folders and the open documents.
    #[default]
    Editor,
}

/// The program of files without configuration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProgramScope {
    /// Each file is in the program of its folder.
    #[default]
    Folder,
    /// The targets alone form one program.
    Exact,
}

/// Resolves `targets`. The texts of `overlay` override the files on disk.
#[must_use]
pub fn resolve(targets: &[CheckTarget], shell: Shell, overlay: &Overlay, table: &FileTable) -> Resolution {
    resolve_all(Resolver::new(targets, shell, overlay, table, &Cancel::new()), shell == Shell::Editor)
}

/// [`resolve`] for the command line, with a choice of the files that form a program without
/// configuration.
#[must_use]
pub fn resolve_scope(
    targets: &[CheckTarget],
    scope: ProgramScope,
    overlay: &Overlay,
    table: &FileTable,
) -> Resolution {
    let cancel = Cancel::new();
    let resolver = Resolver::new(targets, Shell::CommandLine, overlay, table, &cancel);
    resolve_all(Resolver { scope, ..resolver }, false)
}

/// [`resolve_scope`] for exactly the targets, including the transcripts among the targets. The transcripts are checked
/// against that program.
#[must_use]
pub fn resolve_exactly_with_transcripts(
    targets: &[CheckTarget],
    overlay: &Overlay,
    table: &FileTable,
) -> Resolution {
    let cancel = Cancel::new();
    let resolver = Resolver::new(targets, Shell::CommandLine, overlay, table, &cancel);
    resolve_all(Resolver { scope: ProgramScope::Exact, ..resolver }, true)
}

/// [`resolve`] for an editor. After `cancel`, the result is partial. With `only_near`, only files
/// in the folders of open documents are resolved.
#[must_use]
pub(super) fn resolve_open(
    targets: &[CheckTarget],
    overlay: &Overlay,
    table: &FileTable,
    only_near: bool,
    cancel: &Cancel,
) -> Resolution {
    let resolver = Resolver::new(targets, Shell::Editor, overlay, table, cancel);
    resolve_all(Resolver { only_open_folders: only_near, ..resolver }, true)
}

/// True if a target folder contains too many files to wait for the complete scan.
pub(super) fn is_large(targets: &[CheckTarget], cancel: &Cancel) -> bool {
    let settings = FilesSettings {
        max_scan_entries: 2_000,
        max_scan_files: 200,
        max_scan_bytes: 4 << 20,
        ..FilesSettings::default()
    };
    let reach = WalkOptions { settings: &settings, first: Arc::default(), only_first: false, cancel };
    let mut folders = targets.iter().filter_map(CheckTarget::folder);
    folders.any(|folder| walk_within(folder, &Overlay::default(), &reach).limit.is_some())
}

/// [`resolve`], including the transcripts below the targets and their programs.
#[must_use]
pub fn resolve_with_transcripts(
    targets: &[CheckTarget],
    shell: Shell,
    overlay: &Overlay,
    table: &FileTable,
) -> Resolution {
    resolve_all(Resolver::new(targets, shell, overlay, table, &Cancel::new()), true)
}

fn resolve_all(mut resolver: Resolver<'_>, asks_for_transcripts: bool) -> Resolution {
    let shell = resolver.shell;
    resolver.discover();
    let mut loose = resolver.projects();
    loose.extend(resolver.named_as_mangle());
    resolver.without_configuration(loose);
    let transcripts = if asks_for_transcripts { resolver.transcripts() } else { Vec::new() };
    let goes_with = |program: &ProgramFiles| transcripts.iter().any(|found| found.goes_with(program));
    let is_reported = |program: &ProgramFiles| program.own().any(|member| member.reported);
    resolver.result.programs.retain(|program| is_reported(program) || goes_with(program));
    resolver.result.programs.sort_by(|a, b| a.root.cmp(&b.root));
    if asks_for_transcripts {
        resolver.agents(&transcripts);
    }
    resolver.place_transcripts(transcripts);
    if shell == Shell::CommandLine && !asks_for_transcripts {
        resolver.skip_others();
    }
    resolver.links();
    resolver.previews();
    resolver.remove_preview_inputs();
    resolver.note_empty(asks_for_transcripts);
    resolver.result.go_mods = resolver.versions.go_mods();
    resolver.result.problems.sort_by(|a, b| a.path.cmp(&b.path));
    resolver.result.problems.dedup();
    resolver.result.partial_scans.sort_by(|a, b| a.folder.cmp(&b.folder));
    resolver.result.outside = resolver.outside();
    resolver.result
}

struct Resolver<'a> {
    targets: &'a [CheckTarget],
    shell: Shell,
    scope: ProgramScope,
    overlay: &'a Overlay,
    table: &'a FileTable,
    folders: Folders,
    /// The walked folders.
    trees: BTreeMap<PathBuf, FileTree>,
    /// The configuration files that govern at least one file.
    configurations: BTreeSet<PathBuf>,
    /// Cache: the nearest configuration file of each folder.
    nearest: FxHashMap<PathBuf, Option<PathBuf>>,
    /// Explicitly given files with other extensions that are read as Mangle.
    as_mangle: FxHashSet<PathBuf>,
    /// The folders of the open documents.
    open_folders: Arc<BTreeSet<PathBuf>>,
    only_open_folders: bool,
    cancel: &'a Cancel,
    /// Transcripts that were recognized only by their content.
    captured: FxHashSet<PathBuf>,
    versions: VersionFinder<'a>,
    /// The settings of projects, combined with the runtime of a program. Programs with equal
    /// settings share them.
    decided: SharedSettings<Settings>,
    result: Resolution,
}

impl<'a> Resolver<'a> {
    fn new(
        targets: &'a [CheckTarget],
        shell: Shell,
        overlay: &'a Overlay,
        table: &'a FileTable,
        cancel: &'a Cancel,
    ) -> Self {
        let open = overlay.paths().filter(|_| shell == Shell::Editor);
        Self {
            open_folders: Arc::new(open.filter_map(|path| Some(path.parent()?.into())).collect()),
            only_open_folders: false,
            cancel,
            targets,
            shell,
            scope: ProgramScope::default(),
            overlay,
            table,
            folders: Folders::default(),
            trees: BTreeMap::new(),
            configurations: BTreeSet::new(),
            nearest: FxHashMap::default(),
            as_mangle: FxHashSet::default(),
            captured: FxHashSet::default(),
            versions: VersionFinder::new(overlay),
            decided: SharedSettings::default(),
            result: Resolution::default(),
        }
    }

    /// Walks the targets and collects the relevant configuration files.
    fn discover(&mut self) {
        for target in self.targets {
            match target {
                CheckTarget::File(file) if file.ends_with(FILE_NAME) => {
                    self.configurations.insert(file.clone());
                }
                CheckTarget::File(file) | CheckTarget::Other(file) | CheckTarget::Transcript(file) => {
                    self.govern(file)
                }
                CheckTarget::Folder(folder) => {
                    self.walk(folder);
                    self.govern(&folder.join(FILE_NAME));
                    let inner = self.tree(folder).map_or(Vec::new(), |tree| tree.configurations.clone());
                    self.configurations.extend(inner.into_iter().filter(|path| path.starts_with(folder)));
                }
                CheckTarget::Glob(folder, _) => {
                    self.walk(folder);
                    self.matches(target);
                }
            }
        }
    }

    /// Collects the configuration files of the files that a glob matches.
    fn matches(&mut self, glob: &CheckTarget) {
        let files = self.trees.values().flat_map(|tree| tree.files.iter());
        let matched: Vec<_> =
            files.filter(|found| glob.covers(&found.path)).map(|found| found.path.clone()).collect();
        for path in matched {
            self.govern(&path);
        }
    }

    fn govern(&mut self, file: &Path) {
        let governing = self.governing(file);
        self.configurations.extend(governing);
    }

    /// Walks a folder, unless it is below a walked folder. If the earlier walk was incomplete and
    /// the folder is a project with an open document, walks it separately, because its program
    /// must be complete.
    fn walk(&mut self, folder: &Path) {
        let is_near = self.open_folders.iter().any(|near| near.starts_with(folder));
        let is_walked = self.trees.contains_key(folder)
            || self.tree(folder).is_some_and(|tree| tree.limit.is_none() || !is_near);
        if !is_walked {
            self.walk_again(folder);
        }
    }

    /// Walks a folder separately.
    fn walk_again(&mut self, folder: &Path) {
        let settings = self.files_settings(folder);
        let reach = WalkOptions {
            settings: &settings,
            first: Arc::clone(&self.open_folders),
            only_first: self.only_open_folders,
            cancel: self.cancel,
        };
        let mut tree = walk_within(folder, self.overlay, &reach);
        self.result.problems.append(&mut tree.problems);
        let (folder, visited) = (folder.to_path_buf(), tree.visited);
        self.result.partial_scans.extend(tree.limit.map(|limit| PartialScan {
            folder: folder.clone(),
            limit,
            visited,
        }));
        self.trees.insert(folder, tree);
    }

    /// Returns the file settings of the configuration that governs a folder. If only nearby files
    /// are resolved, the limits are lower.
    fn files_settings(&mut self, folder: &Path) -> FilesSettings {
        let governing = self.governing(&folder.join(FILE_NAME));
        let mut settings = governing.map_or_else(FilesSettings::default, |path| {
            let project = Project::read(&path, self.overlay, self.table, &mut Vec::new());
            project.settings.files.clone()
        });
        if self.only_open_folders {
            settings.max_scan_entries = settings.max_scan_entries.min(10_000);
            settings.max_scan_files = settings.max_scan_files.min(500);
            settings.max_scan_bytes = settings.max_scan_bytes.min(4 << 20);
        }
        settings
    }

    fn tree(&self, folder: &Path) -> Option<&FileTree> {
        folder.ancestors().find_map(|above| self.trees.get(above))
    }

    /// Returns the configuration file that governs a file.
    fn governing(&mut self, file: &Path) -> Option<PathBuf> {
        let folder = file.parent().unwrap_or(file);
        if let Some(known) = self.nearest.get(folder) {
            return known.clone();
        }
        let nearest = project::nearest(folder, self.overlay);
        self.nearest.insert(folder.into(), nearest.clone());
        nearest
    }

    /// True if a configuration file governs a file.
    fn is_governed(&self, file: &Path) -> bool {
        file.parent().and_then(|folder| self.nearest.get(folder)).is_some_and(Option::is_some)
    }

    /// Adds the programs of all projects. Returns the files without a project, and the explicitly
    /// given files that their project assigns to no program.
    fn projects(&mut self) -> Vec<WalkEntry> {
        for path in self.configurations.clone() {
            self.project(&path);
        }
        let placed: FxHashSet<FileId> = self.members().map(|member| member.file).collect();
        let mut loose = Vec::new();
        for found in self.targeted() {
            let is_placed = self.table.known(&found.path).is_some_and(|id| placed.contains(&id));
            if is_placed || found.path.ends_with(FILE_NAME) {
                continue;
            }
            if self.governing(&found.path).is_none() || self.is_named(&found.path) {
                loose.push(found);
            } else if found.target.is_none() {
                self.result.excluded_files.push(found.path);
            }
        }
        loose
    }

    fn members(&self) -> impl Iterator<Item = &Member> {
        self.result.programs.iter().flat_map(ProgramFiles::own)
    }

    /// Returns all files that the targets select, sorted.
    fn targeted(&self) -> Vec<WalkEntry> {
        // An editor opens arbitrary documents.
        let is_ours = |file: &Path| {
            self.shell == Shell::CommandLine
                || is_mangle(file)
                || file.ends_with(FILE_NAME)
                || self.declares_extension(self.project_of(file), file)
        };
        let walked = self
            .trees
            .values()
            .flat_map(|tree| tree.files.iter())
            .filter(|found| self.is_reported(&found.path));
        let named = self.targets.iter().filter_map(|target| match target {
            CheckTarget::File(file) if is_ours(file) => Some(WalkEntry::plain(file)),
            _ => None,
        });
        let mut files: BTreeMap<PathBuf, WalkEntry> =
            walked.map(|found| (found.path.clone(), found.clone())).collect();
        for found in named {
            files.entry(found.path.clone()).or_insert(found);
        }
        files.into_values().collect()
    }

    /// Returns the open documents that are in no workspace folder.
    fn outside(&self) -> Vec<FileId> {
        let is_inside =
            |path: &Path| self.targets.iter().filter_map(CheckTarget::folder).any(|it| path.starts_with(it));
        let named = self.targets.iter().filter_map(|target| match target {
            CheckTarget::File(path) if self.shell == Shell::Editor && !is_inside(path) => {
                (!self.is_governed(path)).then_some(path)
            }
            _ => None,
        });
        named.map(|path| self.table.id(path)).collect()
    }

    fn is_reported(&self, path: &Path) -> bool {
        self.targets.iter().any(|target| target.covers(path))
    }

    fn is_named(&self, path: &Path) -> bool {
        self.as_mangle.contains(path)
            || self.targets.iter().any(|target| matches!(target, CheckTarget::File(file) if file == path))
    }

    fn project(&mut self, path: &Path) {
        let mut project = Project::read(path, self.overlay, self.table, &mut self.result.problems);
        self.walk(&project.root.clone());
        let mut own = self.own(&project.root, path, |tree| &tree.files);
        if !project.settings.files.extensions.is_empty() {
            own.extend(self.added(&project, path));
            own.sort_unstable();
        }
        let index = self.result.projects.len();
        let unmatched = AtomFiles::unmatched(&project.settings.prompt.atoms, &project.root, self.overlay);
        project.report_atoms(&unmatched);
        let dealt = project.assign_files(&own.iter().collect::<Vec<_>>(), self.table);
        if !project.settings.kernel.sample.patterns().is_empty() {
            own.extend(self.own(&project.root, path, |tree| &tree.facts));
            project.take_samples(&own.iter().collect::<Vec<_>>());
        }
        for dealt in dealt {
            let program =
                self.program(dealt, project.root.clone(), Some(index), &project.settings, &project.samples);
            self.result.programs.push(program);
        }
        if self.shell == Shell::CommandLine && !project.settings.accepts_this_version() {
            let why = "it asks for another version of mangle-ls".into();
            self.result.problems.push(Problem { path: path.into(), why, named: true });
        }
        let grammars = self.grammars(&mut project, index, path);
        self.result.grammars.extend(grammars);
        self.result.projects.push(project);
    }

    /// Returns the files below the root of a project that `[files] extensions` declares as Mangle.
    fn added(&mut self, project: &Project, path: &Path) -> Vec<WalkEntry> {
        let others = self.own(&project.root, path, |tree| &tree.others);
        others.into_iter().filter(|found| project.settings.files.adds(&found.path)).collect()
    }

    /// Returns the files below a root that the configuration file at `path` governs.
    fn own(&mut self, root: &Path, path: &Path, files: fn(&FileTree) -> &Vec<WalkEntry>) -> Vec<WalkEntry> {
        let below: Vec<WalkEntry> = self.tree(root).map_or_else(Vec::new, |tree| {
            files(tree).iter().filter(|found| found.path.starts_with(root)).cloned().collect()
        });
        below.into_iter().filter(|found| self.governing(&found.path).as_deref() == Some(path)).collect()
    }

    fn program(
        &mut self,
        dealt: ProjectProgram,
        root: PathBuf,
        project: Option<usize>,
        settings: &Arc<Settings>,
        samples: &[PathBuf],
    ) -> ProgramFiles {
        let is_single = |path: &PathBuf| is_single(path) || samples.binary_search(path).is_ok();
        let (singles, members): (Vec<_>, Vec<_>) = dealt.files.into_iter().partition(is_single);
        let undecided = Undecided { files: &members, settings, root: &root };
        let versions = self.versions.versions(&undecided);
        let runtime = versions.runtime.version;
        let settings =
            self.decided.with_runtime(settings, Some(runtime), |settings| &mut settings.transcripts);
        let member = |path: PathBuf| Member { file: self.table.id(&path), reported: self.is_reported(&path) };
        let members = members.into_iter().map(member).collect();
        let single = |path: PathBuf| {
            let used = is_kernel(&path).then(|| used_files(&path, &root, self.overlay)).flatten();
            let uses = used.map(|files| files.iter().map(|file| self.table.id(file)).collect());
            StandaloneFile { member: member(path), uses }
        };
        let singles: Vec<StandaloneFile> = singles.into_iter().map(single).collect();
        let mut embedding = dealt.embedding;
        embedding.engine = versions.engine.version;
        embedding.separate_files = self.files_of(&singles, |_| true);
        embedding.tests = self.files_of(&singles, is_test);
        embedding.kernels = self.files_of(&singles, is_kernel);
        ProgramFiles {
            name: dealt.name,
            origin: dealt.origin,
            declared: dealt.declared,
            root,
            project,
            settings,
            versions: versions.into(),
            embedding: embedding.into(),
            members,
            standalone_files: singles,
            files_of_other_programs: Vec::new(),
        }
    }

    /// Returns the files of the singles with a wanted path, sorted.
    fn files_of(&self, singles: &[StandaloneFile], wanted: impl Fn(&Path) -> bool) -> Vec<FileId> {
        let files = singles.iter().map(|single| single.member.file);
        let mut wanted: Vec<_> = files.filter(|file| wanted(&self.table.path(*file))).collect();
        wanted.sort_unstable();
        wanted
    }
}

impl Resolver<'_> {
    /// Returns the named files with unusual extensions that are read as Mangle. Transcripts,
    /// configurations, YAML, Markdown and tables are excluded.
    fn named_as_mangle(&mut self) -> Vec<WalkEntry> {
        let mut found = Vec::new();
        for target in self.targets {
            let CheckTarget::Other(path) = target else { continue };
            let is_other = is_other_text(path) || is_agent_settings(path) || is_markdown(path);
            let is_added = self.declares_extension(self.project_of(path), path);
            if is_added || (!is_other && !self.is_named_transcript(path)) {
                self.as_mangle.insert(path.clone());
                let is_placed =
                    self.table.known(path).is_some_and(|id| self.members().any(|it| it.file == id));
                found.extend((!is_placed).then(|| WalkEntry::plain(path)));
            }
        }
        found
    }

    /// Skips named files that are not Mangle, for commands that process only Mangle.
    fn skip_others(&mut self) {
        for target in self.targets {
            match target {
                CheckTarget::Other(path) if !self.as_mangle.contains(path) => {
                    self.result.skipped.push(path.clone())
                }
                _ => {}
            }
        }
    }

    /// Reports targets without any file to process.
    fn note_empty(&mut self, asks_for_transcripts: bool) {
        if self.shell == Shell::Editor {
            return;
        }
        let wanted = match asks_for_transcripts {
            true => "no Mangle file, no transcript and no prompt atoms",
            false => "no Mangle file",
        };
        let mut empty = Vec::new();
        for target in self.targets {
            let (path, why) = match target {
                CheckTarget::Folder(_) | CheckTarget::Glob(..) if self.holds_anything(target) => continue,
                CheckTarget::Folder(folder) => (folder.clone(), format!("there is {wanted} in it")),
                CheckTarget::Glob(base, globs) => {
                    (base.join(globs.patterns().join(" ")), format!("it matches {wanted}"))
                }
                _ => continue,
            };
            let left_out = self.result.excluded_files.iter().filter(|path| target.covers(path)).count();
            let why = match left_out {
                0 => why,
                1 => format!("its Mangle file is in no program of the `{FILE_NAME}` around it"),
                _ => {
                    format!("its {left_out} Mangle files are in no program of the `{FILE_NAME}` around them")
                }
            };
            empty.push(Problem { path, why, named: true });
        }
        let why = match asks_for_transcripts {
            true => "it is neither Mangle nor a transcript nor prompt atoms; `--transcripts` reads any file",
            false => "it is no Mangle file",
        };
        let skipped = self.result.skipped.iter();
        empty.extend(skipped.map(|path| Problem { path: path.clone(), why: why.into(), named: true }));
        self.result.empty_targets = empty;
    }

    /// True if a folder or a glob covers at least one file to process.
    fn holds_anything(&self, target: &CheckTarget) -> bool {
        let covers = |path: &Path| target.covers(path);
        let result = &self.result;
        self.members().any(|member| covers(&self.table.path(member.file)))
            || result.transcripts.iter().any(|found| covers(&found.path))
            || result.agents.iter().any(|agent| covers(&agent.path))
            || result.beside().any(|(_, path, _)| covers(path))
            || result.projects.iter().any(|project| covers(&project.path) && !project.findings.is_empty())
            || result.problems.iter().any(|problem| covers(&problem.path))
    }
}
