//! `mangle-conversation:`, a stretch of a transcript as a conversation: `/FIRST?count=N&of=URI`, or `/line-LINE?count=N&of=URI`.

use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{Location, Uri};

use super::preview::in_text;
use super::source::{SourceName, component, named};
use super::state::stamp;
use super::{DocumentContent, DocumentOrigin, DocumentWindow, Fold, Scheme, nothing};
use crate::host::workspace::{SnapshotFile, SnapshotTranscript};
use crate::ide::conversation::window::{ConversationWindow, window};
use crate::lsp::to_proto;
use crate::lsp::view::View;
use crate::report::conversation::{ConversationLink, PieceKind};
use mangle_syntax::text::{Cancel, LineIndex, TextRange, slice, text_len};

pub(super) const SCHEME: Scheme =
    Scheme { name: "mangle-conversation", read: named, find: nothing, outlives: true, stamp, make };

/// How many records are shown where the URI does not say, and at most.
const USUAL: usize = 200;
const MOST: usize = 2_000;

fn make(view: &View, file: &SnapshotFile, named: &SourceName, cancel: &Cancel) -> Result<DocumentContent> {
    let count = match named.get("count") {
        None => USUAL,
        Some(count) => count.parse().map_err(|_| Error::invalid_params("`count` is a number of records"))?,
    };
    let count = count.clamp(1, MOST);
    let Some(transcript) = view.snapshot.transcript(file.id) else {
        let text =
            "This document is not a transcript: `[transcripts] include` of mangle-ls.toml says which are.\n";
        return Ok(DocumentContent { text: text.to_owned(), ..DocumentContent::default() });
    };
    let first = first(transcript, &named.name, count).ok_or_else(|| {
        Error::invalid_params("a conversation is named by the number of a record or by `line-LINE`")
    })?;
    transcript.diagnose(cancel);
    transcript.replay_for_readers(cancel);
    if cancel.is_cancelled() {
        return Err(Error::content_modified());
    }
    let found = transcript.diagnostics();
    let made = transcript.with_policies(|opened| window(opened, found, (first, count)));
    Ok(content(view, file, transcript, made, count))
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
    made: ConversationWindow,
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
    let folds = folds(&made, &lines);
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
    DocumentContent { text: made.text.text, origins, folds, window: Some(window) }
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

/// Each turn, from the line above it on.
fn folds(made: &ConversationWindow, lines: &LineIndex) -> Vec<Fold> {
    let heads: Vec<TextRange> =
        made.text.links.iter().filter(|link| link.kind == PieceKind::Turn).map(|link| link.range).collect();
    let end = lines.line_of(text_len(&made.text.text)).saturating_sub(1);
    let ends = heads.iter().skip(1).map(|head| lines.line_of(head.start()).saturating_sub(2)).chain([end]);
    let fold = |(head, end_line): (&TextRange, u32)| {
        let title = slice(&made.text.text, *head).trim_matches(['─', ' ']).to_owned();
        Fold { start_line: lines.line_of(head.start()), end_line, title }
    };
    heads.iter().zip(ends).map(fold).collect()
}
