//! The files of prompt atoms that a prompt compiler is given: those below a folder, or those that the configuration
//! names, in the order in which the reference runtime collects them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::walk::{boundary, walk};
use super::{FileTable, Overlay, Target, absolute, read};
use crate::config::Globs;
use crate::prompt::jit::{AtomFile, Corpus, JitCompiler, Kind};
use crate::text::FileId;

/// Prompt atoms, and the texts that they were read from.
#[derive(Debug, Default)]
pub struct AtomFiles {
    /// The atoms.
    pub corpus: Arc<Corpus>,
    /// The files, those of contents included.
    texts: Vec<(FileId, PathBuf, Arc<str>)>,
}

impl AtomFiles {
    /// The prompt compiler with these atoms.
    #[must_use]
    pub fn compiler(&self) -> Arc<JitCompiler> {
        Arc::new(JitCompiler { corpus: Arc::clone(&self.corpus) })
    }

    /// The files, those of contents included, with their texts.
    pub fn texts(&self) -> impl Iterator<Item = (FileId, &Path, &Arc<str>)> {
        self.texts.iter().map(|(file, path, text)| (*file, &**path, text))
    }

    /// Reads all files of atoms below a folder, which lies inside of the repository around `root`. `None` where there are none.
    #[must_use]
    pub fn below(folder: &Path, root: &Path, overlay: &Overlay, table: &FileTable) -> Option<Self> {
        let boundary = boundary(root);
        if !is_inside(folder, &boundary) {
            return None;
        }
        let paths = below(folder, overlay, &|_| true);
        (!paths.is_empty()).then(|| Self::read(paths, &boundary, overlay, table))
    }

    /// Reads the files of atoms that the configuration names; `None` where it names none.
    #[must_use]
    pub fn named(globs: &Globs, root: &Path, overlay: &Overlay, table: &FileTable) -> Option<Self> {
        let boundary = boundary(root);
        let mut paths = BTreeSet::new();
        for pattern in globs.patterns() {
            let named = absolute(root, Path::new(pattern));
            match Target::glob(&named) {
                Some(Target::Glob(base, globs)) if is_inside(&base, &boundary) => {
                    let glob = Target::Glob(base.clone(), globs);
                    paths.extend(below(&base, overlay, &|path| glob.covers(path)));
                }
                _ if named.is_dir() && is_inside(&named, &boundary) => {
                    paths.extend(below(&named, overlay, &|_| true))
                }
                _ if is_inside(&named, &boundary) && is_atoms(&named) => {
                    paths.insert(named);
                }
                _ => {}
            }
        }
        (!globs.patterns().is_empty())
            .then(|| Self::read(paths.into_iter().collect(), &boundary, overlay, table))
    }

    fn read(mut paths: Vec<PathBuf>, boundary: &Path, overlay: &Overlay, table: &FileTable) -> Self {
        paths.sort_by_cached_key(|path| (kind_of(path), path.clone()));
        let mut texts = Vec::new();
        let mut files = Vec::new();
        for path in paths {
            // A file that cannot be read has no atoms, as in the runtime.
            let Ok(found) = read(&path, overlay) else { continue };
            let file = table.id(&path);
            let (kind, agent) = (kind_of(&path), agent_of(&path));
            files.push(AtomFile { file, kind, agent, text: Arc::clone(&found.text) });
            texts.push((file, path, found.text));
        }
        let mut contents = Vec::new();
        let mut open = |file: FileId, name: &str| {
            let beside = table.path(file);
            let path = absolute(beside.parent()?, Path::new(name));
            let text = is_inside(&path, boundary).then(|| read(&path, overlay).ok())??.text;
            let id = table.id(&path);
            contents.push((id, path, Arc::clone(&text)));
            Some((id, text))
        };
        let corpus = Arc::new(Corpus::read(&files, &mut open));
        texts.append(&mut contents);
        Self { corpus, texts }
    }
}

/// The files of atoms below a folder.
fn below(folder: &Path, overlay: &Overlay, is_wanted: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let found = walk(folder, overlay).others.into_iter().map(|found| found.path);
    found.filter(|path| is_atoms(path) && is_wanted(path)).collect()
}

/// Whether a file's name says that it may hold atoms.
fn is_atoms(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    (name.ends_with(".yaml") || name.ends_with(".yml"))
        && !name.ends_with(".session.yaml")
        && !name.ends_with(".session.yml")
}

/// Where the runtime collects the atoms of a file.
fn kind_of(path: &Path) -> Kind {
    let path = super::paths::slashes(path);
    if path.contains("/.nerd/prompts/evolved/") {
        Kind::Evolved
    } else if agent_in(&path).is_some() {
        Kind::Agent
    } else {
        Kind::Corpus
    }
}

/// The agent that the atoms of a file are for.
fn agent_of(path: &Path) -> Option<Arc<str>> {
    agent_in(&super::paths::slashes(path)).map(Arc::from)
}

fn agent_in(path: &str) -> Option<&str> {
    let (_, rest) = path.rsplit_once("/.nerd/agents/")?;
    rest.split_once('/').map(|(agent, _)| agent)
}

/// Whether a path stays inside of a folder. What a link leads to counts; a document that is only in the editor is no
/// link.
pub(super) fn is_inside(path: &Path, boundary: &Path) -> bool {
    let real = std::fs::canonicalize(path);
    real.map_or_else(|_| path.starts_with(boundary), |real| real.starts_with(boundary))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_where_atoms_are_collected() {
        let kinds = [
            "/w/atoms/a.yaml",
            "/w/.nerd/agents/expert/prompts.yaml",
            "/w/.nerd/prompts/evolved/pending/a.yaml",
        ]
        .map(|path| (kind_of(Path::new(path)), agent_of(Path::new(path))));
        assert_eq!(
            kinds,
            [(Kind::Corpus, None), (Kind::Agent, Some("expert".into())), (Kind::Evolved, None)]
        );
        assert!(
            is_atoms(Path::new("a.YML"))
                && !is_atoms(Path::new("a.session.yaml"))
                && !is_atoms(Path::new("a.json"))
        );
    }
}
