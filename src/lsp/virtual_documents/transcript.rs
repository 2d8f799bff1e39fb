//! Documents of a transcript.
//!
//! - `mangle-replay:`, the verdicts about the turns, from a turn on: `/TURN?of=URI`.
//! - `mangle-state:`, the facts of the kernel after a turn: `/TURN?of=URI`.
//! - `mangle-split:`, both channels side by side: the text for the user, and the updates for the kernel.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{Location, Position, Range};

use super::policy;
use super::policy::{files, in_text, refused};
use super::scheme::{DocumentContent, DocumentOrigin, Fold, Scheme, nothing};
use crate::lsp::features::replay::replayed;
use crate::lsp::source_name::{SourceName, document, named};
use crate::lsp::to_proto;
use crate::lsp::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_ide::replays::StateAfter;
use mangle_ide::transcripts::split::{Part, split};
use mangle_report::replay::{TurnReport, plain_text};
use mangle_syntax::text::{Cancel, LineIndex, TextRange, TextSize, size, text_len};

pub(super) const REPLAY: Scheme = Scheme {
    name: "mangle-replay",
    read: named,
    find: nothing,
    outlives: true,
    stamp: state_stamp,
    make: make_replay,
};

/// The maximum number of turns.
const MAX_TURNS: usize = 500;

fn make_replay(
    view: &View,
    file: &SnapshotFile,
    named: &SourceName,
    cancel: &Cancel,
) -> Result<DocumentContent> {
    let from: u64 = named
        .name
        .parse()
        .map_err(|_| Error::invalid_params("the name of a replay is the number of a turn"))?;
    if let Some(why) = view.snapshot.transcript(file.id).and_then(|transcript| transcript.refusal()) {
        return Ok(refused(&why));
    }
    let until = from.saturating_add(MAX_TURNS as u64 - 1);
    let turns = replayed(view, file.id, Some(until), cancel, |replayed| replayed.turns());
    if cancel.is_cancelled() {
        return Err(Error::content_modified());
    }
    let Some(turns) = turns else {
        let text = "This document is not a transcript, or has no policies.\n".to_owned();
        return Ok(DocumentContent { text, ..DocumentContent::default() });
    };
    let shown: Vec<_> = turns.iter().filter(|(turn, _)| turn.turn >= from).collect();
    if shown.is_empty() {
        let text = format!("There is no turn {from}.\n");
        return Ok(DocumentContent { text, ..DocumentContent::default() });
    }
    Ok(written_replay(view, file, &shown))
}

/// Writes the turns in order, each with the bytes of its record.
fn written_replay(view: &View, file: &SnapshotFile, turns: &[&(TurnReport, TextRange)]) -> DocumentContent {
    let mut text = String::new();
    let mut add = |turn: &TurnReport| {
        let start = text.len();
        text.push_str(&plain_text(turn));
        TextRange::new(size(start), size(text.trim_end().len()))
    };
    let ranges: Vec<TextRange> = turns.iter().map(|(turn, _)| add(turn)).collect();
    let (lines, uri) = (LineIndex::new(&text), to_proto::uri(file));
    let parts = || turns.iter().zip(&ranges);
    let origins = parts().filter_map(|((_, record), range)| {
        let location = Location { uri: uri.clone()?, range: view.range(file, *record) };
        Some(DocumentOrigin {
            range: in_text(view, &text, &lines, *range),
            location,
            kind: "turn".to_owned(),
        })
    });
    let folds = parts().map(|((turn, _), range)| {
        let (start_line, end_line) = (lines.line_of(range.start()), lines.line_of(range.end()));
        Fold { start_line, end_line, title: format!("turn {}", turn.turn) }
    });
    let (origins, folds) = (origins.collect(), folds.collect());
    DocumentContent { text, origins, folds, ..DocumentContent::default() }
}

pub(super) const STATE: Scheme = Scheme {
    name: "mangle-state",
    read: named,
    find: nothing,
    outlives: true,
    stamp: state_stamp,
    make: make_state,
};

