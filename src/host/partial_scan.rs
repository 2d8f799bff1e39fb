//! A scan that stopped at a limit, and what it says of itself.

use std::path::PathBuf;

use crate::host::problem::Problem;
use crate::host::walk::{ScanLimit, Visited};
use mangle_settings::FILE_NAME;

/// A folder of which only a part was scanned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialScan {
    pub folder: PathBuf,
    /// The limit at which the scan stopped.
    pub limit: ScanLimit,
    /// How much was visited.
    pub visited: Visited,
}

impl PartialScan {
    /// What the limit is called in `mangle-ls.toml`.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self.limit {
            ScanLimit::Entries(_) => "max_scan_entries",
            ScanLimit::Files(_) => "max_scan_files",
            ScanLimit::Bytes(_) => "max_scan_bytes",
        }
    }

    /// What happened, as a clause without a subject.
    #[must_use]
    pub fn reason(&self) -> String {
        let what = match self.limit {
            ScanLimit::Entries(limit) => format!("{limit} files and folders"),
            ScanLimit::Files(limit) => format!("{limit} Mangle files"),
            ScanLimit::Bytes(limit) => format!("{limit} bytes of Mangle files"),
        };
        format!("holds more than {what}, the limit of a scan")
    }

    /// What can be done about it.
    #[must_use]
    pub fn help(&self) -> String {
        format!("choose a smaller folder, or raise `{}` below `[files]` in its `{FILE_NAME}`", self.key())
    }

    /// It as something that could not be read.
    #[must_use]
    pub fn problem(&self) -> Problem {
        Problem {
            path: self.folder.clone(),
            why: format!("it {}; {}", self.reason(), self.help()),
            named: true,
        }
    }
}
