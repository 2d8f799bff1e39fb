//! The file system layer: all code reads files, writes files and lists folders through this
//! module.
//!
//! Input is a path and the kind of its content ([`Content`]). Readers (`open`, `read`) never
//! block when they open a file, accept only regular files, and stop at a size limit. Writers
//! ([`Replacement`], [`Output`]) replace a whole file or change nothing.
//!
//! A process can be confined to some folders ([`confine`]). In debug builds, a test can make any
//! single operation fail (`access`).

mod access;
mod open;
mod scratch;
#[cfg(test)]
mod tests;

use std::fs::{Metadata, OpenOptions};
use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};
use std::{fs, io};

use self::access::check_writing;
use self::open::{Stamp, is_own_descriptor, not_regular};
use self::scratch::{PRIVATE, SHARED, Scratch};

pub use access::{Content, TooLong, confine, is_allowed, is_confined_to, plain};
pub(super) use access::{DiskOperation, check, check_path};
pub(super) use open::{FileState, entries, list, open, read, starts_with};

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
fn target(path: &Path) -> Result<(PathBuf, Metadata), ReplaceError> {
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

/// An output file. Its content becomes visible with [`Output::commit`], and is discarded without a
/// commit.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// A temporary file in the same folder as the final file.
    Scratch(Scratch),
    /// A pipe, a terminal or a device, which cannot be replaced.
    Direct(fs::File),
}

impl Output {
    /// Starts to write a file. An existing file keeps its permissions. If the path is a link, the
    /// target of the link is replaced.
    ///
    /// # Errors
    ///
    /// If the path is a folder, is read-only or has several hard links, or if its folder is not
    /// writable.
    pub fn create(path: &Path) -> Result<Self, ReplaceError> {
        check_writing()?;
        if is_own_descriptor(path) || is_special(path)? {
            check(DiskOperation::Create, path)?;
            let file = OpenOptions::new().write(true).truncate(true).open(path)?;
            return Ok(Self { path: path.into(), sink: Sink::Direct(file) });
        }
        let (path, scratch) = match fs::symlink_metadata(path) {
            Ok(_) => {
                let (path, metadata) = target(path)?;
                let scratch = Scratch::new(&path, PRIVATE)?;
                scratch.protect_like(&metadata)?;
                (path, scratch)
            }
            Err(_) => (path.into(), Scratch::new(path, SHARED)?),
        };
        Ok(Self { path, sink: Sink::Scratch(scratch) })
    }

    /// Moves the written content to its path.
    ///
    /// # Errors
    ///
    /// If the system refuses. The old file is then unchanged.
    pub fn commit(self) -> Result<(), ReplaceError> {
        match self.sink {
            Sink::Direct(mut file) => Ok(file.flush()?),
            Sink::Scratch(scratch) => {
                scratch.sync()?;
                check(DiskOperation::Rename, &self.path)?;
                Ok(fs::rename(scratch.into_name()?, &self.path)?)
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Scratch(scratch) => scratch.write(bytes),
            Sink::Direct(file) => {
                let extent = check(DiskOperation::Write, &self.path)?.transfer_len(bytes.len());
                file.write(bytes.get(..extent).unwrap_or_default())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Scratch(scratch) => scratch.flush(),
            Sink::Direct(file) => file.flush(),
        }
    }
}

/// Writes a whole file.
///
/// # Errors
///
/// As [`Output::create`] and [`Output::commit`], and if the disk is full.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), ReplaceError> {
    let mut output = Output::create(path)?;
    output.write_all(bytes)?;
    output.commit()
}

/// Creates a log file, which is written incrementally. An existing file is truncated.
///
/// # Errors
///
/// If the file cannot be created.
pub fn create_log(path: &Path) -> io::Result<fs::File> {
    check_writing()?;
    check(DiskOperation::Create, path)?;
    fs::File::create(path)
}

/// Creates a folder and its ancestors, if they are missing.
///
/// # Errors
///
/// If a folder cannot be created.
pub fn create_folder(path: &Path) -> io::Result<()> {
    check_writing()?;
    check(DiskOperation::Create, path)?;
    fs::create_dir_all(path)
}

/// True if the path is an existing special file, which is written in place.
fn is_special(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(not_regular(metadata.file_type())),
        Ok(metadata) => Ok(!metadata.is_file()),
        Err(_) => Ok(false),
    }
}

/// Turns a write beyond the file size limit (`ulimit -f`) into an error. By default, the signal
/// would end the process.
pub fn survive_file_size_limit() {
    #[cfg(unix)]
    {
        let noted = std::sync::Arc::default();
        // If the registration fails, the signal still ends the process, as it does by default.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noted);
    }
}
