//! The files of `[decoding] files`: grammars and schemas of replies.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{FileTable, FileText, Overlay, read};
use mangle_syntax::lint::Finding;
use mangle_syntax::text::FileId;

#[derive(Debug)]
pub struct GrammarFile {
    pub file: FileId,
    pub path: PathBuf,
    /// Index into [`super::Resolution::projects`] of the configuration that names the file.
    pub project: usize,
    pub text: Arc<str>,
    /// The reason if the file cannot be read as text.
    pub(super) unread: Option<Finding>,
}

impl GrammarFile {
    pub(super) fn read(path: &Path, project: usize, overlay: &Overlay, table: &FileTable) -> Self {
        let text = read(path, overlay).unwrap_or_else(|error| FileText::unreadable(&error));
        let unread = text.findings.into_iter().next();
        Self { file: table.id(path), path: path.into(), project, text: text.text, unread }
    }
}
