//! `mangle-state:`, the facts of the kernel after a turn of a transcript: `/TURN?of=URI`.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::Location;

use super::preview::{files, in_text, refused};
use super::source::{SourceName, named};
use super::{DocumentContent, DocumentOrigin, Scheme, nothing};
use crate::lsp::features::replay::replayed;
use crate::lsp::to_proto;
use crate::lsp::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_ide::replays::StateAfter;
use mangle_syntax::text::{Cancel, LineIndex, TextRange, text_len};

pub(super) const SCHEME: Scheme =
    Scheme { name: "mangle-state", read: named, find: nothing, outlives: true, stamp, make };

/// Depends on the transcript and its policies.
pub(super) fn stamp(view: &View, file: &SnapshotFile) -> Option<u64> {
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

fn make(view: &View, file: &SnapshotFile, named: &SourceName, cancel: &Cancel) -> Result<DocumentContent> {
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
    let text = written(&after, turn);
    let head = TextRange::up_to(text_len(text.lines().next().unwrap_or_default()));
    let range = in_text(view, &text, &LineIndex::new(&text), head);
    let origin = to_proto::uri(file).map(|uri| {
        let location = Location { uri, range: view.range(file, after.range) };
        DocumentOrigin { range, location, kind: "turn".to_owned() }
    });
    Ok(DocumentContent { origins: origin.into_iter().collect(), text, ..DocumentContent::default() })
}

fn written(after: &StateAfter, wanted: u64) -> String {
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
