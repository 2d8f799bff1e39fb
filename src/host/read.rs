//! Reading one file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::{FileText, MAX_FILE_LEN, Overlay};
use crate::config::{CONFIG_SYNTAX, FILE_TOO_LARGE, INVALID_UTF8};
use crate::lint::Finding;

/// The text of a file: that of the open document, else that on disk. No more than the size limit
/// is read, so endless files are no danger.
///
/// # Errors
/// When the file cannot be opened or read, or is a folder.
pub fn read(path: &Path, overlay: &Overlay) -> io::Result<FileText> {
    if let Some(text) = overlay.get(path) {
        return Ok(text.clone());
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if metadata.len() > MAX_FILE_LEN as u64 {
        return Ok(FileText::too_large(metadata.len()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    // A pipe has no length beforehand.
    file.take(MAX_FILE_LEN as u64 + 1).read_to_end(&mut bytes)?;
    let text = FileText::of_bytes(bytes);
    Ok(if overlay.hides_marks() { text.without_mark() } else { text })
}

/// Whether a file on disk starts with a byte order mark.
#[must_use]
pub(super) fn is_marked(path: &Path) -> bool {
    let is_file = path.metadata().is_ok_and(|metadata| metadata.is_file());
    let mut start = [0; 3];
    let mut read = || File::open(path)?.read_exact(&mut start);
    is_file && read().is_ok() && start == *b"\xef\xbb\xbf"
}

/// Whether there is something at a path already.
#[must_use]
pub fn is_taken(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Creates a file for writing, emptying one that is there: the log of a shell, a report.
///
/// # Errors
/// When the file cannot be created.
pub fn create(path: &Path) -> io::Result<File> {
    File::create(path)
}

/// Creates a folder, and those above it, unless they are there.
///
/// # Errors
/// When it cannot be created.
pub fn create_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

/// The text of a file that is none of a program, such as a baseline.
///
/// # Errors
/// When it cannot be read, is larger than the limit, or no UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let read = File::open(path)?.take(MAX_FILE_LEN as u64 + 1).read_to_string(&mut text)?;
    if read > MAX_FILE_LEN { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(text) }
}

/// The one finding about a configuration in `language` that is no text; `finding` says what it is instead.
pub(super) fn no_text(finding: &Finding, language: &str) -> Finding {
    let what = if finding.rule == &INVALID_UTF8 {
        format!("This is not UTF-8, which {language} has to be.")
    } else if finding.rule == &FILE_TOO_LARGE {
        "The file is too large to be a configuration.".to_owned()
    } else {
        "The file is not text.".to_owned()
    };
    Finding::new(&CONFIG_SYNTAX, finding.range, format!("{what} Nothing of this file is used."))
}

/// How long a table of facts may be, in bytes.
pub const MAX_FACTS_LEN: u64 = 4 << 30;

/// The bytes of a table of facts, to be read one after the other: those of the open document, else those on disk.
///
/// # Errors
/// When the file cannot be opened, is a folder, or is larger than [`MAX_FACTS_LEN`].
pub fn open_facts(path: &Path, overlay: &Overlay) -> io::Result<Box<dyn Read>> {
    if let Some(text) = overlay.get(path) {
        return Ok(Box::new(io::Cursor::new(text.text.as_bytes().to_vec())));
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if metadata.len() > MAX_FACTS_LEN {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(Box::new(file.take(MAX_FACTS_LEN)))
}
