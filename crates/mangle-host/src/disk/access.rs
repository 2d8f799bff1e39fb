//! Checks of every access to the disk: kinds of contents with their size limits, the confinement of
//! the process to some folders, and fault injection for tests.
//!
//! `docs/limits.md` has the same size limits.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::paths::real;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A policy, configuration, session file, prompt atom file, tool catalog or baseline.
    Text,
    /// Ignore files of git, and the files of git that contain the paths of ignore files.
    Patterns,
    /// A table of facts.
    Facts,
    /// A transcript or an archive of transcripts. The limit also applies to the decompressed size.
    Transcript,
}

impl Content {
    pub const ALL: [Self; 4] = [Self::Text, Self::Patterns, Self::Facts, Self::Transcript];

    /// Returns the maximum size, in bytes.
    #[must_use]
    pub const fn limit(self) -> u64 {
        match self {
            Self::Text => 16 << 20,
            Self::Patterns => 1 << 20,
            Self::Facts => 4 << 30,
            Self::Transcript => 16 << 30,
        }
    }
}

/// A file exceeds the size limit of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it has {}; files of up to {} are read", size(*.len), size(*.limit))]
pub struct TooLong {
    /// The size in bytes, or the known part of it.
    pub len: u64,
    /// In bytes.
    pub limit: u64,
}

impl TooLong {
    /// Returns the value that is wrapped in an I/O error, if any.
    #[must_use]
    pub fn from_error(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl From<TooLong> for io::Error {
    fn from(error: TooLong) -> Self {
        Self::new(io::ErrorKind::FileTooLarge, error)
    }
}

/// Formats a number of bytes in the largest unit with a value of at least two, rounded up.
pub(crate) fn size(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let unit = units.into_iter().find(|(_, shift)| bytes >= 2 << shift || bytes == 1 << shift);
    match unit {
        Some((unit, shift)) => format!("{} {unit}", bytes.div_ceil(1 << shift)),
        None => format!("{bytes} bytes"),
    }
}

/// Returns the system message of an I/O error, without number and path.
#[must_use]
pub fn plain(error: &io::Error) -> String {
    let text = match (error.raw_os_error(), error.get_ref()) {
        (Some(_), _) => error.to_string(),
        (None, Some(own)) => own.to_string(),
        (None, None) => error.kind().to_string(),
    };
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect())
}

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiskOperation {
    Open,
    Read,
    List,
    Create,
    Write,
    /// Setting the owner and the permissions of a file.
    Protect,
    /// Flushing a file to disk.
    Sync,
    /// Renaming or linking a file.
    Rename,
}

/// The part of an operation to execute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    Whole,
    /// Half of the bytes, as any system call may do at any time.
    #[cfg_attr(not(debug_assertions), expect(dead_code, reason = "only tests ask for it"))]
    Half,
}

impl Extent {
    /// Returns the number of bytes to transfer of `len`. At least one, because zero would mean the
    /// end of the file.
    pub(super) fn transfer_len(self, len: usize) -> usize {
        match self {
            Self::Whole => len,
            Self::Half => len.div_ceil(2),
        }
    }
}

/// Release builds have no fault injection.
#[cfg(not(debug_assertions))]
pub(crate) fn check(_: DiskOperation, _: &std::path::Path) -> std::io::Result<Extent> {
    Ok(Extent::Whole)
}

#[cfg(debug_assertions)]
pub(crate) use self::demanded::check;

#[cfg(debug_assertions)]
mod demanded {
    use std::io;
    use std::path::Path;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use crate::disk::access::{DiskOperation, Extent};

    /// A parsed `MANGLE_LS_TEST_FAULT`.
    struct Fault {
        operation: DiskOperation,
        /// The ordinal of the operation among operations of its kind, from 1.
        number: u64,
        /// True if all later operations also fail.
        lasts: bool,
        how: How,
        count: AtomicU64,
    }

    enum How {
        Error(io::ErrorKind),
        Half,
        Kill,
    }

    static FAULT: LazyLock<Option<Fault>> =
        LazyLock::new(|| Fault::parse(&std::env::var("MANGLE_LS_TEST_FAULT").ok()?));

    impl Fault {
        fn parse(text: &str) -> Option<Self> {
            let mut parts = text.split(':');
            let (operation, number, how) = (parts.next()?, parts.next()?, parts.next()?);
            let operation = match operation {
                "open" => DiskOperation::Open,
                "read" => DiskOperation::Read,
                "list" => DiskOperation::List,
                "create" => DiskOperation::Create,
                "write" => DiskOperation::Write,
                "protect" => DiskOperation::Protect,
                "sync" => DiskOperation::Sync,
                "rename" => DiskOperation::Rename,
                _ => return None,
            };
            let how = match how {
                "ENOSPC" => How::Error(io::ErrorKind::StorageFull),
                "EACCES" => How::Error(io::ErrorKind::PermissionDenied),
                "EINTR" => How::Error(io::ErrorKind::Interrupted),
                "EIO" => How::Error(io::ErrorKind::Other),
                "short" => How::Half,
                "kill" => How::Kill,
                _ => return None,
            };
            let (number, lasts) = number.strip_suffix('+').map_or((number, false), |number| (number, true));
            Some(Self { operation, number: number.parse().ok()?, lasts, how, count: AtomicU64::new(0) })
        }

        fn is_due(&self, operation: DiskOperation) -> bool {
            if operation != self.operation {
                return false;
            }
            let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
            number == self.number || (self.lasts && number > self.number)
        }
    }

    /// Returns the part of the operation to execute.
    ///
    /// # Errors
    ///
    /// If a test requested a failure.
    pub(crate) fn check(operation: DiskOperation, path: &Path) -> io::Result<Extent> {
        let Some(fault) = FAULT.as_ref().filter(|fault| fault.is_due(operation)) else {
            return Ok(Extent::Whole);
        };
        if let Some(file) = std::env::var_os("MANGLE_LS_TEST_FAULT_HIT") {
            std::fs::write(file, path.as_os_str().as_encoded_bytes())?;
        }
        match fault.how {
            How::Error(io::ErrorKind::Other) => Err(io::Error::other("input/output error")),
            How::Error(kind) => Err(kind.into()),
            How::Half => Ok(Extent::Half),
            How::Kill => std::process::abort(),
        }
    }
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
