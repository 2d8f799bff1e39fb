//! Gitignore handling: the walk of a folder without ignored files, and the patterns that ignore
//! them.
//!
//! Pattern files are read here and not by the walker. The walker would block on a pipe and read
//! files of any size. An unusable pattern file is reported as a problem, and the remaining pattern
//! files still apply.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, Error, Match, WalkBuilder};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::disk;
use super::disk::{Content, DiskOperation, plain};
use super::resolve::Problem;

/// The maximum number of patterns per file.
pub(super) const MAX_PATTERNS: usize = 10_000;

/// Iterator over a folder and its descendants, without ignored and hidden entries. Links are not
/// followed.
pub(super) struct Entries {
    /// `Err(None)` after a refused root was reported.
    walk: Result<ignore::Walk, Option<Error>>,
}

impl Entries {
    /// Walks `root`, an absolute path.
    pub(super) fn below(root: &Path) -> Self {
        Self::read(root, &Arc::default(), |_| true)
    }

    /// Walks the entries that `filter` accepts, sorted by name. The order makes the result
    /// deterministic if a limit stops the walk. Walks that share `patterns` read each pattern file
    /// once.
    pub(super) fn read(
        root: &Path,
        patterns: &Arc<Patterns>,
        filter: impl Fn(&DirEntry) -> bool + Send + Sync + 'static,
    ) -> Self {
        if let Err(refused) = disk::check_path(root) {
            let error = Error::WithPath { path: root.into(), err: Box::new(Error::Io(refused)) };
            return Self { walk: Err(Some(error)) };
        }
        let known = Arc::clone(patterns);
        let mut builder = WalkBuilder::new(root);
        builder.standard_filters(false).sort_by_file_name(Ord::cmp);
        builder.filter_entry(move |entry| known.is_included(entry) && filter(entry));
        Self { walk: Ok(builder.build()) }
    }
}

impl Iterator for Entries {
    type Item = Result<DirEntry, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let walk = match &mut self.walk {
            Ok(walk) => walk,
            Err(refused) => return refused.take().map(Err),
        };
        let entry = walk.next()?;
        Some(entry.and_then(|entry| match disk::check(DiskOperation::List, entry.path()) {
            Ok(_) => Ok(entry),
            Err(error) => Err(Error::WithPath { path: entry.into_path(), err: Box::new(Error::Io(error)) }),
        }))
    }
}

/// The patterns of all visited folders.
#[derive(Default)]
pub(super) struct Patterns {
    levels: Mutex<FxHashMap<PathBuf, Arc<Level>>>,
    problems: Mutex<Vec<Problem>>,
}

/// The patterns of one folder.
struct Level {
    above: Option<Arc<Level>>,
    /// True for the top folder of a repository. The gitignore patterns of its ancestors do not
    /// apply.
    is_repository: bool,
    /// From `.ignore`, which also applies outside repositories.
    dot_ignore: Gitignore,
    /// From `.gitignore`.
    git: Gitignore,
    /// From `.git/info/exclude`.
    exclude: Gitignore,
    /// From the user's global ignore file. Only set for the top folder of a repository.
    user: Gitignore,
}

impl Patterns {
    /// Returns the pattern files that could not be used. The list is complete after all walks have
    /// ended.
    pub(super) fn problems(&self) -> Vec<Problem> {
        self.problems.lock().clone()
    }

    /// True if an entry is not ignored.
    fn is_included(&self, entry: &DirEntry) -> bool {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let Some(folder) = entry.path().parent() else { return true };
        match self.patterns_of_folder(folder).matched(entry.path(), is_folder) {
            Match::Ignore(()) => false,
            Match::Whitelist(()) => true,
            Match::None => !entry.file_name().as_encoded_bytes().starts_with(b"."),
        }
    }

    /// Returns the patterns of a folder, including its ancestors.
    fn patterns_of_folder(&self, folder: &Path) -> Arc<Level> {
        if let Some(known) = self.levels.lock().get(folder) {
            return Arc::clone(known);
        }
        let above = folder.parent().map(|above| self.patterns_of_folder(above));
        let level = Arc::new(self.read(folder, above));
        self.levels.lock().insert(folder.into(), Arc::clone(&level));
        level
    }

    fn read(&self, folder: &Path, above: Option<Arc<Level>>) -> Level {
        let git_folder = folder.join(".git");
        let is_repository = git_folder.symlink_metadata().is_ok();
        let (mut exclude, mut user) = (Gitignore::empty(), Gitignore::empty());
        if is_repository {
            let common = common_folder(folder, &git_folder);
            exclude = common.map_or(exclude, |common| self.of_file(&common.join("info/exclude"), folder));
            user = user_file().map_or(user, |file| self.of_file(&file, folder));
        }
        let own = self.of_file(&folder.join(".ignore"), folder);
        let git = self.of_file(&folder.join(".gitignore"), folder);
        Level { above, is_repository, dot_ignore: own, git, exclude, user }
    }

