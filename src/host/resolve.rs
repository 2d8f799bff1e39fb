//! Which files form which program, which of them are reported, and under which settings.
//!
//! A file belongs to the nearest `mangle-ls.toml` above it, whose `[[program]]`s deal the files below
//! it among them. Without one, on the command line the named paths are one program, and a lone
//! file is helped by the `schemas*` files beside it; in an editor a workspace folder is a program,
//! cut at every folder that has its own `schemas.gl` or `schemas.mg`.

mod agents;
mod transcripts;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::atoms::AtomFiles;
use super::paths::is_schema;
use super::project::{self, Dealt, folder_name, without_twins};
use super::uses::{PreviewFiles, is_kernel, used_files};
use super::walk::{Found, Tree, walk};
use super::{
    AgentSettings, FileTable, Overlay, Project, Target, TranscriptFile, is_mangle, is_single, is_test, read,
};
use crate::config::{FILE_NAME, Settings};
use crate::program::Embedding;
use crate::text::FileId;

/// Which of the two shells asks; they differ where there is no configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// The targets are what was named. Together they are one program.
    CommandLine,
    /// The targets are the workspace folders and the open documents.
    Editor,
}

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file or folder.
    pub path: PathBuf,
    /// Why, as the end of a sentence.
    pub why: String,
    /// Whether somebody named it, so that the work was not done; else it was met on a walk.
    pub named: bool,
}

/// A file of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Member {
    /// The file.
    pub file: FileId,
    /// Whether its findings are wanted, or it is only read for the sake of others.
    pub reported: bool,
}

/// Why files are analysed together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A configuration file says so.
    Configured,
    /// There is none: they were named together, or lie in one folder of the workspace.
    Together,
    /// A file that is in no program, and the schemas beside it.
    Lone,
}

/// The files that are analysed together.
#[derive(Debug)]
pub struct ProgramFiles {
    /// What the program is called.
    pub name: String,
    /// Why it is one.
    pub origin: Origin,
    /// Which of [`Settings::programs`] it is, if it is one of them.
    pub declared: Option<usize>,
    /// The folder that it lies in.
    pub root: PathBuf,
    /// The configuration file: an index into [`Resolution::projects`].
    pub project: Option<usize>,
    /// The settings that hold for it.
    pub settings: Arc<Settings>,
    /// What surrounds it.
    pub embedding: Arc<Embedding>,
    /// The files, sorted by path.
    pub members: Vec<Member>,
    /// Sample kernels, other files of the sample, and policy tests: none of them joins the program.
    pub singles: Vec<Single>,
}

/// A file of the sample or a policy test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Single {
    /// The file.
    pub member: Member,
    /// The files that it names to be analysed with; `None`: those of the program.
    pub uses: Option<Vec<FileId>>,
}

impl ProgramFiles {
    /// All files that are reported or may be, the singles last.
    pub fn own(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().chain(self.singles.iter().map(|single| &single.member))
    }

    /// The files that a single is analysed with, itself among them.
    #[must_use]
    pub fn with(&self, single: &Single) -> Vec<FileId> {
        let around = match &single.uses {
            Some(used) => used.clone(),
            None => self.members.iter().map(|member| member.file).collect(),
        };
        around.into_iter().chain([single.member.file]).collect()
    }
}

/// What [`resolve`] gives.
#[derive(Debug, Default)]
pub struct Resolution {
    /// The programs that have a reported file or that a transcript goes with, sorted by folder. A file can be in several.
    pub programs: Vec<ProgramFiles>,
    /// The transcripts below the targets, sorted by path. Only an editor and who asks for transcripts gets them.
    pub transcripts: Vec<TranscriptFile>,
    /// The configurations of agents' runtimes, sorted by path. As transcripts, only who asks for them gets them.
    pub agents: Vec<AgentSettings>,
    /// Files that were named and are neither Mangle nor transcripts.
    pub skipped: Vec<PathBuf>,
    /// The configuration files, sorted by path.
    pub projects: Vec<Project>,
    /// What the headers of sample kernels say, for those that ask for previews.
    pub previews: FxHashMap<FileId, PreviewFiles>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// Files below the targets that their configuration puts into no program.
    pub left_out: Vec<PathBuf>,
}

