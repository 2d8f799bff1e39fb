//! The state of a resolution: walked folders, governing configurations, and the programs found so far.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ProgramOrigin;
use super::folders::Folders;
use super::resolution::{Member, ProgramFiles, ProgramScope, Resolution, Shell, StandaloneFile};
use crate::paths::{is_kernel, real};
use crate::project::ProjectProgram;
use crate::samples::used_files;
use crate::versions::{SharedSettings, Undecided, VersionFinder};
use crate::walk::{FileTree, PartialScan, WalkEntry, WalkOptions, walk_within};
use crate::{CheckTarget, FileTable, MemberLink, Overlay, Project, is_mangle, is_single, is_test, project};
use mangle_settings::{FILE_NAME, FilesSettings, Settings};
use mangle_syntax::text::{Cancel, FileId};

pub(super) struct Resolver<'a> {
    pub(super) targets: &'a [CheckTarget],
    pub(super) shell: Shell,
    pub(super) scope: ProgramScope,
    pub(super) overlay: &'a Overlay,
    pub(super) table: &'a FileTable,
    pub(super) folders: Folders,
    /// The walked folders.
    pub(super) trees: BTreeMap<PathBuf, FileTree>,
    /// The configuration files that govern at least one file.
    pub(super) configurations: BTreeSet<PathBuf>,
    /// Cache: the nearest configuration file of each folder.
    pub(super) nearest: FxHashMap<PathBuf, Option<PathBuf>>,
    /// Explicitly given files with other extensions that are read as Mangle.
    pub(super) as_mangle: FxHashSet<PathBuf>,
    /// The folders of the open documents.
    pub(super) open_folders: Arc<BTreeSet<PathBuf>>,
    pub(super) only_open_folders: bool,
    pub(super) cancel: &'a Cancel,
    /// Transcripts that were recognized only by their content.
    pub(super) captured: FxHashSet<PathBuf>,
    pub(super) versions: VersionFinder<'a>,
    /// The settings of projects, combined with the runtime of a program. Programs with equal
    /// settings share them.
    pub(super) decided: SharedSettings<Settings>,
    pub(super) result: Resolution,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(
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
    pub(super) fn discover(&mut self) {
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
    pub(super) fn matches(&mut self, glob: &CheckTarget) {
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
    pub(super) fn walk(&mut self, folder: &Path) {
        let is_near = self.open_folders.iter().any(|near| near.starts_with(folder));
        let is_walked = self.trees.contains_key(folder)
            || self.tree(folder).is_some_and(|tree| tree.limit.is_none() || !is_near);
        if !is_walked {
            self.walk_again(folder);
        }
    }

    /// Walks a folder separately.
    pub(super) fn walk_again(&mut self, folder: &Path) {
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

    pub(super) fn tree(&self, folder: &Path) -> Option<&FileTree> {
        folder.ancestors().find_map(|above| self.trees.get(above))
    }

    /// Returns the configuration file that governs a file.
    pub(super) fn governing(&mut self, file: &Path) -> Option<PathBuf> {
        let folder = file.parent().unwrap_or(file);
        if let Some(known) = self.nearest.get(folder) {
            return known.clone();
        }
        let nearest = project::nearest(folder, self.overlay);
        self.nearest.insert(folder.into(), nearest.clone());
        nearest
    }

    /// True if a configuration file governs a file.
    pub(super) fn is_governed(&self, file: &Path) -> bool {
        file.parent().and_then(|folder| self.nearest.get(folder)).is_some_and(Option::is_some)
    }

    pub(super) fn members(&self) -> impl Iterator<Item = &Member> {
        self.result.programs.iter().flat_map(ProgramFiles::own)
    }

    /// Returns all files that the targets select, sorted.
    pub(super) fn targeted(&self) -> Vec<WalkEntry> {
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
    pub(super) fn outside(&self) -> Vec<FileId> {
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

    pub(super) fn is_reported(&self, path: &Path) -> bool {
        self.targets.iter().any(|target| target.covers(path))
    }

    pub(super) fn is_named(&self, path: &Path) -> bool {
        self.as_mangle.contains(path)
            || self.targets.iter().any(|target| matches!(target, CheckTarget::File(file) if file == path))
    }

    pub(super) fn program(
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
    pub(super) fn files_of(&self, singles: &[StandaloneFile], wanted: impl Fn(&Path) -> bool) -> Vec<FileId> {
        let files = singles.iter().map(|single| single.member.file);
        let mut wanted: Vec<_> = files.filter(|file| wanted(&self.table.path(*file))).collect();
        wanted.sort_unstable();
        wanted
    }

    /// True if the project's configuration file declares the extension of a file as Mangle.
    pub(super) fn declares_extension(&self, project: Option<usize>, path: &Path) -> bool {
        let project = project.and_then(|index| self.result.projects.get(index));
        project.is_some_and(|project| project.settings.files.adds(path))
    }

    pub(super) fn project_of(&self, path: &Path) -> Option<usize> {
        let governing = path.parent().and_then(|folder| self.nearest_known(folder))?;
        self.result.projects.iter().position(|project| project.path == governing)
    }

    /// Returns the cached configuration file of a folder.
    fn nearest_known(&self, folder: &Path) -> Option<PathBuf> {
        match self.nearest.get(folder) {
            Some(known) => known.clone(),
            None => crate::project::nearest(folder, self.overlay),
        }
    }

    /// Records the links that are members of programs or transcripts. If a link is only open and
    /// in no program, its document is treated as the target file.
    pub(super) fn links(&mut self) {
        let programs = self.result.programs.iter().filter(|program| program.origin != ProgramOrigin::Lone);
        let members = programs.flat_map(ProgramFiles::own).map(|member| member.file);
        let transcripts = self.result.transcripts.iter().map(|transcript| transcript.file);
        let known: FxHashSet<FileId> = members.chain(transcripts).collect();
        let is_known =
            |found: &&WalkEntry| self.table.known(&found.path).is_some_and(|id| known.contains(&id));
        let links: Vec<_> =
            self.trees.values().flat_map(found_in).filter(|found| found.target.is_some()).collect();
        if links.is_empty() {
            return;
        }
        let plain = self.plain_files();
        let link = |found: &WalkEntry| {
            let target = found.target.clone()?;
            let stands_for_target = !plain.contains(&target);
            Some(MemberLink { path: found.path.clone(), target, stands_for_target })
        };
        self.result.links = links.into_iter().filter(is_known).filter_map(link).collect();
    }

    /// Returns the walked files whose paths contain no link.
    fn plain_files(&self) -> FxHashSet<PathBuf> {
        let mut plain = FxHashSet::default();
        // An open document in a hidden folder adds a separate tree below another tree.
        let is_outermost =
            |root: &PathBuf| !self.trees.keys().any(|above| above != root && root.starts_with(above));
        for (root, tree) in self.trees.iter().filter(|(root, _)| is_outermost(root)) {
            let real = real(root);
            let files = found_in(tree).filter(|found| found.target.is_none());
            let below = |found: &WalkEntry| Some(real.join(found.path.strip_prefix(root).ok()?));
            plain.extend(files.filter_map(below));
        }
        plain
    }
}

fn found_in(tree: &FileTree) -> impl Iterator<Item = &WalkEntry> {
    tree.files.iter().chain(&tree.others)
}
