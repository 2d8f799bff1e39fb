//! Conversion of internal types to LSP types.

use std::borrow::Cow;
use std::path::Path;

use tower_lsp::ls_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
    SymbolInformation, SymbolKind, Uri,
};

use super::view::View;
use mangle_host::PathStyle;
use mangle_host::workspace::SnapshotFile;
use mangle_report::sink;
use mangle_syntax::lint;
use mangle_syntax::lint::Severity;
use mangle_syntax::text::{FileId, TextRange, text_len};
use piggyback::envelope::secrets::SecretContext;

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
