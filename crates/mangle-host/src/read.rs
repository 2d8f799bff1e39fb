//! Reading of single files.

use std::io::{self, Read};
use std::path::Path;

use super::disk::{self, Content, TooLong};
use super::{FileText, MAX_FILE_LEN, Overlay};
use mangle_settings::{CONFIG_SYNTAX, FILE_TOO_LARGE, INVALID_UTF8, UNREADABLE_FILE};
use mangle_syntax::lint::Finding;

/// The maximum number of files per work item, so that all threads finish at about the same time.
pub(super) const MAX_FILES_PER_JOB: usize = 8;

/// Returns the text of an open document or of a file on disk.
///
/// # Errors
///
/// If the file cannot be opened or read, or is not a regular file.
pub fn read(path: &Path, overlay: &Overlay) -> io::Result<FileText> {
    if let Some(text) = overlay.get(path) {
        return Ok(text.clone());
    }
    let text = match disk::read(path, Content::Text) {
        Ok(bytes) => FileText::of_bytes(bytes),
        Err(error) => TooLong::from_error(&error).map(|found| FileText::too_large(found.len)).ok_or(error)?,
    };
    Ok(if overlay.hides_marks() { text.without_mark() } else { text })
}

/// True if a file on disk starts with a byte order mark.
#[must_use]
pub(super) fn is_marked(path: &Path) -> bool {
    disk::starts_with(path, b"\xef\xbb\xbf", Content::Text)
}

/// True if an entry exists at a path.
#[must_use]
pub fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Reads a file that is not part of a program, such as a baseline.
///
/// # Errors
///
/// If the file cannot be read, exceeds the size limit, or is not UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let bytes = disk::read(path, Content::Text)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Returns the only finding about a configuration in `language` that is not text. `finding` has
/// the reason.
pub(super) fn no_text(finding: &Finding, language: &str) -> Finding {
    if finding.rule == &UNREADABLE_FILE {
        return finding.clone();
    }
    let what = if finding.rule == &INVALID_UTF8 {
        format!("file is not UTF-8, which {language} requires")
    } else if finding.rule == &FILE_TOO_LARGE {
        format!("file is larger than {} MiB, the limit of a configuration", MAX_FILE_LEN >> 20)
    } else {
        "file is not text".to_owned()
    };
    Finding::new(&CONFIG_SYNTAX, finding.range, what).note("the whole file is ignored")
}

/// Opens a table of facts for sequential reading, from an open document or from disk.
///
/// # Errors
///
/// If the file cannot be opened, is not a regular file, or is too long.
pub fn open_facts(path: &Path, overlay: &Overlay) -> io::Result<Box<dyn Read>> {
    if let Some(text) = overlay.get(path) {
        return Ok(Box::new(io::Cursor::new(text.text.as_bytes().to_vec())));
    }
    Ok(Box::new(disk::open(path, Content::Facts)?))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub path: PathBuf,
    /// The reason, as the end of a sentence.
    pub why: String,
    /// True if the caller named the path, so that the request failed. False if the path was
    /// reached by a walk.
    pub named: bool,
}
