//! Diagnostics of one file for the client, and their fingerprint.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::FxHasher;
use tower_lsp::ls_types::{Diagnostic, DiagnosticSeverity, NumberOrString};

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
