//! `mangle/replay`, the twin of the command `replay`: a transcript against the policies around it; and what stands above
//! turns: the kernel after one, the replay from one on.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{CodeLens, Command, ExecuteCommandParams, Position, Uri};

use crate::host::relative;
use crate::host::workspace::SnapshotTranscript;
use crate::ide::replays;
use crate::ide::replays::{Replayed, Shown, turn_at};
use crate::kernel::Clock;
use crate::lsp::view::View;
use crate::lsp::virtual_documents::component;
use crate::lsp::{from_proto, to_proto};
use crate::replay::{Options, Prefill};
use crate::report::Sources;
use crate::text::{Cancel, FileId};

/// Says what became of the turns from one on.
pub(in crate::lsp) const REPLAY: &str = "mangle.replay";

/// Says what the kernel holds after a turn.
pub(in crate::lsp) const STATE: &str = "mangle.state";

/// How many facts or verdicts a message shows.
const SHOWN: usize = 10;

/// The parameters.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct ReplayParams {
    /// The transcript.
    uri: Uri,
    /// Only this turn.
    #[serde(default)]
    turn: Option<u64>,
    /// Up to this turn.
    #[serde(default)]
    until: Option<u64>,
    /// No turn before this one, though they are replayed.
    #[serde(default)]
    from: Option<u64>,
    #[serde(default)]
    format: Format,
}

/// The argument of the commands about turns.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::lsp) struct TurnParams {
    /// The transcript.
    uri: Uri,
    /// The turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn: Option<u64>,
    /// A place in the turn, where its number is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<Position>,
    /// Whether the client shows the document itself, so that no message is needed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    #[default]
    Json,
    /// A page for a browser.
    Html,
}

impl ReplayParams {
    /// The transcript.
    pub(in crate::lsp) fn document(&self) -> PathBuf {
        from_proto::document_path(&self.uri)
    }
}

impl TurnParams {
    /// The transcript.
    pub(in crate::lsp) fn document(&self) -> PathBuf {
        from_proto::document_path(&self.uri)
    }

