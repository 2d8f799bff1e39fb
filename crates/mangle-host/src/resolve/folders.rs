//! Programs of files without configuration. All commands, the editor and the MCP tools use these
//! rules.
//!
//! The program of a Mangle file consists of all Mangle files below one folder. That folder is the
//! nearest folder at or above the file with its own schemas, or the topmost folder with Mangle
//! files. The search ends at the root of the repository, and subfolders with their own schemas are
//! separate programs.
//!
//! A log, a test or a sample uses the program of the nearest folder at or above it that has Mangle
//! files. If no such folder exists, it uses the only neighboring folder with Mangle files.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use crate::ignore_rules::{Entries, Patterns};
use crate::paths::real;
use crate::walk::{WalkEntry, repository};
use crate::{Overlay, disk, is_mangle, is_single};

/// Names of folders whose Mangle files are the schemas of the folder above.
const SCHEMA_FOLDERS: [&str; 2] = ["schema", "schemas"];

/// The maximum number of neighboring folders of a log that are searched for Mangle files.
const MAX_NEIGHBORS: usize = 256;

/// Cached results for the folders of one resolution.
#[derive(Default)]
pub(super) struct Folders {
    contents: FxHashMap<PathBuf, FolderContents>,
    roots: FxHashMap<PathBuf, PathBuf>,
    attached: FxHashMap<PathBuf, Option<PathBuf>>,
    patterns: Arc<Patterns>,
}

/// The Mangle files directly in a folder, without tests and samples.
#[derive(Debug, Clone, Copy, Default)]
struct FolderContents {
    has_mangle: bool,
    has_schemas: bool,
}

impl Folders {
    /// Returns the folder of the program of a Mangle file.
    pub(super) fn program_of(&mut self, path: &Path, overlay: &Overlay) -> PathBuf {
        let folder = path.parent().unwrap_or(path);
        match is_single(path) {
            true => self.program_around(folder, overlay).unwrap_or_else(|| folder.into()),
            false => self.root(folder, overlay),
        }
    }

    /// Returns the folder of the program that a log in `folder` uses, if there is one.
    pub(super) fn program_around(&mut self, folder: &Path, overlay: &Overlay) -> Option<PathBuf> {
        if let Some(known) = self.attached.get(folder) {
            return known.clone();
        }
        let around = around(folder, overlay);
        let above = around.iter().find(|above| self.contents(above, overlay).has_mangle);
        let nearest = match above {
            Some(above) => Some(above.clone()),
            None => around.iter().find_map(|above| self.neighbors(above, overlay)).flatten(),
        };
        let root = nearest.map(|nearest| self.root(&nearest, overlay));
        self.attached.insert(folder.into(), root.clone());
        root
    }

    /// Returns the root folder of the program of Mangle files directly in `folder`.
    fn root(&mut self, folder: &Path, overlay: &Overlay) -> PathBuf {
        if let Some(known) = self.roots.get(folder) {
            return known.clone();
        }
        let mut root = folder.to_path_buf();
        for above in around(folder, overlay) {
            if self.has_schemas(&above, overlay) {
                root = above;
                break;
            }
            if self.contents(&above, overlay).has_mangle {
                root = above;
            }
        }
        self.roots.insert(folder.into(), root.clone());
        root
    }

    /// True if a folder has its own schemas: `schemas.gl`, `schemas.mg`, or a schema folder.
    fn has_schemas(&mut self, folder: &Path, overlay: &Overlay) -> bool {
        // The schemas of this folder belong to its parent.
        if is_schema_folder(folder) {
            return false;
        }
        let below = |name: &str| self.contents(&folder.join(name), overlay).has_mangle;
        SCHEMA_FOLDERS.into_iter().any(below) || self.contents(folder, overlay).has_schemas
    }

