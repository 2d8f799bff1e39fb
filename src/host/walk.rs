//! Walking a folder: its Mangle files, files of facts and configuration files, as git sees the folder.

use std::io;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use super::{Overlay, Problem, is_facts, is_mangle};
use crate::config::FILE_NAME;

/// What lies below a folder. Ignored by git, hidden, or reached through a linked folder: not in it.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The Mangle files, sorted by path.
    pub(super) files: Vec<Found>,
    /// The files of facts that are no Mangle, sorted by path.
    pub(super) facts: Vec<Found>,
    /// The files that are neither Mangle nor configuration files, those of facts included, sorted by path.
    pub(super) others: Vec<Found>,
    /// The configuration files, sorted.
    pub(super) configurations: Vec<PathBuf>,
    /// What could not be read.
    pub(super) problems: Vec<Problem>,
}

/// A file of a walk.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    /// Its path.
    pub(super) path: PathBuf,
    /// What it leads to, for a symbolic link.
    pub(super) target: Option<PathBuf>,
}

impl Found {
    /// A file that is no link.
    pub(super) fn plain(path: &Path) -> Self {
        Self { path: path.into(), target: None }
    }
}

/// Walks `root`, an absolute path. Open documents that are not on disk count as there.
pub(super) fn walk(root: &Path, overlay: &Overlay) -> Tree {
    let mut tree = Tree::default();
    let boundary = boundary(root);
    for entry in WalkBuilder::new(root).build() {
        match entry {
            Ok(entry) => tree.add(&entry, &boundary),
            Err(error) => tree.problems.push(problem(root, &error)),
        }
    }
    for path in overlay.paths().filter(|path| path.starts_with(root) && !path.exists()) {
        if is_mangle(path) {
            tree.files.push(Found::plain(path));
        } else if path.ends_with(FILE_NAME) {
            tree.configurations.push(path.into());
        } else {
            tree.others.push(Found::plain(path));
        }
    }
    tree.files.sort_unstable();
    tree.others.sort_unstable();
    tree.facts = tree.others.iter().filter(|found| is_facts(&found.path)).cloned().collect();
    tree.configurations.sort_unstable();
    tree.problems.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    tree
}

impl Tree {
    fn add(&mut self, entry: &DirEntry, boundary: &Path) {
        let path = entry.path();
        let is_configuration = path.ends_with(FILE_NAME);
        let is_other = !is_mangle(path) && !is_configuration;
        let found = match entry.file_type() {
            Some(kind) if kind.is_file() => Some(Found::plain(path)),
            Some(kind) if kind.is_symlink() => self.follow(path, boundary, is_other),
            _ => None,
        };
        match found {
            Some(found) if is_configuration => self.configurations.push(found.path),
            Some(found) if is_other => self.others.push(found),
            Some(found) => self.files.push(found),
            None => {}
        }
    }

    /// The file that a link leads to. Links that leave the workspace are not followed: a
    /// repository that somebody else wrote could name any file of this machine.
    fn follow(&mut self, path: &Path, boundary: &Path, is_other: bool) -> Option<Found> {
        let resolved = std::fs::canonicalize(path).and_then(|target| Ok((target.metadata()?, target)));
        let why = match resolved {
            Ok((metadata, _)) if metadata.is_dir() => return None,
            Ok((_, target)) if target.starts_with(boundary) => {
                return Some(Found { path: path.into(), target: Some(target) });
            }
            Ok((_, target)) => format!("the link leads out of the workspace, to {}", target.display()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => "the link leads nowhere".into(),
            Err(error) => plain(&error),
        };
        // Whatever else there is in a folder is nobody's business.
        if !is_other || is_facts(path) {
            self.problems.push(Problem { path: path.into(), why, named: false });
        }
        None
    }
}

/// The folder that links may not leave: the repository around `root`, else `root` itself.
pub(super) fn boundary(root: &Path) -> PathBuf {
    let repository = root.ancestors().find(|folder| folder.join(".git").exists());
    let boundary = repository.unwrap_or(root);
    std::fs::canonicalize(boundary).unwrap_or_else(|_| boundary.into())
}

fn problem(root: &Path, error: &ignore::Error) -> Problem {
    let path = path_of(error).unwrap_or(root).into();
    let why = error.io_error().map_or_else(|| error.to_string(), plain);
    Problem { path, why, named: false }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}

/// An IO error in the words of the system, without number and path.
#[must_use]
pub fn plain(error: &io::Error) -> String {
    let text = match (error.raw_os_error(), error.get_ref()) {
        (Some(_), _) => error.to_string(),
        (None, Some(own)) => own.to_string(),
        (None, None) => error.kind().to_string(),
    };
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect())
}
