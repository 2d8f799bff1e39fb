//! What could not be read, and why.

use std::io;
use std::path::PathBuf;

/// Something that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file or folder.
    pub path: PathBuf,
    /// Why, as the end of a sentence.
    pub why: String,
    /// Whether the caller named it, so that the work was not done; else it was met on a walk.
    pub named: bool,
}

/// An IO error in the words of the system, without number and path.
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
