//! Conversion of internal types to LSP types, of text changes to LSP edits, and of markup to the format
//! of the client.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use tower_lsp::ls_types::{
    CodeDescription, CreateFile, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
    DocumentChangeOperation, DocumentChanges, Location, MarkupContent, MarkupKind, NumberOrString, OneOf,
    OptionalVersionedTextDocumentIdentifier, Range, ResourceOp, SymbolInformation, SymbolKind,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

use super::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_host::{PathStyle, exists, test_path};
use mangle_ide::fixes::difference;
use mangle_ide::markup::Markup;
use mangle_report::sink;
use mangle_syntax::lint;
use mangle_syntax::lint::{FileEdit, Severity};
use mangle_syntax::text::{FileId, TextRange, text_len, with_line_ends};
use piggyback::envelope::secrets::{SecretContext, redacted};

/// Returns the URI of a file, in the spelling of the client if the file is open.
pub(super) fn uri(file: &SnapshotFile) -> Option<Uri> {
    match &file.open {
        Some(open) => open.uri.parse().ok(),
        None => path_uri(&file.path),
    }
}

/// Returns the URI of a path. For a document that is not on disk, the path is the URI.
pub(super) fn path_uri(path: &Path) -> Option<Uri> {
    if !path.is_absolute() {
        return path.to_str()?.parse().ok();
    }
    // Windows paths are text. Paths of other systems may contain arbitrary bytes.
    PathStyle::HERE.uri_of_path(path.as_os_str().as_encoded_bytes()).parse().ok()
}

/// Returns the location of a range, if the file still exists.
pub(super) fn location(view: &View, file: FileId, bytes: TextRange) -> Option<Location> {
    let file = view.shown(file)?;
    Some(Location { uri: uri(file)?, range: view.range(file, bytes) })
}

#[expect(deprecated, reason = "the type has the member")]
pub(super) fn symbol_information(
    name: &str,
    kind: SymbolKind,
    location: Location,
    container: Option<&str>,
) -> SymbolInformation {
    SymbolInformation {
        name: name.to_owned(),
        kind,
        tags: None,
        deprecated: None,
        location,
        container_name: container.map(str::to_owned),
    }
}

pub(super) fn diagnostic(view: &View, file: &SnapshotFile, diagnostic: &lint::Diagnostic) -> Diagnostic {
    with_secrets(view, file, diagnostic, &around(file, diagnostic.range))
}

/// Converts the diagnostics of `file`, sorted by start. Nearby diagnostics share one search for
/// secrets.
pub(super) fn diagnostics<'d>(
    view: &View,
    file: &SnapshotFile,
    found: impl IntoIterator<Item = &'d lint::Diagnostic>,
) -> Vec<Diagnostic> {
    let mut block: Option<(TextRange, Cow<'_, SecretContext>)> = None;
    let mut all = Vec::new();
    for one in found {
        let needed = nearby(file, one.range, 0);
        if !block.as_ref().is_some_and(|(known, _)| known.contains_range(needed)) {
            let wide = nearby(file, one.range, BLOCK);
            block = Some((wide, secrets_in(file, wide)));
        }
        if let Some((_, secrets)) = &block {
            all.push(with_secrets(view, file, one, secrets));
        }
    }
    all
}

fn with_secrets(
    view: &View,
    file: &SnapshotFile,
    diagnostic: &lint::Diagnostic,
    secrets: &SecretContext,
) -> Diagnostic {
    Diagnostic {
        range: view.range(file, diagnostic.range),
        severity: Some(severity(diagnostic.severity)),
        code: Some(NumberOrString::String(diagnostic.rule.name.into())),
        code_description: code_description(diagnostic.rule).filter(|_| view.session.code_description),
        source: Some(NAME.into()),
        message: sink::lines(&secrets.redacted(&diagnostic.headline_and_notes())),
        related_information: related(view, diagnostic),
        tags: None,
        data: view.session.diagnostic_data.then(|| serde_json::json!({ "code": diagnostic.rule.code })),
    }
}

/// In bytes: the distance around a position in a long text that is searched for secrets, because a
/// message may quote them.
const AROUND: u32 = 4096;

/// In bytes: a text up to this length is searched once for all its messages.
const SHORT: usize = 64 << 10;

/// In bytes: the additional length after a position that is searched for subsequent positions.
const BLOCK: u32 = 64 << 10;

/// Returns the secrets around a range, because messages may quote parts of them.
fn around(file: &SnapshotFile, range: TextRange) -> Cow<'_, SecretContext> {
    secrets_in(file, nearby(file, range, 0))
}

/// Returns the range to search: the surroundings of `range`, and `more` bytes after them.
fn nearby(file: &SnapshotFile, range: TextRange, more: u32) -> TextRange {
    let start = u32::from(range.start()).saturating_sub(AROUND);
    let end = u32::from(range.end()).saturating_add(AROUND).saturating_add(more);
    TextRange::new(start.into(), end.min(u32::from(text_len(file.text()))).max(start).into())
}

fn secrets_in(file: &SnapshotFile, range: TextRange) -> Cow<'_, SecretContext> {
    let text = file.text();
    if text.len() <= SHORT {
        return Cow::Borrowed(file.secrets());
    }
    let bytes = text.as_bytes().get(range.start().into()..range.end().into()).unwrap_or(&[]);
    Cow::Owned(SecretContext::from_text(&String::from_utf8_lossy(bytes)))
}

/// Returns the page of a rule. Editors open the URL unchanged, so a file path would not work.
fn code_description(rule: &lint::Rule) -> Option<CodeDescription> {
    Some(CodeDescription { href: rule.address()?.parse().ok()? })
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Information => DiagnosticSeverity::INFORMATION,
        Severity::Hint => DiagnosticSeverity::HINT,
    }
}

