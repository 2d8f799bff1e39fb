//! A file at one revision. The text is available immediately. Parsing starts on the first request,
//! on the requesting thread, so that an edit costs the same in long and short files.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::{FileText, summarise};
use mangle_engine::program::FileSummary;
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{
    Embedded, Encoding, FileId, LineCol, LineIndex, SegmentMap, TextEdit, TextIndex, TextSize,
};
use piggyback::envelope::secrets::SecretContext;

/// A file at one revision, shared by all revisions with the same content.
#[derive(Debug)]
pub struct SnapshotFile {
    pub id: FileId,
    /// The absolute path, or the URI of a document that is not on disk.
    pub path: Arc<Path>,
    /// The editor state, if the file is open.
    pub open: Option<OpenState>,
    /// Problems with reading the file. Ranges are relative to the start of the file.
    pub findings: Vec<Finding>,
    embedded: Embedded,
    before: Mutex<Option<PreviousParse>>,
    source: OnceLock<SourceFile>,
    summary: OnceLock<Arc<FileSummary>>,
    index: TextIndex,
    secrets: OnceLock<SecretContext>,
}

/// An earlier parse, and the edits since then.
#[derive(Debug, Clone)]
struct PreviousParse {
    source: SourceFile,
    edits: Vec<TextEdit>,
}

/// Editor state of an open document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenState {
    /// The URI in the spelling of the editor. All versions since the document was opened share
    /// this allocation, so that its address identifies one opening.
    pub uri: Arc<str>,
    /// The editor's version of the text.
    pub version: i32,
    /// The editor's text, even if it is too long to parse.
    pub text: Arc<str>,
    /// The file on disk starts with a byte order mark, which the editor may hide.
    pub marked: bool,
    /// An edit was lost or could not be applied, so that the text may differ from the editor's.
    /// The server must not edit such a document ([`super::Snapshot::is_editable`]).
    pub suspect: bool,
}

impl OpenState {
    /// Decodes the text as a policy.
    fn policy(&self) -> FileText {
        let text = FileText::of_text(&self.text);
        if self.marked { text.marked() } else { text }
    }
}

impl SnapshotFile {
    pub(super) fn closed(id: FileId, path: Arc<Path>, read: FileText) -> Self {
        Self::new(id, path, None, read, None)
    }

    /// A file of a command, with its known summary.
    pub(super) fn summarised(path: Arc<Path>, summary: Arc<FileSummary>) -> Self {
        let read = FileText { text: Arc::clone(&summary.text), findings: Vec::new() };
        let file = Self::new(summary.id, path, None, read, None);
        let _ = file.summary.set(summary);
        file
    }

    pub(super) fn opened(id: FileId, path: Arc<Path>, open: OpenState) -> Self {
        let read = open.policy();
        Self::new(id, path, Some(open), read, None)
    }

    /// A file that is not Mangle: text without statements.
    pub(super) fn non_mangle(id: FileId, path: Arc<Path>, open: Option<OpenState>, text: Arc<str>) -> Self {
        let file = Self::new(id, path, open, FileText { text, findings: Vec::new() }, None);
        let _ = file.source.set(SourceFile::parse("".into()));
        file
    }

    /// A transcript that is not open.
    pub(super) fn transcript(id: FileId, path: Arc<Path>, read: FileText) -> Self {
        let file = Self::new(id, path, None, read, None);
        let _ = file.source.set(SourceFile::parse("".into()));
        file
    }

    /// The document after `edits`, which lead from this text to the text of `open`.
    pub(super) fn edited(&self, open: OpenState, edits: Vec<TextEdit>) -> Self {
        let read = open.policy();
        let before = self.base(edits);
        Self::new(self.id, Arc::clone(&self.path), Some(open), read, before)
    }

    /// The file after it was closed: without its syntax tree.
    pub(super) fn without_syntax_tree(&self) -> Self {
        let read = FileText { text: Arc::clone(self.text()), findings: self.findings.clone() };
        let file = Self::new(self.id, Arc::clone(&self.path), None, read, None);
        if let Some(source) = self.source.get() {
            let _ = file.source.set(source.clone().without_tree());
        }
        file
    }

    fn new(
        id: FileId,
        path: Arc<Path>,
        open: Option<OpenState>,
        read: FileText,
        before: Option<PreviousParse>,
    ) -> Self {
        let FileText { text, findings } = read;
        Self {
            id,
            path,
            open,
            findings,
            embedded: Embedded::file(text),
            before: Mutex::new(before),
            source: OnceLock::new(),
            summary: OnceLock::new(),
            index: TextIndex::default(),
            secrets: OnceLock::new(),
        }
    }

    /// Secrets in the text, which messages must mask.
    #[must_use]
    pub fn secrets(&self) -> &SecretContext {
        self.secrets.get_or_init(|| SecretContext::from_text(self.text()))
    }

    /// Returns the starting point of a parse after `edits`. Returns `None` if this text is not the
    /// editor's (because it is binary or too long), so that the edits do not apply.
    fn base(&self, mut edits: Vec<TextEdit>) -> Option<PreviousParse> {
        let fits = self.open.as_ref().is_some_and(|open| Arc::ptr_eq(&open.text, self.text()));
        if !fits {
            return None;
        }
        let earlier = self.before.lock().clone();
        // The parsing thread sets the source and then drops the earlier parse. Reading them in
        // this order never misses both.
        match (self.source.get(), earlier) {
            (Some(source), _) => Some(PreviousParse { source: source.clone(), edits }),
            (None, Some(mut earlier)) => {
                earlier.edits.append(&mut edits);
                Some(earlier)
            }
            (None, None) => None,
        }
    }

    /// The text. Empty if the file is too long to parse or not text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.embedded.text
    }

    /// Position map from the text in snapshots to the text of the document.
    #[must_use]
    pub fn map(&self) -> &SegmentMap {
        &self.embedded.map
    }

    /// Returns the parsed file.
    pub fn source(&self) -> &SourceFile {
        let source = self.source.get_or_init(|| {
            let before = self.before.lock().clone();
            let source = parse(self.text(), before);
            if self.open.is_some() { source } else { source.without_tree() }
        });
        self.before.lock().take();
        source
    }

    /// True if the summary was already computed.
    pub(super) fn is_parsed(&self) -> bool {
        self.summary.get().is_some()
    }

    /// Returns the summary for linking.
    pub fn summary(&self) -> &Arc<FileSummary> {
        self.summary.get_or_init(|| summarise(self.id, self.source(), &self.findings))
    }

    pub fn lines(&self) -> &LineIndex {
        self.index.lines(self.text())
    }

    /// Line and column of a place in the text.
    pub fn line_col(&self, offset: TextSize, encoding: Encoding) -> LineCol {
        self.index.line_col(self.text(), offset, encoding)
    }
}

/// Parses a text, incrementally if an earlier parse exists. After a panic of the parser, the file
/// has no statements, and the server continues.
fn parse(text: &Arc<str>, before: Option<PreviousParse>) -> SourceFile {
    let incremental = before.and_then(|before| {
        catch_unwind(AssertUnwindSafe(|| before.source.edit(Arc::clone(text), &before.edits))).ok()
    });
    let fresh = || catch_unwind(AssertUnwindSafe(|| SourceFile::parse(Arc::clone(text)))).ok();
    incremental.or_else(fresh).unwrap_or_else(|| SourceFile::parse("".into()))
}

#[derive(Debug, Clone)]
pub struct Opening {
    /// The file with the text of this URI.
    pub file: Arc<SnapshotFile>,
    /// True if its text equals the text of the file in its programs.
    pub is_same: bool,
}
