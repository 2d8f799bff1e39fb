//! Atomic replacement of a file: a reader sees either the old or the new text, and concurrent
//! saves are never lost.

use std::fs::{self, Metadata};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::confinement::check_writing;
use super::content::{Content, plain};
use super::fault::{DiskOperation, check};
use super::open::{Stamp, open};
use super::scratch::{PRIVATE, Scratch};

#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    #[error("it is read-only")]
    ReadOnly,
    /// Replacing the file would separate its hard links. The value is their number.
    #[error("it has {0} hard links, and replacing it would separate them")]
    Linked(u64),
    /// Another process wrote to the file.
    #[error("it changed meanwhile")]
    Changed,
    #[error("{}", plain(.0))]
    Io(#[from] io::Error),
}

/// The complete new text in a temporary file in the same folder, flushed to disk.
#[derive(Debug)]
pub struct Replacement {
    /// The file to replace, with links resolved.
    path: PathBuf,
    stamp: Stamp,
    new: Scratch,
}

/// Checks that [`replace`] may write a file.
///
/// # Errors
///
/// If the file is read-only, has several hard links, is missing or not a regular file, or if its
/// folder is not writable.
pub fn replaceable(path: &Path) -> Result<(), ReplaceError> {
    let (path, _) = target(path)?;
    Scratch::new(&path, PRIVATE)?;
    Ok(())
}

/// Replaces a file with a new text atomically. The permissions are kept. If the path is a link,
/// the target of the link is replaced.
///
/// # Errors
///
/// As [`Replacement::prepare`] and [`Replacement::commit`].
pub fn replace(path: &Path, old: &[u8], new: &[u8]) -> Result<(), ReplaceError> {
    Replacement::prepare(path, old, new)?.commit(old)
}

impl Replacement {
    /// Writes the new text to a temporary file in the same folder. The current content must be
    /// `old`.
    ///
    /// # Errors
    ///
    /// If the file is read-only, has several hard links, is missing or not a regular file, or
    /// differs from `old`. Also if the disk is full.
    pub fn prepare(path: &Path, old: &[u8], new: &[u8]) -> Result<Self, ReplaceError> {
        let (path, metadata) = target(path)?;
        let stamp = Stamp::from_metadata(&metadata);
        if !is(&path, old)? {
            return Err(ReplaceError::Changed);
        }
        let mut scratch = Scratch::new(&path, PRIVATE)?;
        scratch.write_all(new)?;
        scratch.protect_like(&metadata)?;
        scratch.sync()?;
        Ok(Self { path, stamp, new: scratch })
    }

    /// Replaces the file with the new text if its content is still `old`. A partial in-place write
    /// by another program cannot be distinguished from a complete write.
    ///
    /// # Errors
    ///
    /// If the content is not `old`, or the system refuses. The file is then unchanged.
    pub fn commit(self, old: &[u8]) -> Result<(), ReplaceError> {
        if Stamp::from_metadata(&fs::metadata(&self.path)?) != self.stamp || !is(&self.path, old)? {
            return Err(ReplaceError::Changed);
        }
        check(DiskOperation::Rename, &self.path)?;
        let new = self.new.into_name()?;
        match exchange(&new, &self.path) {
            Ok(()) => {}
            // The file was deleted.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(error.into()),
            // Some file systems do not support the exchange of names.
            Err(_) => return Ok(fs::rename(&new, &self.path)?),
        }
        // The temporary name now holds the old file. If it was saved at the last moment, that
        // save must be restored.
        match is(&new, old) {
            Ok(true) => Ok(()),
            other => {
                exchange(&new, &self.path)?;
                other?;
                Err(ReplaceError::Changed)
            }
        }
    }
}

/// Resolves a path to the file to replace, and checks that it may be replaced.
pub(super) fn target(path: &Path) -> Result<(PathBuf, Metadata), ReplaceError> {
    check_writing()?;
    let path = fs::canonicalize(path)?;
    let metadata = open(&path, Content::Transcript)?.metadata()?;
    if metadata.permissions().readonly() {
        return Err(ReplaceError::ReadOnly);
    }
    match hard_links(&metadata) {
        ..=1 => Ok((path, metadata)),
        count => Err(ReplaceError::Linked(count)),
    }
}

#[cfg(unix)]
fn hard_links(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn hard_links(_: &Metadata) -> u64 {
    1
}

/// True if the content of a file equals these bytes.
fn is(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let mut file = open(path, Content::Transcript)?;
    if file.len() != Some(bytes.len() as u64) {
        return Ok(false);
    }
    let mut now = Vec::with_capacity(bytes.len());
    file.read_to_end(&mut now)?;
    Ok(now == bytes)
}

/// Exchanges the names of two files atomically.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
