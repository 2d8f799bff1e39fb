//! `textDocument/references` and `textDocument/documentHighlight`

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use tower_lsp::ls_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, Location, ReferenceParams,
};

use super::transcripts;
use crate::lsp::to_proto;
use crate::lsp::view::{DocumentPlace, View};
use agent_prompt::PreviewSetting;
use mangle_host::absolute;
use mangle_ide::references::{HighlightKind, highlights, references};
use mangle_ide::subject::Subject;
use mangle_syntax::text::TextRange;

/// Returns the occurrences in all programs of the file.
pub(in crate::lsp) fn find(view: &View, params: &ReferenceParams) -> Option<Vec<Location>> {
    let at = view.spot(&params.text_document_position)?;
    if let Some(paths) = same_path(view, &at) {
        return Some(paths);
    }
    let declarations = params.context.include_declaration;
    let mut seen = FxHashSet::default();
    let mut found: Vec<_> = at.everywhere().flat_map(|place| references(place, declarations)).collect();
    found.retain(|occurrence| seen.insert((occurrence.file, occurrence.range)));
    // Sorted by path, so that the order is the same in every session.
    found.sort_by_cached_key(|occurrence| {
        let path = view.snapshot.file(occurrence.file).map(|file| file.path.clone());
        (path, occurrence.range.start())
    });
    let subjects = at.everywhere().find_map(|place| Some((Subject::at(place)?.0, place.program())));
    let in_transcripts = subjects.map(|(subject, program)| transcripts::mentions(view, subject, program));
    let locations =
        found.iter().filter_map(|occurrence| to_proto::location(view, occurrence.file, occurrence.range));
    Some(locations.chain(in_transcripts.unwrap_or_default()).collect())
}

/// Returns the paths in `# @preview use:` comments of all programs that refer to the same file as
/// the path at a position. Returns `None` if no path is at the position.
fn same_path(view: &View, at: &DocumentPlace<'_>) -> Option<Vec<Location>> {
    let place = at.place()?;
    let file = view.snapshot.file(place.file.id)?;
    let here = |range: TextRange| range.contains_inclusive(place.offset);
    let (_, target) = used_paths(&file.path, place.text()).find(|(range, _)| here(*range))?;
    let files = view.snapshot.programs.iter().flat_map(|program| program.program().files.iter());
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    for summary in files.filter(|summary| seen.insert(summary.id)) {
        let Some(file) = view.snapshot.file(summary.id) else { continue };
        let same = used_paths(&file.path, &summary.text).filter(|(_, path)| *path == target);
        found.extend(same.map(|(range, _)| (file.path.clone(), summary.id, range)));
    }
    found.sort_by(|(one, _, a), (other, _, b)| (one, a.start()).cmp(&(other, b.start())));
    Some(found.into_iter().filter_map(|(_, file, range)| to_proto::location(view, file, range)).collect())
}

/// Returns the entries of the `use:` settings of a file, with their paths.
fn used_paths<'t>(file: &'t Path, text: &'t str) -> impl Iterator<Item = (TextRange, PathBuf)> + 't {
    let folder = file.parent().unwrap_or(file);
    let uses = PreviewSetting::all(text).filter(|setting| setting.key == "use");
    let entries = uses.flat_map(|setting| setting.entries()).filter(|entry| !entry.text.is_empty());
    entries.map(|entry| (entry.range, absolute(folder, Path::new(&entry.text))))
}

/// Returns the occurrences in the document.
pub(in crate::lsp) fn highlight(
    view: &View,
    params: &DocumentHighlightParams,
) -> Option<Vec<DocumentHighlight>> {
    let at = view.spot(&params.text_document_position_params)?;
    let found = highlights(at.place()?);
    let kind = |kind| match kind {
        HighlightKind::Read => DocumentHighlightKind::READ,
        HighlightKind::Write => DocumentHighlightKind::WRITE,
        HighlightKind::Text => DocumentHighlightKind::TEXT,
    };
    let one = |(range, of)| DocumentHighlight { range: at.range(range), kind: Some(kind(of)) };
    Some(found.into_iter().map(one).collect())
}
