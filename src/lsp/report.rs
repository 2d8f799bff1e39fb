//! Diagnostics of one file for the client with their fingerprint, and lists that are pushed to clients
//! that do not pull.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use tower_lsp::ls_types::{Diagnostic, DiagnosticSeverity, NumberOrString, PublishDiagnosticsParams, Uri};

use super::client::Outbox;
use super::to_proto;
use super::to_proto::NAME;
use super::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_report::{shown_in_editor, sink};
use mangle_syntax::lint;
use mangle_syntax::text::{FileId, TextRange};
use piggyback::envelope::secrets::redacted;

/// The diagnostics of a file whose programs were diagnosed.
pub(super) struct FileReport<'v> {
    view: &'v View,
    file: &'v SnapshotFile,
    diagnostics: Vec<&'v lint::Diagnostic>,
    /// Summaries of the findings over the limit.
    rest: Vec<lint::Diagnostic>,
    /// The URI of another opening of the file, if the analysis uses its different text.
    active_uri: Option<String>,
}

impl<'v> FileReport<'v> {
    pub(super) fn new(view: &'v View, file: &'v SnapshotFile) -> Self {
        let found = view.snapshot.diagnostics(file.id);
        let (diagnostics, rest) = shown_in_editor(found, view.snapshot.max_findings(file.id));
        Self { view, file, diagnostics, rest, active_uri: None }
    }

    fn all(&self) -> impl Iterator<Item = &lint::Diagnostic> {
        self.diagnostics.iter().copied().chain(&self.rest)
    }

    /// Diagnostics for an opening of a file. `is_same` is true if its text is used for the
    /// analysis.
    pub(super) fn of_opening(view: &'v View, file: &'v SnapshotFile, is_same: bool) -> Self {
        if is_same {
            return Self::new(view, file);
        }
        let counting = view.snapshot.file(file.id).and_then(|file| to_proto::uri(file));
        let counts_elsewhere = Some(counting.map_or_else(String::new, |uri| uri.as_str().to_owned()));
        Self { view, file, diagnostics: Vec::new(), rest: Vec::new(), active_uri: counts_elsewhere }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.diagnostics.is_empty() && self.active_uri.is_none()
    }

    /// Identifies the opening of the document.
    pub(super) fn opening(&self) -> Option<Arc<str>> {
        self.file.open.as_ref().map(|open| Arc::clone(&open.uri))
    }

    /// Returns a number that changes when the displayed diagnostics change.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hasher = FxHasher::default();
        if let Some(uri) = &self.active_uri {
            uri.hash(&mut hasher);
        }
        for diagnostic in self.all() {
            (diagnostic.rule.code, diagnostic.severity, &diagnostic.message, &diagnostic.notes)
                .hash(&mut hasher);
            self.hash_place(self.file.id, diagnostic.range, &mut hasher);
            for related in &diagnostic.related {
                related.message.hash(&mut hasher);
                self.hash_place(related.file, related.range, &mut hasher);
            }
        }
        hasher.finish()
    }

    /// Hashes lines and columns instead of bytes, because either can change alone. Hashes the URI,
    /// because the client may have opened the file at a different URI.
    fn hash_place(&self, file: FileId, range: TextRange, hasher: &mut FxHasher) {
        file.hash(hasher);
        if let Some(file) = self.view.shown(file) {
            to_proto::uri(file).map(|uri| uri.as_str().to_owned()).hash(hasher);
            let range = self.view.range(file, range);
            (range.start.line, range.start.character, range.end.line, range.end.character).hash(hasher);
        }
    }

    /// Returns the id of this list: the version of the document and the fingerprint.
    pub(super) fn id(&self) -> ResultId {
        ResultId {
            version: self.file.open.as_ref().map(|open| open.version),
            fingerprint: self.fingerprint(),
        }
    }

    pub(super) fn items(&self) -> Vec<Diagnostic> {
        let items = self.all().map(|diagnostic| to_proto::diagnostic(self.view, self.file, diagnostic));
        items.chain(self.active_uri.iter().map(|uri| counts_elsewhere(uri))).collect()
    }
}

/// The code of a diagnostic about the editor's documents. No rule has this code, because the texts
/// are not affected.
const OPEN_TWICE: &str = "open-twice";

/// The diagnostic of a document whose file is also open at another URI with a different text.
fn counts_elsewhere(uri: &str) -> Diagnostic {
    let uri = sink::lines(&redacted(uri));
    Diagnostic {
        severity: Some(DiagnosticSeverity::INFORMATION),
        code: Some(NumberOrString::String(OPEN_TWICE.into())),
        source: Some(NAME.into()),
        message: format!(
            "this file is also open as {uri}, with another text\n\
             findings and answers use that text until both are the same"
        ),
        ..Diagnostic::default()
    }
}

/// A result id of the pull protocol: `7:00ff…`, or `-:00ff…` for a document that is not open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResultId {
    pub(super) version: Option<i32>,
    pub(super) fingerprint: u64,
}