impl Resolution {
    /// All files of all programs, each once, sorted.
    #[must_use]
    pub fn files(&self) -> Vec<FileId> {
        let own = self.programs.iter().flat_map(ProgramFiles::own).map(|member| member.file);
        let singles = self.programs.iter().flat_map(|program| &program.singles);
        let used = singles.flat_map(|single| single.uses.iter().flatten().copied());
        own.chain(used).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// Resolves `targets`. Open documents count as they are in `overlay`.
#[must_use]
pub fn resolve(targets: &[Target], shell: Shell, overlay: &Overlay, table: &FileTable) -> Resolution {
    resolve_all(targets, shell, overlay, table, shell == Shell::Editor)
}

/// [`resolve`], with the transcripts below the targets, and the programs that these go with.
#[must_use]
pub fn resolve_with_transcripts(
    targets: &[Target],
    shell: Shell,
    overlay: &Overlay,
    table: &FileTable,
) -> Resolution {
    resolve_all(targets, shell, overlay, table, true)
}

fn resolve_all(
    targets: &[Target],
    shell: Shell,
    overlay: &Overlay,
    table: &FileTable,
    asks_for_transcripts: bool,
) -> Resolution {
    let mut resolver = Resolver::new(targets, shell, overlay, table);
    resolver.discover();
    let loose = resolver.projects();
    let loose = resolver.lone_files(loose);
    match shell {
        Shell::CommandLine => resolver.given_paths(&loose),
        Shell::Editor => resolver.folders(&loose),
    }
    let transcripts = if asks_for_transcripts { resolver.transcripts() } else { Vec::new() };
    let goes_with = |program: &ProgramFiles| transcripts.iter().any(|found| found.goes_with(program));
    let is_reported = |program: &ProgramFiles| program.own().any(|member| member.reported);
    resolver.result.programs.retain(|program| is_reported(program) || goes_with(program));
    resolver.result.programs.sort_by(|a, b| a.root.cmp(&b.root));
    if asks_for_transcripts {
        resolver.agents(&transcripts);
    }
    resolver.place_transcripts(transcripts);
    resolver.previews();
    resolver.result.problems.sort_by(|a, b| a.path.cmp(&b.path));
    resolver.result.problems.dedup();
    resolver.result
}

struct Resolver<'a> {
    targets: &'a [Target],
    shell: Shell,
    overlay: &'a Overlay,
    table: &'a FileTable,
    /// The folders that were walked.
    trees: BTreeMap<PathBuf, Tree>,
    /// The configuration files that govern something.
    configurations: BTreeSet<PathBuf>,
    /// The nearest configuration file of each folder that was asked for.
    nearest: FxHashMap<PathBuf, Option<PathBuf>>,
    result: Resolution,
}

impl<'a> Resolver<'a> {
    fn new(targets: &'a [Target], shell: Shell, overlay: &'a Overlay, table: &'a FileTable) -> Self {
        Self {
            targets,
            shell,
            overlay,
            table,
            trees: BTreeMap::new(),
            configurations: BTreeSet::new(),
            nearest: FxHashMap::default(),
            result: Resolution::default(),
        }
    }

    /// Walks the targets and collects the configuration files that have to do with them.
    fn discover(&mut self) {
        for target in self.targets {
            match target {
                Target::File(file) if file.ends_with(FILE_NAME) => {
                    self.configurations.insert(file.clone());
                }
                Target::File(file) | Target::Other(file) | Target::Transcript(file) => self.govern(file),
                Target::Folder(folder) => {
                    self.walk(folder);
                    self.govern(&folder.join(FILE_NAME));
                    let inner = self.tree(folder).map_or(Vec::new(), |tree| tree.configurations.clone());
                    self.configurations.extend(inner.into_iter().filter(|path| path.starts_with(folder)));
                }
                Target::Glob(folder, _) => {
                    self.walk(folder);
                    self.matches(target);
                }
            }
        }
    }

