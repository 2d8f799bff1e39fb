//! Reading: files that are opened without waiting, and of which only the regular ones are read.

use std::ffi::OsString;
use std::fs::{self, FileType, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::confinement::{check_path, inside, outside};
use super::content::{Content, TooLong};
use super::fault::{DiskOperation, check};

/// How often a file is read that changes meanwhile.
const TRIES: usize = 3;

/// An open file. Reading more than the limit of its [`Content`] is an error.
#[derive(Debug)]
pub(in crate::host) struct File {
    file: fs::File,
    path: PathBuf,
    /// When it was opened; `None` for what has no length, such as a pipe.
    stamp: Option<Stamp>,
    limit: u64,
    read: u64,
}

/// What changes when a file is written to or replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    identity: (u64, u64),
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        Self { len: metadata.len(), modified, identity: identity(metadata) }
    }
}

/// Which file of which device it is.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Opens a file to read it as `content`. A link is followed; what it leads to has to be a regular file, as has the file
/// itself. That is decided on the open file: what lies at a path may change at any time. Only what a shell hands over as
/// an open descriptor (`/dev/stdin`, `/dev/fd/63`) may be a pipe.
///
/// # Errors
/// When it cannot be opened, is no regular file, is longer than the limit ([`TooLong`]), or is outside of the folders to which
/// this process is confined.
pub(in crate::host) fn open(path: &Path, content: Content) -> io::Result<File> {
    check_path(path)?;
    let is_descriptor = is_own_descriptor(path);
    let mut options = OpenOptions::new();
    options.read(true);
    if !is_descriptor {
        without_waiting(&mut options);
    }
    let file = options.open(path).map_err(|error| what_is_there(path).unwrap_or(error))?;
    // What is not there fails without a test.
    check(DiskOperation::Open, path)?;
    check_is_inside(path, &file)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() && !is_descriptor {
        return Err(not_regular(metadata.file_type()));
    }
    let stamp = metadata.is_file().then(|| Stamp::of(&metadata));
    let limit = content.limit();
    if let Some(len) = stamp.map(|stamp| stamp.len).filter(|len| *len > limit) {
        return Err(TooLong { len, limit }.into());
    }
    Ok(File { file, path: path.into(), stamp, limit, read: 0 })
}

/// Refuses an open file that is not the one at `path` within the folders of a confined process: a link may have changed since
/// the path was looked at.
///
/// # Errors
/// When it is another one.
fn check_is_inside(path: &Path, file: &fs::File) -> io::Result<()> {
    let Some(inside) = inside(path)? else { return Ok(()) };
    let (now, opened) = (Stamp::of(&fs::metadata(inside)?), Stamp::of(&file.metadata()?));
    if now.identity == opened.identity { Ok(()) } else { Err(outside()) }
}

/// The bytes of a file, read as `content`. A file that is written to meanwhile is read again.
///
/// # Errors
/// As [`open`], and when it cannot be read or never keeps still.
pub(in crate::host) fn read(path: &Path, content: Content) -> io::Result<Vec<u8>> {
    steady(|| {
        let mut file = open(path, content)?;
        let mut bytes = Vec::with_capacity(usize::try_from(file.len().unwrap_or(0)).unwrap_or(0));
        file.read_to_end(&mut bytes)?;
        Ok((file.stamp == file.stamp_now()?).then_some(bytes))
    })
}

/// The first value that `attempt` gives.
///
/// # Errors
/// When it fails, or gives none time and again.
pub(super) fn steady<T>(mut attempt: impl FnMut() -> io::Result<Option<T>>) -> io::Result<T> {
    for _ in 0..TRIES {
        if let Some(value) = attempt()? {
            return Ok(value);
        }
    }
    Err(io::Error::other("it changes while it is read"))
}

/// Whether a file begins with these bytes; one that cannot be read does not.
pub(in crate::host) fn starts_with(path: &Path, bytes: &[u8], content: Content) -> bool {
    let mut start = vec![0; bytes.len()];
    open(path, content).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == bytes
}

/// The paths of what lies in a folder, in no particular order.
///
/// # Errors
/// When it cannot be listed.
pub(in crate::host) fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    check_path(folder)?;
    check(DiskOperation::List, folder)?;
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// The names of the entries of a folder; true for a folder that no link leads to.
///
/// # Errors
/// If the folder cannot be listed.
pub(in crate::host) fn entries(folder: &Path) -> io::Result<Vec<(OsString, bool)>> {
    check_path(folder)?;
    check(DiskOperation::List, folder)?;
    let named = |entry: io::Result<fs::DirEntry>| {
        let entry = entry?;
        Ok((entry.file_name(), entry.file_type().is_ok_and(|kind| kind.is_dir())))
    };
    fs::read_dir(folder)?.map(named).collect()
}

impl File {
    /// How many bytes it had when it was opened; `None` for what has no length.
    pub(in crate::host) fn len(&self) -> Option<u64> {
        self.stamp.map(|stamp| stamp.len)
    }

    /// Goes to a place in the file. What lies before it counts as read.
    ///
    /// # Errors
    /// When that is not possible.
    pub(in crate::host) fn seek(&mut self, start: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(start))?;
        self.read = start;
        Ok(())
    }

    /// The open file of the standard library, for a reader that needs it.
    pub(in crate::host) fn into_inner(self) -> fs::File {
        self.file
    }

    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        self.file.metadata()
    }

    fn piece(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let extent = check(DiskOperation::Read, &self.path)?.of(into.len());
        self.file.read(into.get_mut(..extent).unwrap_or_default())
    }

    fn stamp_now(&self) -> io::Result<Option<Stamp>> {
        let metadata = self.file.metadata()?;
        Ok(metadata.is_file().then(|| Stamp::of(&metadata)))
    }
}

impl Read for File {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = loop {
            // Not all decoders go on where they were interrupted.
            match self.piece(into) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other?,
            }
        };
        self.read += read as u64;
        match self.read > self.limit {
            true => Err(TooLong { len: self.read.max(self.len().unwrap_or(0)), limit: self.limit }.into()),
            false => Ok(read),
        }
    }
}

/// Whether a path names a descriptor that this process was started with.
pub(super) fn is_own_descriptor(path: &Path) -> bool {
    ["/dev/stdin", "/dev/stdout", "/dev/stderr"].iter().any(|own| path == Path::new(own))
        || ["/dev/fd", "/proc/self/fd"].iter().any(|folder| path.parent() == Some(Path::new(folder)))
}

/// Opening a pipe would block until a writer opens it, and a terminal could become the controlling one of this process.
#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
}

#[cfg(not(unix))]
fn without_waiting(_: &mut OpenOptions) {}

/// Why what cannot be opened at all is no file: the system names no reason for a socket.
fn what_is_there(path: &Path) -> Option<io::Error> {
    let kind = fs::metadata(path).ok()?.file_type();
    (!kind.is_file() && !kind.is_dir()).then(|| not_regular(kind))
}

/// The error about something that is no regular file.
pub(super) fn not_regular(kind: FileType) -> io::Error {
    if kind.is_dir() {
        return io::ErrorKind::IsADirectory.into();
    }
    io::Error::other(format!("it is {}; only regular files are read", name(kind)))
}

#[cfg(unix)]
fn name(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_block_device() || kind.is_char_device() {
        "a device"
    } else {
        "no file"
    }
}

#[cfg(not(unix))]
fn name(_: FileType) -> &'static str {
    "no file"
}
