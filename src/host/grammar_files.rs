//! The files of `[decoding] files`: grammars and schemas of replies, which are held against the program beside them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{FileTable, FileText, Overlay, read};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::FileId;

/// A grammar or a schema of replies.
#[derive(Debug)]
pub struct GrammarFile {
    pub file: FileId,
    pub path: PathBuf,
    /// The configuration that names it: an index into [`super::Resolution::projects`].
    pub project: usize,
    pub text: Arc<str>,
    /// Why it cannot be read as a text.
    pub(super) unread: Option<Finding>,
}

impl GrammarFile {
    /// Reads the file at `path`.
    pub(super) fn read(path: &Path, project: usize, overlay: &Overlay, table: &FileTable) -> Self {
        let text = read(path, overlay).unwrap_or_else(|error| FileText::unreadable(&error));
        let unread = text.findings.into_iter().next();
        Self { file: table.id(path), path: path.into(), project, text: text.text, unread }
    }
}
