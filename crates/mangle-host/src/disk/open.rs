//! Reading of regular files, without blocking on special files, and the state of a file or folder
//! compared with its state at an earlier time.

use std::ffi::OsString;
use std::fs::{FileType, Metadata, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{fs, io};

use super::access::{Content, DiskOperation, TooLong, check, check_path, inside, outside};

/// The maximum number of attempts to read a file that changes during the read.
const TRIES: usize = 3;

/// An open file. Reading beyond the limit of its [`Content`] is an error.
#[derive(Debug)]
pub(crate) struct File {
    file: fs::File,
    path: PathBuf,
    /// State of the file when it was opened. `None` for files without a length, such as pipes.
    stamp: Option<Stamp>,
    limit: u64,
    read: u64,
}

/// Metadata that changes when a file is written or replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    identity: (u64, u64),
}

impl Stamp {
    pub(super) fn from_metadata(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok();
        Self { len: metadata.len(), modified, identity: identity(metadata) }
    }
}

/// Returns the device and the inode.
#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Opens a file to read it as `content`. Links are followed, and the target must be a regular
/// file. The kind is checked on the open file, because the entry at a path may change at any time.
///
/// Only descriptors that the process inherited (`/dev/stdin`, `/dev/fd/63`) may be pipes.
///
/// # Errors
///
/// If the file cannot be opened, is not a regular file, exceeds the limit ([`TooLong`]), or is
/// outside the folders of a confined process.
pub(crate) fn open(path: &Path, content: Content) -> io::Result<File> {
    check_path(path)?;
    let is_descriptor = is_own_descriptor(path);
    let mut options = OpenOptions::new();
    options.read(true);
    if !is_descriptor {
        without_waiting(&mut options);
    }
    let file = options.open(path).map_err(|error| error_for_special_file(path).unwrap_or(error))?;
    // A missing file fails before this point, so the attempt is not counted as an operation.
    check(DiskOperation::Open, path)?;
    check_is_inside(path, &file)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() && !is_descriptor {
        return Err(not_regular(metadata.file_type()));
    }
    let stamp = metadata.is_file().then(|| Stamp::from_metadata(&metadata));
    let limit = content.limit();
    if let Some(len) = stamp.map(|stamp| stamp.len).filter(|len| *len > limit) {
        return Err(TooLong { len, limit }.into());
    }
    Ok(File { file, path: path.into(), stamp, limit, read: 0 })
}

/// Checks that the open file is still the file at `path` inside the folders of a confined process.
/// A link may have changed after the path was resolved.
///
/// # Errors
///
/// If the file is different.
fn check_is_inside(path: &Path, file: &fs::File) -> io::Result<()> {
    let Some(inside) = inside(path)? else { return Ok(()) };
    let (now, opened) =
        (Stamp::from_metadata(&fs::metadata(inside)?), Stamp::from_metadata(&file.metadata()?));
    if now.identity == opened.identity { Ok(()) } else { Err(outside()) }
}

/// Reads a file as `content`. Reads again if the file was written during the read.
///
/// # Errors
///
/// As [`open`], and if the file cannot be read or changes during every attempt.
pub(crate) fn read(path: &Path, content: Content) -> io::Result<Vec<u8>> {
    retry_until_stable(|| {
        let mut file = open(path, content)?;
        let mut bytes = Vec::with_capacity(usize::try_from(file.len().unwrap_or(0)).unwrap_or(0));
        file.read_to_end(&mut bytes)?;
        Ok((file.stamp == file.stamp_now()?).then_some(bytes))
    })
}

/// Returns the first value of `attempt`, which is repeated while it returns `None`.
///
/// # Errors
///
/// If an attempt fails, or all attempts return `None`.
pub(super) fn retry_until_stable<T>(mut attempt: impl FnMut() -> io::Result<Option<T>>) -> io::Result<T> {
    for _ in 0..TRIES {
        if let Some(value) = attempt()? {
            return Ok(value);
        }
    }
    Err(io::Error::other("it changes while it is read"))
}

/// True if a file begins with these bytes. False if the file cannot be read.
pub(crate) fn starts_with(path: &Path, bytes: &[u8], content: Content) -> bool {
    let mut start = vec![0; bytes.len()];
    open(path, content).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == bytes
}

/// Returns the paths of the entries of a folder, in no particular order.
///
/// # Errors
///
/// If the folder cannot be listed.
pub(crate) fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    check_path(folder)?;
    check(DiskOperation::List, folder)?;
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// Returns the names of the entries of a folder. The flag is true for folders that are not links.
///
/// # Errors
///
/// If the folder cannot be listed.
pub(crate) fn entries(folder: &Path) -> io::Result<Vec<(OsString, bool)>> {
    check_path(folder)?;
    check(DiskOperation::List, folder)?;
    let named = |entry: io::Result<fs::DirEntry>| {
        let entry = entry?;
        Ok((entry.file_name(), entry.file_type().is_ok_and(|kind| kind.is_dir())))
    };
    fs::read_dir(folder)?.map(named).collect()
}

impl File {
    /// The size in bytes when the file was opened. `None` for files without a length.
    pub(crate) fn len(&self) -> Option<u64> {
        self.stamp.map(|stamp| stamp.len)
    }

