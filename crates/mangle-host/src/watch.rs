//! Waiting for file changes, for repeated checks.
//!
//! Folders are watched individually, without folders that git ignores. A recursive watch would use
//! thousands of handles for folders without policies.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::agents::is_agent_settings;
use super::ignore_rules::Entries;
use super::is_mangle;
use mangle_settings::FILE_NAME;

/// The time without events after which a change is complete. Editors save in several steps.
const QUIET: Duration = Duration::from_millis(50);

/// The maximum wait for the end of a continuous series of events.
const MAX_WAIT: Duration = Duration::from_secs(1);

#[derive(Debug, thiserror::Error)]
#[error("files cannot be watched: {0}")]
pub struct WatchError(#[from] notify::Error);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeReason {
    /// A file changed.
    Changed,
    /// [`Stopper::stop`] was called.
    Stopped,
}

#[derive(Debug)]
pub struct Watch {
    watcher: RecommendedWatcher,
    folders: BTreeSet<PathBuf>,
    /// Additional files to watch that are not in a program.
    others: BTreeSet<PathBuf>,
    /// True if a watched folder was added or removed. The system may still watch a renamed folder
    /// under its old name.
    is_stale: bool,
    sender: Sender<Signal>,
    signals: Receiver<Signal>,
}

/// Handle that ends a wait, from any thread.
#[derive(Debug, Clone)]
pub struct Stopper(Sender<Signal>);

#[derive(Debug)]
enum Signal {
    Event(notify::Result<Event>),
    Stop,
}

impl Stopper {
    /// Ends the current or the next wait.
    pub fn stop(&self) {
        // A dropped receiver is not waiting.
        let _ = self.0.send(Signal::Stop);
    }
}

impl Watch {
    /// Creates a watch without folders.
    ///
    /// # Errors
    ///
    /// If the system provides no watches.
    pub fn new() -> Result<(Self, Stopper), WatchError> {
        let (sender, signals) = channel();
        let (folders, others) = (BTreeSet::new(), BTreeSet::new());
        let watcher = watcher(&sender)?;
        let stopper = Stopper(sender.clone());
        Ok((Self { watcher, folders, others, is_stale: false, sender, signals }, stopper))
    }

    /// Replaces the watched folders: all folders at or below `paths` (absolute) and the parent of
    /// each path. For a missing path, the nearest existing ancestor is watched. `others` are
    /// additional files that are not in a program.
    ///
    /// # Errors
    ///
    /// If the system provides no more watches.
    pub fn follow(&mut self, paths: &[PathBuf], others: &[PathBuf]) -> Result<(), WatchError> {
        // An explicitly given file is relevant regardless of its name.
        let files = paths.iter().filter(|path| !path.is_dir());
        self.others = others.iter().chain(files).cloned().collect();
        let wanted: BTreeSet<PathBuf> = paths
            .iter()
            .flat_map(|path| folders(path))
            .chain(others.iter().filter_map(|path| above(path)))
            .collect();
        if std::mem::take(&mut self.is_stale) {
            self.watcher = watcher(&self.sender)?;
            self.folders.clear();
        }
        let mut paths = self.watcher.paths_mut();
        for gone in self.folders.difference(&wanted) {
            // Removing the watch of a deleted folder fails and is unnecessary.
            let _ = paths.remove(gone);
        }
        for new in wanted.difference(&self.folders) {
            match paths.add(new, RecursiveMode::NonRecursive) {
                // The folder was just deleted, and its parent reports the change.
                Err(_) if !new.exists() => {}
                result => result?,
            }
        }
        paths.commit()?;
        self.folders = wanted;
        Ok(())
    }

    /// Waits until files have changed and no further events arrive, or until [`Stopper::stop`].
    pub fn wait(&mut self) -> WakeReason {
        loop {
            // The watch itself holds a sender, so the channel stays open.
            match self.signals.recv() {
                Ok(Signal::Event(event)) if self.matters(&event) => break,
                Ok(Signal::Event(_)) => {}
                Ok(Signal::Stop) | Err(_) => return WakeReason::Stopped,
            }
        }
        let start = Instant::now();
        while start.elapsed() < MAX_WAIT {
            match self.signals.recv_timeout(QUIET) {
                Ok(Signal::Event(event)) => drop(self.matters(&event)),
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return WakeReason::Stopped,
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
        WakeReason::Changed
    }

    /// True if an event may change the findings. Records added and removed folders.
    fn matters(&mut self, event: &notify::Result<Event>) -> bool {
        let Ok(event) = event else {
            self.is_stale = true;
            return true;
        };
        if matches!(event.kind, EventKind::Access(_)) {
            return false;
        }
        let is_folder = event.paths.iter().any(|path| self.folders.contains(path) || path.is_dir());
        self.is_stale |= is_folder || event.need_rescan();
        self.is_stale || event.paths.iter().any(|path| is_ours(path) || self.others.contains(path))
    }
}

fn watcher(sender: &Sender<Signal>) -> notify::Result<RecommendedWatcher> {
    let sender = sender.clone();
    // A dropped receiver is not waiting.
    notify::recommended_watcher(move |event| drop(sender.send(Signal::Event(event))))
}

/// True if the name belongs to a file of a program. Hidden files usually belong to an editor.
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    (is_mangle(path) && !name.starts_with('.'))
        || is_agent_settings(path)
        // A new YAML file may contain prompt atoms.
        || path.extension().is_some_and(|end| end == "yaml" || end == "yml")
        || [FILE_NAME, ".gitignore", ".ignore"].contains(&&*name)
}

/// Returns the folders at and below `path` that git does not ignore, and the parent of `path`.
fn folders(path: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = above(path).into_iter().collect();
    if path.is_dir() {
        let entries = Entries::below(path).flatten();
        let below = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_dir()));
        folders.extend(below.map(ignore::DirEntry::into_path));
    }
    folders
}

/// Returns the nearest existing ancestor of `path`.
fn above(path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_path_buf)
}
