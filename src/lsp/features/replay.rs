//! `mangle/replay`, the equivalent of the command `replay`: the verdicts of the policies about a
//! transcript. The code lenses of its turns show the facts of the kernel after a turn, and the replay
//! from a turn on.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{CodeLens, Command, ExecuteCommandParams, Position, Uri};

use crate::lsp::from_proto;
use crate::lsp::source_name::component;
use crate::lsp::view::View;
use agent_replay::{Prefill, ReplayOptions};
use mangle_engine::kernel::Clock;
use mangle_host::relative;
use mangle_host::workspace::SnapshotTranscript;
use mangle_ide::replays;
use mangle_ide::replays::{ReplayInput, TurnFilter, turn_at};
use mangle_report::replay::VerdictReport;
use mangle_report::{Sources, json_value};
use mangle_syntax::text::{Cancel, FileId, TextRange};

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct ReplayParams {
    uri: Uri,
    /// Restricts the result to this turn.
    #[serde(default)]
    turn: Option<u64>,
    /// The last turn.
    #[serde(default)]
    until: Option<u64>,
    /// The first turn of the result. Earlier turns are also replayed.
    #[serde(default)]
    from: Option<u64>,
    #[serde(default)]
    format: Format,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Json,
    /// An HTML page.
    Html,
}

impl ReplayParams {
    pub(in crate::lsp) fn document(&self) -> PathBuf {
        from_proto::document_path(&self.uri)
    }
}

/// Answers the request. The result is `null` if the document is not a transcript or has no
/// policies.
///
/// # Errors
///
/// `ContentModified` if the request was canceled, `InvalidParams` if a policy does not load.
pub(in crate::lsp) fn replay(view: &View, params: &ReplayParams, cancel: &Cancel) -> Result<Value> {
    let Some(file) = view.file(&params.uri) else { return Ok(Value::Null) };
    refused(view, file.id)?;
    let until = params.until.or(params.turn);
    let shown = TurnFilter { turn: params.turn, from: params.from };
    let answer = replayed(view, file.id, until, cancel, |replayed| match params.format {
        Format::Json => replayed.json(shown),
        Format::Html => {
            let checked = checked(view, file.id, replayed.name, cancel);
            json!({ "text": replayed.html(shown, &policies(view, file.id), checked) })
        }
    });
    match cancel.is_cancelled() {
        true => Err(Error::content_modified()),
        false => Ok(answer.unwrap_or_default()),
    }
}

/// Checks that the policies of a transcript load.
///
/// # Errors
///
/// `InvalidParams` if a policy does not load.
pub(in crate::lsp) fn refused(view: &View, file: FileId) -> Result<()> {
    let refusal = view.snapshot.transcript(file).and_then(|transcript| transcript.refusal());
    refusal.map_or(Ok(()), |why| Err(Error::invalid_params(why)))
}

/// Returns the findings of `mangle-ls check` in a transcript. `name` is its name in output.
fn checked(view: &View, file: FileId, name: &str, cancel: &Cancel) -> Vec<Value> {
    let Some(transcript) = view.snapshot.transcript(file) else { return Vec::new() };
    transcript.diagnose(cancel);
    let mut sources = Sources::default();
    sources.insert(file, name.to_owned(), Arc::clone(transcript.file.text()));
    transcript.diagnostics().iter().map(|found| json_value(file, found, &sources)).collect()
}

/// Returns the names of the policies of a transcript.
fn policies(view: &View, file: FileId) -> String {
    let transcript = view.snapshot.transcript(file);
    let programs = transcript.iter().flat_map(|transcript| &transcript.programs);
    let names: Vec<&str> = programs.map(|program| program.name()).collect();
    names.join(", ")
}

