//! Walk of a folder: its Mangle files, fact files and configuration files, without files ignored
//! by git. An incomplete walk stops at a limit and has messages about it.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::DirEntry;

use super::disk::plain;
use super::ignore_rules::{Entries, Patterns};
use super::{MAX_FILE_LEN, Overlay, Problem, disk, is_facts, is_mangle};
use mangle_settings::{FILE_NAME, FilesSettings};
use mangle_syntax::text::Cancel;

/// The files below a folder, except ignored files, hidden files, and files in linked folders.
#[derive(Debug, Default)]
pub(super) struct FileTree {
    /// Sorted by path.
    pub(super) files: Vec<WalkEntry>,
    /// Fact files in other formats than Mangle, sorted by path.
    pub(super) facts: Vec<WalkEntry>,
    /// Files that are neither Mangle nor configuration files, including fact files. Sorted by
    /// path.
    pub(super) others: Vec<WalkEntry>,
    /// Sorted by path.
    pub(super) configurations: Vec<PathBuf>,
    pub(super) problems: Vec<Problem>,
    pub(super) visited: Visited,
    /// The limit that stopped the walk.
    pub(super) limit: Option<ScanLimit>,
}

/// Counters of a walk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Visited {
    /// Files of all kinds and folders.
    pub entries: u64,
    /// Mangle files.
    pub files: u64,
    /// Bytes of Mangle files.
    pub bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanLimit {
    /// [`FilesSettings::max_scan_entries`].
    Entries(u64),
    /// [`FilesSettings::max_scan_files`].
    Files(u64),
    /// [`FilesSettings::max_scan_bytes`].
    Bytes(u64),
}

#[derive(Debug, Clone)]
pub(super) struct WalkOptions<'r> {
    /// The file extensions of Mangle, and the limits.
    pub(super) settings: &'r FilesSettings,
    /// Folders whose direct files are visited first.
    pub(super) first: Arc<BTreeSet<PathBuf>>,
    /// True if only the `first` folders are visited.
    pub(super) only_first: bool,
    pub(super) cancel: &'r Cancel,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WalkEntry {
    pub(super) path: PathBuf,
    /// The target, if the file is a symbolic link.
    pub(super) target: Option<PathBuf>,
}

impl WalkEntry {
    /// An entry that is not a link.
    pub(super) fn plain(path: &Path) -> Self {
        Self { path: path.into(), target: None }
    }
}

/// Walks `root`, an absolute path, with the default limits. Open documents that are missing on
/// disk are included.
pub(super) fn walk(root: &Path, overlay: &Overlay) -> FileTree {
    let settings = FilesSettings::default();
    let reach =
        WalkOptions { settings: &settings, first: Arc::default(), only_first: false, cancel: &Cancel::new() };
    walk_within(root, overlay, &reach)
}

/// [`walk`] with other limits.
pub(super) fn walk_within(root: &Path, overlay: &Overlay, reach: &WalkOptions<'_>) -> FileTree {
    let mut tree = FileTree::default();
    let boundary = boundary(root);
    let patterns = Arc::default();
    if reach.first.iter().any(|folder| folder.starts_with(root)) {
        tree.visit(first(root, &patterns, &reach.first), root, &boundary, reach);
    }
    if !reach.only_first && tree.limit.is_none() {
        tree.visit(others(root, &patterns, &reach.first), root, &boundary, reach);
    }
    tree.problems.extend(patterns.problems());
    for path in overlay.paths().filter(|path| path.starts_with(root) && !path.exists()) {
        if is_mangle(path) {
            tree.files.push(WalkEntry::plain(path));
        } else if path.ends_with(FILE_NAME) {
            tree.configurations.push(path.into());
        } else {
            tree.others.push(WalkEntry::plain(path));
        }
    }
    tree.files.sort_unstable();
    tree.others.sort_unstable();
    tree.facts = tree.others.iter().filter(|found| is_facts(&found.path)).cloned().collect();
    tree.configurations.sort_unstable();
    tree.problems.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    tree
}

/// Visits the direct files of the `wanted` folders, and their ancestors.
fn first(root: &Path, patterns: &Arc<Patterns>, wanted: &Arc<BTreeSet<PathBuf>>) -> Entries {
    let wanted = Arc::clone(wanted);
    let is_above = {
        let wanted = Arc::clone(&wanted);
        move |folder: &Path| wanted.iter().any(|one| one.starts_with(folder))
    };
    Entries::read(root, patterns, move |entry| match entry.file_type().is_some_and(|kind| kind.is_dir()) {
        true => is_above(entry.path()),
        false => is_own(&wanted, entry.path()),
    })
}

/// Visits everything except the direct files of the folders in `first`.
fn others(root: &Path, patterns: &Arc<Patterns>, first: &Arc<BTreeSet<PathBuf>>) -> Entries {
    let first = Arc::clone(first);
    Entries::read(root, patterns, move |entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        if is_folder { !is_of_system(entry) } else { !is_own(&first, entry.path()) }
    })
}

fn is_own(folders: &BTreeSet<PathBuf>, path: &Path) -> bool {
    path.parent().is_some_and(|folder| folders.contains(folder))
}

/// True if a folder below the root is a virtual file system, which may be endless and contains no
/// user files.
fn is_of_system(entry: &DirEntry) -> bool {
    let folders = ["/dev", "/proc", "/sys"];
    cfg!(unix) && entry.depth() > 0 && folders.iter().any(|folder| entry.path() == Path::new(folder))
}

