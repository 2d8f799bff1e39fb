//! Programs of files that no configuration file assigns to a program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::ProgramOrigin;
use super::folders::is_shared;
use super::resolution::{ProgramScope, Shell};
use super::resolver::Resolver;
use crate::disk::list;
use crate::paths::is_schema;
use crate::project::{ProjectProgram, folder_name, without_linked_duplicates};
use crate::walk::WalkEntry;
use crate::{Overlay, is_single};
use mangle_engine::program::ProgramEnvironment;

/// The program name for commands that process exactly one program.
const GIVEN_PATHS: &str = "the given paths";

impl Resolver<'_> {
    /// Forms programs from the files that no configuration assigns to one.
    pub(super) fn without_configuration(&mut self, loose: Vec<WalkEntry>) {
        let (lone, free): (Vec<_>, Vec<_>) =
            loose.into_iter().partition(|found| self.is_governed(&found.path));
        lone.iter().for_each(|found| self.lone(&found.path));
        if self.scope == ProgramScope::Exact {
            return self.given_paths(&free);
        }
        let mut by_root: BTreeMap<PathBuf, Vec<WalkEntry>> = BTreeMap::new();
        for found in free {
            let root = self.folders.program_of(&found.path, self.overlay);
            by_root.entry(root).or_default().push(found);
        }
        let is_only = by_root.len() == 1;
        for (root, wanted) in by_root {
            // A command with one program needs no distinguishing name.
            let name = match (is_only, self.shell) {
                (true, Shell::CommandLine) => GIVEN_PATHS.into(),
                _ => folder_name(&root),
            };
            let held = self.folder_program(&root, &wanted, name);
            // Standard input and files ignored by git are not in the program of a folder.
            let lone = wanted.iter().filter(|found| !held.contains(&found.path));
            lone.for_each(|found| self.lone(&found.path));
        }
    }

    /// Forms the program of a folder if it contains one of the wanted files, or any file if none
    /// is wanted. Returns its files.
    pub(super) fn folder_program(
        &mut self,
        root: &Path,
        wanted: &[WalkEntry],
        name: String,
    ) -> FxHashSet<PathBuf> {
        let (mut own, elsewhere) = self.folder_files(root);
        // Tests and samples in a neighboring folder.
        own.extend(
            wanted.iter().filter(|found| is_single(&found.path) && !found.path.starts_with(root)).cloned(),
        );
        let held: FxHashSet<PathBuf> = own.iter().map(|found| found.path.clone()).collect();
        let is_wanted = wanted.is_empty() || wanted.iter().any(|found| held.contains(&found.path));
        if is_wanted && !own.is_empty() {
            self.without_project(name, root.into(), &own.iter().collect::<Vec<_>>());
            if let Some(program) = self.result.programs.last_mut() {
                program.files_of_other_programs = elsewhere;
            }
        }
        held
    }

    /// Returns the Mangle files of the program of a folder, and the Mangle files below the folder
    /// that are in other programs.
    fn folder_files(&mut self, root: &Path) -> (Vec<WalkEntry>, Vec<PathBuf>) {
        if is_shared(root) && !self.trees.contains_key(root) {
            return (self.folders.direct_files(root), Vec::new());
        }
        self.walk(root);
        if !self.holds_below(root) && !self.trees.contains_key(root) {
            // Git ignores the folder, so the walk of its parent skipped it.
            self.walk_again(root);
        }
        let below: Vec<WalkEntry> = self.tree(root).map_or_else(Vec::new, |tree| {
            tree.files.iter().filter(|found| found.path.starts_with(root)).cloned().collect()
        });
        let (own, elsewhere): (Vec<_>, Vec<_>) = below.into_iter().partition(|found| {
            self.governing(&found.path).is_none()
                && self.folders.program_of(&found.path, self.overlay) == root
        });
        (own, elsewhere.into_iter().map(|found| found.path).collect())
    }

    fn holds_below(&self, root: &Path) -> bool {
        self.tree(root).is_some_and(|tree| tree.files.iter().any(|found| found.path.starts_with(root)))
    }

    /// Forms the program of one file and the schemas in its folder.
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
        let dealt = ProjectProgram {
            name,
            origin: ProgramOrigin::Lone,
            declared: None,
            files: files.into_iter().collect(),
            embedding: ProgramEnvironment::default(),
        };
        let program = self.program(dealt, folder.into(), project, &settings, &samples);
        self.result.programs.push(program);
    }

    /// Forms one program from all given files.
    fn given_paths(&mut self, loose: &[WalkEntry]) {
        if loose.is_empty() {
            return;
        }
        let root = common_folder(loose.iter().map(|found| found.path.as_path()));
        let name = match loose {
            [only] => only.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            _ => GIVEN_PATHS.into(),
        };
        self.without_project(name, root, &loose.iter().collect::<Vec<_>>());
    }

    fn without_project(&mut self, name: String, root: PathBuf, files: &[&WalkEntry]) {
        let dealt = ProjectProgram {
            name,
            origin: ProgramOrigin::Together,
            declared: None,
            files: without_linked_duplicates(files),
            embedding: ProgramEnvironment::default(),
        };
        let program = self.program(dealt, root, None, &Arc::default(), &[]);
        self.result.programs.push(program);
    }
}

/// Returns the schema files of a folder, on disk or open.
fn schemas_in(folder: &Path, overlay: &Overlay) -> BTreeSet<PathBuf> {
    let on_disk = list(folder).unwrap_or_default().into_iter();
    let open = overlay.paths().filter(|path| path.parent() == Some(folder)).map(Path::to_path_buf);
    on_disk.filter(|path| !path.is_dir()).chain(open).filter(|path| is_schema(path)).collect()
}

/// The innermost folder that contains all files.
fn common_folder<'p>(mut files: impl Iterator<Item = &'p Path>) -> PathBuf {
    let first = files.next().and_then(Path::parent).unwrap_or(Path::new(""));
    let common = files.fold(first, |common, file| {
        common.ancestors().find(|folder| file.starts_with(folder)).unwrap_or(Path::new(""))
    });
    common.into()
}