impl ResultId {
    /// The id of an empty list for a deleted file.
    pub(super) fn gone() -> Self {
        Self { version: None, fingerprint: FxHasher::default().finish() }
    }

    /// True if `known`, a result id from the client, identifies the same list.
    pub(super) fn is_same_as(self, known: &str) -> bool {
        let fingerprint = known.rsplit(':').next().and_then(|hex| u64::from_str_radix(hex, 16).ok());
        fingerprint == Some(self.fingerprint)
    }
}

impl std::fmt::Display for ResultId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.version {
            Some(version) => write!(f, "{version}:{:016x}", self.fingerprint),
            None => write!(f, "-:{:016x}", self.fingerprint),
        }
    }
}

/// The documents whose diagnostics are pushed, by the client's capabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PushScope {
    /// The client cannot pull: all documents.
    All,
    /// The client pulls open documents: documents that are not open.
    ClosedDocuments,
    /// The client pulls the workspace: configuration files and other files without a program.
    OutsidePrograms,
}

impl PushScope {
    /// True if diagnostics of this file are pushed.
    fn includes(self, view: &View, file: &SnapshotFile) -> bool {
        match self {
            Self::All => true,
            Self::ClosedDocuments => view.snapshot.is_outside_programs(file.id) || file.open.is_none(),
            Self::OutsidePrograms => view.snapshot.is_outside_programs(file.id),
        }
    }
}

/// The last pushed diagnostics, by URI, because a file can be open at several URIs.
#[derive(Debug, Default)]
pub(super) struct Publisher {
    published: FxHashMap<String, PublishedDocument>,
}

#[derive(Debug)]
struct PublishedDocument {
    uri: Uri,
    result: ResultId,
    /// Identifies the opening of the document.
    opening: Option<Arc<str>>,
}

impl PartialEq for PublishedDocument {
    /// Compares the opening also, because editors discard diagnostics when a document is opened
    /// again, for example Neovim at `:edit!`.
    fn eq(&self, other: &Self) -> bool {
        let same_opening = match (&self.opening, &other.opening) {
            (Some(one), Some(another)) => Arc::ptr_eq(one, another),
            (one, another) => one.is_none() && another.is_none(),
        };
        same_opening && self.result == other.result
    }
}

impl Publisher {
    /// Pushes changed diagnostics: open documents first, and each new version of them even without
    /// other changes. Stops if the view is outdated.
    ///
    /// The view must have been diagnosed. Returns true if everything was sent.
    pub(super) fn publish(&mut self, view: &View, audience: PushScope, outbox: &Outbox) -> bool {
        let reported = view.snapshot.reported();
        let further = view
            .snapshot
            .further_openings()
            .into_iter()
            .filter(|opening| reported.binary_search(&opening.file.id).is_ok());
        let files = reported.iter().filter_map(|id| view.snapshot.file(*id)).map(|file| (file, true));
        let further = further.map(|opening| (&opening.file, opening.is_same));
        let mut all: Vec<_> = files.chain(further).collect();
        all.retain(|(file, _)| audience.includes(view, file));
        all.sort_by_key(|(file, _)| file.open.is_none());
        let mut uris = FxHashSet::default();
        for (file, is_same) in all {
            if view.is_outdated() {
                return false;
            }
            let Some(uri) = to_proto::uri(file) else { continue };
            uris.insert(uri.as_str().to_owned());
            self.publish_file(uri, &FileReport::of_opening(view, file, is_same), outbox);
        }
        self.clear_all_but(&uris, outbox);
        true
    }

    fn publish_file(&mut self, uri: Uri, report: &FileReport<'_>, outbox: &Outbox) {
        let opening = report.opening();
        let now = PublishedDocument { uri: uri.clone(), result: report.id(), opening };
        let before = self.published.get(uri.as_str());
        if before == Some(&now) || before.is_none() && report.is_empty() && now.opening.is_none() {
            return;
        }
        let params = PublishDiagnosticsParams::new(uri.clone(), report.items(), now.result.version);
        outbox.notify("textDocument/publishDiagnostics", params);
        self.published.insert(uri.as_str().to_owned(), now);
    }

    /// Clears the diagnostics of documents that are no longer reported.
    fn clear_all_but(&mut self, uris: &FxHashSet<String>, outbox: &Outbox) {
        self.published.retain(|uri, published| {
            let keep = uris.contains(uri);
            if !keep {
                clear(published.uri.clone(), outbox);
            }
            keep
        });
    }
}

fn clear(uri: Uri, outbox: &Outbox) {
    outbox.notify("textDocument/publishDiagnostics", PublishDiagnosticsParams::new(uri, Vec::new(), None));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_say_the_version_and_compare_by_content() {
        let id = ResultId { version: Some(7), fingerprint: 255 };
        assert_eq!(id.to_string(), "7:00000000000000ff");
        assert!(id.is_same_as("3:00000000000000ff"));
        assert!(!id.is_same_as("7:00000000000000fe") && !id.is_same_as("rubbish") && !id.is_same_as(""));
    }
}
