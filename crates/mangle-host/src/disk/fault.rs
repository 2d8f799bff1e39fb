//! Fault injection for tests: the n-th file system operation of a kind fails, or the process
//! ends before the operation.
//!
//! Only debug builds have fault injection. `MANGLE_LS_TEST_FAULT=write:3:ENOSPC` makes the third
//! write fail; `write:3+:ENOSPC` also makes all later writes fail. With `kill` in place of the
//! error, the process ends before the operation; with `short`, half of a write or read is done.
//!
//! The path of the operation is written to the file that `MANGLE_LS_TEST_FAULT_HIT` names.

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

    use super::{DiskOperation, Extent};

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