impl Visited {
    /// Returns the limit that the sum with `more` would exceed.
    fn limit(&self, more: &Self, limits: &FilesSettings) -> Option<ScanLimit> {
        if self.entries + more.entries > limits.max_scan_entries {
            Some(ScanLimit::Entries(limits.max_scan_entries))
        } else if self.files + more.files > limits.max_scan_files {
            Some(ScanLimit::Files(limits.max_scan_files))
        } else if self.bytes.saturating_add(more.bytes) > limits.max_scan_bytes {
            Some(ScanLimit::Bytes(limits.max_scan_bytes))
        } else {
            None
        }
    }

    fn add(&mut self, more: &Self) {
        self.entries += more.entries;
        self.files += more.files;
        self.bytes += more.bytes;
    }

    /// Returns the counters of one entry.
    fn from_entry(entry: &DirEntry, settings: &FilesSettings) -> Self {
        let path = entry.path();
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        if is_folder || !(is_mangle(path) || settings.adds(path)) {
            return Self { entries: 1, ..Self::default() };
        }
        // Longer files are not read.
        let len = path.metadata().map_or(0, |metadata| metadata.len());
        Self { entries: 1, files: 1, bytes: if len > MAX_FILE_LEN as u64 { 0 } else { len } }
    }
}

impl FileTree {
    /// Adds the visited entries until a limit is reached.
    fn visit(&mut self, entries: Entries, root: &Path, boundary: &Path, reach: &WalkOptions<'_>) {
        for entry in entries {
            if reach.cancel.is_cancelled() {
                return;
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.problems.push(problem(root, &error));
                    continue;
                }
            };
            let more = Visited::from_entry(&entry, reach.settings);
            self.limit = self.visited.limit(&more, reach.settings);
            if self.limit.is_some() {
                return;
            }
            self.visited.add(&more);
            self.add(&entry, boundary);
        }
    }

    fn add(&mut self, entry: &DirEntry, boundary: &Path) {
        let path = entry.path();
        let is_configuration = path.ends_with(FILE_NAME);
        let is_other = !is_mangle(path) && !is_configuration;
        let found = match entry.file_type() {
            // A folder with the name of a configuration file is an error, which reading it
            // reports.
            Some(kind) if kind.is_dir() => is_configuration.then(|| WalkEntry::plain(path)),
            Some(kind) if kind.is_symlink() => self.follow(path, boundary, is_other),
            // Includes pipes and sockets, so that reading them reports their kind.
            _ => Some(WalkEntry::plain(path)),
        };
        match found {
            Some(found) if is_configuration => self.configurations.push(found.path),
            Some(found) if is_other => self.others.push(found),
            Some(found) => self.files.push(found),
            None => {}
        }
    }

    /// Returns the target of a link. Links that lead out of the workspace are not followed,
    /// because an untrusted repository could link to any file of this machine.
    fn follow(&mut self, path: &Path, boundary: &Path, is_other: bool) -> Option<WalkEntry> {
        let resolved = std::fs::canonicalize(path).and_then(|target| Ok((target.metadata()?, target)));
        let why = match resolved {
            Ok((metadata, _)) if metadata.is_dir() && !path.ends_with(FILE_NAME) => return None,
            Ok((_, target)) if target.starts_with(boundary) => {
                return Some(WalkEntry { path: path.into(), target: Some(target) });
            }
            Ok((_, target)) => format!("the link leads out of the workspace, to {}", target.display()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => "the link leads nowhere".into(),
            Err(error) => plain(&error),
        };
        // Problems with unrelated files are not reported.
        if !is_other || is_facts(path) {
            self.problems.push(Problem { path: path.into(), why, named: false });
        }
        None
    }
}

/// Returns the folder that links must not leave: the repository around `root`, or `root` itself.
pub(super) fn boundary(root: &Path) -> PathBuf {
    let boundary = repository(root).unwrap_or(root);
    std::fs::canonicalize(boundary).unwrap_or_else(|_| boundary.into())
}

/// Returns the root of the git repository that contains a folder. The folder itself may be
/// missing.
#[must_use]
pub fn repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
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

/// True if a path, with links resolved, is inside a folder and readable for a confined process. A
/// document that exists only in the editor is not a link.
pub(super) fn is_inside(path: &Path, boundary: &Path) -> bool {
    if !disk::is_allowed(path) {
        return false;
    }
    let real = std::fs::canonicalize(path);
    real.map_or_else(|_| path.starts_with(boundary), |real| real.starts_with(boundary))
}

/// A folder that was scanned incompletely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialScan {
    pub folder: PathBuf,
    /// The exceeded limit.
    pub limit: ScanLimit,
    /// The numbers of visited entries.
    pub visited: Visited,
}

impl PartialScan {
    /// The key of the limit in `mangle-ls.toml`.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self.limit {
            ScanLimit::Entries(_) => "max_scan_entries",
            ScanLimit::Files(_) => "max_scan_files",
            ScanLimit::Bytes(_) => "max_scan_bytes",
        }
    }

    /// The message as a clause without a subject.
    #[must_use]
    pub fn reason(&self) -> String {
        let what = match self.limit {
            ScanLimit::Entries(limit) => format!("{limit} files and folders"),
            ScanLimit::Files(limit) => format!("{limit} Mangle files"),
            ScanLimit::Bytes(limit) => format!("{limit} bytes of Mangle files"),
        };
        format!("holds more than {what}, the limit of a scan")
    }

    /// The help text of the finding.
    #[must_use]
    pub fn help(&self) -> String {
        format!("choose a smaller folder, or raise `{}` below `[files]` in its `{FILE_NAME}`", self.key())
    }

    /// Converts the scan into a problem of its folder.
    #[must_use]
    pub fn problem(&self) -> Problem {
        Problem {
            path: self.folder.clone(),
            why: format!("it {}; {}", self.reason(), self.help()),
            named: true,
        }
    }
}
