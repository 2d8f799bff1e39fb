//! `mangle-preview:`, the system prompt of an agent role (shard) for the current program:
//! `/NAME?shard=ID&mode=M&part=P&of=URI`.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{Location, Position, Range, Uri};

use super::source::{SourceName, named};
use super::{DocumentContent, DocumentOrigin, Fold, Scheme};
use crate::lsp::to_proto;
use crate::lsp::view::View;
use agent_prompt::{Mode, OriginPlace};
use mangle_host::workspace::{PreviewError, Previewed, SnapshotFile, SnapshotProgram};
use mangle_host::{PreviewRequest, RequestedPart};
use mangle_ide::preview_document::{preview_lenses, prompt_document};
use mangle_syntax::text::{Cancel, FileId, LineIndex, TextRange};

pub(super) const SCHEME: Scheme =
    Scheme { name: "mangle-preview", read: named, find, outlives: true, stamp, make };

/// Returns the first sample kernel in the workspace, by path, that has a preview with this name.
fn find(view: &View, named: &SourceName) -> Option<FileId> {
    let mut kernels: Vec<&SnapshotFile> =
        view.snapshot.files().map(AsRef::as_ref).filter(|file| asks_for(file, &named.name)).collect();
    kernels.sort_by_key(|file| &file.path);
    kernels.first().map(|file| file.id)
}

fn asks_for(file: &SnapshotFile, name: &str) -> bool {
    let stem = mangle_host::preview_name(&file.path);
    preview_lenses(file.text(), &stem).iter().any(|preview| preview.name == name)
}

/// Depends on the files of the kernel's program, and on the change counter of files that previews
/// read in addition.
fn stamp(view: &View, file: &SnapshotFile) -> Option<u64> {
    let program = view.snapshot.programs_of(file.id).next()?;
    let mut hasher = FxHasher::default();
    view.snapshot.prompt_revisions.hash(&mut hasher);
    let is_open = files(program, &mut hasher) || view.snapshot.is_beside_open();
    is_open.then(|| hasher.finish())
}

/// Hashes the state of a program's files. Returns true if a file is open.
pub(super) fn files(program: &SnapshotProgram, hasher: &mut FxHasher) -> bool {
    for file in program.files.iter() {
        let version = file.open.as_ref().map(|open| open.version);
        (file.id, version, file.text().len(), file.text().as_ptr() as usize).hash(hasher);
    }
    program.files.iter().any(|file| file.open.is_some())
}

fn make(view: &View, file: &SnapshotFile, named: &SourceName, cancel: &Cancel) -> Result<DocumentContent> {
    let wish = wish(named)?;
    let is_outdated = || view.is_outdated();
    let see = |previewed: Previewed<'_>| made(view, previewed);
    match view.snapshot.preview(file.id, &wish, (&is_outdated, cancel), see) {
        Ok(made) => Ok(made),
        Err(PreviewError::Outdated) => Err(Error::content_modified()),
        Err(PreviewError::Refused(why)) => Ok(refused(&why)),
        // The preview may exist a moment later, for example while the user types its header.
        Err(PreviewError::Unknown) => {
            let text = format!("This file has no `# @preview` comments for `{}`.\n", named.name);
            Ok(DocumentContent { text, ..DocumentContent::default() })
        }
    }
}

/// The document for a program that does not load.
pub(super) fn refused(why: &str) -> DocumentContent {
    DocumentContent { text: format!("# {why}.\n"), ..DocumentContent::default() }
}

fn wish(named: &SourceName) -> Result<PreviewRequest> {
    let bad = |what: &str| Error::invalid_params(format!("unknown {what}"));
    let shard = named.get("shard").map(|shard| {
        let mut words = shard.split_whitespace().map(str::to_owned);
        (words.next().unwrap_or_default(), words.next())
    });
    let mode = named.get("mode").map(|mode| Mode::parse(mode).ok_or_else(|| bad("mode"))).transpose()?;
    let part =
        named.get("part").map(|part| RequestedPart::parse(part).ok_or_else(|| bad("part"))).transpose()?;
    Ok(PreviewRequest { name: Some(named.name.clone()), shard, mode, part: part.unwrap_or_default() })
}

fn made(view: &View, previewed: Previewed<'_>) -> DocumentContent {
    let common = previewed.preview.common();
    let Some(shown) = previewed.preview.prompts().first() else {
        return DocumentContent::default();
    };
    let document = prompt_document(common, shown);
    let lines = LineIndex::new(&document.text);
    let session = previewed.sessions.first().and_then(Option::as_ref);
    let session = session.and_then(|session| {
        Some((to_proto::path_uri(&session.path)?, &*session.text, LineIndex::new(&session.text)))
    });
    let location = |place: OriginPlace| match place {
        OriginPlace::File(file, range) => to_proto::location(view, file, range).or_else(|| {
            // A prompt atom file.
            let (_, path, text) = previewed.files.texts().find(|(known, ..)| *known == file)?;
            let range = in_text(view, text, &LineIndex::new(text), range);
            Some(Location { uri: to_proto::path_uri(path)?, range })
        }),
        OriginPlace::Header(range) => to_proto::location(view, common.sample()?, range),
        OriginPlace::Session(range) => {
            let (uri, text, lines): &(Uri, &str, LineIndex) = session.as_ref()?;
            Some(Location { uri: uri.clone(), range: in_text(view, text, lines, range) })
        }
    };
    let origins = document.origins.iter().filter_map(|origin| {
        let range = in_text(view, &document.text, &lines, origin.range);
        Some(DocumentOrigin { range, location: location(origin.place)?, kind: origin.kind.to_owned() })
    });
    let origins = origins.collect();
    let folds = document.sections.iter().map(|(range, title)| {
        let (start_line, end_line) = (lines.line_of(range.start()), lines.line_of(range.end()));
        Fold { start_line, end_line, title: title.clone() }
    });
    DocumentContent { folds: folds.collect(), origins, text: document.text, ..DocumentContent::default() }
}

/// Converts a range of a text that is not a document of the workspace.
pub(super) fn in_text(view: &View, text: &str, lines: &LineIndex, range: TextRange) -> Range {
    let position = |offset| {
        let at = lines.line_col(text, offset, view.session.encoding);
        Position { line: at.line, character: at.col }
    };
    Range { start: position(range.start()), end: position(range.end()) }
}
