//! Errors of reading files and folders.

use std::io;
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub path: PathBuf,
    /// The reason, as the end of a sentence.
    pub why: String,
    /// True if the caller named the path, so that the request failed. False if the path was
    /// reached by a walk.
    pub named: bool,
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
