//! Waiting until files change, for a check that is to be done again.
//!
//! Folders are watched one by one and without what git ignores: a watch on a whole tree would cost thousands of handles
//! for folders that hold no policy.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::agents::is_agent_settings;
use super::ignore_rules::Entries;
use super::is_mangle;
use mangle_settings::FILE_NAME;

/// So long nothing may change until what changed is taken for complete: editors save in several steps.
const QUIET: Duration = Duration::from_millis(50);

/// A stream of changes is interrupted after so long.
const PATIENCE: Duration = Duration::from_secs(1);

/// Why files cannot be watched.
#[derive(Debug, thiserror::Error)]
#[error("files cannot be watched: {0}")]
pub struct WatchError(#[from] notify::Error);

/// Why a wait is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeReason {
    /// Something changed.
    Changed,
    /// [`Stopper::stop`] was called.
    Stopped,
}

/// Watches folders.
#[derive(Debug)]
pub struct Watch {
    watcher: RecommendedWatcher,
    folders: BTreeSet<PathBuf>,
    /// Files that matter although they are none of a program.
    others: BTreeSet<PathBuf>,
    /// Whether a watched folder came or went: the system may go on watching one that has another name by now.
    is_stale: bool,
    sender: Sender<Signal>,
    signals: Receiver<Signal>,
}

/// Ends a wait, from any thread.
#[derive(Debug, Clone)]
pub struct Stopper(Sender<Signal>);

#[derive(Debug)]
enum Signal {
    Event(notify::Result<Event>),
    Stop,
}

impl Stopper {
    /// Ends the wait that is under way, or the next one.
    pub fn stop(&self) {
        // Who waits no longer needs not be told.
        let _ = self.0.send(Signal::Stop);
    }
}

impl Watch {
    /// Watches nothing yet.
    ///
    /// # Errors
    /// When the system gives no watches.
    pub fn new() -> Result<(Self, Stopper), WatchError> {
        let (sender, signals) = channel();
        let (folders, others) = (BTreeSet::new(), BTreeSet::new());
        let watcher = watcher(&sender)?;
        let stopper = Stopper(sender.clone());
        Ok((Self { watcher, folders, others, is_stale: false, sender, signals }, stopper))
    }

    /// From now on watches the folders at or below `paths`, absolute ones, and the folder around each of them; of what is
    /// not there, the next folder above. `others` are files that matter although they are none of a program.
    ///
    /// # Errors
    /// When the system gives no more watches.
    pub fn follow(&mut self, paths: &[PathBuf], others: &[PathBuf]) -> Result<(), WatchError> {
        // A file that is named counts, whatever it is called.
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
            // What is gone cannot be removed, and need not be.
            let _ = paths.remove(gone);
        }
        for new in wanted.difference(&self.folders) {
            match paths.add(new, RecursiveMode::NonRecursive) {
                // It was there a moment ago; the folder around it has noticed.
                Err(_) if !new.exists() => {}
                result => result?,
            }
        }
        paths.commit()?;
        self.folders = wanted;
        Ok(())
    }

    /// Waits until something has changed and then kept still, or until [`Stopper::stop`].
    pub fn wait(&mut self) -> WakeReason {
        loop {
            // The watch itself holds a sender, so there is always one.
            match self.signals.recv() {
                Ok(Signal::Event(event)) if self.matters(&event) => break,
                Ok(Signal::Event(_)) => {}
                Ok(Signal::Stop) | Err(_) => return WakeReason::Stopped,
            }
        }
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            match self.signals.recv_timeout(QUIET) {
                Ok(Signal::Event(event)) => drop(self.matters(&event)),
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return WakeReason::Stopped,
                Err(RecvTimeoutError::Timeout) => break,
            }
        }
        WakeReason::Changed
    }

    /// Whether an event can change what is found. Notes folders that came or went.
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
    // Who no longer listens needs not be told.
    notify::recommended_watcher(move |event| drop(sender.send(Signal::Event(event))))
}

/// Whether the name is that of a file that programs are made of. Hidden ones are an editor's.
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    (is_mangle(path) && !name.starts_with('.'))
        || is_agent_settings(path)
        // A new file may have prompt atoms.
        || path.extension().is_some_and(|end| end == "yaml" || end == "yml")
        || [FILE_NAME, ".gitignore", ".ignore"].contains(&&*name)
}

/// The folders at and below `path` that git does not ignore, and the one around it.
fn folders(path: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = above(path).into_iter().collect();
    if path.is_dir() {
        let entries = Entries::below(path).flatten();
        let below = entries.filter(|entry| entry.file_type().is_some_and(|kind| kind.is_dir()));
        folders.extend(below.map(ignore::DirEntry::into_path));
    }
    folders
}

/// The next folder above `path` that is there.
fn above(path: &Path) -> Option<PathBuf> {
    path.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_path_buf)
}
