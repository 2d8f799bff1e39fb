//! Detection of changed files on disk, for clients that do not watch files, and the names of files
//! whose external changes are relevant. The state of each file is compared with its previous state,
//! and differences become file events.
//!
//! Each pass reads the state of every known file and folder. Only folders with a changed state are
//! listed. The workspace is walked only if folders or ignore files were added or changed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::agents::is_agent_settings;
use super::disk;
use super::disk::FileState;
use super::ignore_rules::{Entries, is_ignore_file};
use mangle_settings::{FILE_NAME, FilesSettings};
use mangle_syntax::text::Cancel;
use piggyback::transcript::settings::PATH as AGENT_SETTINGS;

/// The state of the files and folders of a workspace after one pass.
#[derive(Debug, Default)]
pub struct DiskListing {
    /// The start of the pass.
    time: Option<SystemTime>,
    roots: Vec<PathBuf>,
    folders: BTreeMap<PathBuf, Folder>,
    files: BTreeMap<PathBuf, Option<FileState>>,
}

#[derive(Debug)]
struct Folder {
    state: FileState,
    names: Arc<Names>,
}

#[derive(Debug, Default)]
struct Names {
    files: BTreeSet<OsString>,
    /// Includes ignored folders.
    folders: BTreeSet<OsString>,
}

/// Input of one pass.
#[derive(Debug)]
pub struct DiskLook {
    pub(super) before: Arc<DiskListing>,
    /// A time before any file was read.
    pub(super) start: SystemTime,
    /// The start of this pass.
    pub(super) now: SystemTime,
    /// The folders of the workspace.
    pub(super) roots: Vec<PathBuf>,
    /// Files that are known to exist.
    pub(super) known: Vec<PathBuf>,
    /// Files outside the workspace folders that matter if they exist.
    pub(super) candidates: Vec<PathBuf>,
    pub(super) cancel: Cancel,
}

#[derive(Debug)]
pub struct DiskChanges {
    /// `None` if the pass was canceled.
    pub(super) listing: Option<DiskListing>,
    /// The changes since the previous pass, one event per path.
    pub(super) events: BTreeMap<PathBuf, FileEvent>,
    /// The duration of the pass.
    pub cost: Duration,
}

impl DiskLook {
    /// The token that cancels the pass.
    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    #[must_use]
    pub fn run(self) -> DiskChanges {
        let start = Instant::now();
        let mut events = BTreeMap::new();
        let listing = self.list(&mut events);
        DiskChanges { listing, events, cost: start.elapsed() }
    }

    fn list(&self, events: &mut BTreeMap<PathBuf, FileEvent>) -> Option<DiskListing> {
        let now = self.now;
        let mut listing =
            DiskListing { time: Some(now), roots: self.roots.clone(), ..DiskListing::default() };
        let mut has_new_folders = self.before.time.is_none() || self.roots != self.before.roots;
        for (path, before) in &self.before.folders {
            if self.cancel.is_cancelled() {
                return None;
            }
            let Some(folder) = Folder::read(path, now, Some(before)) else {
                events.insert(path.clone(), FileEvent::CameOrWent);
                continue;
            };
            if !Arc::ptr_eq(&folder.names, &before.names) {
                has_new_folders |= !folder.names.folders.is_subset(&before.names.folders);
                for name in folder.names.files.symmetric_difference(&before.names.files) {
                    events.insert(path.join(name), FileEvent::CameOrWent);
                }
            }
            listing.folders.insert(path.clone(), folder);
        }
        self.compare_files(&mut listing, now, events)?;
        if has_new_folders || events.keys().any(|path| is_ignore_file(path)) {
            self.walk(&mut listing, now, events)?;
            self.compare_files(&mut listing, now, events)?;
        }
        Some(listing)
    }

    /// Adds the states of files that have no known state.
    fn compare_files(
        &self,
        listing: &mut DiskListing,
        now: SystemTime,
        events: &mut BTreeMap<PathBuf, FileEvent>,
    ) -> Option<()> {
        let known: BTreeSet<&Path> = self.known.iter().map(PathBuf::as_path).collect();
        let paths: BTreeSet<PathBuf> =
            listing.watched().chain(self.known.iter().chain(&self.candidates).cloned()).collect();
        for path in paths {
            if self.cancel.is_cancelled() {
                return None;
            }
            if listing.files.contains_key(&path) {
                continue;
            }
            let state = FileState::read(&path, now);
            let event = match (self.before.files.get(&path), &state) {
                (Some(Some(before)), Some(state)) => {
                    state.may_differ_from(before).then_some(FileEvent::Changed)
                }
                (Some(before), state) => {
                    (before.is_some() != state.is_some()).then_some(FileEvent::CameOrWent)
                }
                (None, None) => known.contains(path.as_path()).then_some(FileEvent::CameOrWent),
                // The file was read after the previous pass.
                (None, Some(state)) => {
                    let is_known = known.contains(path.as_path());
                    let event = if is_known { FileEvent::Changed } else { FileEvent::CameOrWent };
                    state.may_be_newer_than(self.before.time.unwrap_or(self.start)).then_some(event)
                }
            };
            if let Some(event) = event {
                events.entry(path.clone()).or_insert(event);
            }
            listing.files.insert(path, state);
        }
        Some(())
    }

