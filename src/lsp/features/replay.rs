//! `mangle/replay`, the equivalent of the command `replay`: the verdicts of the policies about a
//! transcript.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::Uri;

use crate::lsp::from_proto;
use crate::lsp::view::View;
use agent_replay::{Prefill, ReplayOptions};
use mangle_engine::kernel::Clock;
use mangle_host::relative;
use mangle_ide::replays::{ReplayInput, TurnFilter};
use mangle_report::{Sources, json_value};
use mangle_syntax::text::{Cancel, FileId};

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
