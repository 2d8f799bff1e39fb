//! An additional opening of a file at another URI.

use std::sync::Arc;

use crate::workspace::file::SnapshotFile;

#[derive(Debug, Clone)]
pub struct Opening {
    /// The file with the text of this URI.
    pub file: Arc<SnapshotFile>,
    /// True if its text equals the text of the file in its programs.
    pub is_same: bool,
}
