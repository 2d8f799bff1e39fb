//! `mangle-conversation:`, a stretch of a transcript as a conversation: `/FIRST?count=N&of=URI`, or `/line-LINE?count=N&of=URI`.

use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;

use rustc_hash::FxHasher;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{Location, Uri};

use super::preview::in_text;
use super::source::{SourceName, component, named};
use super::{
    DocumentAddress, DocumentContent, DocumentOrigin, DocumentTurn, DocumentWindow, Fold, Scheme, nothing,
};
use crate::host::workspace::{SnapshotFile, SnapshotTranscript};
use crate::ide::conversation::window::{ConversationWindow, WindowTurn};
use crate::lsp::features::conversations::ShownConversation;
use crate::lsp::to_proto;
use crate::lsp::view::View;
use crate::report::conversation::{ConversationLink, PieceKind};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{Cancel, LineIndex, TextSize, slice};
use piggyback::envelope::secrets::redacted;

pub(super) const SCHEME: Scheme =
    Scheme { name: "mangle-conversation", read: named, find: nothing, outlives: true, stamp, make };

/// The transcript as it is under its settings, with its policies. It is followed also while nothing of that is open.
fn stamp(view: &View, file: &SnapshotFile) -> Option<u64> {
    let transcript = view.snapshot.transcript(file.id)?;
    let mut hasher = FxHasher::default();
    (Arc::as_ptr(transcript) as usize, file.open.as_ref().map(|open| open.version)).hash(&mut hasher);
    Some(hasher.finish())
}

/// How many records are shown where the URI does not say, and at most.
const USUAL: usize = 200;
const MOST: usize = 2_000;

fn make(view: &View, file: &SnapshotFile, named: &SourceName, cancel: &Cancel) -> Result<DocumentContent> {
    let count = count(named)?;
    let Some(transcript) = view.snapshot.transcript(file.id) else {
        let text =
            "This document is not a transcript: `[transcripts] include` of mangle-ls.toml says which are.\n";
        return Ok(DocumentContent { text: text.to_owned(), ..DocumentContent::default() });
    };
    let first = first(transcript, &named.name, count).ok_or_else(|| {
        Error::invalid_params("a conversation is named by the number of a record or by `line-LINE`")
    })?;
    let window = transcript.conversation(first, count, cancel).ok_or_else(Error::content_modified)?;
    let found = found_in(transcript, &window);
    let shown = ShownConversation::new(view, file, Arc::clone(&window));
    let shown = shown.ok_or_else(|| Error::invalid_params("the transcript has no URI"))?;
    let (diagnostics, turns) = (shown.diagnostics(&found), turns(&shown));
    let folds = folds(&shown, &window);
    Ok(DocumentContent { diagnostics, turns, folds, ..content(view, file, transcript, &window, count) })
}

/// The conversation that the URI of a request names, with the transcript that it is made from.
pub(in crate::lsp) fn conversation_of<'v>(
    view: &'v View,
    uri: &Uri,
) -> Option<(&'v SnapshotFile, Arc<ConversationWindow>)> {
    let address = DocumentAddress::parse(uri.as_str()).ok()?;
    let file = address.file(view).filter(|_| address.scheme.name == SCHEME.name)?;
    let transcript = view.snapshot.transcript(file.id)?;
    let count = count(&address.named).ok()?;
    let first = first(transcript, &address.named.name, count)?;
    Some((file, transcript.conversation(first, count, &Cancel::new())?))
}

/// How many records are shown.
fn count(named: &SourceName) -> Result<usize> {
    let count = match named.get("count") {
        None => USUAL,
        Some(count) => count.parse().map_err(|_| Error::invalid_params("`count` is a number of records"))?,
    };
    Ok(count.clamp(1, MOST))
}

/// What is found in the records that are shown; in the first ones, also what is found before them.
fn found_in<'t>(transcript: &'t SnapshotTranscript, window: &ConversationWindow) -> Vec<&'t Diagnostic> {
    let list = transcript.records().list();
    let start = list.get(window.first).filter(|_| window.first > 0).map_or(TextSize::new(0), |entry| entry.start);
    let end = list.get(window.first + window.count).map(|entry| entry.start);
    let is_shown = |at: TextSize| at >= start && end.is_none_or(|end| at < end);
    transcript.findings().into_iter().filter(|found| is_shown(found.range.start())).collect()
}

