//! `[files]`: which files are Mangle, and how many of them a scan reads.

/// `[files]`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilesSettings {
    /// `extensions`: further endings of Mangle files, without the dot.
    pub extensions: Vec<String>,
    /// How much of a folder is scanned.
    pub scan: ScanLimits,
}

/// How much of a folder is scanned. Without a configuration file the defaults hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanLimits {
    /// `max_scan_entries`: files of all kinds and folders.
    pub entries: u64,
    /// `max_scan_files`: Mangle files.
    pub files: u64,
    /// `max_scan_bytes`: bytes of Mangle files.
    pub bytes: u64,
}

impl Default for ScanLimits {
    fn default() -> Self {
        Self { entries: 100_000, files: 5_000, bytes: 64 << 20 }
    }
}

impl FilesSettings {
    /// Whether a file has one of the added endings.
    #[must_use]
    pub fn adds(&self, path: &std::path::Path) -> bool {
        let extension = path.extension().map(|extension| extension.to_string_lossy());
        extension.is_some_and(|extension| self.extensions.iter().any(|added| *added == extension))
    }
}