fn related(view: &View, diagnostic: &lint::Diagnostic) -> Option<Vec<DiagnosticRelatedInformation>> {
    if !view.session.related_information || diagnostic.related.is_empty() {
        return None;
    }
    let places = diagnostic.related.iter().filter_map(|place| {
        let location = location(view, place.file, place.range)?;
        let text = view.shown(place.file)?;
        let message = sink::lines(&around(text, place.range).redacted(&place.message));
        Some(DiagnosticRelatedInformation { location, message })
    });
    Some(places.collect())
}

/// The name of the server and the source of diagnostics.
pub(super) const NAME: &str = "mangle-ls";

/// Returns the edit to these texts. Returns `None` if nothing differs, or if a document is
/// suspect.
pub(super) fn workspace_edit_of_texts<'t>(
    view: &View,
    texts: impl IntoIterator<Item = (FileId, &'t str)>,
) -> Option<WorkspaceEdit> {
    let mut edits = Vec::new();
    for (file, new) in texts {
        let old = view.snapshot.file(file)?;
        let changes = difference(old.text(), new).into_iter();
        edits.extend(changes.map(|(range, text)| FileEdit { file, range, text }));
    }
    workspace_edit(view, &edits).filter(|_| !edits.is_empty())
}

/// Returns the edit that appends a text to the test file of a policy. A missing file is created.
/// Returns `None` for a document that is not on disk, or if the client cannot create files.
pub(super) fn test_file_edit(view: &View, file: &SnapshotFile, text: &str) -> Option<WorkspaceEdit> {
    if !view.snapshot.is_editable(file.id) {
        return None;
    }
    let path = test_path(&file.path);
    let known = view.snapshot.id(&path).and_then(|id| view.snapshot.file(id));
    if let Some(tests) = known {
        return workspace_edit(view, &[appended(tests, text)]);
    }
    // An existing file that is not in the workspace (ignored by git, too large) is not
    // overwritten.
    if !view.session.create_files || !path.is_absolute() || exists(&path) {
        return None;
    }
    let uri = path_uri(&path)?;
    let create = CreateFile { uri: uri.clone(), options: None, annotation_id: None };
    let text_document = OptionalVersionedTextDocumentIdentifier { uri, version: None };
    let new_text = with_line_ends(file.text(), format!("{text}\n"));
    let edits = vec![OneOf::Left(TextEdit { range: Range::default(), new_text })];
    let operations = vec![
        DocumentChangeOperation::Op(ResourceOp::Create(create)),
        DocumentChangeOperation::Edit(TextDocumentEdit { text_document, edits }),
    ];
    let document_changes = Some(DocumentChanges::Operations(operations));
    Some(WorkspaceEdit { document_changes, ..WorkspaceEdit::default() })
}

/// Returns the edit that appends a text to a test file, after a blank line.
pub(super) fn appended(tests: &SnapshotFile, text: &str) -> FileEdit {
    let gap = match tests.text() {
        before if before.is_empty() || before.ends_with("\n\n") => "",
        before if before.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    let text = with_line_ends(tests.text(), format!("{gap}{text}\n"));
    FileEdit { file: tests.id, range: TextRange::empty(text_len(tests.text())), text }
}

/// Returns `None` if an edit affects a suspect document.
pub(super) fn workspace_edit(view: &View, edits: &[FileEdit]) -> Option<WorkspaceEdit> {
    let mut files: Vec<(FileId, Vec<TextEdit>)> = Vec::new();
    for edit in edits {
        let file = view.shown(edit.file).filter(|file| view.snapshot.is_editable(file.id))?;
        let new = TextEdit { range: view.range(file, edit.range), new_text: edit.text.clone() };
        match files.iter_mut().find(|(id, _)| *id == edit.file) {
            Some((_, edits)) => edits.push(new),
            None => files.push((edit.file, vec![new])),
        }
    }
    let named = files.into_iter().map(|(id, edits)| {
        let file = view.shown(id)?;
        Some((uri(file)?, file.open.as_ref().map(|open| open.version), edits))
    });
    let named: Vec<(Uri, Option<i32>, Vec<TextEdit>)> = named.collect::<Option<_>>()?;
    Some(if view.session.document_changes {
        let edit = |(uri, version, edits): (Uri, Option<i32>, Vec<TextEdit>)| TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
            edits: edits.into_iter().map(OneOf::Left).collect(),
        };
        let edits = named.into_iter().map(edit).collect();
        WorkspaceEdit { document_changes: Some(DocumentChanges::Edits(edits)), ..WorkspaceEdit::default() }
    } else {
        let changes: HashMap<_, _> = named.into_iter().map(|(uri, _, edits)| (uri, edits)).collect();
        WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
    })
}

/// The hover formats that the client supports, in order of preference.
pub(super) fn formats(view: &View) -> Option<&Vec<MarkupKind>> {
    view.session.client.text_document.as_ref()?.hover.as_ref()?.content_format.as_ref()
}

/// Returns Markdown if the client supports it, or plain text.
pub(super) fn markup(markup: &Markup, formats: Option<&Vec<MarkupKind>>) -> MarkupContent {
    let (kind, value) = match formats.is_some_and(|formats| formats.contains(&MarkupKind::Markdown)) {
        true => (MarkupKind::Markdown, markup.to_markdown()),
        false => (MarkupKind::PlainText, markup.to_plain()),
    };
    MarkupContent { kind, value: sink::lines(&redacted(&value)) }
}
