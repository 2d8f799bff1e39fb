//! `mangle-conversation:`, an excerpt of a transcript as a conversation: `/FIRST?count=N&of=URI`,
//! or `/line-LINE?count=N&of=URI`.

use std::hash::{Hash as _, Hasher as _};
use std::sync::Arc;

use rustc_hash::FxHasher;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::Uri;

use super::scheme::{DocumentContent, DocumentOrigin, DocumentTurn, DocumentWindow, Fold, Scheme, nothing};
use crate::lsp::features::conversations::ShownConversation;
use crate::lsp::source_name::{SourceName, component, named};
use crate::lsp::to_proto;
use crate::lsp::view::View;
use mangle_host::StretchTarget;
use mangle_host::workspace::{DiskStretch, SnapshotFile, SnapshotTranscript};
use mangle_ide::conversation::window::{ConversationWindow, WindowTurn};
use mangle_report::conversation::{ConversationLink, PieceKind};
use mangle_syntax::lint::Diagnostic;
use mangle_syntax::text::{Cancel, LineIndex, TextSize, slice};
use piggyback::envelope::secrets::redacted;

pub(super) const SCHEME: Scheme =
    Scheme { name: "mangle-conversation", read: named, find: nothing, outlives: true, stamp, make };

/// Depends on the transcript, its settings and its policies. The document is also updated while
/// none of them is open.
fn stamp(view: &View, file: &SnapshotFile) -> Option<u64> {
    let transcript = view.snapshot.transcript(file.id)?;
    let mut hasher = FxHasher::default();
    (Arc::as_ptr(transcript) as usize, file.open.as_ref().map(|open| open.version)).hash(&mut hasher);
    Some(hasher.finish())
}

/// The default number of records. [`MAX_RECORDS`] is the maximum.
const DEFAULT_RECORDS: usize = 200;
const MAX_RECORDS: usize = 2_000;

fn make(view: &View, file: &SnapshotFile, named: &SourceName, cancel: &Cancel) -> Result<DocumentContent> {
    let count = count(named)?;
    let Some(transcript) = view.snapshot.transcript(file.id) else {
        let text = "This document is not a transcript. `[transcripts] include` of mangle-ls.toml selects transcripts.\n";
        return Ok(DocumentContent { text: text.to_owned(), ..DocumentContent::default() });
    };
    let unnamed =
        || Error::invalid_params("the name of a conversation is the number of a record or `line-LINE`");
    if transcript.is_left_out() {
        let target = target(&named.name).ok_or_else(unnamed)?;
        return from_disk(view, file, transcript, target, count, cancel);
    }
    let first = first(transcript, &named.name, count).ok_or_else(unnamed)?;
    let window = transcript.conversation(first, count, cancel).ok_or_else(Error::content_modified)?;
    let found = found_in(transcript, &window);
    let shown = ShownConversation::new(view, file, Arc::clone(&window));
    let shown = shown.ok_or_else(|| Error::invalid_params("the transcript has no URI"))?;
    let (diagnostics, turns) = (shown.diagnostics(&found), turns(&shown));
    let folds = folds(&shown, &window);
    let text = window.text.text.clone();
    let origins = origins(&shown, &window);
    let window = Some(stretch_of(file, transcript, &window, count));
    Ok(DocumentContent { text, origins, diagnostics, turns, folds, window })
}

/// Returns an excerpt of a file that is too large to hold in memory.
fn from_disk(
    view: &View,
    file: &SnapshotFile,
    transcript: &SnapshotTranscript,
    target: StretchTarget,
    count: usize,
    cancel: &Cancel,
) -> Result<DocumentContent> {
    let read = transcript.stretch(target, count, cancel).map_err(|error| {
        let why = format!("{} cannot be read: {}", file.path.display(), mangle_host::plain(&error));
        Error { message: why.into(), ..Error::internal_error() }
    })?;
    let DiskStretch { file: part, lines, window, found, number, after } =
        read.ok_or_else(Error::content_modified)?;
    let window = Arc::new(window);
    let shown =
        ShownConversation::new(view, &part, Arc::clone(&window)).map(|shown| shown.after_lines(lines));
    let shown = shown.ok_or_else(|| Error::invalid_params("the transcript has no URI"))?;
    let uri = to_proto::uri(file);
    let address = |number: u64| Some(address(number, count, uri.as_ref()?));
    let before = number.saturating_sub(count as u64).max(1);
    let stretch = DocumentWindow {
        first: number,
        count: window.count,
        total: None,
        before: if number > 1 { address(before) } else { None },
        after: after.and_then(address),
    };
    Ok(DocumentContent {
        text: window.text.text.clone(),
        origins: origins(&shown, &window),
        diagnostics: shown.diagnostics(&found.iter().collect::<Vec<_>>()),
        turns: turns(&shown),
        folds: folds(&shown, &window),
        window: Some(stretch),
    })
}

