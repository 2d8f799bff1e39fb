//! An open document: the text of the editor with its edits, and the parsed file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::file::{OpenState, SnapshotFile};
use crate::ResolvedPath;
use crate::versions::shown_runtime;
use mangle_syntax::text::{Document, EditError, Encoding, FileId, Half, SentChange, TextEdit};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Policy,
    /// A `mangle-ls.toml`.
    Configuration,
    /// Any other text, which may be a transcript.
    Other,
}

/// The reason why the changes of a version were not applied. The document is suspect afterwards
/// ([`OpenState::suspect`]).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// A change does not fit the text.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The version is not greater than the previous one, as the protocol requires.
    #[error("version {sent} follows version {known}")]
    Version {
        /// The received version.
        sent: i32,
        /// The previous version.
        known: i32,
    },
    #[error("the document is not open")]
    NotOpen,
}

/// A document that is open in the editor. Edits change the text immediately. The file for
/// snapshots is created on request, from all edits since the last request.
#[derive(Debug)]
pub(super) struct OpenDocument {
    kind: Kind,
    version: i32,
    suspect: bool,
    /// The file on disk starts with a byte order mark.
    marked: bool,
    document: Document,
    /// The edits between the text of `file` and the text of `document`.
    edits: Vec<TextEdit>,
    changed: bool,
    /// The position of a missing version number, if any.
    gap: Option<Gap>,
    /// The number of the last edit, counted over all documents. 0 before the first edit.
    last_edit: u64,
    /// The runtime that the text indicated at the last search for programs.
    shown: Option<&'static str>,
    file: Arc<SnapshotFile>,
    /// The path in the URI, and its resolved target.
    path: ResolvedPath,
}

impl OpenDocument {
    pub(super) fn new(
        id: FileId,
        path: Arc<Path>,
        kind: Kind,
        uri: Arc<str>,
        version: i32,
        text: &str,
    ) -> Self {
        let open = OpenState { uri, version, text: text.into(), suspect: false, marked: false };
        let (document, edits) = (Document::new(text), Vec::new());
        let file = Arc::new(match kind {
            Kind::Policy => SnapshotFile::opened(id, path, open),
            Kind::Configuration | Kind::Other => {
                let text = Arc::clone(&open.text);
                SnapshotFile::non_mangle(id, path, Some(open), text)
            }
        });
        let path = ResolvedPath::default();
        Self {
            kind,
            version,
            suspect: false,
            marked: false,
            document,
            edits,
            changed: false,
            gap: None,
            last_edit: 0,
            shown: None,
            file,
            path,
        }
    }

    /// Sets the path of the URI.
    pub(super) fn at(self, path: ResolvedPath) -> Self {
        Self { path, ..self }
    }

    /// Updates the resolved target of the URI's path.
    pub(super) fn resolve(&mut self, path: ResolvedPath) {
        self.path = path;
    }

    /// The path in the URI, and its resolved target.
    pub(super) fn resolved(&self) -> &ResolvedPath {
        &self.path
    }

    /// Sets the number of the last edit.
    pub(super) fn note_edit(&mut self, number: u64) {
        self.last_edit = number;
    }

    /// The number of the last edit, counted over all documents. 0 before the first edit.
    pub(super) fn last_edit(&self) -> u64 {
        self.last_edit
    }

    /// Records the runtime that the text indicates. Called at a search for programs.
    pub(super) fn note_runtime(&mut self) {
        self.shown = self.runtime();
    }

    /// True if the text indicates a different runtime than at the last search for programs, so
    /// that other versions may apply.
    pub(super) fn shows_other_runtime(&mut self) -> bool {
        self.runtime() != self.shown
    }