    /// Adds new folders, and removes folders that are now ignored.
    fn walk(
        &self,
        listing: &mut DiskListing,
        now: SystemTime,
        events: &mut BTreeMap<PathBuf, FileEvent>,
    ) -> Option<()> {
        let most = usize::try_from(FilesSettings::default().max_scan_entries).unwrap_or(usize::MAX);
        let is_first = self.before.time.is_none();
        let mut walked = BTreeSet::new();
        for root in &self.roots {
            for entry in Entries::below(root).take(most).flatten() {
                if self.cancel.is_cancelled() {
                    return None;
                }
                if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
                    continue;
                }
                let path = entry.into_path();
                if !listing.folders.contains_key(&path)
                    && let Some(folder) = Folder::read(&path, now, None)
                {
                    let files = folder.names.files.iter().filter(|_| !is_first);
                    events.extend(files.map(|name| (path.join(name), FileEvent::CameOrWent)));
                    listing.folders.insert(path.clone(), folder);
                }
                walked.insert(path);
            }
        }
        listing.folders.retain(|path, _| walked.contains(path));
        Some(())
    }
}

impl Folder {
    /// Lists a folder, or returns the entries of `before` if the folder did not change. Returns
    /// `None` if the folder cannot be listed.
    fn read(path: &Path, now: SystemTime, before: Option<&Self>) -> Option<Self> {
        let state = FileState::read(path, now)?;
        if let Some(before) = before.filter(|before| !state.may_differ_from(&before.state)) {
            return Some(Self { state, names: Arc::clone(&before.names) });
        }
        let mut names = Names::default();
        for (name, is_folder) in disk::entries(path).ok()? {
            let same_kind = if is_folder { &mut names.folders } else { &mut names.files };
            same_kind.insert(name);
        }
        Some(Self { state, names: Arc::new(names) })
    }
}

impl DiskListing {
    /// Returns the files in the folders whose changes matter.
    fn watched(&self) -> impl Iterator<Item = PathBuf> {
        self.folders.iter().flat_map(|(path, folder)| {
            let files = folder.names.files.iter().map(|name| path.join(name)).filter(|path| is_watched(path));
            let agent = Path::new(AGENT_SETTINGS).iter().next();
            let has_agent = agent.is_some_and(|agent| folder.names.folders.contains(agent));
            files.chain(has_agent.then(|| path.join(AGENT_SETTINGS)))
        })
    }
}

/// File name extensions: policies, transcripts, grammars, session files and prompt atoms, fact
/// tables.
const EXTENSIONS: [&[&str]; 5] = [
    &["mg", "gl"],
    &["json", "jsonl", "ndjson", "md", "markdown", "txt", "log", "out", "traj", "sse", "gz", "zst"],
    &["gbnf", "ebnf", "lark", "regex"],
    &["yaml", "yml"],
    &["csv"],
];

/// Patterns other than extensions. Any file in a folder of transcripts may be a transcript.
const PATTERNS: [&str; 6] = [
    "**/mangle-ls.toml",
    "**/go.mod",
    "**/.nerd/config.json",
    "**/.gitignore",
    "**/.ignore",
    "**/transcripts/**",
];

pub fn watched_patterns() -> impl Iterator<Item = String> {
    let extensions = EXTENSIONS.iter().map(|endings| format!("**/*.{{{}}}", endings.join(",")));
    extensions.chain(PATTERNS.map(String::from))
}

/// True if a change of the file at this path may change findings.
fn is_watched(path: &Path) -> bool {
    let has_ending = |end: &str| EXTENSIONS.iter().any(|endings| endings.contains(&end));
    let in_transcripts = || path.iter().rev().skip(1).any(|folder| folder == "transcripts");
    path.extension().and_then(|end| end.to_str()).is_some_and(|end| has_ending(&end.to_lowercase()))
        || path.ends_with(FILE_NAME)
        || path.ends_with("go.mod")
        || is_agent_settings(path)
        || is_ignore_file(path)
        || in_transcripts()
}

/// A change of a file outside the editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileEvent {
    /// The file was created or deleted.
    CameOrWent,
    /// The content changed.
    Changed,
}