/// Parses the name of the first record.
fn target(name: &str) -> Option<StretchTarget> {
    Some(match name.strip_prefix("line-") {
        Some(line) => StretchTarget::Line(line.parse::<u32>().ok()?.saturating_sub(1)),
        None => StretchTarget::Number(name.parse().ok()?),
    })
}

/// Returns the conversation of a request URI. Returns `None` for other documents, and for a file
/// that is read in excerpts.
pub(in crate::lsp) fn shown_conversation<'v>(view: &'v View, uri: &Uri) -> Option<ShownConversation<'v>> {
    let rest = uri.as_str().strip_prefix(SCHEME.name)?.strip_prefix(':')?;
    let named = named(rest)?;
    let file = view.file(named.source.as_ref()?)?;
    let transcript = view.snapshot.transcript(file.id).filter(|transcript| !transcript.is_left_out())?;
    let count = count(&named).ok()?;
    let first = first(transcript, &named.name, count)?;
    ShownConversation::new(view, file, transcript.conversation(first, count, &Cancel::new())?)
}

/// Returns the number of records to show.
fn count(named: &SourceName) -> Result<usize> {
    let count = match named.get("count") {
        None => DEFAULT_RECORDS,
        Some(count) => {
            count.parse().map_err(|_| Error::invalid_params("`count` must be a number of records"))?
        }
    };
    Ok(count.clamp(1, MAX_RECORDS))
}

/// Returns the findings in the displayed records. The first excerpt also contains earlier
/// findings.
fn found_in<'t>(transcript: &'t SnapshotTranscript, window: &ConversationWindow) -> Vec<&'t Diagnostic> {
    let list = transcript.records().list();
    let start =
        list.get(window.first).filter(|_| window.first > 0).map_or(TextSize::new(0), |entry| entry.start);
    let end = list.get(window.first + window.count).map(|entry| entry.start);
    let is_shown = |at: TextSize| at >= start && end.is_none_or(|end| at < end);
    transcript.findings().into_iter().filter(|found| is_shown(found.range.start())).collect()
}

/// Returns one fold per turn, including the separator above it.
fn folds(shown: &ShownConversation<'_>, window: &ConversationWindow) -> Vec<Fold> {
    let fold = |(turn, start_line, end_line): (&WindowTurn, u32, u32)| {
        let title = slice(&window.text.text, turn.head).trim_matches(['─', ' ']).to_owned();
        Fold { start_line, end_line, title }
    };
    shown.turns().map(fold).collect()
}

/// Returns the list of turns for the client.
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

/// Returns the index of the first record to show. The name contains either a record number, or a
/// line of the file, which selects the excerpt with this line.
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

/// Returns the parts of the text with the bytes that they show.
fn origins(shown: &ShownConversation<'_>, window: &ConversationWindow) -> Vec<DocumentOrigin> {
    let lines = LineIndex::new(&window.text.text);
    let links = joined(&window.text.links, &lines);
    let origin = |link: &ConversationLink| DocumentOrigin {
        range: shown.range(link.range),
        location: shown.location(link.source.range),
        kind: link.kind.word().to_owned(),
    };
    links.iter().map(origin).collect()
}

/// Returns the position of a window in the transcript, and its neighbors.
fn stretch_of(
    file: &SnapshotFile,
    transcript: &SnapshotTranscript,
    made: &ConversationWindow,
    count: usize,
) -> DocumentWindow {
    let (uri, numbers) = (to_proto::uri(file), transcript.records().list());
    let number = |at: usize| numbers.get(at).map(|entry| entry.number);
    let address = |at: usize| Some(address(number(at)?, count, uri.as_ref()?));
    DocumentWindow {
        first: number(made.first).unwrap_or(1),
        count: made.count,
        total: Some(made.total),
        before: if made.first > 0 { address(made.first.saturating_sub(count)) } else { None },
        after: address(made.first + made.count),
    }
}

fn address(first: u64, count: usize, of: &Uri) -> String {
    format!("{}:/{first}?count={count}&of={}", SCHEME.name, component(of.as_str()))
}

/// Merges adjacent links of an envelope on the same line, because they are numerous.
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
