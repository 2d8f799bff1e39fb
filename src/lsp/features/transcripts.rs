//! Editor features in transcripts, outside embedded Mangle.

use std::path::Path;

use tower_lsp::ls_types::{
    DocumentLink, Hover, HoverContents, InlayHint, InlayHintLabel, InlayHintTooltip, Location, MessageType,
    Range, ShowMessageParams, TextDocumentPositionParams, Uri,
};

use crate::lsp::to_proto::{formats, markup};
use crate::lsp::view::{DocumentPlace, EmbeddedMangle, View};
use crate::lsp::{from_proto, to_proto};
use mangle_engine::program::Program;
use mangle_host::workspace::SnapshotTranscript;
use mangle_host::{file_inside, relative};
use mangle_ide::markup::{Link, Markup};
use mangle_ide::subject::Subject;
use mangle_ide::transcripts::{hover, links};
use mangle_ide::{definition, replays};
use mangle_syntax::text::{FileId, StatementId, TextSize};

/// Answers `textDocument/hover`. In Mangle, the hover is the same as in a Mangle file, plus the
/// outcome of the update.
pub(super) fn hover(view: &View, params: &TextDocumentPositionParams) -> Option<Hover> {
    let (transcript, offset) = view.transcript_spot(params)?;
    let file = &transcript.file;
    let (shown, range) = match view.spot(params) {
        Some(at @ DocumentPlace { inside: Some(inside), .. }) => of_mangle(view, &at, inside),
        _ => {
            let (found, verdict) = (
                transcript.with_policies(|opened| hover::hover(opened, offset)),
                verdict(view, transcript, offset),
            );
            let range = found.as_ref().or(verdict.as_ref())?.range;
            let markup = [found, verdict].into_iter().flatten().map(|hover| hover.markup);
            let markup = markup.reduce(Markup::and)?;
            (markup, view.range(file, range))
        }
    };
    Some(Hover { contents: HoverContents::Markup(markup(&shown, formats(view))), range: Some(range) })
}

/// Returns the verdict about the request at a position, with its proof.
fn verdict(
    view: &View,
    transcript: &SnapshotTranscript,
    offset: TextSize,
) -> Option<mangle_ide::hover::Hover> {
    let known = transcript.replayed().verdicts.as_ref()?;
    let to_clause = |file, statement| clause(view, transcript, file, statement);
    let is_current = transcript.is_replay_current();
    replays::hover(known, transcript.records(), offset, is_current, &to_clause)
}

/// Returns a link to a clause of the policies of a transcript.
fn clause(
    view: &View,
    transcript: &SnapshotTranscript,
    file: FileId,
    statement: StatementId,
) -> Option<Link> {
    let mut programs = transcript.programs.iter();
    let program = programs.find_map(|program| program.program().file(file))?;
    let start = program.items.iter().find(|item| item.statement.id == statement)?.start;
    let file = view.shown(file)?;
    let line = file.line_col(start, view.session.encoding).line + 1;
    let target = format!("{}#L{line}", to_proto::uri(file)?.as_str());
    Some(Link { label: format!("{}:{line}", view.name(file.id)), target })
}

fn of_mangle(view: &View, at: &DocumentPlace<'_>, inside: EmbeddedMangle<'_>) -> (Markup, Range) {
    let place = at.place();
    let found = place.and_then(mangle_ide::hover::hover);
    let fate = inside.transcript.with_policies(|opened| hover::fate(opened, inside.start, inside.text));
    let declared = place.and_then(definition::declaration).and_then(|found| {
        let target = found.targets.first()?;
        let file = view.shown(target.file)?;
        let line = file.line_col(target.name.start(), view.session.encoding).line + 1;
        Some(format!("Declared in {}, line {line}.", shown(view, &file.path)))
    });
    let range = match &found {
        Some(found) => at.range(found.range),
        None => view.range(at.file, inside.text.range() + inside.start),
    };
    let mut said = found.map(|found| found.markup).unwrap_or_default();
    if let Some(declared) = declared {
        said = said.untrusted(declared);
    }
    (said.and(fate), range)
}