    fn runtime(&mut self) -> Option<&'static str> {
        if self.kind != Kind::Policy {
            return None;
        }
        shown_runtime(&self.flushed_text()).map(|(runtime, _)| runtime.name())
    }

    /// The URI in the spelling of the editor.
    pub(super) fn uri(&self) -> &str {
        self.file.open.as_ref().map_or("", |open| &open.uri)
    }

    pub(super) fn id(&self) -> FileId {
        self.file.id
    }

    /// Changes the file id of the document. Needed if a link in its path now has an identity of
    /// its own, or no longer has one.
    pub(super) fn moved(mut self, id: FileId, path: Arc<Path>) -> Self {
        let text = self.flushed_text();
        let Some(open) = self.file.open.clone() else { return self };
        self.file = Arc::new(match self.kind {
            Kind::Policy => SnapshotFile::opened(id, path, open),
            Kind::Configuration | Kind::Other => SnapshotFile::non_mangle(id, path, Some(open), text),
        });
        self
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// The absolute path, or the URI of a document that is not on disk.
    pub(super) fn path(&self) -> &Path {
        &self.file.path
    }

    /// The text as of the last [`OpenDocument::flush`].
    pub(super) fn text(&self) -> Arc<str> {
        self.file.open.as_ref().map_or_else(|| Arc::clone(self.file.text()), |open| Arc::clone(&open.text))
    }

    /// The current text.
    pub(super) fn flushed_text(&mut self) -> Arc<str> {
        self.flush();
        self.text()
    }

    /// The file as of the last [`OpenDocument::flush`].
    pub(super) fn file(&self) -> &Arc<SnapshotFile> {
        &self.file
    }

    /// Sets the unpaired surrogates that were replaced with U+FFFD in the opened text.
    pub(super) fn opened_with(&mut self, text: &str, halves: &[Half]) {
        if !halves.is_empty() {
            self.document = Document::with_halves(text, halves);
        }
    }

    /// True if the text may differ from the editor's; see [`OpenState::suspect`].
    pub(super) fn is_suspect(&self) -> bool {
        self.suspect
    }

    /// Marks the document as suspect, because an edit was lost.
    pub(super) fn mark_suspect(&mut self) {
        self.changed |= !self.suspect;
        self.suspect = true;
        self.gap = None;
    }

    /// Sets the flag for a byte order mark on disk. Returns true if it changed.
    pub(super) fn set_marked(&mut self, marked: bool) -> bool {
        let is_different = std::mem::replace(&mut self.marked, marked) != marked && self.kind == Kind::Policy;
        self.changed |= is_different;
        is_different
    }

    /// Applies the changes of one version in order. A missing version that arrives late is
    /// inserted at its place.
    ///
    /// A change that replaces the whole text makes earlier changes irrelevant and ends the suspect
    /// state. Until then, a suspect document is left unchanged, because positions are unreliable.
    ///
    /// # Errors
    ///
    /// If a change cannot be applied or the version is out of order. No change is applied then,
    /// and the document is suspect.
    pub(super) fn change(
        &mut self,
        version: i32,
        changes: &[SentChange],
        encoding: Encoding,
    ) -> Result<(), ChangeError> {
        let known = self.version;
        self.version = known.max(version);
        self.changed = true;
        if let Some(mut gap) = self.gap.take_if(|gap| version < known && gap.is_missing(version)) {
            gap.add(version, changes);
            return self.redo_since(gap, encoding);
        }
        let whole = changes.iter().rposition(|sent| sent.change.range.is_none());
        if whole.is_some() {
            self.version = version;
            self.gap = None;
        } else if version <= known && !self.suspect {
            self.mark_suspect();
            return Err(ChangeError::Version { sent: version, known });
        } else {
            self.note_version(known, version, changes);
        }
        if whole.is_none() && self.suspect {
            return Ok(());
        }
        self.apply_all(changes.get(whole.unwrap_or(0)..).unwrap_or_default(), encoding)
    }

    /// Stores the data that is needed to insert a late version.
    fn note_version(&mut self, known: i32, version: i32, changes: &[SentChange]) {
        let is_gap = !self.suspect && known.checked_add(1).is_some_and(|next| next < version);
        let before = || Gap::after_version(self.document.clone(), known);
        let gap = self.gap.take().or_else(|| is_gap.then(before));
        self.gap = gap.and_then(|mut gap| {
            gap.add(version, changes);
            gap.if_open()
        });
    }

    /// Reapplies all changes since a gap in the order of their versions.
    fn redo_since(&mut self, gap: Gap, encoding: Encoding) -> Result<(), ChangeError> {
        let (document, in_order) = gap.in_order();
        self.gap = gap.if_open();
        let before = std::mem::replace(&mut self.document, document);
        let edits = self.edits.len();
        let applied = self.apply_all(&in_order, encoding);
        self.edits.truncate(edits);
        match applied {
            Ok(()) => self.edits.push(TextEdit::between(&before.text(), &self.document.text())),
            Err(_) => self.document = before,
        }
        applied
    }

    /// Applies all changes in order, or none. The document becomes suspect if a change does not
    /// fit.
    fn apply_all(&mut self, changes: &[SentChange], encoding: Encoding) -> Result<(), ChangeError> {
        let (document, edits) = (self.document.clone(), self.edits.len());
        let applied = changes.iter().try_for_each(|sent| self.apply(sent, encoding));
        self.suspect = applied.is_err();
        if applied.is_err() {
            self.document = document;
            self.edits.truncate(edits);
        }
        Ok(applied?)
    }

    fn apply(&mut self, sent: &SentChange, encoding: Encoding) -> Result<(), EditError> {
        // A client that sends whole texts still changes only a few bytes at a time.
        let before = sent.change.range.is_none().then(|| self.document.text());
        let edit = self.document.apply_halved(&sent.change, &sent.halves, encoding)?;
        self.edits.push(match before {
            Some(before) => TextEdit::between(&before, &self.document.text()),
            None => edit,
        });
        Ok(())
    }

    /// Creates a new file from the edits since the last call. Returns true if the file changed.
    pub(super) fn flush(&mut self) -> bool {
        if !std::mem::take(&mut self.changed) {
            return false;
        }
        let edits = std::mem::take(&mut self.edits);
        let text: Arc<str> = if edits.is_empty() { self.text() } else { self.document.text().into() };
        let Some(before) = &self.file.open else { return false };
        let uri = Arc::clone(&before.uri);
        let Self { version, suspect, marked, .. } = *self;
        let open = OpenState { uri, version, text, suspect, marked };
        self.file = Arc::new(match self.kind {
            Kind::Policy => self.file.edited(open, edits),
            Kind::Configuration | Kind::Other => {
                let text = Arc::clone(&open.text);
                SnapshotFile::non_mangle(self.file.id, Arc::clone(&self.file.path), Some(open), text)
            }
        });
        true
    }
}