    /// Reads the patterns of a file, relative to `folder`. Returns no patterns if the file is
    /// missing.
    fn of_file(&self, path: &Path, folder: &Path) -> Gitignore {
        // A confined process must not read the file, so its patterns do not apply.
        if path.symlink_metadata().is_err() || !disk::is_allowed(path) {
            return Gitignore::empty();
        }
        let read = disk::read(path, Content::Patterns).map_err(|error| plain(&error));
        read.and_then(|bytes| patterns(path, folder, &String::from_utf8_lossy(&bytes))).unwrap_or_else(
            |why| {
                let why = format!("{why}; its patterns are not used");
                self.problems.lock().push(Problem { path: path.into(), why, named: false });
                Gitignore::empty()
            },
        )
    }
}

fn patterns(path: &Path, folder: &Path, text: &str) -> Result<Gitignore, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_pattern = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    if text.lines().filter(is_pattern).nth(MAX_PATTERNS).is_some() {
        return Err(format!("it has more than {MAX_PATTERNS} patterns"));
    }
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.lines() {
        // As in git, an invalid pattern matches nothing.
        let _ = builder.add_line(Some(path.into()), line);
    }
    builder.build().map_err(|error| format!("its patterns cannot be used: {error}"))
}

impl Level {
    /// Matches a path in the folder or below it. The innermost folder with a match decides.
    /// Precedence in one folder: `.ignore`, `.gitignore`, `.git/info/exclude`, the user's global
    /// file.
    fn matched(&self, path: &Path, is_folder: bool) -> Match<()> {
        let (mut own, mut git, mut exclude, mut user) = (Match::None, Match::None, Match::None, Match::None);
        let in_repository = self.levels().any(|level| level.is_repository);
        let mut is_inside = in_repository;
        for level in self.levels() {
            let says = |patterns: &Gitignore| patterns.matched(path, is_folder).map(|_| ());
            own = own.or(says(&level.dot_ignore));
            if is_inside {
                git = git.or(says(&level.git));
                exclude = exclude.or(says(&level.exclude));
                user = user.or(says(&level.user));
            }
            is_inside &= !level.is_repository;
        }
        own.or(git).or(exclude).or(user)
    }

    /// Returns this level and its ancestors.
    fn levels(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |level| level.above.as_deref())
    }
}

/// True if a file contains ignore patterns of git or other tools.
pub(super) fn is_ignore_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ".gitignore" || name == ".ignore")
        || path.ends_with(".git/info/exclude")
}

/// Returns the common git folder of all working trees of a repository: `.git` itself, or the
/// folder that a `.git` file points to.
fn common_folder(folder: &Path, git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.into());
    }
    let git_folder = folder.join(first_line(git)?.strip_prefix("gitdir: ")?);
    Some(git_folder.join(first_line(&git_folder.join("commondir"))?))
}

fn first_line(path: &Path) -> Option<String> {
    let bytes = disk::read(path, Content::Patterns).ok()?;
    Some(String::from_utf8_lossy(&bytes).lines().next()?.to_owned())
}

/// Returns the user's global ignore file: `core.excludesFile`, or the default path of git.
fn user_file() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let home = std::env::home_dir();
    let own = variable("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    let own = own.map(|folder| folder.join("git"));
    let configurations = match variable("GIT_CONFIG_GLOBAL") {
        Some(file) => vec![file],
        None => {
            [home.as_ref().map(|home| home.join(".gitconfig")), own.as_ref().map(|own| own.join("config"))]
                .into_iter()
                .flatten()
                .collect()
        }
    };
    let system = variable("GIT_CONFIG_SYSTEM").unwrap_or_else(|| "/etc/gitconfig".into());
    let all = configurations.into_iter().chain([system]);
    let named = all.filter_map(|file| excludes_file(&disk::read(&file, Content::Patterns).ok()?)).next();
    match (named, home) {
        (Some(named), Some(home)) => {
            Some(named.strip_prefix("~").map_or(named.clone(), |rest| home.join(rest)))
        }
        (Some(named), None) => Some(named),
        (None, _) => own.map(|own| own.join("ignore")),
    }
}