    /// Collects the configuration files of what a glob matches.
    fn matches(&mut self, glob: &Target) {
        let files = self.trees.values().flat_map(|tree| &tree.files);
        let matched: Vec<_> =
            files.filter(|found| glob.covers(&found.path)).map(|found| found.path.clone()).collect();
        if let (true, Target::Glob(base, globs)) = (matched.is_empty(), glob) {
            let path = base.join(globs.patterns().join(" "));
            self.result.problems.push(Problem { path, why: "no Mangle file matches".into(), named: true });
        }
        for path in matched {
            self.govern(&path);
        }
    }

    fn govern(&mut self, file: &Path) {
        let governing = self.governing(file);
        self.configurations.extend(governing);
    }

    /// Walks a folder, unless it lies below one that was walked.
    fn walk(&mut self, folder: &Path) {
        if self.tree(folder).is_none() {
            let mut tree = walk(folder, self.overlay);
            self.result.problems.append(&mut tree.problems);
            self.trees.insert(folder.into(), tree);
        }
    }

    fn tree(&self, folder: &Path) -> Option<&Tree> {
        folder.ancestors().find_map(|above| self.trees.get(above))
    }

    /// The configuration file that a file belongs to.
    fn governing(&mut self, file: &Path) -> Option<PathBuf> {
        let folder = file.parent().unwrap_or(file);
        if let Some(known) = self.nearest.get(folder) {
            return known.clone();
        }
        let nearest = project::nearest(folder, self.overlay);
        self.nearest.insert(folder.into(), nearest.clone());
        nearest
    }

    /// Whether a configuration file was found for a file.
    fn is_governed(&self, file: &Path) -> bool {
        file.parent().and_then(|folder| self.nearest.get(folder)).is_some_and(Option::is_some)
    }

