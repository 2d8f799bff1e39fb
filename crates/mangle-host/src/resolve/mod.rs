//! Resolution of targets to programs: members, reported files and settings of each program.
//!
//! The nearest `mangle-ls.toml` above a file governs it, and its `[[program]]` tables assign the
//! files below it to programs. Without a configuration, the folder determines the program
//! ([`folders`]), both on the command line and in the editor. Commands that compare policies use
//! exactly the given files ([`ProgramScope::Exact`]).

mod default_programs;
mod folders;
mod other_files;
mod resolution;
mod resolver;
mod transcripts;

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use self::resolver::Resolver;
use super::agents::is_agent_settings;
use super::atoms::AtomFiles;
use super::paths::is_other_text;
use super::transcripts::is_markdown;
use super::walk::{FileTree, WalkEntry, WalkOptions, walk_within};
use super::{CheckTarget, FileTable, Overlay, Project};
use mangle_settings::{FILE_NAME, FilesSettings};
use mangle_syntax::text::{Cancel, FileId};

pub use self::resolution::{
    CorpusFiles, GrammarFile, Member, ProgramFiles, ProgramScope, Resolution, Shell, StandaloneFile,
    WithoutReplies, only,
};
pub use super::project::ProgramOrigin;
pub use super::read::Problem;
pub use super::walk::PartialScan;
pub(super) use resolution::Unit;

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

impl Resolver<'_> {
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

impl Resolution {
    /// Reads the prompt sources other than policies again, because they may have changed.
    pub fn read_prompts_again(&mut self, targets: &[CheckTarget], overlay: &Overlay, table: &FileTable) {
        if !self.previews.is_empty() || !self.corpora.is_empty() {
            let again = resolve_with_transcripts(targets, Shell::CommandLine, overlay, table);
            (self.previews, self.corpora) = (again.previews, again.corpora);
            // A file that was readable the first time may be deleted now.
            for problem in again.problems {
                if !self.problems.contains(&problem) {
                    self.problems.push(problem);
                }
            }
        }
    }
}