    /// Moves to an offset. The skipped bytes count toward the limit.
    ///
    /// # Errors
    ///
    /// If the file is not seekable.
    pub(crate) fn seek(&mut self, start: u64) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(start))?;
        self.read = start;
        Ok(())
    }

    pub(crate) fn into_inner(self) -> fs::File {
        self.file
    }

    pub(super) fn metadata(&self) -> io::Result<Metadata> {
        self.file.metadata()
    }

    fn piece(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let extent = check(DiskOperation::Read, &self.path)?.transfer_len(into.len());
        self.file.read(into.get_mut(..extent).unwrap_or_default())
    }

    fn stamp_now(&self) -> io::Result<Option<Stamp>> {
        let metadata = self.file.metadata()?;
        Ok(metadata.is_file().then(|| Stamp::from_metadata(&metadata)))
    }
}

impl Read for File {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = loop {
            // Some decoders do not resume after an interrupted read.
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

/// True if a path names a file descriptor that this process inherited.
pub(super) fn is_own_descriptor(path: &Path) -> bool {
    ["/dev/stdin", "/dev/stdout", "/dev/stderr"].iter().any(|own| path == Path::new(own))
        || ["/dev/fd", "/proc/self/fd"].iter().any(|folder| path.parent() == Some(Path::new(folder)))
}

/// Sets options for opening without side effects. Opening a pipe could block until a writer opens
/// it, and a terminal could become the controlling terminal of this process.
#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    options.custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
}

#[cfg(not(unix))]
fn without_waiting(_: &mut OpenOptions) {}

/// Returns a specific error for a path that cannot be opened because it is not a file. The system
/// error for a socket has no clear reason.
fn error_for_special_file(path: &Path) -> Option<io::Error> {
    let kind = fs::metadata(path).ok()?.file_type();
    (!kind.is_file() && !kind.is_dir()).then(|| not_regular(kind))
}

/// The error for an entry that is not a regular file.
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

/// The minimum age of a change after which a later change has another timestamp, on a file system
/// with a resolution of one second.
const COARSE: Duration = Duration::from_secs(2);

/// As [`COARSE`], on a file system with finer timestamps: a few ticks of the system clock.
const FINE: Duration = Duration::from_millis(50);

/// Length, times and identity of a file or folder.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileState {
    stamp: Stamp,
    modified: Option<SystemTime>,
    /// The time of the last change of the inode (`ctime`). The modification time is not enough,
    /// because a file that replaces another keeps its own.
    changed: Option<SystemTime>,
    /// False if the file changed so recently that a later change may leave the timestamps
    /// unchanged.
    is_settled: bool,
}

impl FileState {
    /// Reads the state of a file or folder, following links. `now` is the start of the check.
    /// Returns `None` if the state cannot be read.
    pub(crate) fn read(path: &Path, now: SystemTime) -> Option<Self> {
        check_path(path).ok()?;
        let metadata = fs::metadata(path).ok()?;
        let (modified, changed) = (metadata.modified().ok(), changed(&metadata));
        let is_settled = [modified, changed].into_iter().flatten().all(|time| is_settled(time, now));
        Some(Self { stamp: Stamp::from_metadata(&metadata), modified, changed, is_settled })
    }

    /// True if the file may have changed since the `earlier` state.
    pub(crate) fn may_differ_from(&self, earlier: &Self) -> bool {
        !earlier.is_settled || self.stamp != earlier.stamp || self.changed != earlier.changed
    }

    /// True if the file may have changed after `time`.
    pub(crate) fn may_be_newer_than(&self, time: SystemTime) -> bool {
        let is_newer = |one: SystemTime| one + COARSE >= time;
        [self.modified, self.changed].into_iter().flatten().any(is_newer)
    }
}

/// True if a change after `now` has a timestamp other than `time`. A timestamp in the future, for
/// example from an unpacked archive, is treated as settled.
fn is_settled(time: SystemTime, now: SystemTime) -> bool {
    let nanoseconds = time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.subsec_nanos());
    let tick = if nanoseconds.is_multiple_of(1_000_000) { COARSE } else { FINE };
    now.duration_since(time).unwrap_or_else(|future| future.duration()) > tick
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = Duration::from_secs(u64::try_from(metadata.ctime()).ok()?);
    let nanoseconds = Duration::from_nanos(u64::try_from(metadata.ctime_nsec()).ok()?);
    SystemTime::UNIX_EPOCH.checked_add(seconds + nanoseconds)
}

#[cfg(not(unix))]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    metadata.created().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_settles_after_a_tick_of_its_disk() {
        let at = |millis: u64| SystemTime::UNIX_EPOCH + Duration::from_millis(1_000_000 + millis);
        let fine = at(0) + Duration::from_nanos(123_456);
        assert!(!is_settled(at(0), at(1_999)) && is_settled(at(0), at(2_001)));
        assert!(!is_settled(fine, at(49)) && is_settled(fine, at(51)));
        // A clock that is slightly ahead, and a date from an archive.
        assert!(!is_settled(at(1_000), at(0)) && is_settled(at(3_600_000), at(0)));
    }
}