/// The maximum number of versions that are kept after a gap. Some editors skip version numbers at
/// each edit.
const MAX_VERSIONS: usize = 32;

/// A text, and the versions received since a version was missing.
#[derive(Debug, Clone)]
struct Gap {
    /// The text before the gap.
    document: Document,
    /// The version before the gap.
    version: i32,
    /// The changes of each version received since.
    later: BTreeMap<i32, Vec<SentChange>>,
}

impl Gap {
    /// A gap after a version of a document.
    fn after_version(document: Document, version: i32) -> Self {
        Self { document, version, later: BTreeMap::new() }
    }

    /// True if `version` may still arrive.
    fn is_missing(&self, version: i32) -> bool {
        version > self.version && !self.later.contains_key(&version)
    }

    fn add(&mut self, version: i32, changes: &[SentChange]) {
        self.later.insert(version, changes.to_vec());
    }

    /// Returns the gap while a missing version is still expected. Returns `None` if the gap is
    /// filled or too old.
    fn if_open(self) -> Option<Self> {
        let last = self.later.last_key_value().map_or(self.version, |(version, _)| *version);
        let expected = i64::from(last) - i64::from(self.version);
        let is_filled = i64::try_from(self.later.len()).is_ok_and(|count| count == expected);
        (!is_filled && self.later.len() <= MAX_VERSIONS).then_some(self)
    }

