//! Incomplete scans that stopped at a limit, and the messages about them.

use std::path::PathBuf;

use crate::read::Problem;
use crate::walk::{ScanLimit, Visited};
use mangle_settings::FILE_NAME;

/// A folder that was scanned incompletely.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialScan {
    pub folder: PathBuf,
    /// The exceeded limit.
    pub limit: ScanLimit,
    /// The numbers of visited entries.
    pub visited: Visited,
}

impl PartialScan {
    /// The key of the limit in `mangle-ls.toml`.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self.limit {
            ScanLimit::Entries(_) => "max_scan_entries",
            ScanLimit::Files(_) => "max_scan_files",
            ScanLimit::Bytes(_) => "max_scan_bytes",
        }
    }

    /// The message as a clause without a subject.
    #[must_use]
    pub fn reason(&self) -> String {
        let what = match self.limit {
            ScanLimit::Entries(limit) => format!("{limit} files and folders"),
            ScanLimit::Files(limit) => format!("{limit} Mangle files"),
            ScanLimit::Bytes(limit) => format!("{limit} bytes of Mangle files"),
        };
        format!("holds more than {what}, the limit of a scan")
    }

    /// The help text of the finding.
    #[must_use]
    pub fn help(&self) -> String {
        format!("choose a smaller folder, or raise `{}` below `[files]` in its `{FILE_NAME}`", self.key())
    }

    /// Converts the scan into a problem of its folder.
    #[must_use]
    pub fn problem(&self) -> Problem {
        Problem {
            path: self.folder.clone(),
            why: format!("it {}; {}", self.reason(), self.help()),
            named: true,
        }
    }
}