    /// Adds the programs of all projects. Gives the files that no project governs, and the named ones
    /// that their project puts into no program.
    fn projects(&mut self) -> Vec<Found> {
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
                self.result.left_out.push(found.path);
            }
        }
        loose
    }

    fn members(&self) -> impl Iterator<Item = &Member> {
        self.result.programs.iter().flat_map(ProgramFiles::own)
    }

    /// All files that the targets select, sorted.
    fn targeted(&self) -> Vec<Found> {
        // An editor opens whatever there is.
        let is_ours =
            |file: &Path| self.shell == Shell::CommandLine || is_mangle(file) || file.ends_with(FILE_NAME);
        let walked =
            self.trees.values().flat_map(|tree| &tree.files).filter(|found| self.is_reported(&found.path));
        let named = self.targets.iter().filter_map(|target| match target {
            Target::File(file) if is_ours(file) => Some(Found::plain(file)),
            _ => None,
        });
        let mut files: BTreeMap<PathBuf, Found> =
            walked.map(|found| (found.path.clone(), found.clone())).collect();
        for found in named {
            files.entry(found.path.clone()).or_insert(found);
        }
        files.into_values().collect()
    }

    fn is_reported(&self, path: &Path) -> bool {
        self.targets.iter().any(|target| target.covers(path))
    }

    fn is_named(&self, path: &Path) -> bool {
        self.targets.iter().any(|target| matches!(target, Target::File(file) if file == path))
    }

    fn project(&mut self, path: &Path) {
        let mut project = Project::read(path, self.overlay, self.table, &mut self.result.problems);
        self.walk(&project.root.clone());
        let mut own = self.own(&project.root, path, |tree| &tree.files);
        let index = self.result.projects.len();
        let dealt = project.deal(&own.iter().collect::<Vec<_>>(), self.table);
        if !project.settings.kernel.sample.patterns().is_empty() {
            own.extend(self.own(&project.root, path, |tree| &tree.facts));
            project.take_samples(&own.iter().collect::<Vec<_>>());
        }
        for dealt in dealt {
            let program =
                self.program(dealt, project.root.clone(), Some(index), &project.settings, &project.samples);
            self.result.programs.push(program);
        }
        if self.shell == Shell::CommandLine && !project.settings.fits() {
            let why = "it asks for another version of mangle-ls".into();
            self.result.problems.push(Problem { path: path.into(), why, named: true });
        }
        self.result.projects.push(project);
    }

    /// The files below a root that the configuration file at `path` governs.
    fn own(&mut self, root: &Path, path: &Path, files: fn(&Tree) -> &Vec<Found>) -> Vec<Found> {
        let below: Vec<Found> = self.tree(root).map_or_else(Vec::new, |tree| {
            files(tree).iter().filter(|found| found.path.starts_with(root)).cloned().collect()
        });
        below.into_iter().filter(|found| self.governing(&found.path).as_deref() == Some(path)).collect()
    }

    fn program(
        &self,
        dealt: Dealt,
        root: PathBuf,
        project: Option<usize>,
        settings: &Arc<Settings>,
        samples: &[PathBuf],
    ) -> ProgramFiles {
        let member = |path: PathBuf| Member { file: self.table.id(&path), reported: self.is_reported(&path) };
        let is_single = |path: &PathBuf| is_single(path) || samples.binary_search(path).is_ok();
        let (singles, members): (Vec<_>, Vec<_>) = dealt.files.into_iter().partition(is_single);
        // Before the singles: the ids of the members come first.
        let members = members.into_iter().map(member).collect();
        let single = |path: PathBuf| {
            let used = is_kernel(&path).then(|| used_files(&path, &root, self.overlay)).flatten();
            let uses = used.map(|files| files.iter().map(|file| self.table.id(file)).collect());
            Single { member: member(path), uses }
        };
        let singles: Vec<Single> = singles.into_iter().map(single).collect();
        let mut embedding = dealt.embedding;
        let files = singles.iter().map(|single| single.member.file);
        embedding.tests = files.filter(|file| is_test(&self.table.path(*file))).collect();
        embedding.tests.sort_unstable();
        ProgramFiles {
            name: dealt.name,
            origin: dealt.origin,
            declared: dealt.declared,
            root,
            project,
            settings: Arc::clone(settings),
            embedding: embedding.into(),
            members,
            singles,
        }
    }

    /// Makes programs of the files that stand alone, and gives the others. Alone stands what its project
    /// leaves out, on the command line the only path that was named, and in an editor an open
    /// document that is outside of the workspace or ignored by git.
    fn lone_files(&mut self, loose: Vec<Found>) -> Vec<Found> {
        let is_walked =
            |path: &Path| self.tree(path).is_some_and(|tree| tree.files.iter().any(|f| f.path == path));
        let is_lone = |found: &Found| {
            self.is_governed(&found.path)
                || match self.shell {
                    Shell::CommandLine => self.targets.len() == 1 && self.is_named(&found.path),
                    Shell::Editor => !is_walked(&found.path),
                }
        };
        let (lone, others): (Vec<_>, Vec<_>) = loose.into_iter().partition(is_lone);
        for found in lone {
            self.lone(&found.path);
        }
        others
    }

    /// A program of one file and the schemas beside it.
    fn lone(&mut self, path: &Path) {
        let folder = path.parent().unwrap_or(path);
        let mut files = schemas_in(folder, self.overlay);
        files.insert(path.into());
        let governing = self.governing(path);
        let project =
            self.result.projects.iter().position(|project| Some(&project.path) == governing.as_ref());
        let governed = project.and_then(|index| self.result.projects.get(index));
        let settings = governed.map(|project| Arc::clone(&project.settings)).unwrap_or_default();
        let samples = governed.map_or_else(Vec::new, |project| project.samples.clone());
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let dealt = Dealt {
            name,
            origin: Origin::Lone,
            declared: None,
            files: files.into_iter().collect(),
            embedding: Embedding::default(),
        };
        let program = self.program(dealt, folder.into(), project, &settings, &samples);
        self.result.programs.push(program);
    }

    /// One program of everything that was named.
    fn given_paths(&mut self, loose: &[Found]) {
        if loose.is_empty() {
            return;
        }
        let root = common_folder(loose.iter().map(|found| found.path.as_path()));
        self.without_project("the given paths".into(), root, &loose.iter().collect::<Vec<_>>());
    }

    /// A program for each workspace folder, and for each folder in it that has its own schemas.
    fn folders(&mut self, loose: &[Found]) {
        let roots = cut_roots(loose);
        let mut programs: BTreeMap<PathBuf, Vec<&Found>> = BTreeMap::new();
        for found in loose {
            let workspace = self.workspace(&found.path).unwrap_or_default();
            let inner = |folder: &&Path| folder.starts_with(&workspace) && roots.contains(*folder);
            let root =
                found.path.ancestors().skip(1).find(inner).map_or(workspace.clone(), Path::to_path_buf);
            programs.entry(root).or_default().push(found);
        }
        for (root, files) in programs {
            self.without_project(folder_name(&root), root, &files);
        }
    }

    /// Reads what the headers of sample kernels name.
    fn previews(&mut self) {
        for program in &self.result.programs {
            let configured = OnceCell::new();
            for single in &program.singles {
                let path = self.table.path(single.member.file);
                let text = is_kernel(&path).then(|| read(&path, self.overlay).ok()).flatten();
                let Some(text) = text else { continue };
                let globs = &program.settings.prompt.atoms;
                let atoms = configured.get_or_init(|| {
                    AtomFiles::named(globs, &program.root, self.overlay, self.table).map(Arc::new)
                });
                let of = PreviewFiles::load(
                    &path,
                    &text.text,
                    &program.root,
                    atoms.as_ref(),
                    self.overlay,
                    self.table,
                );
                if !of.header.groups.is_empty() {
                    self.result.previews.insert(single.member.file, of);
                }
            }
        }
    }

    /// The innermost workspace folder around a file.
    fn workspace(&self, file: &Path) -> Option<PathBuf> {
        let folders =
            self.targets.iter().filter_map(Target::folder).filter(|folder| file.starts_with(folder));
        folders.max_by_key(|folder| folder.components().count()).map(Path::to_path_buf)
    }

    fn without_project(&mut self, name: String, root: PathBuf, files: &[&Found]) {
        let dealt = Dealt {
            name,
            origin: Origin::Together,
            declared: None,
            files: without_twins(files),
            embedding: Embedding::default(),
        };
        let program = self.program(dealt, root, None, &Arc::default(), &[]);
        self.result.programs.push(program);
    }
}

/// The schema files of a folder, on disk or open.
fn schemas_in(folder: &Path, overlay: &Overlay) -> BTreeSet<PathBuf> {
    let on_disk = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let open = overlay.paths().filter(|path| path.parent() == Some(folder)).map(Path::to_path_buf);
    on_disk.filter(|path| path.is_file()).chain(open).filter(|path| is_schema(path)).collect()
}

/// The folders that have a file `schemas.gl` or `schemas.mg`.
fn cut_roots(files: &[Found]) -> FxHashSet<&Path> {
    let is_root = |path: &Path| path.file_stem().is_some_and(|stem| stem == "schemas") && is_mangle(path);
    files.iter().filter(|found| is_root(&found.path)).filter_map(|found| found.path.parent()).collect()
}

/// The innermost folder that holds all files.
fn common_folder<'p>(mut files: impl Iterator<Item = &'p Path>) -> PathBuf {
    let first = files.next().and_then(Path::parent).unwrap_or(Path::new(""));
    let common = files.fold(first, |common, file| {
        common.ancestors().find(|folder| file.starts_with(folder)).unwrap_or(Path::new(""))
    });
    common.into()
}
