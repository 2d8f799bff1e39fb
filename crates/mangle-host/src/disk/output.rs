//! Writing of command output: reports, baselines and streams. An existing file is replaced only
//! after all output was written, so that a full disk does not destroy the old content.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::confinement::check_writing;
use super::fault::{DiskOperation, check};
use super::open::{is_own_descriptor, not_regular};
use super::replace::{ReplaceError, target};
use super::scratch::{PRIVATE, SHARED, Scratch};

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
