//! Pull diagnostics of one document and of the workspace.

use std::collections::HashMap;

use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::ls_types::{
    DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportKind,
    DocumentDiagnosticReportResult, FullDocumentDiagnosticReport, PreviousResultId,
    RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport,
    UnchangedDocumentDiagnosticReport, Uri, WorkspaceDocumentDiagnosticReport,
    WorkspaceFullDocumentDiagnosticReport, WorkspaceUnchangedDocumentDiagnosticReport,
};

use super::message::RequestRefusal;
use super::report::{FileReport, ResultId};
use super::to_proto;
use super::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_syntax::parallel;

/// `ServerCancelled` of the protocol.
const SERVER_CANCELLED: ErrorCode = ErrorCode::ServerError(-32802);

/// The minimum number of files per thread.
const MIN_FILES_PER_THREAD: usize = 64;

/// Returns the error for a pull after a concurrent edit, so that the client repeats it.
pub(super) fn refusal(refusal: RequestRefusal) -> Error {
    match refusal {
        RequestRefusal::Outdated => Error {
            code: SERVER_CANCELLED,
            message: "the text changed meanwhile".into(),
            data: Some(serde_json::json!({ "retriggerRequest": true })),
        },
        RequestRefusal::Panicked(panic) => {
            Error { message: panic.to_string().into(), ..Error::internal_error() }
        }
    }
}

/// Returns the diagnostics of one document.
///
/// # Errors
///
/// If the text was edited after the snapshot was taken.
pub(super) fn document(
    view: &View,
    params: &DocumentDiagnosticParams,
) -> Result<DocumentDiagnosticReportResult> {
    let uri = &params.text_document.uri;
    if let Some(opening) = view.snapshot.opening(uri.as_str()).filter(|opening| !opening.is_same) {
        let report = FileReport::of_opening(view, &opening.file, false);
        let full =
            FullDocumentDiagnosticReport { result_id: Some(report.id().to_string()), items: report.items() };
        let full = RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: full,
        };
        return Ok(DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Full(full)));
    }
    let Some(file) = view.file(uri) else {
        let nothing = RelatedFullDocumentDiagnosticReport::default();
        return Ok(DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Full(nothing)));
    };
    let was_settled = view.snapshot.is_settled(file.id);
    let report = FileReport::new(view, file);
    let id = report.id();
    let known = params.previous_result_id.as_deref().is_some_and(|known| id.is_same_as(known));
    let items = if known { Vec::new() } else { report.items() };
    if view.is_outdated() {
        return Err(refusal(RequestRefusal::Outdated));
    }
    view.pulled.tell(file.id, id.fingerprint);
    // Results that arrived meanwhile were compared with the client's previous diagnostics.
    if was_settled != view.snapshot.is_settled(file.id) {
        view.outbox.refresh_diagnostics();
    }
    let related_documents = others(view, file);
    let result_id = id.to_string();
    Ok(DocumentDiagnosticReportResult::Report(if known {
        DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
            related_documents,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
        })
    } else {
        DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents,
            full_document_diagnostic_report: FullDocumentDiagnosticReport {
                result_id: Some(result_id),
                items,
            },
        })
    }))
}

/// Returns the reports of other open documents in the same programs whose diagnostics changed,
/// because an edit of one document affects others. A client without support for related reports is
/// requested to pull again.
fn others(view: &View, file: &SnapshotFile) -> Option<HashMap<Uri, DocumentDiagnosticReportKind>> {
    let mut others = HashMap::new();
    let files = view.snapshot.programs_of(file.id).flat_map(|program| program.files.iter());
    let transcripts = view.snapshot.transcripts.iter().filter(|transcript| transcript.is_diagnosed());
    let files = files.chain(transcripts.map(|transcript| &transcript.file));
    for other in files.filter(|other| other.id != file.id && other.open.is_some()) {
        let report = FileReport::new(view, other);
        let id = report.id();
        if !view.pulled.is_outdated(other.id, id.fingerprint) {
            continue;
        }
        if !view.session.related_documents {
            if view.session.refresh {
                view.outbox.refresh_diagnostics();
            }
            return None;
        }
        view.pulled.tell(other.id, id.fingerprint);
        let full = FullDocumentDiagnosticReport { result_id: Some(id.to_string()), items: report.items() };
        others.extend(to_proto::uri(other).map(|uri| (uri, DocumentDiagnosticReportKind::Full(full))));
    }
    (!others.is_empty()).then_some(others)
}