    /// Returns the text before the gap, and the changes since then in version order.
    fn in_order(&self) -> (Document, Vec<SentChange>) {
        (self.document.clone(), self.later.values().flatten().cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use mangle_syntax::text::{ContentChange, LineCol};

    fn open(text: &str) -> OpenDocument {
        OpenDocument::new(FileId(0), Path::new("/a.mg").into(), Kind::Policy, "file:///a.mg".into(), 1, text)
    }

    fn at(line: u32, col: u32) -> LineCol {
        LineCol { line, col }
    }

    fn text(document: &mut OpenDocument) -> String {
        document.flush();
        document.file().text().to_string()
    }

    #[test]
    fn a_failed_edit_keeps_the_text_and_is_remembered() {
        let mut document = open("p(1).\n");
        let bad = ContentChange { range: Some((at(9, 0), at(9, 0))), text: "x".into() };
        assert!(document.change(2, &[bad.into()], Encoding::Utf8).is_err());
        assert_eq!(text(&mut document), "p(1).\n");
        let open = document.file().open.clone().unwrap();
        assert!(open.suspect && open.version == 2);
        let whole = ContentChange { range: None, text: "q(2).\n".into() };
        document.change(3, &[whole.into()], Encoding::Utf8).unwrap();
        assert_eq!(text(&mut document), "q(2).\n");
        assert!(!document.is_suspect());
    }

    #[test]
    fn a_version_that_does_not_grow_makes_suspect() {
        let insert = || ContentChange { range: Some((at(0, 0), at(0, 0))), text: "x".into() };
        for version in [1, 0] {
            let mut document = open("p(1).\n");
            let error = document.change(version, &[insert().into()], Encoding::Utf8).unwrap_err();
            assert_eq!(error, ChangeError::Version { sent: version, known: 1 });
            document.change(7, &[insert().into()], Encoding::Utf8).unwrap();
            assert_eq!(text(&mut document), "p(1).\n", "no place is certain any more");
        }
        let mut document = open("p(1).\n");
        document.change(9, &[insert().into()], Encoding::Utf8).unwrap();
        assert!(!document.is_suspect(), "versions may leave numbers out");
    }

    #[test]
    fn a_version_that_comes_late_is_put_in_its_place() {
        let insert = |line, col, text: &str| {
            SentChange::from(ContentChange { range: Some((at(line, col), at(line, col))), text: text.into() })
        };
        // Each edit fits the text after the previous edit.
        let sent = [insert(0, 0, "a"), insert(0, 1, "b\n\n"), insert(2, 0, "c"), insert(2, 1, "d")];
        let in_order = |order: &[usize]| {
            let mut document = open("p(1).\n");
            for at in order {
                let _ = document.change(*at as i32 + 2, &[sent[*at].clone()], Encoding::Utf8);
            }
            (text(&mut document), document.is_suspect(), document.file().open.as_ref().unwrap().version)
        };
        let expected = in_order(&[0, 1, 2, 3]);
        assert_eq!(expected, ("ab\n\ncdp(1).\n".into(), false, 5));
        for order in [[1, 0, 2, 3], [0, 2, 1, 3], [0, 2, 3, 1], [2, 1, 0, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
            assert_eq!(in_order(&order), expected, "{order:?}");
        }
        assert!(in_order(&[0, 2]).1, "what does not fit is suspect as long as a version is missing");
        assert!(in_order(&[1, 0, 0]).1, "a version comes once");
    }

    #[test]
    fn a_lost_edit_is_not_made_up_for_by_a_late_one() {
        let insert = || ContentChange { range: Some((at(0, 0), at(0, 0))), text: "x".into() };
        let mut document = open("p(1).\n");
        document.change(3, &[insert().into()], Encoding::Utf8).unwrap();
        document.mark_suspect();
        assert!(document.change(2, &[insert().into()], Encoding::Utf8).is_ok() && document.is_suspect());
    }

    #[test]
    fn only_so_many_versions_are_kept_behind_a_gap() {
        let insert = || [ContentChange { range: Some((at(0, 0), at(0, 0))), text: "x".into() }.into()];
        let mut document = open("p(1).\n");
        (2..40).for_each(|version| document.change(version * 2, &insert(), Encoding::Utf8).unwrap());
        assert!(document.change(3, &insert(), Encoding::Utf8).is_err());
    }

    #[test]
    fn changes_of_a_version_have_an_effect_together_or_not_at_all() {
        let mut document = open("p(1).\n");
        let good = ContentChange { range: Some((at(0, 2), at(0, 3))), text: "2".into() };
        let bad = ContentChange { range: Some((at(9, 0), at(9, 0))), text: "x".into() };
        assert!(document.change(2, &[good.into(), bad.into()], Encoding::Utf8).is_err());
        assert_eq!(text(&mut document), "p(1).\n");
    }

    #[test]
    fn changes_before_a_whole_text_do_not_matter() {
        let mut document = open("p(1).\n");
        let bad = ContentChange { range: Some((at(9, 0), at(9, 0))), text: "x".into() };
        let whole = ContentChange { range: None, text: "q(2).".into() };
        let more = ContentChange { range: Some((at(0, 2), at(0, 3))), text: "3".into() };
        document.change(2, &[bad.into(), whole.into(), more.into()], Encoding::Utf8).unwrap();
        assert_eq!(text(&mut document), "q(3).");
    }

    #[test]
    fn text_that_stops_and_starts_being_text() {
        let mut document = open("p(1).\n");
        for (version, new) in [(2, "\0\0\0"), (3, "q(2). r(3).")] {
            let whole = ContentChange { range: None, text: new.into() };
            document.change(version, &[whole.into()], Encoding::Utf8).unwrap();
            document.flush();
        }
        assert_eq!(document.file().source().items().len(), 2);
        assert!(document.file().findings.is_empty());
    }

    #[test]
    fn untouched_statements_stay_when_whole_texts_are_sent() {
        let facts = |changed: usize| -> String {
            (0..400)
                .map(|n| format!("p({}).\n", if n == changed { "/x".into() } else { n.to_string() }))
                .collect()
        };
        let ids = |document: &OpenDocument| -> Vec<_> {
            document.file().source().items().iter().map(|item| item.statement.id).collect()
        };
        let mut document = open(&facts(399));
        let before = ids(&document);
        let whole = ContentChange { range: None, text: facts(200) };
        document.change(2, &[whole.into()], Encoding::Utf8).unwrap();
        assert!(document.flush());
        assert_eq!(ids(&document).first(), before.first());
        assert!(!document.flush());
    }
}
