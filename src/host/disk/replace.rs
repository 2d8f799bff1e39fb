//! Replaces a file by a new text, atomically: a reader sees the old text or the new one, and a concurrent save is never lost.

use std::fs::{self, Metadata};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::confinement::check_writing;
use super::content::Content;
use super::fault::{DiskOperation, check};
use super::open::{Stamp, open};
use super::scratch::{PRIVATE, Scratch};
use crate::host::plain;

/// Why a file was not replaced.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// Its permissions say so.
    #[error("it is read-only")]
    ReadOnly,
    /// It has several names, so many of them, which would no longer be the same file.
    #[error("it has {0} hard links, and replacing it would separate them")]
    Linked(u64),
    /// Another process wrote to it.
    #[error("it changed meanwhile")]
    Changed,
    #[error("{}", plain(.0))]
    Io(#[from] io::Error),
}

/// A new text beside the file that it is to replace, complete and on the disk.
#[derive(Debug)]
pub struct Replacement {
    /// The file that is replaced; no link.
    path: PathBuf,
    stamp: Stamp,
    new: Scratch,
}

/// Whether [`replace`] may write a file.
///
/// # Errors
/// When the file is read-only, has several hard links, is gone or no regular file, or its folder cannot be written to.
pub fn replaceable(path: &Path) -> Result<(), ReplaceError> {
    let (path, _) = target(path)?;
    Scratch::new(&path, PRIVATE)?;
    Ok(())
}

/// Replaces a file by a new text, all at once. Its permissions stay; a link stays, and what it leads to is replaced.
///
/// # Errors
/// As [`Replacement::prepare`] and [`Replacement::commit`].
pub fn replace(path: &Path, old: &[u8], new: &[u8]) -> Result<(), ReplaceError> {
    Replacement::prepare(path, old, new)?.commit(old)
}

impl Replacement {
    /// Writes the new text beside the file, which is `old` now.
    ///
    /// # Errors
    /// When the file is read-only, has several hard links, is gone or no regular file, is not `old`, or there is no room.
    pub fn prepare(path: &Path, old: &[u8], new: &[u8]) -> Result<Self, ReplaceError> {
        let (path, metadata) = target(path)?;
        let stamp = Stamp::of(&metadata);
        if !is(&path, old)? {
            return Err(ReplaceError::Changed);
        }
        let mut scratch = Scratch::new(&path, PRIVATE)?;
        scratch.write_all(new)?;
        scratch.protect_like(&metadata)?;
        scratch.sync()?;
        Ok(Self { path, stamp, new: scratch })
    }

    /// Puts the new text in the place of the file, if that is still `old`. A program that writes the file in place, and has
    /// written only a part of it so far, cannot be told from one that is done.
    ///
    /// # Errors
    /// When it is not, or the system refuses. The file is as it was then.
    pub fn commit(self, old: &[u8]) -> Result<(), ReplaceError> {
        if Stamp::of(&fs::metadata(&self.path)?) != self.stamp || !is(&self.path, old)? {
            return Err(ReplaceError::Changed);
        }
        check(DiskOperation::Rename, &self.path)?;
        let new = self.new.into_name()?;
        match exchange(&new, &self.path) {
            Ok(()) => {}
            // The file was deleted.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(error.into()),
            // Not all file systems can do that.
            Err(_) => return Ok(fs::rename(&new, &self.path)?),
        }
        // The old file has the other name now. A save at the last moment has to stay.
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

/// The file that a path leads to, which may be replaced.
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

/// Whether a file has these bytes.
fn is(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    let mut file = open(path, Content::Transcript)?;
    if file.len() != Some(bytes.len() as u64) {
        return Ok(false);
    }
    let mut now = Vec::with_capacity(bytes.len());
    file.read_to_end(&mut now)?;
    Ok(now == bytes)
}

/// Lets two files change names, at once.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
