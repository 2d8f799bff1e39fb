//! Replies of models in the editor: generation of reply grammars with their code lens, and repair
//! prompts.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{CodeLens, Command, ExecuteCommandParams, LSPAny, Uri};

use crate::lsp::from_proto;
use crate::lsp::to_proto::workspace_edit_of_texts;
use crate::lsp::view::View;
use mangle_host::workspace::{SnapshotGrammar, SnapshotProgram, SnapshotTranscript};
use mangle_ide::reply_grammars::ReplyGrammarRequest;
use mangle_report::replies::{Attempt, Repair, TranscriptReply};
use mangle_syntax::lint;
use mangle_syntax::lint::Severity;
use mangle_syntax::text::TextRange;
use piggyback::envelope::ReplyContext;
use piggyback::envelope::atoms::rules::NO_PERIOD;
use piggyback::envelope::secrets::SecretContext as Secrets;
use piggyback::transcript::DocumentRecord;
use reply_grammar::target::{TARGETS, Target};

/// Generates a grammar. For a grammar file, generates its content again; for a policy, generates
/// the grammar of a target.
pub(in crate::lsp) const GRAMMAR: &str = "mangle.grammar";

/// The response for a document that is neither a policy nor a grammar.
const NO_PROGRAM: &str = "This document is neither a policy nor a grammar of replies.";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::lsp) struct GrammarParams {
    uri: Uri,
    /// The name of a target, for a policy. Default: list the targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    target: Option<String>,
    /// True if the client displays the response itself, so that no message is needed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    quiet: bool,
}

impl GrammarParams {
    pub(in crate::lsp) fn document(&self) -> PathBuf {
        from_proto::document_path(&self.uri)
    }
}

/// Parses the arguments of a command.
pub(in crate::lsp) fn grammar_asked_by(params: &ExecuteCommandParams) -> Option<GrammarParams> {
    let argument = params.arguments.first().filter(|_| params.command == GRAMMAR)?;
    GrammarParams::deserialize(argument).ok()
}

/// Returns the lens of a grammar: the number of declarations it was generated from, and a note if
/// it is outdated.
pub(super) fn grammar_lenses(view: &View, uri: &Uri, grammar: &SnapshotGrammar) -> Vec<CodeLens> {
    let Some(title) = grammar.title() else { return Vec::new() };
    let params = GrammarParams { uri: uri.clone(), target: None, quiet: false };
    let arguments = serde_json::to_value(params).ok().map(|params| vec![params]);
    let range = view.range(&grammar.file, TextRange::default());
    let command = Some(Command { title: title.to_owned(), command: GRAMMAR.into(), arguments });
    vec![CodeLens { range, command, data: None }]
}

/// Runs the command. Returns the response, and a message for clients that only show messages.
///
/// # Errors
///
/// If the target is unknown, or no envelope is possible.
pub(in crate::lsp) fn grammar_command(
    view: &View,
    params: &GrammarParams,
) -> Result<(Value, Option<String>)> {
    let file = view.file(&params.uri);
    if let Some(grammar) = file.and_then(|file| view.snapshot.grammar(file.id)) {
        let (answer, message) = generate_again(view, grammar)?;
        return Ok((answer, Some(message)));
    }
    let Some(program) = file.and_then(|file| view.snapshot.programs_of(file.id).next()) else {
        return Ok((json!({}), Some(NO_PROGRAM.to_owned())));
    };
    let (answer, message) = match &params.target {
        Some(name) => generate(view, program, name)?,
        None => targets(),
    };
    Ok((answer, Some(message).filter(|_| !params.quiet)))
}

/// Returns the targets, with the tool that uses each.
fn targets() -> (Value, String) {
    let all = TARGETS.map(|target| json!({ "name": target.name, "readers": target.readers }));
    let lines = TARGETS.map(|target| format!("{}: {}", target.name, target.readers));
    (json!({ "targets": all }), lines.join("\n"))
}

fn generate(view: &View, program: &SnapshotProgram, name: &str) -> Result<(Value, String)> {
    if let Some(why) = program.refusal() {
        return Err(Error::invalid_params(why));
    }
    let unknown = || Error::invalid_params(format!("there is no target `{name}`"));
    let target = Target::named(name).ok_or_else(unknown)?;
    let request = ReplyGrammarRequest {
        program: program.program(),
        settings: program.settings(),
        tools: view.snapshot.tools_of(program),
        profile: None,
        consumer: None,
        target,
        dialect: target.usual_dialect(),
    };
    let grammar = request.generate().map_err(|error| Error::invalid_params(error.to_string()))?;
    let report = grammar.report.text();
    Ok((json!({ "text": grammar.text, "extension": target.extension, "report": report }), report))
}

fn generate_again(view: &View, grammar: &SnapshotGrammar) -> Result<(Value, String)> {
    let text = grammar.generated().map_err(|reason| Error::invalid_params(reason.to_owned()))?;
    let edit = workspace_edit_of_texts(view, [(grammar.file.id, text)]);
    let is_changed = edit.is_some();
    let message = match (is_changed, view.snapshot.is_editable(grammar.file.id)) {
        (true, _) => "Grammar generated again.",
        (false, true) => "Grammar is up to date.",
        (false, false) => "Grammar is unchanged: an edit of the document was lost.",
    };
    edit.into_iter().for_each(|edit| view.outbox.apply_edit(edit));
    Ok((json!({ "changed": is_changed }), message.to_owned()))
}

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
pub(in crate::lsp) fn repair_asked_by(params: &ExecuteCommandParams) -> Option<RepairParams> {
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