    /// Returns the only folder directly below `folder` with Mangle files. The result is
    /// `Some(None)` if there are several, and `None` if none exists.
    fn neighbors(&mut self, folder: &Path, overlay: &Overlay) -> Option<Option<PathBuf>> {
        if is_shared(folder) {
            return None;
        }
        let is_free = |below: &Path| crate::project::nearest(below, overlay).is_none();
        let folders = self.entries(folder, true);
        let mut found: Vec<PathBuf> = Vec::new();
        for below in folders.into_iter().take(MAX_NEIGHBORS) {
            if self.contents(&below, overlay).has_mangle && is_free(&below) {
                found.push(self.root(&below, overlay));
            }
        }
        found.dedup();
        let only = found.pop()?;
        Some(found.is_empty().then_some(only))
    }

    fn contents(&mut self, folder: &Path, overlay: &Overlay) -> FolderContents {
        if let Some(known) = self.contents.get(folder) {
            return *known;
        }
        let open = overlay.paths().filter(|path| path.parent() == Some(folder) && !path.exists());
        let files = self.entries(folder, false).into_iter().chain(open.map(Path::to_path_buf));
        let mut contents = FolderContents::default();
        for path in files.filter(|path| is_mangle(path) && !is_single(path)) {
            contents.has_mangle = true;
            contents.has_schemas |= path.file_stem().is_some_and(|stem| stem == "schemas");
        }
        self.contents.insert(folder.into(), contents);
        contents
    }

    /// Returns the Mangle files directly in a folder, as a walk finds them.
    pub(super) fn direct_files(&self, folder: &Path) -> Vec<WalkEntry> {
        let files = self.entries(folder, false).into_iter().filter(|path| is_mangle(path));
        files.map(|path| WalkEntry::plain(&path)).collect()
    }

    /// Returns the files or the folders directly in a folder that git does not ignore.
    fn entries(&self, folder: &Path, are_folders: bool) -> Vec<PathBuf> {
        let is_folder = |entry: &ignore::DirEntry| entry.file_type().is_some_and(|kind| kind.is_dir());
        let own = folder.to_path_buf();
        // Subfolders are listed but not entered.
        let filter = move |entry: &ignore::DirEntry| {
            entry.path().parent() == Some(&own) && is_folder(entry) == are_folders
        };
        let entries = Entries::read(folder, &self.patterns, filter).flatten();
        entries.filter(|entry| entry.depth() == 1).map(ignore::DirEntry::into_path).collect()
    }
}

fn is_schema_folder(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| SCHEMA_FOLDERS.into_iter().any(|known| name == known))
}

/// Returns a folder and its ancestors that may contain its program. The list ends at the root of
/// the repository. Without a repository, it ends below folders shared by many projects.
fn around(folder: &Path, overlay: &Overlay) -> Vec<PathBuf> {
    let top = overlay.repository().filter(|top| folder.starts_with(top)).or_else(|| repository(folder));
    let may_hold = |above: &&Path| {
        let is_within = match top {
            Some(top) => above.starts_with(top),
            None => !is_shared(above),
        };
        *above == folder || is_within && disk::is_allowed(above)
    };
    let mut around: Vec<PathBuf> = Vec::new();
    for above in folder.ancestors().take_while(may_hold) {
        around.push(above.to_path_buf());
        // A walk from an ancestor does not enter a hidden folder.
        if above.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")) {
            break;
        }
    }
    around
}

/// True if a folder usually contains the files of many projects: the file system root, the home
/// folder, and temporary folders.
pub(super) fn is_shared(folder: &Path) -> bool {
    static SHARED: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
        let mut shared: Vec<PathBuf> = ["/home", "/tmp", "/var/tmp"].map(PathBuf::from).into();
        if !cfg!(target_family = "wasm") {
            shared.push(std::env::temp_dir());
            shared
                .extend(["HOME", "USERPROFILE"].into_iter().filter_map(std::env::var_os).map(PathBuf::from));
        }
        let real: Vec<_> = shared.iter().map(|path| real(path)).collect();
        shared.into_iter().chain(real).map(|path| path.components().collect()).collect()
    });
    folder.parent().is_none() || SHARED.iter().any(|shared| shared == folder)
}
