//! Detection of changes on disk that no client reports.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::Workspace;
use crate::disk_look::FileEvent;
use crate::walk::repository;
use crate::{DiskChanges, DiskLook};
use mangle_settings::FILE_NAME;
use mangle_syntax::text::Cancel;

impl Workspace {
    /// Returns the input of a pass that detects changes since the previous pass, or since the
    /// start.
    #[must_use]
    pub fn disk_look(&self) -> DiskLook {
        let folders = self.identities.folders().map(Path::to_path_buf);
        let projects = self.programs.projects().iter().map(|project| project.root.clone());
        let mut roots: Vec<PathBuf> = folders.chain(projects).collect();
        roots.sort_unstable();
        roots.dedup_by(|inner, outer| inner.starts_with(outer));
        DiskLook {
            before: Arc::clone(&self.listing),
            start: self.start.unwrap_or(SystemTime::UNIX_EPOCH),
            now: SystemTime::now(),
            candidates: roots.iter().flat_map(|root| candidates(root)).collect(),
            known: self.programs.paths(&self.table),
            roots,
            cancel: Cancel::new(),
        }
    }

    /// Stores the result of a pass. Returns the events to apply.
    pub fn disk_looked(&mut self, changes: DiskChanges) -> Vec<(PathBuf, FileEvent)> {
        let Some(listing) = changes.listing else { return Vec::new() };
        self.listing = Arc::new(listing);
        changes.events.into_iter().collect()
    }

    /// True while the files on disk are being read, or if a read is due.
    #[must_use]
    pub fn is_scanning(&self) -> bool {
        self.scanning.is_some() || self.due.programs || !self.due.files.is_empty()
    }
}

/// Returns the paths above a folder that affect its files: configuration files, and the ignore
/// patterns of its repository.
fn candidates(root: &Path) -> Vec<PathBuf> {
    let names = [FILE_NAME, ".gitignore", ".ignore"];
    let repository = repository(root);
    let above =
        root.ancestors().skip(1).take_while(|folder| repository.is_some_and(|top| folder.starts_with(top)));
    let mut all: Vec<_> = above.flat_map(|folder| names.map(|name| folder.join(name))).collect();
    all.extend(repository.map(|top| top.join(".git/info/exclude")));
    all
}
