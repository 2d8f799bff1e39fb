//! A further opening of a file.

use std::sync::Arc;

use crate::host::workspace::file::SnapshotFile;

/// A further opening of a file.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The file as it is at this URI.
    pub file: Arc<SnapshotFile>,
    /// Whether its text is that of the file in its programs.
    pub is_same: bool,
}
