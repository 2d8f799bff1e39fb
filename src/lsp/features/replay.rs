//! `mangle/replay`, the twin of the command `replay`: a transcript against the policies around it.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::Uri;

use crate::host::relative;
use crate::ide::replay_report::Replayed;
use crate::kernel::Clock;
use crate::lsp::from_proto;
use crate::lsp::view::View;
use crate::replay::{Options, Prefill};
use crate::report::Sources;
use crate::text::{Cancel, FileId};

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
}

impl ReplayParams {
    /// The transcript.
    pub(in crate::lsp) fn document(&self) -> PathBuf {
        from_proto::document_path(&self.uri)
    }
}

/// Answers the request; `null` for what is no transcript, or has no policies around it.
///
/// # Errors
/// `ContentModified` when nobody waits any more.
pub(in crate::lsp) fn replay(view: &View, params: &ReplayParams, cancel: &Cancel) -> Result<Value> {
    let Some(file) = view.file(&params.uri) else { return Ok(Value::Null) };
    let until = params.until.or(params.turn);
    let answer = replayed(view, file.id, until, cancel, |replayed| replayed.json(params.turn));
    match cancel.is_cancelled() {
        true => Err(Error::content_modified()),
        false => Ok(answer.unwrap_or_default()),
    }
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
    let policies = transcript.programs.iter().flat_map(|program| &program.files);
    for known in policies.chain([&transcript.file]) {
        sources.insert(known.id, relative(root, &known.path), Arc::clone(known.text()));
    }
    let prefill = Prefill::default();
    transcript.replay(|constitution, judge, kernel| {
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
        see(&Replayed {
            constitution,
            file,
            records: transcript.records(),
            judge,
            settings: &transcript.settings,
            options,
            sources: &sources,
        })
    })
}