/// Passes a transcript and its policies to `see`. One replay runs at a time.
pub(in crate::lsp) fn replayed<T>(
    view: &View,
    file: FileId,
    until: Option<u64>,
    cancel: &Cancel,
    see: impl FnOnce(&ReplayInput<'_>) -> T,
) -> Option<T> {
    let transcript = view.snapshot.transcript(file)?;
    let root = transcript.programs.first()?.root();
    let mut sources = Sources::default();
    for known in transcript.programs.iter().flat_map(|program| program.files.iter()) {
        sources.insert(known.id, relative(root, &known.path), Arc::clone(known.text()));
    }
    let (sources, name) = (RefCell::new(sources), relative(root, &transcript.file.path));
    let prefill = Prefill::default();
    transcript.replay(cancel, |constitution, judge, kernel| {
        let options = ReplayOptions {
            transcript: &transcript.settings,
            runtime: judge.limits,
            clock: Clock::from_settings(kernel),
            abduce: false,
            show_permits: false,
            coverage: false,
            until,
            end: None,
            prefill: &prefill,
            cancel,
        };
        let (name, records) = (name.as_str(), transcript.records());
        see(&ReplayInput { name, constitution, records, judge, options, sources: &sources })
    })
}

/// Shows the results of the turns from a turn on.
pub(in crate::lsp) const REPLAY: &str = "mangle.replay";

/// Shows the facts of the kernel after a turn.
pub(in crate::lsp) const STATE: &str = "mangle.state";

/// The maximum number of facts or verdicts in a message.
const SHOWN: usize = 10;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct TurnParams {
    uri: Uri,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn: Option<u64>,
    /// A position in the turn, if its number is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<Position>,
    /// True if the client displays the document itself, so that no message is needed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    quiet: bool,
}

impl TurnParams {
    pub(in crate::lsp) fn document(&self) -> PathBuf {
        from_proto::document_path(&self.uri)
    }

    /// Returns the number of the turn, from the number or the position. Default: the last turn.
    fn number(&self, view: &View) -> Option<u64> {
        let transcript = view.transcript(&self.uri)?;
        let (file, records) = (&transcript.file, transcript.records());
        let at = self.position.map(from_proto::line_col);
        let at = at.map(|at| file.lines().offset(file.text(), at, view.session.encoding));
        self.turn.or_else(|| match at {
            Some(at) => turn_at(records, at),
            None => replays::turns(records).last().map(|(number, _)| number),
        })
    }
}

/// Parses the arguments of a command about turns.
pub(in crate::lsp) fn asked_by(params: &ExecuteCommandParams) -> Option<TurnParams> {
    let is_ours = [REPLAY, STATE].contains(&params.command.as_str());
    let argument = params.arguments.first().filter(|_| is_ours)?;
    TurnParams::deserialize(argument).ok()
}

/// Runs a command about a turn. Returns the document, and a short message for clients that only
/// show messages.
///
/// # Errors
///
/// `ContentModified` if the request was canceled.
pub(in crate::lsp) fn command(
    view: &View,
    name: &str,
    params: &TurnParams,
    cancel: &Cancel,
) -> Result<(Value, Option<String>)> {
    let Some(turn) = params.number(view) else {
        let answer = json!({ "document": null, "turn": null });
        return Ok((answer, Some("This document is not a transcript with turns.".to_owned())));
    };
    let scheme = if name == STATE { "mangle-state" } else { "mangle-replay" };
    let document = format!("{scheme}:/{turn}?of={}", component(params.uri.as_str()));
    let answer = json!({ "document": document, "turn": turn });
    if params.quiet {
        return Ok((answer, None));
    }
    let Some(file) = view.file(&params.uri) else { return Ok((answer, None)) };
    if let Some(why) = view.snapshot.transcript(file.id).and_then(|transcript| transcript.refusal()) {
        return Ok((answer, Some(why)));
    }
    let said = replayed(view, file.id, Some(turn), cancel, |replayed| match name {
        STATE => state_in_short(replayed),
        _ => turn_in_short(replayed, turn),
    });
    match cancel.is_cancelled() {
        true => Err(Error::content_modified()),
        false => {
            let nothing = || "This transcript has no policies.".to_owned();
            Ok((answer, Some(said.unwrap_or_else(nothing))))
        }
    }
}

fn state_in_short(replayed: &ReplayInput<'_>) -> String {
    let after = replayed.state();
    let mut lines = vec![format!(
        "After turn {}, the kernel has {} facts.",
        after.turn,
        after.facts.len() + after.omitted
    )];
    let said = after.facts.iter().filter(|(_, origin)| origin.is_some());
    lines.extend(said.take(SHOWN).map(|(fact, _)| fact.clone()));
    lines.join("\n")
}

fn turn_in_short(replayed: &ReplayInput<'_>, wanted: u64) -> String {
    let turns = replayed.turns();
    let Some((turn, _)) = turns.iter().find(|(turn, _)| turn.turn == wanted) else {
        return format!("There is no turn {wanted}.");
    };
    let mut lines = vec![match turn.verdicts.len() {
        0 => format!("Turn {wanted} requests no tools."),
        1 => format!("Turn {wanted} requests one tool:"),
        count => format!("Turn {wanted} requests {count} tools:"),
    }];
    let said = |verdict: &VerdictReport| {
        format!("{} {} {}: {}", verdict.verdict, verdict.action, verdict.object(), verdict.why)
    };
    lines.extend(turn.all_verdicts().take(SHOWN).map(said));
    lines.join("\n")
}

/// Returns the lenses of the turns of a transcript with policies.
pub(super) fn lenses(view: &View, uri: &Uri, transcript: &SnapshotTranscript) -> Vec<CodeLens> {
    if transcript.is_document || transcript.programs.is_empty() {
        return Vec::new();
    }
    if let Some(title) = transcript.refusal() {
        let params = TurnParams { uri: uri.clone(), turn: Some(1), position: None, quiet: false };
        let arguments = serde_json::to_value(params).ok().map(|params| vec![params]);
        let command = Some(Command { title, command: REPLAY.into(), arguments });
        let range = view.range(&transcript.file, TextRange::default());
        return vec![CodeLens { range, command, data: None }];
    }
    let known = transcript.replayed().verdicts.as_ref();
    let command = |title: String, command: &str, turn: u64| {
        let params = TurnParams { uri: uri.clone(), turn: Some(turn), position: None, quiet: false };
        let arguments = serde_json::to_value(params).ok().map(|params| vec![params]);
        Command { title, command: command.into(), arguments }
    };
    let above = |lens: replays::TurnLens| {
        let range = view.range(&transcript.file, lens.range);
        let state = command(lens.title, STATE, lens.turn);
        let replay = command("replay from here".to_owned(), REPLAY, lens.turn);
        [state, replay].map(|command| CodeLens { range, command: Some(command), data: None })
    };
    replays::lenses(known, transcript.records()).into_iter().flat_map(above).collect()
}