/// Each turn, from the line above it on.
fn folds(shown: &ShownConversation<'_>, window: &ConversationWindow) -> Vec<Fold> {
    let fold = |(turn, start_line, end_line): (&WindowTurn, u32, u32)| {
        let title = slice(&window.text.text, turn.head).trim_matches(['─', ' ']).to_owned();
        Fold { start_line, end_line, title }
    };
    shown.turns().map(fold).collect()
}

/// The turns as a list beside the document has them.
fn turns(shown: &ShownConversation<'_>) -> Vec<DocumentTurn> {
    let turn = |(turn, start_line, end_line): (&WindowTurn, u32, u32)| DocumentTurn {
        title: redacted(&turn.summary.title).into_owned(),
        excerpt: redacted(&turn.excerpt).into_owned(),
        number: turn.summary.number,
        start_line,
        end_line,
        denied: turn.summary.denied,
        lost: turn.summary.lost,
        corrects: turn.summary.is_correction,
    };
    shown.turns().map(turn).collect()
}

/// The index of the first record that is shown: the one of this number, or that of the stretch that has this line of the file.
fn first(transcript: &SnapshotTranscript, name: &str, count: usize) -> Option<usize> {
    let list = transcript.records().list();
    let Some(line) = name.strip_prefix("line-") else {
        let number: u64 = name.parse().ok()?;
        return Some(list.partition_point(|entry| entry.number < number));
    };
    let line = line.parse::<u32>().ok()?.saturating_sub(1);
    let offset = transcript.file.lines().line_range(line).start();
    let at = list.partition_point(|entry| entry.range().end() <= offset);
    Some(at.min(list.len().saturating_sub(1)) / count * count)
}

fn content(
    view: &View,
    file: &SnapshotFile,
    transcript: &SnapshotTranscript,
    made: &ConversationWindow,
    count: usize,
) -> DocumentContent {
    let uri = to_proto::uri(file);
    let lines = LineIndex::new(&made.text.text);
    let origin = |link: &ConversationLink| {
        let location = Location { uri: uri.clone()?, range: view.range(file, link.source.range) };
        let range = in_text(view, &made.text.text, &lines, link.range);
        Some(DocumentOrigin { range, location, kind: link.kind.word().to_owned() })
    };
    let links = joined(&made.text.links, &lines);
    let origins = links.iter().filter_map(origin).collect();
    let numbers = transcript.records().list();
    let number = |at: usize| numbers.get(at).map(|entry| entry.number);
    let address = |at: usize| Some(address(number(at)?, count, uri.as_ref()?));
    let end = made.first + made.count;
    let window = DocumentWindow {
        first: number(made.first).unwrap_or(1),
        count: made.count,
        total: made.total,
        before: if made.first > 0 { address(made.first.saturating_sub(count)) } else { None },
        after: address(end),
    };
    let text = made.text.text.clone();
    DocumentContent { text, origins, window: Some(window), ..DocumentContent::default() }
}

fn address(first: u64, count: usize, of: &Uri) -> String {
    format!("{}:/{first}?count={count}&of={}", SCHEME.name, component(of.as_str()))
}

/// The links, with those of an envelope joined where they are on one line: there are many, and they are next to each other.
fn joined(links: &[ConversationLink], lines: &LineIndex) -> Vec<ConversationLink> {
    let mut all: Vec<ConversationLink> = Vec::new();
    for link in links {
        let line = lines.line_of(link.range.start());
        let joins = |last: &&mut ConversationLink| {
            let is_envelope = last.kind == PieceKind::Envelope && link.kind == PieceKind::Envelope;
            is_envelope && lines.line_of(last.range.start()) == line
        };
        match all.last_mut().filter(joins) {
            Some(last) => {
                last.range = last.range.cover(link.range);
                last.source.range = last.source.range.cover(link.source.range);
            }
            None => all.push(*link),
        }
    }
    all
}
