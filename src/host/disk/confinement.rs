//! A process that was given some folders: it opens and lists nothing outside of them, and writes nothing at all.
//!
//! A program names files in many places (`mangle-ls.toml`, headers of samples, properties, links), so the limit is kept where
//! files are opened, which is one place. It is like a sandbox of the system: it holds for the whole process, it is set once,
//! before anything is read, and nothing takes it back.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::host::paths::real;

/// The folders, without links; not set in a process that is not confined.
static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Confines this process to `folders`, links in them followed. Gives whether it was free before; a second call changes nothing.
pub fn confine(folders: &[PathBuf]) -> bool {
    FOLDERS.set(folders.iter().map(|folder| real(folder)).collect()).is_ok()
}

/// Whether what a path leads to may be read.
#[must_use]
pub fn is_allowed(path: &Path) -> bool {
    FOLDERS.get().is_none_or(|folders| is_below(path, folders))
}

/// True if this process is confined and `path` is below one of its folders.
#[must_use]
pub fn is_confined_to(path: &Path) -> bool {
    FOLDERS.get().is_some_and(|folders| is_below(path, folders))
}

fn is_below(path: &Path, folders: &[PathBuf]) -> bool {
    let real = real(path);
    folders.iter().any(|folder| real.starts_with(folder))
}

/// Refuses a path outside of the folders; whether anything is there is not told.
///
/// # Errors
/// When it is outside.
pub(in crate::host) fn check_path(path: &Path) -> io::Result<()> {
    if is_allowed(path) { Ok(()) } else { Err(outside()) }
}

/// Where a path leads within the folders; `None` in a process that is not confined.
///
/// # Errors
/// When it leads outside.
pub(super) fn inside(path: &Path) -> io::Result<Option<PathBuf>> {
    let Some(folders) = FOLDERS.get() else { return Ok(None) };
    let real = real(path);
    if folders.iter().any(|folder| real.starts_with(folder)) { Ok(Some(real)) } else { Err(outside()) }
}

/// Refuses to write.
///
/// # Errors
/// When this process is confined.
pub(super) fn check_writing() -> io::Result<()> {
    match FOLDERS.get() {
        None => Ok(()),
        Some(_) => Err(io::Error::new(io::ErrorKind::PermissionDenied, "this process only reads")),
    }
}

/// The error about what is outside.
pub(super) fn outside() -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, "it is outside of the folders that may be read")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_where_their_links_lead() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("in");
        std::fs::create_dir_all(inside.join("deep")).unwrap();
        std::fs::write(folder.path().join("secret.mg"), "p(1).").unwrap();
        let folders = [real(&inside)];
        assert!(is_below(&inside.join("deep/a.mg"), &folders));
        assert!(is_below(&inside.join("not/there.mg"), &folders));
        assert!(!is_below(&inside.join("../secret.mg"), &folders));
        assert!(!is_below(&folder.path().join("inside.mg"), &folders));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret.mg", inside.join("link.mg")).unwrap();
            std::os::unix::fs::symlink("../later.mg", inside.join("dangling.mg")).unwrap();
            assert!(!is_below(&inside.join("link.mg"), &folders));
            assert!(!is_below(&inside.join("dangling.mg"), &folders));
        }
    }
}
