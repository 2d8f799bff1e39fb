//! Confinement of the process to a list of folders: files outside cannot be opened or listed,
//! and nothing can be written.
//!
//! A program names files in many places (`mangle-ls.toml`, headers of samples, properties, links).
//! Therefore, the functions that open files contain the check.
//!
//! The confinement applies to the whole process, is enabled once before any file is read, and
//! cannot be disabled.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::paths::real;

/// With links resolved. Unset if the process is not confined.
static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Confines this process to `folders`, after resolving links. Returns false, and changes nothing,
/// if the process was already confined.
pub fn confine(folders: &[PathBuf]) -> bool {
    FOLDERS.set(folders.iter().map(|folder| real(folder)).collect()).is_ok()
}

/// True if the target of a path may be read.
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

/// Checks that a path is inside the allowed folders. The error does not reveal if the path exists.
///
/// # Errors
///
/// If the path is outside.
pub(crate) fn check_path(path: &Path) -> io::Result<()> {
    if is_allowed(path) { Ok(()) } else { Err(outside()) }
}

/// Resolves a path inside the allowed folders. Returns `None` if the process is not confined.
///
/// # Errors
///
/// If the path is outside.
pub(super) fn inside(path: &Path) -> io::Result<Option<PathBuf>> {
    let Some(folders) = FOLDERS.get() else { return Ok(None) };
    let real = real(path);
    if folders.iter().any(|folder| real.starts_with(folder)) { Ok(Some(real)) } else { Err(outside()) }
}

/// Checks that this process may write.
///
/// # Errors
///
/// If this process is confined.
pub(super) fn check_writing() -> io::Result<()> {
    match FOLDERS.get() {
        None => Ok(()),
        Some(_) => Err(io::Error::new(io::ErrorKind::PermissionDenied, "this process only reads")),
    }
}

/// Returns the error for a path outside the allowed folders.
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