/// Returns the path of `excludesFile` in a git configuration.
fn excludes_file(bytes: &[u8]) -> Option<PathBuf> {
    let text = String::from_utf8_lossy(bytes);
    let value = |line: &str| {
        let (key, value) = line.split_once('=')?;
        let value = value.trim().trim_matches('"').trim();
        (key.trim().eq_ignore_ascii_case("excludesfile") && !value.is_empty()).then(|| PathBuf::from(value))
    };
    text.lines().find_map(value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Lists a folder with these files twice: with this module and with the walker's own pattern
    /// handling.
    fn walked(files: &[(&str, &str)]) -> [Vec<String>; 2] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let start = root.join("start");
        let names = |entries: &mut dyn Iterator<Item = Result<DirEntry, Error>>| {
            let paths = entries.map(|entry| entry.unwrap().into_path());
            let mut names: Vec<_> =
                paths.map(|path| path.strip_prefix(&root).unwrap().display().to_string()).collect();
            names.sort();
            names
        };
        [names(&mut Entries::below(&start)), names(&mut WalkBuilder::new(&start).build())]
    }

    /// The walker's own pattern handling is the reference.
    #[test]
    fn patterns_hold_as_in_git() {
        let files = |patterns: &[(&'static str, &'static str)], with_git: bool| {
            let names = [
                "start/a.mg",
                "start/b.mg",
                "start/.hidden/c.mg",
                "start/.shown.mg",
                "start/build/d.mg",
                "start/x/build/e.mg",
                "start/x/y/f.mg",
                "start/x/y/keep.mg",
                "start/x/.git/HEAD",
            ];
            let mut all: Vec<_> = names.map(|name| (name, "")).into();
            all.retain(|(name, _)| {
                !name.contains("x/.git") || patterns.iter().any(|(at, _)| *at == "nested")
            });
            all.extend(with_git.then_some((".git/HEAD", "")));
            all.extend(patterns.iter().filter(|(at, _)| *at != "nested"));
            all
        };
        let cases: [&[(&str, &str)]; 12] = [
            &[],
            &[("start/.gitignore", "build\n")],
            &[("start/.gitignore", "/build/\n")],
            &[(".gitignore", "build\n*.mg\n!keep.mg\n")],
            &[(".gitignore", "/start/x\n")],
            &[("start/.gitignore", "*.mg\n"), ("start/x/.gitignore", "!f.mg\n")],
            &[("start/.gitignore", "!.shown.mg\n!.hidden\n")],
            &[("start/.ignore", "!b.mg\n"), ("start/.gitignore", "b.mg\na.mg\n")],
            &[(".ignore", "x\n")],
            &[(".git/info/exclude", "a.mg\n/start/b.mg\n")],
            &[("start/.gitignore", "f.mg\na.mg\n"), ("nested", "")],
            &[("start/.gitignore", "\u{feff}a.mg\r\n# b.mg\n\\#c\n[\nx/**\n")],
        ];
        for patterns in cases {
            for with_git in [true, false] {
                let [own, reference] = walked(&files(patterns, with_git));
                assert_eq!(own, reference, "{patterns:?}, with git: {with_git}");
            }
        }
    }

    #[test]
    fn files_of_patterns_that_cannot_be_used_are_problems() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in [".git", "a", "b", "c/.ignore"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        std::fs::write(root.join(".gitignore"), "x.mg\n").unwrap();
        std::fs::write(root.join("a/.gitignore"), "y\n".repeat(MAX_PATTERNS + 1)).unwrap();
        let sparse = std::fs::File::create(root.join("b/.gitignore")).unwrap();
        sparse.set_len(Content::Patterns.limit() + 1).unwrap();
        std::fs::write(root.join("a/x.mg"), "").unwrap();
        std::fs::write(root.join("b/y.mg"), "").unwrap();
        std::fs::write(root.join("c/z.mg"), "").unwrap();
        let patterns = Arc::default();
        // Two walks that share the patterns report each problem once.
        let [files, again] = [(); 2].map(|()| {
            let entries = Entries::read(&root, &patterns, |_| true);
            entries.filter(|entry| entry.as_ref().unwrap().path().is_file()).count()
        });
        assert_eq!(files, again);
        let problems = patterns.problems();
        let mut whys: Vec<_> = problems.iter().map(|problem| problem.why.as_str()).collect();
        whys.sort_unstable();
        assert_eq!(files, 2);
        assert_eq!(
            whys,
            [
                "is a directory; its patterns are not used",
                "it has 1025 KiB; files of up to 1 MiB are read; its patterns are not used",
                "it has more than 10000 patterns; its patterns are not used",
            ]
        );
    }

    #[test]
    fn the_users_own_file_is_named_in_gits_configuration() {
        let of = |text: &str| excludes_file(text.as_bytes());
        assert_eq!(of("[core]\n\texcludesFile = ~/x\n"), Some("~/x".into()));
        assert_eq!(of("[core]\n excludesfile=\"/a b\"\n"), Some("/a b".into()));
        assert_eq!(of("[core]\n editor = vi\nexcludesfile =\n"), None);
    }
}
