//! Discovery of prompt atom files for a prompt compiler. The files are in a folder or match the
//! patterns of the configuration, and are ordered as in the reference runtime.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disk::list;
use super::paths::is_session;
use super::walk::{boundary, is_inside, walk};
use super::{CheckTarget, FileTable, FileText, MAX_FILE_LEN, Overlay, Problem, absolute, exists, read};
use agent_prompt::jit::{AtomFault, AtomFile, AtomKind, Corpus, JitCompiler};
use mangle_settings::{FILE_TOO_LARGE, Globs, INVALID_UTF8, UNREADABLE_FILE};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::FileId;

/// Prompt atoms and the texts of their files.
#[derive(Debug, Default)]
pub struct AtomFiles {
    pub corpus: Arc<Corpus>,
    /// The files, including content files that the atoms refer to.
    texts: Vec<(FileId, PathBuf, Arc<str>)>,
}

impl AtomFiles {
    /// Returns the prompt compiler with these atoms.
    #[must_use]
    pub fn compiler(&self) -> Arc<JitCompiler> {
        Arc::new(JitCompiler::new(Arc::clone(&self.corpus)))
    }

    /// Returns the files and their texts, including content files that the atoms refer to.
    pub fn texts(&self) -> impl Iterator<Item = (FileId, &Path, &Arc<str>)> {
        self.texts.iter().map(|(file, path, text)| (*file, &**path, text))
    }

    /// Reads all atom files below a folder of the repository that contains `root`. Returns `None`
    /// if no file has atoms.
    #[must_use]
    pub fn below(folder: &Path, root: &Path, overlay: &Overlay, table: &FileTable) -> Option<Self> {
        let boundary = boundary(root);
        if !is_inside(folder, &boundary) {
            return None;
        }
        let named = below(folder, overlay, &|_| true);
        (!named.is_empty()).then(|| Self::read(named, &boundary, overlay, table))
    }

    /// Reads the atom files that match the patterns of the configuration. Returns `None` if the
    /// configuration has no patterns.
    #[must_use]
    pub fn named(globs: &Globs, root: &Path, overlay: &Overlay, table: &FileTable) -> Option<Self> {
        let boundary = boundary(root);
        let mut named = AtomPaths::default();
        for pattern in globs.patterns() {
            let more = matching(pattern, root, &boundary, overlay);
            named.paths.extend(more.paths);
            named.problems.extend(more.problems);
        }
        (!globs.patterns().is_empty()).then(|| Self::read(named, &boundary, overlay, table))
    }

    /// Returns the indexes of the patterns that match no atom file.
    #[must_use]
    pub fn unmatched(globs: &Globs, root: &Path, overlay: &Overlay) -> Vec<usize> {
        if globs.patterns().is_empty() {
            return Vec::new();
        }
        let boundary = boundary(root);
        let patterns = globs.patterns().iter().enumerate();
        let is_there = |path: &PathBuf| overlay.get(path).is_some() || exists(path);
        let is_unmatched = |pattern: &str| {
            let named = matching(pattern, root, &boundary, overlay);
            named.problems.is_empty() && !named.paths.iter().any(is_there)
        };
        let unmatched = patterns.filter(|(_, pattern)| is_unmatched(pattern));
        unmatched.map(|(at, _)| at).collect()
    }

    /// Reads an explicitly given atom file together with the files that its atoms may refer to.
    /// The candidates are below the nearest ancestor folder named `atoms`, or in the same folder.
    /// Returns `None` if the file does not look like prompt atoms.
    #[must_use]
    pub fn around(path: &Path, overlay: &Overlay, table: &FileTable) -> Option<Self> {
        let holds_atoms = |text: &str| kind_of(path) != AtomKind::Corpus || looks_like_atoms(text);
        let text = is_atoms(path).then(|| read(path, overlay).ok()).flatten()?;
        if text.findings.is_empty() && !holds_atoms(&text.text) {
            return None;
        }
        let beside = path.parent()?;
        let of_corpus =
            beside.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "atoms"));
        let mut named = match of_corpus {
            Some(folder) => below(folder, overlay, &|_| true),
            None => {
                let files = list(beside).unwrap_or_default().into_iter().filter(|path| is_atoms(path));
                let has_atoms =
                    |path: &PathBuf| read(path, overlay).is_ok_and(|text| looks_like_atoms(&text.text));
                AtomPaths { paths: files.filter(has_atoms).collect(), problems: Vec::new() }
            }
        };
        named.paths.insert(path.to_path_buf());
        Some(Self::read(named, &boundary(beside), overlay, table))
    }

    fn read(named: AtomPaths, boundary: &Path, overlay: &Overlay, table: &FileTable) -> Self {
        let mut paths: Vec<_> = named.paths.into_iter().collect();
        paths.sort_by_cached_key(|path| (kind_of(path), path.clone()));
        let (mut texts, mut files, mut faults) = (Vec::new(), Vec::new(), Vec::new());
        for Problem { path, why, .. } in named.problems {
            let file = table.id(&path);
            faults.push(AtomFault::of_file(file, why));
            texts.push((file, path, "".into()));
        }
        for path in paths {
            // As in the runtime, an unreadable file has no atoms. Here it also has a finding.
            let found = match read(&path, overlay) {
                Ok(found) => found,
                // The check of the patterns already reports missing files.
                Err(_) if !exists(&path) => continue,
                Err(error) => FileText::unreadable(&error),
            };
            let file = table.id(&path);
            let (kind, agent) = (kind_of(&path), agent_of(&path));
            match found.findings.first() {
                None => files.push(AtomFile { file, kind, agent, text: Arc::clone(&found.text) }),
                Some(finding) => {
                    faults.push(AtomFault::of_file(file, unread(finding)));
                }
            }
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
        let mut corpus = Corpus::read(&files, &mut open);
        corpus.faults.append(&mut faults);
        let corpus = Arc::new(corpus);
        texts.append(&mut contents);
        Self { corpus, texts }
    }
}

