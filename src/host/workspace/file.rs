//! A file at one revision. Its text is there at once; it is parsed when somebody first asks, on
//! the asker's thread, so that taking in an edit costs the same in a long file as in a short one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::host::{FileText, summarise};
use mangle_engine::program::FileSummary;
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{
    Embedded, Encoding, FileId, LineCol, LineIndex, SegmentMap, TextEdit, TextSize, UnitIndex,
    between_characters,
};
use piggyback::envelope::secrets::SecretContext;

/// A file as it was at some revision; shared by all revisions in which it is the same.
#[derive(Debug)]
pub struct SnapshotFile {
    /// The file.
    pub id: FileId,
    /// Its absolute path; the URI of a document that is not on disk.
    pub path: Arc<Path>,
    /// The editor's side of it, while it is open there.
    pub open: Option<OpenState>,
    /// What kept the file from being read as it is. Ranges count from the start of the file.
    pub findings: Vec<Finding>,
    embedded: Embedded,
    before: Mutex<Option<Before>>,
    source: OnceLock<SourceFile>,
    summary: OnceLock<Arc<FileSummary>>,
    lines: OnceLock<LineIndex>,
    /// For lines that are too long to be counted from their start: in UTF-16, in UTF-32.
    units: [OnceLock<UnitIndex>; 2],
    secrets: OnceLock<SecretContext>,
}

/// A line with more bytes is not counted from its start for every column.
const LONG_LINE: u32 = 4096;

/// An earlier parse, and the edits since then.
#[derive(Debug, Clone)]
struct Before {
    source: SourceFile,
    edits: Vec<TextEdit>,
}

/// What an editor knows of an open document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenState {
    /// The document's URI as the editor spells it. One is made each time the document is opened, which all its versions
    /// share: it tells one opening from another.
    pub uri: Arc<str>,
    /// The editor's version of the text.
    pub version: i32,
    /// The text as the editor has it, also where it is too long to be parsed.
    pub text: Arc<str>,
    /// The file on disk starts with a byte order mark, which the editor need not show.
    pub marked: bool,
    /// An edit was lost or could not be applied: the text may differ from the editor's, so that no edit of
    /// ours may touch it ([`super::Snapshot::is_editable`]).
    pub suspect: bool,
}

impl OpenState {
    /// The text as that of a policy.
    fn policy(&self) -> FileText {
        let text = FileText::of_text(&self.text);
        if self.marked { text.marked() } else { text }
    }
}

impl SnapshotFile {
    /// A file on disk.
    pub(super) fn closed(id: FileId, path: Arc<Path>, read: FileText) -> Self {
        Self::new(id, path, None, read, None)
    }

    /// A file of a command: what it contributes to programs is known.
    pub(super) fn summarised(path: Arc<Path>, summary: Arc<FileSummary>) -> Self {
        let read = FileText { text: Arc::clone(&summary.text), findings: Vec::new() };
        let file = Self::new(summary.id, path, None, read, None);
        let _ = file.summary.set(summary);
        file
    }

    /// A document that was just opened.
    pub(super) fn opened(id: FileId, path: Arc<Path>, open: OpenState) -> Self {
        let read = open.policy();
        Self::new(id, path, Some(open), read, None)
    }

    /// A file that is not Mangle: text without statements.
    pub(super) fn foreign(id: FileId, path: Arc<Path>, open: Option<OpenState>, text: Arc<str>) -> Self {
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

    /// The document after `edits`, which lead from this one's text to that of `open`.
    pub(super) fn edited(&self, open: OpenState, edits: Vec<TextEdit>) -> Self {
        let read = open.policy();
        let before = self.base(edits);
        Self::new(self.id, Arc::clone(&self.path), Some(open), read, before)
    }

    /// The file once nobody edits it any more: without its tree.
    pub(super) fn left(&self) -> Self {
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
        before: Option<Before>,
    ) -> Self {
        let FileText { text, findings } = read;
        let (before, source) = (Mutex::new(before), OnceLock::new());
        let (summary, lines) = (OnceLock::new(), OnceLock::new());
        let embedded = Embedded::file(text);
        let (units, secrets) = ([OnceLock::new(), OnceLock::new()], OnceLock::new());
        Self { id, path, open, findings, embedded, before, source, summary, lines, units, secrets }
    }

    /// The secrets in the text, which messages about it may quote.
    #[must_use]
    pub fn secrets(&self) -> &SecretContext {
        self.secrets.get_or_init(|| SecretContext::of(self.text()))
    }

    /// What a parse after `edits` starts from. `None` if this text is not that of the editor
    /// (because it is binary, or too long), so that the edits do not fit it.
    fn base(&self, mut edits: Vec<TextEdit>) -> Option<Before> {
        let fits = self.open.as_ref().is_some_and(|open| Arc::ptr_eq(&open.text, self.text()));
        if !fits {
            return None;
        }
        let earlier = self.before.lock().clone();
        // Whoever parses first sets the source and then drops the earlier one: this order of looking
        // at them never misses both.
        match (self.source.get(), earlier) {
            (Some(source), _) => Some(Before { source: source.clone(), edits }),
            (None, Some(mut earlier)) => {
                earlier.edits.append(&mut edits);
                Some(earlier)
            }
            (None, None) => None,
        }
    }

    /// The text; empty where it is too long to be parsed, or no text at all.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.embedded.text
    }

    /// From the text that features see to that of the document.
    #[must_use]
    pub fn map(&self) -> &SegmentMap {
        &self.embedded.map
    }

    /// The parsed file.
    pub fn source(&self) -> &SourceFile {
        let source = self.source.get_or_init(|| {
            let before = self.before.lock().clone();
            let source = parse(self.text(), before);
            if self.open.is_some() { source } else { source.without_tree() }
        });
        self.before.lock().take();
        source
    }

    /// Whether it is known what the file contributes to its programs.
    pub(super) fn is_parsed(&self) -> bool {
        self.summary.get().is_some()
    }

    /// What the file contributes to its programs.
    pub fn summary(&self) -> &Arc<FileSummary> {
        self.summary.get_or_init(|| summarise(self.id, self.source(), &self.findings))
    }

    /// Where its lines start.
    pub fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(self.text()))
    }

    /// Line and column of a place in the text.
    pub fn line_col(&self, offset: TextSize, encoding: Encoding) -> LineCol {
        let (text, lines) = (self.text(), self.lines());
        let line = lines.line_of(offset);
        let range = lines.line_range(line);
        let units = match encoding {
            _ if u32::from(range.len()) <= LONG_LINE => return lines.line_col(text, offset, encoding),
            Encoding::Utf8 => return lines.line_col(text, offset, encoding),
            Encoding::Utf16 => &self.units[0],
            Encoding::Utf32 => &self.units[1],
        };
        let units = units.get_or_init(|| UnitIndex::new(text, encoding));
        let at = between_characters(text, offset);
        let col = units.before(text, at) - units.before(text, range.start().into());
        LineCol { line, col }
    }
}

/// Parses a text, from an earlier parse where there is one. A parser that panics costs the file
/// its statements, not the server its life.
fn parse(text: &Arc<str>, before: Option<Before>) -> SourceFile {
    let incremental = before.and_then(|before| {
        catch_unwind(AssertUnwindSafe(|| before.source.edit(Arc::clone(text), &before.edits))).ok()
    });
    let fresh = || catch_unwind(AssertUnwindSafe(|| SourceFile::parse(Arc::clone(text)))).ok();
    incremental.or_else(fresh).unwrap_or_else(|| SourceFile::parse("".into()))
}