/// Returns the changed diagnostics of all files as JSON, or `None` if nothing changed. The first
/// report also contains files without findings, so that the client has a result id for each. Files
/// without a program are excluded, because clients do not pull them and their diagnostics are
/// pushed.
///
/// # Errors
///
/// If a report cannot be serialized.
pub(super) fn workspace(view: &View, known: &[PreviousResultId]) -> serde_json::Result<Option<Vec<u8>>> {
    let first = known.is_empty();
    let mut known: HashMap<&str, &str> =
        known.iter().map(|known| (known.uri.as_str(), known.value.as_str())).collect();
    let mut files = Vec::new();
    for id in view.snapshot.reported() {
        let Some(file) = view.snapshot.file(id).filter(|_| !view.snapshot.is_outside_programs(id)) else {
            continue;
        };
        let Some(uri) = to_proto::uri(file) else { continue };
        let known = known.remove(uri.as_str());
        files.push((file, uri, known));
    }
    let items = parallel::map(&files, MIN_FILES_PER_THREAD, |(file, uri, known)| {
        Some(item(&FileReport::new(view, file), *known, first)?.into_json(uri.clone(), file))
    });
    let mut items = items.into_iter().flatten().collect::<serde_json::Result<Vec<_>>>()?;
    for opening in view.snapshot.further_openings() {
        let Some(uri) =
            to_proto::uri(&opening.file).filter(|_| !view.snapshot.is_outside_programs(opening.file.id))
        else {
            continue;
        };
        let report = FileReport::of_opening(view, &opening.file, opening.is_same);
        let known = known.remove(uri.as_str());
        if let Some(item) = item(&report, known, first) {
            items.push(item.into_json(uri, &opening.file)?);
        }
    }
    for (uri, known) in known {
        if let Ok(uri) = uri.parse()
            && !ResultId::gone().is_same_as(known)
        {
            let report = FullDocumentDiagnosticReport {
                result_id: Some(ResultId::gone().to_string()),
                items: Vec::new(),
            };
            let report = WorkspaceFullDocumentDiagnosticReport {
                uri,
                version: None,
                full_document_diagnostic_report: report,
            };
            items.push(ItemJson::new(&WorkspaceDocumentDiagnosticReport::Full(report))?);
        }
    }
    Ok((first || items.iter().any(|item| item.is_news)).then(|| response(&items)))
}

/// The report of one file as JSON. As values, the reports of many files take several times the
/// memory.
struct ItemJson {
    /// True if the report contains diagnostics. False for an "unchanged" report.
    is_news: bool,
    json: Vec<u8>,
}

impl ItemJson {
    fn new(report: &WorkspaceDocumentDiagnosticReport) -> serde_json::Result<Self> {
        let is_news = matches!(report, WorkspaceDocumentDiagnosticReport::Full(_));
        Ok(Self { is_news, json: serde_json::to_vec(report)? })
    }
}

/// Returns the response to a workspace pull.
fn response(items: &[ItemJson]) -> Vec<u8> {
    let length: usize = items.iter().map(|item| item.json.len() + 1).sum();
    let mut all = Vec::with_capacity(length + 16);
    all.extend_from_slice(br#"{"items":["#);
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            all.push(b',');
        }
        all.extend_from_slice(&item.json);
    }
    all.extend_from_slice(b"]}");
    all
}

enum Item {
    Full(FullDocumentDiagnosticReport),
    Unchanged(UnchangedDocumentDiagnosticReport),
}

/// Returns `None` for a file without diagnostics that is unknown to the client, except in the
/// first report.
fn item(report: &FileReport<'_>, known: Option<&str>, first: bool) -> Option<Item> {
    if known.is_none() && report.is_empty() && !first {
        return None;
    }
    let id = report.id();
    let result_id = id.to_string();
    Some(if known.is_some_and(|known| id.is_same_as(known)) {
        Item::Unchanged(UnchangedDocumentDiagnosticReport { result_id })
    } else {
        Item::Full(FullDocumentDiagnosticReport { result_id: Some(result_id), items: report.items() })
    })
}

impl Item {
    fn into_json(self, uri: Uri, file: &SnapshotFile) -> serde_json::Result<ItemJson> {
        let version = file.open.as_ref().map(|open| i64::from(open.version));
        ItemJson::new(&match self {
            Self::Full(full_document_diagnostic_report) => {
                WorkspaceFullDocumentDiagnosticReport { uri, version, full_document_diagnostic_report }.into()
            }
            Self::Unchanged(unchanged_document_diagnostic_report) => {
                WorkspaceUnchangedDocumentDiagnosticReport {
                    uri,
                    version,
                    unchanged_document_diagnostic_report,
                }
                .into()
            }
        })
    }
}
