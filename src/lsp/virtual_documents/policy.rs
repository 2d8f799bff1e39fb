//! Documents of a policy.
//!
//! - `mangle-preview:`, the system prompt of an agent role (shard) for the current program:
//!   `/NAME?shard=ID&mode=M&part=P&of=URI`.
//! - `mangle-property:`, the result of a property of a policy test, with its counterexample and proof:
//!   `/NAME?of=URI`.
//! - `mangle-syntax:`, the syntax tree of a document, one node per line.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{Location, Position, Range, Uri};

use super::scheme::{DocumentContent, DocumentOrigin, Fold, Scheme, nothing};
use crate::lsp::features::test;
use crate::lsp::source_name::{SourceName, document, named};
use crate::lsp::to_proto;
use crate::lsp::view::View;
use agent_prompt::{Mode, OriginPlace};
use mangle_host::workspace::{PreviewError, Previewed, SnapshotFile, SnapshotProgram};
use mangle_host::{PreviewRequest, RequestedPart};
use mangle_ide::preview_document::{preview_lenses, prompt_document};
use mangle_ide::syntax_tree::{Line, syntax_tree};
use mangle_syntax::text::{Cancel, FileId, LineIndex, TextRange, TextSize, text_len};

pub(super) const PREVIEW: Scheme = Scheme {
    name: "mangle-preview",
    read: named,
    find,
    outlives: true,
    stamp: preview_stamp,
    make: make_preview,
};

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
fn preview_stamp(view: &View, file: &SnapshotFile) -> Option<u64> {
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

fn make_preview(
    view: &View,
    file: &SnapshotFile,
    named: &SourceName,
    cancel: &Cancel,
) -> Result<DocumentContent> {
    let wish = wish(named)?;
    let is_outdated = || view.is_outdated();
    let see = |previewed: Previewed<'_>| made(view, previewed);
    match view.snapshot.preview(file.id, &wish, &is_outdated, cancel, see) {
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

pub(super) const PROPERTY: Scheme = Scheme {
    name: "mangle-property",
    read: named,
    find: nothing,
    outlives: true,
    stamp: property_stamp,
    make: make_property,
};

/// Depends on the programs of the test file and on the known results of their properties.
fn property_stamp(view: &View, file: &SnapshotFile) -> Option<u64> {
    let mut hasher = FxHasher::default();
    let mut is_open = file.open.is_some();
    for program in view.snapshot.programs_of(file.id) {
        is_open |= files(program, &mut hasher);
        program.is_verified().hash(&mut hasher);
    }
    is_open.then(|| hasher.finish())
}

fn make_property(
    view: &View,
    file: &SnapshotFile,
    named: &SourceName,
    _: &Cancel,
) -> Result<DocumentContent> {
    let Some((header, text)) = test::text(view, file, &named.name) else {
        let text = "This document has no property with this name.\n".to_owned();
        return Ok(DocumentContent { text, ..DocumentContent::default() });
    };
    let head = TextRange::up_to(text_len(text.lines().next().unwrap_or_default()));
    let range = in_text(view, &text, &LineIndex::new(&text), head);
    let origin = to_proto::uri(file).map(|uri| {
        let location = Location { uri, range: view.range(file, header) };
        DocumentOrigin { range, location, kind: "property".to_owned() }
    });
    Ok(DocumentContent { origins: origin.into_iter().collect(), text, ..DocumentContent::default() })
}

pub(super) const SYNTAX: Scheme = Scheme {
    name: "mangle-syntax",
    read: document,
    find: nothing,
    outlives: false,
    stamp: source_stamp,
    make: make_syntax,
};

pub(super) fn source_stamp(_: &View, file: &SnapshotFile) -> Option<u64> {
    let open = file.open.as_ref()?;
    Some(u64::from(open.version.unsigned_abs()) << 32 | open.text.len() as u64)
}

fn make_syntax(view: &View, file: &SnapshotFile, _: &SourceName, _: &Cancel) -> Result<DocumentContent> {
    let tree = syntax_tree(file.source());
    let lines = LineIndex::new(&tree.text);
    let uri = to_proto::uri(file);
    let origin = |line: &Line| {
        let position = |offset: TextSize| {
            let at = lines.line_col(&tree.text, offset, view.session.encoding);
            Position { line: at.line, character: at.col }
        };
        Some(DocumentOrigin {
            range: Range { start: position(line.start), end: position(line.end) },
            location: tower_lsp::ls_types::Location {
                uri: uri.clone()?,
                range: view.range(file, line.range),
            },
            kind: line.kind.to_string(),
        })
    };
    let origins = tree.lines.iter().filter_map(origin).collect();
    Ok(DocumentContent { text: tree.text, origins, ..DocumentContent::default() })
}
