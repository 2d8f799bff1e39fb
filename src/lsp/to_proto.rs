//! From our types to the protocol's.

use std::borrow::Cow;
use std::path::Path;

use tower_lsp::ls_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
    Uri,
};

use super::view::View;
use crate::host::workspace::SnapshotFile;
use crate::report::sink;
use mangle_syntax::lint;
use mangle_syntax::lint::Severity;
use mangle_syntax::text::{FileId, TextRange};
use piggyback::envelope::secrets::SecretContext;

/// The URI of a file: as the client spells it while it is open there.
pub(super) fn uri(file: &SnapshotFile) -> Option<Uri> {
    match &file.open {
        Some(open) => open.uri.parse().ok(),
        None => path_uri(&file.path),
    }
}

/// The URI of a path; the path itself for a document that is not on disk.
pub(super) fn path_uri(path: &Path) -> Option<Uri> {
    if !path.is_absolute() {
        return path.to_str()?.parse().ok();
    }
    let mut text = String::from("file://");
    for &byte in path_bytes(path).iter() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text.parse().ok()
}

#[cfg(unix)]
fn path_bytes(path: &Path) -> &[u8] {
    use std::os::unix::ffi::OsStrExt as _;
    path.as_os_str().as_bytes()
}

/// `C:\x` → `/c:/x`
#[cfg(not(unix))]
fn path_bytes(path: &Path) -> Vec<u8> {
    let text = path.to_string_lossy().replace('\\', "/");
    let mut bytes = format!("/{text}").into_bytes();
    if let Some(drive) = bytes.get_mut(1) {
        drive.make_ascii_lowercase();
    }
    bytes
}

/// A range of a file, if the file is still there.
pub(super) fn location(view: &View, file: FileId, bytes: TextRange) -> Option<Location> {
    let file = view.shown(file)?;
    Some(Location { uri: uri(file)?, range: view.range(file, bytes) })
}

/// A diagnostic of `file`.
pub(super) fn diagnostic(view: &View, file: &SnapshotFile, diagnostic: &lint::Diagnostic) -> Diagnostic {
    Diagnostic {
        range: view.range(file, diagnostic.range),
        severity: Some(severity(diagnostic.severity)),
        code: Some(NumberOrString::String(diagnostic.rule.name.into())),
        code_description: code_description(diagnostic.rule).filter(|_| view.session.code_description),
        source: Some(NAME.into()),
        message: sink::lines(&around(file, diagnostic.range).redacted(&diagnostic.headline_and_notes())),
        related_information: related(view, diagnostic),
        tags: None,
        data: view.session.diagnostic_data.then(|| serde_json::json!({ "code": diagnostic.rule.code })),
    }
}

/// How far from a place in a long text secrets are looked for that a message about it may quote.
const AROUND: u32 = 4096;

/// How long a text is that is looked through once for all of its messages, in bytes.
const SHORT: usize = 64 << 10;

/// The secrets around a range, pieces of which messages may quote.
fn around(file: &SnapshotFile, range: TextRange) -> Cow<'_, SecretContext> {
    let text = file.text();
    if text.len() <= SHORT {
        return Cow::Borrowed(file.secrets());
    }
    let start = u32::from(range.start()).saturating_sub(AROUND) as usize;
    let end = (u32::from(range.end()).saturating_add(AROUND) as usize).min(text.len());
    let bytes = text.as_bytes().get(start..end).unwrap_or(&[]);
    Cow::Owned(SecretContext::of(&String::from_utf8_lossy(bytes)))
}

/// The page of a rule. Editors open it as it is, so that a path would lead them nowhere.
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

/// The name that diagnostics and the server itself go by.
pub(super) const NAME: &str = "mangle-ls";
