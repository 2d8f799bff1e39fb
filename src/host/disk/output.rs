//! Writing what a command produces: reports, baselines, streams. A file that is there is replaced when all is written, so
//! that a full disk costs nothing that was there before.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::confinement::check_writing;
use super::fault::{DiskOperation, check};
use super::open::{is_own_descriptor, not_regular};
use super::replace::{ReplaceError, target};
use super::scratch::{PRIVATE, SHARED, Scratch};

/// A file that is being written. Nothing of it is seen before [`Output::commit`], and nothing stays without.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// Beside the file that it is to become.
    Scratch(Scratch),
    /// A pipe, a terminal, a device: nothing there can be replaced.
    Direct(fs::File),
}

impl Output {
    /// Begins to write a file. One that is there keeps its permissions, and a link to one stays.
    ///
    /// # Errors
    /// When it is a folder, is read-only or has several hard links, or its folder cannot be written to.
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

    /// Puts what was written in its place.
    ///
    /// # Errors
    /// When the system refuses. What was there before is there still.
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
                let extent = check(DiskOperation::Write, &self.path)?.of(bytes.len());
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
/// As [`Output::create`] and [`Output::commit`], and when there is no room.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), ReplaceError> {
    let mut output = Output::create(path)?;
    output.write_all(bytes)?;
    output.commit()
}

/// Creates the file of a log, which is written to as things happen; one that is there is emptied.
///
/// # Errors
/// When it cannot be created.
pub fn create_log(path: &Path) -> io::Result<fs::File> {
    check_writing()?;
    check(DiskOperation::Create, path)?;
    fs::File::create(path)
}

/// Creates a folder, and those above it, unless they are there.
///
/// # Errors
/// When it cannot be created.
pub fn create_folder(path: &Path) -> io::Result<()> {
    check_writing()?;
    check(DiskOperation::Create, path)?;
    fs::create_dir_all(path)
}

/// Whether there is something at a path that is written to as it is.
fn is_special(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(not_regular(metadata.file_type())),
        Ok(metadata) => Ok(!metadata.is_file()),
        Err(_) => Ok(false),
    }
}

/// From now on a write beyond the limit for files (`ulimit -f`) is an error, and does not end the process.
pub fn survive_file_size_limit() {
    #[cfg(unix)]
    {
        let noted = std::sync::Arc::default();
        // Without it the process would end there, as it did before.
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, noted);
    }
}