    /// The turn, by its number or its place; without either the last.
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

/// Answers the request; `null` for what is no transcript, or has no policies around it.
///
/// # Errors
/// `ContentModified` when nobody waits any more.
pub(in crate::lsp) fn replay(view: &View, params: &ReplayParams, cancel: &Cancel) -> Result<Value> {
    let Some(file) = view.file(&params.uri) else { return Ok(Value::Null) };
    let until = params.until.or(params.turn);
    let shown = Shown { turn: params.turn, from: params.from };
    let answer = replayed(view, file.id, until, cancel, |replayed| match params.format {
        Format::Json => replayed.json(shown),
        Format::Html => json!({ "text": replayed.html(shown, &policies(view, file.id)) }),
    });
    match cancel.is_cancelled() {
        true => Err(Error::content_modified()),
        false => Ok(answer.unwrap_or_default()),
    }
}

/// What the policies around a transcript are called.
fn policies(view: &View, file: FileId) -> String {
    let transcript = view.snapshot.transcript(file);
    let programs = transcript.iter().flat_map(|transcript| &transcript.programs);
    let names: Vec<&str> = programs.map(|program| &*program.name).collect();
    names.join(", ")
}

/// Shows `see` a transcript with the policies around it. One is replayed at a time.
pub(in crate::lsp) fn replayed<T>(
    view: &View,
    file: FileId,
    until: Option<u64>,
    cancel: &Cancel,
    see: impl FnOnce(&Replayed<'_>) -> T,
) -> Option<T> {
    let transcript = view.snapshot.transcript(file)?;
    let root = transcript.programs.first()?.root();
    let mut sources = Sources::default();
    for known in transcript.programs.iter().flat_map(|program| &program.files) {
        sources.insert(known.id, relative(root, &known.path), Arc::clone(known.text()));
    }
    let (sources, name) = (RefCell::new(sources), relative(root, &transcript.file.path));
    let prefill = Prefill::default();
    transcript.replay(cancel, |constitution, judge, kernel| {
        let options = Options {
            transcript: &transcript.settings,
            runtime: judge.limits,
            clock: Clock::of(kernel),
            abduce: false,
            show_permits: false,
            coverage: false,
            until,
            prefill: &prefill,
            cancel,
        };
        let (name, records) = (name.as_str(), transcript.records());
        see(&Replayed { name, constitution, records, judge, options, sources: &sources })
    })
}

/// What the commands about turns ask for: which of them, and of what.
pub(in crate::lsp) fn asked_by(params: &ExecuteCommandParams) -> Option<TurnParams> {
    let is_ours = [REPLAY, STATE].contains(&params.command.as_str());
    let argument = params.arguments.first().filter(|_| is_ours)?;
    TurnParams::deserialize(argument).ok()
}

/// Runs a command about a turn. Gives the document to show, and the same in a few lines, for a client that shows messages
/// only.
///
/// # Errors
/// `ContentModified` when nobody waits any more.
pub(in crate::lsp) fn command(
    view: &View,
    name: &str,
    params: &TurnParams,
    cancel: &Cancel,
) -> Result<(Value, Option<String>)> {
    let Some(turn) = params.number(view) else {
        let answer = json!({ "document": null, "turn": null });
        return Ok((answer, Some("This document is no transcript with turns.".to_owned())));
    };
    let scheme = if name == STATE { "mangle-state" } else { "mangle-replay" };
    let document = format!("{scheme}:/{turn}?of={}", component(params.uri.as_str()));
    let answer = json!({ "document": document, "turn": turn });
    if params.quiet {
        return Ok((answer, None));
    }
    let Some(file) = view.file(&params.uri) else { return Ok((answer, None)) };
    let said = replayed(view, file.id, Some(turn), cancel, |replayed| match name {
        STATE => state_in_short(replayed),
        _ => turn_in_short(replayed, turn),
    });
    match cancel.is_cancelled() {
        true => Err(Error::content_modified()),
        false => {
            let nothing = || "There are no policies around this transcript.".to_owned();
            Ok((answer, Some(said.unwrap_or_else(nothing))))
        }
    }
}

fn state_in_short(replayed: &Replayed<'_>) -> String {
    let after = replayed.state();
    let mut lines = vec![format!("After turn {} the kernel holds {} facts.", after.turn, after.facts.len())];
    let said = after.facts.iter().filter(|(_, origin)| origin.is_some());
    lines.extend(said.take(SHOWN).map(|(fact, _)| fact.clone()));
    lines.join("\n")
}

fn turn_in_short(replayed: &Replayed<'_>, wanted: u64) -> String {
    let turns = replayed.turns();
    let Some((turn, _)) = turns.iter().find(|(turn, _)| turn.turn == wanted) else {
        return format!("There is no turn {wanted}.");
    };
    let mut lines = vec![match turn.verdicts.len() {
        0 => format!("Turn {wanted} asks for no tool."),
        1 => format!("Turn {wanted} asks for one tool:"),
        count => format!("Turn {wanted} asks for {count} tools:"),
    }];
    let said = |verdict: &crate::report::replay::VerdictReport| {
        format!("{} {} {}: {}", verdict.verdict, verdict.action, verdict.object(), verdict.why)
    };
    lines.extend(turn.all_verdicts().take(SHOWN).map(said));
    lines.join("\n")
}

/// What stands above the turns of a transcript that has policies around it.
pub(super) fn lenses(view: &View, uri: &Uri, transcript: &SnapshotTranscript) -> Vec<CodeLens> {
    if transcript.is_document || transcript.programs.is_empty() {
        return Vec::new();
    }
    let known = transcript.replayed().verdicts.as_ref();
    let command = |title: String, command: &str, turn: u64| {
        let params = TurnParams { uri: uri.clone(), turn: Some(turn), position: None, quiet: false };
        let arguments = serde_json::to_value(params).ok().map(|params| vec![params]);
        Command { title, command: command.into(), arguments }
    };
    let above = |lens: replays::TurnLens| {
        let range = to_proto::range(view, &transcript.file, lens.range);
        let state = command(lens.title, STATE, lens.turn);
        let replay = command("replay from here".to_owned(), REPLAY, lens.turn);
        [state, replay].map(|command| CodeLens { range, command: Some(command), data: None })
    };
    replays::lenses(known, transcript.records()).into_iter().flat_map(above).collect()
}