/// Returns the path of a file, relative to its workspace folder.
fn shown(view: &View, path: &Path) -> String {
    let folders = view.session.folders.iter().filter(|folder| path.starts_with(folder));
    let folder = folders.max_by_key(|folder| folder.as_os_str().len());
    folder.map_or_else(|| path.display().to_string(), |folder| relative(folder, path))
}

/// Answers `textDocument/inlayHint`.
pub(super) fn inlay_hints(view: &View, transcript: &SnapshotTranscript, range: Range) -> Vec<InlayHint> {
    let file = &transcript.file;
    let range = from_proto::text_range(file.text(), file.lines(), range, view.session.encoding);
    let convert = |hint: mangle_ide::inlay_hints::Hint| InlayHint {
        position: view.range(file, mangle_syntax::text::TextRange::empty(hint.offset)).start,
        label: InlayHintLabel::String(hint.label),
        kind: None,
        text_edits: None,
        tooltip: hint.full.map(InlayHintTooltip::String),
        padding_left: Some(true),
        padding_right: Some(true),
        data: None,
    };
    let mut found = transcript.with_policies(|opened| hover::hints(opened, range));
    if let Some(known) = &transcript.replayed().verdicts {
        found.extend(replays::hints(known, transcript.records(), range, &|file, statement| {
            clause(view, transcript, file, statement)
        }));
        found.sort_by_key(|hint| hint.offset);
    }
    found.into_iter().map(convert).collect()
}

/// Answers `textDocument/documentLink`: existing workspace files that a reply mentions. URLs from
/// a transcript are not links.
pub(super) fn links(view: &View, transcript: &SnapshotTranscript) -> Vec<DocumentLink> {
    let file = &transcript.file;
    let roots = view.session.folders.iter().filter(|root| file.path.starts_with(root));
    let roots: Vec<&Path> = roots.map(AsRef::as_ref).collect();
    let found = links::links(transcript.opened()).into_iter().filter_map(|link| {
        let path = roots.iter().find_map(|root| file_inside(root, Path::new(&link.path)))?;
        let target: Option<Uri> = to_proto::path_uri(&path);
        let range = view.range(file, link.range);
        target.map(|target| DocumentLink { range, target: Some(target), tooltip: None, data: None })
    });
    found.collect()
}

/// Returns the occurrences of a symbol in transcripts, open or not, that are checked against the
/// declarations of `program`.
pub(super) fn mentions(view: &View, subject: Subject, program: &Program) -> Vec<Location> {
    let mut found = Vec::new();
    for transcript in &view.snapshot.transcripts {
        let shares = |one: &Program| one.files.iter().any(|file| program.file(file.id).is_some());
        if !transcript.programs.iter().any(|one| shares(one.program())) {
            continue;
        }
        // Most closed transcripts contain no occurrence and need not be parsed.
        if !links::may_mention(transcript.file.text(), subject) {
            continue;
        }
        let Some(uri) = to_proto::uri(&transcript.file) else { continue };
        for range in links::mentions(transcript.opened(), subject, program) {
            let range = view.range(&transcript.file, range);
            found.push(Location { uri: uri.clone(), range });
        }
    }
    found
}

/// Warns that transcripts mention a renamed symbol, because they are not changed.
pub(super) fn warn_of_mentions(view: &View, subject: Subject, program: &Program, new: &str) {
    let found = mentions(view, subject, program);
    let mut files: Vec<&Uri> = found.iter().map(|location| &location.uri).collect();
    files.dedup();
    if files.is_empty() {
        return;
    }
    let times = if found.len() == 1 { "once".to_owned() } else { format!("{} times", found.len()) };
    let documents =
        if files.len() == 1 { "a transcript".to_owned() } else { format!("{} transcripts", files.len()) };
    let left_out = view.snapshot.transcripts.iter().filter(|transcript| transcript.is_left_out()).count();
    let others = match left_out {
        0 => "",
        _ => " Some closed transcripts are too large to search.",
    };
    let message = format!(
        "The old name occurs {times} in {documents}. Transcripts are records and are not changed to `{new}`. From now \
         on, updates of agents with the old name are rejected.{others}"
    );
    view.outbox.notify("window/showMessage", ShowMessageParams { typ: MessageType::WARNING, message });
}
