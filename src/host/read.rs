//! Reading one file.

use std::io::{self, Read};
use std::path::Path;

use super::disk::{self, Content, TooLong};
use super::{FileText, MAX_FILE_LEN, Overlay};
use mangle_settings::{CONFIG_SYNTAX, FILE_TOO_LARGE, INVALID_UTF8, UNREADABLE_FILE};
use mangle_syntax::lint::Finding;

/// How many files a thread reads at a time at most, so that all threads end at about the same time.
pub(super) const MOST_AT_ONCE: usize = 8;

/// The text of a file: that of the open document, else that on disk.
///
/// # Errors
/// When the file cannot be opened or read, or is no regular file.
pub fn read(path: &Path, overlay: &Overlay) -> io::Result<FileText> {
    if let Some(text) = overlay.get(path) {
        return Ok(text.clone());
    }
    let text = match disk::read(path, Content::Text) {
        Ok(bytes) => FileText::of_bytes(bytes),
        Err(error) => TooLong::of(&error).map(|found| FileText::too_large(found.len)).ok_or(error)?,
    };
    Ok(if overlay.hides_marks() { text.without_mark() } else { text })
}

/// Whether a file on disk starts with a byte order mark.
#[must_use]
pub(super) fn is_marked(path: &Path) -> bool {
    disk::starts_with(path, b"\xef\xbb\xbf", Content::Text)
}

/// Whether there is something at a path already.
#[must_use]
pub fn is_taken(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// The text of a file that is none of a program, such as a baseline.
///
/// # Errors
/// When it cannot be read, is larger than the limit, or no UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let bytes = disk::read(path, Content::Text)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// The one finding about a configuration in `language` that is no text; `finding` says what it is instead.
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

/// The bytes of a table of facts, to be read one after the other: those of the open document, else those on disk.
///
/// # Errors
/// When the file cannot be opened, is no regular file, or is too long.
pub fn open_facts(path: &Path, overlay: &Overlay) -> io::Result<Box<dyn Read>> {
    if let Some(text) = overlay.get(path) {
        return Ok(Box::new(io::Cursor::new(text.text.as_bytes().to_vec())));
    }
    Ok(Box::new(disk::open(path, Content::Facts)?))
}
