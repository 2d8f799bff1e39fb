//! The programs of files that no configuration file puts into one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{ProgramOrigin, Resolver, Shell};
use crate::host::disk::list;
use crate::host::paths::is_schema;
use crate::host::project::{ProjectProgram, folder_name, without_twins};
use crate::host::walk::WalkEntry;
use crate::host::{CheckTarget, Overlay, is_mangle};
use mangle_engine::program::Embedding;

impl Resolver<'_> {
    /// Makes programs of the files that stand alone, and gives the others. Alone stands what its project
    /// leaves out, on the command line the only path that was named, and in an editor an open
    /// document that is outside of the workspace or ignored by git.
    pub(super) fn lone_files(&mut self, loose: Vec<WalkEntry>) -> Vec<WalkEntry> {
        let is_walked = |path: &Path| self.tree(path).is_some_and(|tree| tree.holds(path));
        let is_lone = |found: &WalkEntry| {
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
        let dealt = ProjectProgram {
            name,
            origin: ProgramOrigin::Lone,
            declared: None,
            files: files.into_iter().collect(),
            embedding: Embedding::default(),
        };
        let program = self.program(dealt, folder.into(), project, &settings, &samples);
        self.result.programs.push(program);
    }

    /// One program of everything that was named.
    pub(super) fn given_paths(&mut self, loose: &[WalkEntry]) {
        if loose.is_empty() {
            return;
        }
        let root = common_folder(loose.iter().map(|found| found.path.as_path()));
        self.without_project("the given paths".into(), root, &loose.iter().collect::<Vec<_>>());
    }

    /// A program for each workspace folder, and for each folder in it that has its own schemas.
    pub(super) fn folders(&mut self, loose: &[WalkEntry]) {
        let roots = cut_roots(loose);
        let mut programs: BTreeMap<PathBuf, Vec<&WalkEntry>> = BTreeMap::new();
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

    /// The innermost workspace folder around a file.
    fn workspace(&self, file: &Path) -> Option<PathBuf> {
        let folders =
            self.targets.iter().filter_map(CheckTarget::folder).filter(|folder| file.starts_with(folder));
        folders.max_by_key(|folder| folder.components().count()).map(Path::to_path_buf)
    }

    fn without_project(&mut self, name: String, root: PathBuf, files: &[&WalkEntry]) {
        let dealt = ProjectProgram {
            name,
            origin: ProgramOrigin::Together,
            declared: None,
            files: without_twins(files),
            embedding: Embedding::default(),
        };
        let program = self.program(dealt, root, None, &Arc::default(), &[]);
        self.result.programs.push(program);
    }
}

/// The schema files of a folder, on disk or open.
pub(super) fn schemas_in(folder: &Path, overlay: &Overlay) -> BTreeSet<PathBuf> {
    let on_disk = list(folder).unwrap_or_default().into_iter();
    let open = overlay.paths().filter(|path| path.parent() == Some(folder)).map(Path::to_path_buf);
    on_disk.filter(|path| !path.is_dir()).chain(open).filter(|path| is_schema(path)).collect()
}

/// The folders that have a file `schemas.gl` or `schemas.mg`.
fn cut_roots(files: &[WalkEntry]) -> FxHashSet<&Path> {
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
