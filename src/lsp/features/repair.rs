//! `mangle/repair`, the retry prompt for a model's bad reply, and the command that shows the
//! prompt.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::ls_types::{ExecuteCommandParams, LSPAny, Uri};

use crate::lsp::from_proto;
use crate::lsp::view::View;
use mangle_host::workspace::SnapshotTranscript;
use mangle_report::replies::{Attempt, Repair, TranscriptReply};
use mangle_syntax::lint::{self, Severity};
use piggyback::envelope::ReplyContext;
use piggyback::envelope::atoms::rules::NO_PERIOD;
use piggyback::envelope::secrets::SecretContext as Secrets;
use piggyback::transcript::DocumentRecord;

/// The command that shows the retry prompt.
pub(in crate::lsp) const COPY_REPAIR: &str = "mangle.copyRepair";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::lsp) struct RepairParams {
    pub(in crate::lsp) uri: Uri,
    /// The number of a record. Default: the first record with a reply that must be corrected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::lsp) record: Option<u64>,
    /// The number of the requested attempt, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    /// The maximum number of attempts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max: Option<u32>,
}

impl RepairParams {
    /// Parameters for one record.
    pub(in crate::lsp) fn new(uri: &Uri, record: u64) -> Self {
        Self { uri: uri.clone(), record: Some(record), attempt: None, max: None }
    }

    /// The document that must be analyzed first.
    pub(in crate::lsp) fn document(&self) -> std::path::PathBuf {
        from_proto::document_path(&self.uri)
    }
}

/// Parses the arguments of a command.
pub(in crate::lsp) fn asked_by(params: &ExecuteCommandParams) -> Option<RepairParams> {
    let argument = params.arguments.first().filter(|_| params.command == COPY_REPAIR)?;
    serde_json::from_value(argument.clone()).ok()
}

/// True if a finding is a reason to request a corrected reply: the reply is unreadable, or an
/// update is lost.
pub(in crate::lsp) fn is_repairable(found: &lint::Diagnostic) -> bool {
    let number = found.rule.code.strip_prefix("PB").and_then(|number| number.parse::<u32>().ok());
    let is_one_of_them = number.is_some_and(|number| matches!(number, 1..=14 | 101 | 200..=299));
    // This warning means that the runtime drops an update.
    let is_lost = found.rule == &NO_PERIOD && found.severity == Severity::Warning;
    is_one_of_them && (found.severity == Severity::Error || is_lost)
}

/// Answers the request. The message is `null` if nothing must be corrected.
pub(in crate::lsp) fn repair(view: &View, params: &RepairParams) -> LSPAny {
    let Some(transcript) = view.transcript(&params.uri) else { return json!({ "message": null }) };
    let attempt = Attempt { number: params.attempt.unwrap_or(1), max: params.max.unwrap_or(3) };
    let records = transcript.records().transcript().entries().iter();
    let wanted = records.filter(|entry| params.record.is_none_or(|record| entry.number == record));
    let found = wanted.into_iter().find_map(|entry| {
        let repair = of_record(transcript, entry, attempt)?;
        let mut said = repair.json();
        // A message that must not be sent is omitted, so that it cannot be sent by mistake.
        said["message"] = repair.stop().map_or_else(|| repair.message().into(), |_| Value::Null);
        Some(said)
    });
    found.unwrap_or_else(|| json!({ "message": null }))
}

/// Returns the first reply of a record that must be corrected.
fn of_record(transcript: &SnapshotTranscript, entry: &DocumentRecord, attempt: Attempt) -> Option<Repair> {
    let records = transcript.records();
    let record = entry.record(records.text().as_bytes());
    let name = transcript.file.path.to_string_lossy();
    let place = |offset| u64::from(u32::from(offset));
    let (start, end) = (entry.start, entry.start + entry.body.len as u64);
    let found: Vec<&lint::Diagnostic> = transcript
        .diagnostics()
        .iter()
        .filter(|found| (start..=end).contains(&place(found.range.start())))
        .collect();
    record.turns.iter().filter(|turn| turn.is_reply()).find_map(|turn| {
        let reply = turn.reply(record.bytes, &transcript.settings);
        let whole =
            turn.place(mangle_syntax::text::TextRange::up_to(mangle_syntax::text::size(reply.raw.len())));
        let is_here = |found: &&&lint::Diagnostic| {
            let at = place(found.range.start()).saturating_sub(start);
            (place(whole.start())..=place(whole.end())).contains(&at)
        };
        let secrets = Secrets::from_text(&String::from_utf8_lossy(reply.raw));
        let found: Vec<Value> = found.iter().filter(is_here).map(|found| written(found, &secrets)).collect();
        let answered = TranscriptReply { file: &name, record: &record, turn, reply: &reply, account: &[] };
        let repair = transcript.with_declarations(|declarations| {
            let context = ReplyContext { declarations, ..ReplyContext::new(&transcript.settings) };
            Repair::new(answered, &context, &found, attempt)
        });
        Some(repair).filter(|repair| !repair.is_empty())
    })
}

/// Returns the fields of a finding that a message needs, in the format of `check --format json`.
fn written(found: &lint::Diagnostic, secrets: &Secrets) -> Value {
    json!({
        "code": found.rule.code,
        "severity": found.severity.as_str(),
        "message": secrets.redacted(&found.message),
        "notes": found.notes.iter().map(|note| secrets.redacted(note)).collect::<Vec<_>>(),
        "path": found.path,
        "start": u32::from(found.range.start()),
        "fix": found.fix.as_ref().map(|fix| json!({ "title": secrets.redacted(&fix.title) })),
        "help": found.help.as_deref().map(|help| secrets.redacted(help)),
    })
}
