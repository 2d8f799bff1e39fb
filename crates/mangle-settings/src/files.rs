//! `[files]`: file extensions of Mangle and limits of a directory scan.

use super::declare::settings;
use super::kinds::{Integer, Text};
use super::value::{KeyPath, ValueError, shorten};

/// The largest value of the scan limits.
const MAX_SCANNED: i64 = 1 << 40;

settings! {
    /// `[files]`. Without a configuration file the defaults hold.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FilesSettings("files") {
        /// File extensions of Mangle in addition to `mg` and `gl`, for example `["dl"]`. Such files below the
        /// configuration file join its programs. Files on the command line are read with any extension.
        extensions: Vec<String> as Vec<Extension>;
        /// Maximum bytes of Mangle files to read below a folder. A scan that reaches a limit stops, and
        /// `scan-limit` reports it. Folders of open documents come first. If no configuration file exists,
        /// the defaults apply.
        max_scan_bytes: u64 as Integer<1, MAX_SCANNED> = 64 << 20;
        /// Maximum number of files and folders, of all kinds, to visit below a folder. Files ignored by git
        /// are excluded.
        max_scan_entries: u64 as Integer<1, MAX_SCANNED> = 100_000;
        /// Maximum number of Mangle files to read below a folder.
        max_scan_files: u64 as Integer<1, MAX_SCANNED> = 5_000;
    }
}

impl FilesSettings {
    /// True if the file has one of the additional extensions.
    #[must_use]
    pub fn adds(&self, path: &std::path::Path) -> bool {
        let extension = path.extension().map(|extension| extension.to_string_lossy());
        extension.is_some_and(|extension| self.extensions.iter().any(|added| *added == extension))
    }
}

/// A file extension without its dot.
enum Extension {}

impl Text for Extension {
    type Value = String;

    fn parse(word: &str, at: KeyPath) -> Result<String, ValueError> {
        let bare = word.strip_prefix("*.").or(word.strip_prefix('.')).unwrap_or(word);
        let is_word = |char: char| char.is_alphanumeric() || char == '_' || char == '-';
        let why = match bare.to_ascii_lowercase().as_str() {
            "toml" | "yaml" | "yml" | "md" | "markdown" | "json" | "jsonl" | "ndjson" | "csv" | "tsv" => {
                "such files contain something else"
            }
            "" => "an ending is written as `dl`",
            _ if !bare.chars().all(is_word) => "an ending is written as `dl`",
            _ => return Ok(bare.to_owned()),
        };
        Err(ValueError::new(format!("unusable file ending `{}` for {}", shorten(word), at.label())).note(why))
    }

    fn print(value: &String) -> String {
        value.clone()
    }
}
