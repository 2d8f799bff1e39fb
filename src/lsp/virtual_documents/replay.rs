//! `mangle-replay:`, the verdicts about the turns of a transcript, from a turn on: `/TURN?of=URI`.

use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::Location;

use super::preview::{in_text, refused};
use super::source::{SourceName, named};
use super::state::stamp;
use super::{DocumentContent, DocumentOrigin, Fold, Scheme, nothing};
use crate::lsp::features::replay::replayed;
use crate::lsp::to_proto;
use crate::lsp::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_report::replay::{TurnReport, plain_text};
use mangle_syntax::text::{Cancel, LineIndex, TextRange, size};

pub(super) const SCHEME: Scheme =
    Scheme { name: "mangle-replay", read: named, find: nothing, outlives: true, stamp, make };

/// The maximum number of turns.
const MAX_TURNS: usize = 500;

fn make(view: &View, file: &SnapshotFile, named: &SourceName, cancel: &Cancel) -> Result<DocumentContent> {
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
    Ok(written(view, file, &shown))
}

/// Writes the turns in order, each with the bytes of its record.
fn written(view: &View, file: &SnapshotFile, turns: &[&(TurnReport, TextRange)]) -> DocumentContent {
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
