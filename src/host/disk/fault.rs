//! Failures of the file system on demand, for tests: the n-th operation of a kind fails, or the process ends there.
//!
//! Only debug builds have them. `MANGLE_LS_TEST_FAULT=write:3:ENOSPC` makes the third write fail; `write:3+:ENOSPC` that
//! and all later ones; `kill` instead of the error ends the process before the operation, `short` lets half of a write or
//! read happen. The file that `MANGLE_LS_TEST_FAULT_HIT` names then gets the path that the operation was about.

/// An operation that can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::host) enum DiskOperation {
    /// Opening a file for reading.
    Open,
    /// Reading a piece of a file.
    Read,
    /// Reading an entry of a folder.
    List,
    /// Creating a file or a folder.
    Create,
    /// Writing a piece of a file.
    Write,
    /// Setting who owns a file and who may use it.
    Protect,
    /// Waiting until a file is on the disk.
    Sync,
    /// Giving a file a name.
    Rename,
}

/// How much of an operation is to happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::host) enum Extent {
    Whole,
    /// Half of the bytes, as a system may do at any time.
    #[cfg_attr(not(debug_assertions), expect(dead_code, reason = "only tests ask for it"))]
    Half,
}

impl Extent {
    /// So many of `len` bytes; at least one, since none would say that the file ends.
    pub(super) fn of(self, len: usize) -> usize {
        match self {
            Self::Whole => len,
            Self::Half => len.div_ceil(2),
        }
    }
}

/// Nothing fails on demand in a release build.
#[cfg(not(debug_assertions))]
pub(in crate::host) fn check(_: DiskOperation, _: &std::path::Path) -> std::io::Result<Extent> {
    Ok(Extent::Whole)
}

#[cfg(debug_assertions)]
pub(in crate::host) use self::demanded::check;

#[cfg(debug_assertions)]
mod demanded {
    use std::io;
    use std::path::Path;
    use std::sync::LazyLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::{DiskOperation, Extent};

    /// What is to fail.
    struct Fault {
        operation: DiskOperation,
        /// Which operation of the kind, from 1 on.
        number: u64,
        /// Whether all later ones fail, too.
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

    /// Whether an operation happens, and how much of it.
    ///
    /// # Errors
    /// When a test demands that it fails.
    pub(in crate::host) fn check(operation: DiskOperation, path: &Path) -> io::Result<Extent> {
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
