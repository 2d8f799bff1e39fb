//! Code lenses of the turns of a transcript. Their commands show the facts of the kernel after a
//! turn, and the replay from a turn on.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{CodeLens, Command, ExecuteCommandParams, Position, Uri};

use super::replay::replayed;
use crate::lsp::from_proto;
use crate::lsp::view::View;
use crate::lsp::virtual_documents::component;
use mangle_host::workspace::SnapshotTranscript;
use mangle_ide::replays::{self, ReplayInput, turn_at};
use mangle_report::replay::VerdictReport;
use mangle_syntax::text::{Cancel, TextRange};

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