/// Depends on the transcript and its policies.
fn state_stamp(view: &View, file: &SnapshotFile) -> Option<u64> {
    let transcript = view.snapshot.transcript(file.id)?;
    let mut hasher = FxHasher::default();
    let version = file.open.as_ref().map(|open| open.version);
    (version, file.text().len(), file.text().as_ptr() as usize).hash(&mut hasher);
    let mut is_open = version.is_some();
    for program in &transcript.programs {
        is_open |= files(program, &mut hasher);
    }
    is_open.then(|| hasher.finish())
}

fn make_state(
    view: &View,
    file: &SnapshotFile,
    named: &SourceName,
    cancel: &Cancel,
) -> Result<DocumentContent> {
    let turn: u64 = named
        .name
        .parse()
        .map_err(|_| Error::invalid_params("the name of a state is the number of a turn"))?;
    if let Some(why) = view.snapshot.transcript(file.id).and_then(|transcript| transcript.refusal()) {
        return Ok(refused(&why));
    }
    let state = replayed(view, file.id, Some(turn), cancel, |replayed| replayed.state());
    let Some(after) = state else {
        let text = "This document is not a transcript, or has no policies.\n".to_owned();
        return Ok(DocumentContent { text, ..DocumentContent::default() });
    };
    if cancel.is_cancelled() {
        return Err(Error::content_modified());
    }
    let text = written_state(&after, turn);
    let head = TextRange::up_to(text_len(text.lines().next().unwrap_or_default()));
    let range = in_text(view, &text, &LineIndex::new(&text), head);
    let origin = to_proto::uri(file).map(|uri| {
        let location = Location { uri, range: view.range(file, after.range) };
        DocumentOrigin { range, location, kind: "turn".to_owned() }
    });
    Ok(DocumentContent { origins: origin.into_iter().collect(), text, ..DocumentContent::default() })
}

fn written_state(after: &StateAfter, wanted: u64) -> String {
    let count = after.facts.len() + after.omitted;
    let unit = if count == 1 { "fact" } else { "facts" };
    let mut text = format!("# After turn {}: {count} {unit}.", after.turn);
    if after.turn < wanted {
        text.push_str(&format!(" There is no turn {wanted}."));
    }
    text.push('\n');
    for (fact, origin) in &after.facts {
        text.push_str(&format!("{fact} ."));
        if let Some(origin) = origin {
            text.push_str(&format!("  # {origin}"));
        }
        text.push('\n');
    }
    if after.omitted > 0 {
        text.push_str(&format!(
            "# {} more facts are not shown: the document would be too large.\n",
            after.omitted
        ));
    }
    text
}

pub(super) const SPLIT: Scheme = Scheme {
    name: "mangle-split",
    read: document,
    find: nothing,
    outlives: false,
    stamp: policy::source_stamp,
    make: make_split,
};

/// Returns an empty document if the source is not a transcript.
fn make_split(view: &View, file: &SnapshotFile, _: &SourceName, _: &Cancel) -> Result<DocumentContent> {
    let Some(transcript) = view.snapshot.transcript(file.id) else {
        return Ok(DocumentContent { text: NO_TRANSCRIPT.to_owned(), ..DocumentContent::default() });
    };
    let made = transcript.with_policies(split);
    let lines = LineIndex::new(&made.text);
    let uri = to_proto::uri(file);
    let position = |offset: TextSize| {
        let at = lines.line_col(&made.text, offset, view.session.encoding);
        Position { line: at.line, character: at.col }
    };
    let origin = |part: &Part| {
        let range = Range { start: position(part.range.start()), end: position(part.range.end()) };
        let location = Location { uri: uri.clone()?, range: view.range(file, part.source) };
        Some(DocumentOrigin { range, location, kind: part.kind.to_owned() })
    };
    let origins = made.parts.iter().filter_map(origin).collect();
    Ok(DocumentContent { text: made.text, origins, ..DocumentContent::default() })
}

const NO_TRANSCRIPT: &str =
    "This document is not a transcript. `[transcripts] include` of mangle-ls.toml selects transcripts.\n";