/// Returns the atom files that match a pattern, relative to the folder `root` of the
/// configuration.
fn matching(pattern: &str, root: &Path, boundary: &Path, overlay: &Overlay) -> AtomPaths {
    let named = absolute(root, Path::new(pattern));
    match CheckTarget::glob(&named) {
        Some(CheckTarget::Glob(base, globs)) if is_inside(&base, boundary) => {
            let glob = CheckTarget::Glob(base.clone(), globs);
            below(&base, overlay, &|path| glob.covers(path))
        }
        _ if !is_inside(&named, boundary) => AtomPaths::default(),
        _ if named.is_dir() => below(&named, overlay, &|_| true),
        _ => {
            AtomPaths { paths: is_atoms(&named).then_some(named).into_iter().collect(), problems: Vec::new() }
        }
    }
}

/// Candidates for atom files.
#[derive(Debug, Default)]
struct AtomPaths {
    paths: BTreeSet<PathBuf>,
    /// Paths that could not be listed.
    problems: Vec<Problem>,
}

impl AtomPaths {
    fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.problems.is_empty()
    }
}

fn below(folder: &Path, overlay: &Overlay, is_wanted: &dyn Fn(&Path) -> bool) -> AtomPaths {
    let tree = walk(folder, overlay);
    let found = tree.others.into_iter().map(|found| found.path);
    let paths = found.filter(|path| is_atoms(path) && is_wanted(path)).collect();
    AtomPaths { paths, problems: tree.problems }
}

/// True for the name of a YAML file that is not a session file.
fn is_atoms(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    (name.ends_with(".yaml") || name.ends_with(".yml")) && !is_session(path)
}

/// Returns the reason why a file was not read, as the end of a sentence.
fn unread(finding: &Finding) -> String {
    let what = if finding.rule == &INVALID_UTF8 {
        "it is not UTF-8"
    } else if finding.rule == &FILE_TOO_LARGE {
        return format!("it is larger than {} MiB", MAX_FILE_LEN >> 20);
    } else if finding.rule == &UNREADABLE_FILE {
        let why = finding.message.split_once(": ").map_or(&*finding.message, |(_, why)| why);
        return why.trim_end_matches('.').to_owned();
    } else {
        "it is not text"
    };
    what.to_owned()
}

/// True if a text has two of the keys that every atom has.
fn looks_like_atoms(text: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
    let has = |key: &str| {
        text.match_indices(key).any(|(at, _)| {
            let (before, behind) = (text.get(..at), text.get(at + key.len()..));
            let is_start = before.is_some_and(|text| !text.ends_with(is_part));
            is_start && behind.is_some_and(|text| text.trim_start_matches(['"', '\'', ' ']).starts_with(':'))
        })
    };
    let has_content = has("content") || has("content_file");
    [has("id"), has("category"), has_content].into_iter().filter(|has| *has).count() >= 2
}

/// Returns the source category that the runtime assigns to the atoms of a file.
fn kind_of(path: &Path) -> AtomKind {
    let path = super::paths::slashes(path);
    if path.contains("/.nerd/prompts/evolved/") {
        AtomKind::Evolved
    } else if agent_in(&path).is_some() {
        AtomKind::Agent
    } else {
        AtomKind::Corpus
    }
}

/// Returns the agent that the atoms of a file apply to, if the path names one.
fn agent_of(path: &Path) -> Option<Arc<str>> {
    agent_in(&super::paths::slashes(path)).map(Arc::from)
}

fn agent_in(path: &str) -> Option<&str> {
    let (_, rest) = path.rsplit_once("/.nerd/agents/")?;
    rest.split_once('/').map(|(agent, _)| agent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_are_known_by_their_keys() {
        for text in [
            "- id: a\n  category: x\n",
            "[{\"id\": \"a\", \"content\": \"b\"}]",
            "atom:\n  id : a\n  content: |",
        ] {
            assert!(looks_like_atoms(text), "{text}");
        }
        for text in ["", "services:\n  web:\n    image: x\n", "grid: 1\nthe-id: 2\ncontents: 3\n", "id: x\n"]
        {
            assert!(!looks_like_atoms(text), "{text}");
        }
    }

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
            [(AtomKind::Corpus, None), (AtomKind::Agent, Some("expert".into())), (AtomKind::Evolved, None)]
        );
        assert!(
            is_atoms(Path::new("a.YML"))
                && !is_atoms(Path::new("a.session.yaml"))
                && !is_atoms(Path::new("a.json"))
        );
    }
}
