//! Paths in documents: `textDocument/documentLink`, and paths in the `# @preview` comments of a sample
//! kernel (navigation, hover and completion).
//!
//! No file is opened or read. Only files known to the workspace are considered.

use std::path::Path;
use std::sync::Arc;

use tower_lsp::ls_types::{
    DocumentLink, DocumentLinkParams, GotoDefinitionResponse, Location, Range, TextDocumentPositionParams,
    Uri,
};

use super::transcripts;
use crate::lsp::to_proto;
use crate::lsp::view::{DocumentPlace, View};
use agent_prompt::{PreviewSetting, SourcedText};
use mangle_host::workspace::SnapshotFile;
use mangle_host::{absolute, is_mangle, is_single, named_among, relative};
use mangle_ide::completion::{Completions, completions_of_paths};
use mangle_ide::hover::Hover;
use mangle_ide::links::{LinkTarget, links};
use mangle_ide::markup::Markup;
use mangle_syntax::text::TextRange;

/// Returns the URLs and file paths in comments.
pub(in crate::lsp) fn links_of(view: &View, params: &DocumentLinkParams) -> Option<Vec<DocumentLink>> {
    let file = view.file(&params.text_document.uri)?;
    if let Some(transcript) = view.snapshot.transcript(file.id) {
        return Some(transcripts::links(view, transcript));
    }
    let found = links(file.source()).into_iter().filter_map(|link| {
        let target = match link.target {
            LinkTarget::Address(address) => address.parse().ok()?,
            LinkTarget::Path(path) => known(view, file, path)?,
        };
        let range = view.range(file, link.range);
        Some(DocumentLink { range, target: Some(target), tooltip: None, data: None })
    });
    Some(found.collect())
}

/// Returns the workspace file that a path refers to, relative to the folder of the referring file
/// or to an ancestor of this folder.
fn known(view: &View, from: &SnapshotFile, path: &str) -> Option<Uri> {
    let folders = from.path.ancestors().skip(1);
    let inside = |folder: &&Path| view.session.folders.iter().any(|root| folder.starts_with(root));
    let own = folders.clone().take(1);
    let mut around = own.chain(folders.skip(1).take_while(inside));
    around.find_map(|folder| {
        let file = view.snapshot.file_at(&absolute(folder, Path::new(path)))?;
        (file.id != from.id).then(|| to_proto::uri(file))?
    })
}

/// The maximum number of listed files.
const LISTED: usize = 20;

/// The settings whose values are paths.
const SETTINGS: [&str; 3] = ["use", "session", "captured"];

struct SettingPath<'v> {
    key: &'v str,
    /// The path or glob. Empty if it is not written yet.
    path: SourcedText,
    /// The byte range of the path.
    range: TextRange,
}

impl<'v> SettingPath<'v> {
    /// Returns the path at a position of a sample kernel.
    fn at(at: &DocumentPlace<'v>) -> Option<Self> {
        let place = at.place().filter(|place| place.program().embedding.is_kernel(at.file.id))?;
        let setting = PreviewSetting::at(at.file.text(), place.offset)?;
        let key = SETTINGS.into_iter().find(|key| *key == setting.key)?;
        if place.offset <= setting.key_range.end() {
            return None;
        }
        let entries = setting.entries();
        let path = entries.into_iter().find(|entry| entry.range.contains_inclusive(place.offset));
        let path = path.filter(|path| !path.is_empty()).unwrap_or_default();
        let range = if path.is_empty() { TextRange::empty(place.offset) } else { path.range };
        Some(Self { key, path, range })
    }

    /// Returns the files that match the path.
    fn files(&self, at: &DocumentPlace<'v>) -> Vec<&'v Arc<SnapshotFile>> {
        if self.path.is_empty() {
            return Vec::new();
        }
        let snapshot = &at.view.snapshot;
        let known = snapshot.files().map(|file| Path::new(&*file.path));
        let named = named_among(&at.file.path, self.path.as_str(), known);
        named.into_iter().filter_map(|path| snapshot.file_at(path)).collect()
    }
}

/// Returns the files that match the path at a position.
pub(super) fn definition(view: &View, at: &TextDocumentPositionParams) -> Option<GotoDefinitionResponse> {
    let at = view.spot(at)?;
    let files = SettingPath::at(&at)?.files(&at);
    let location =
        |file: &Arc<SnapshotFile>| Some(Location { uri: to_proto::uri(file)?, range: Range::default() });
    let locations: Vec<_> = files.into_iter().filter_map(location).collect();
    (!locations.is_empty()).then_some(GotoDefinitionResponse::Array(locations))
}

/// Returns the hover of the path at a position: a list of the matching files.
pub(super) fn hover(at: &DocumentPlace<'_>) -> Option<Hover> {
    let named = SettingPath::at(at).filter(|named| !named.path.is_empty())?;
    let files = named.files(at);
    let folder = at.file.path.parent().unwrap_or(&at.file.path);
    let mut names: Vec<String> = files.iter().map(|file| relative(folder, &file.path)).collect();
    names.sort();
    let says = match names.len() {
        0 => "No file of the workspace has this path.".to_owned(),
        1 => "Names 1 file:".to_owned(),
        count => format!("Names {count} files:"),
    };
    if names.len() > LISTED {
        let more = names.len() - LISTED;
        names.truncate(LISTED);
        names.push(format!("… and {more} more"));
    }
    let markup = Markup::default().text(says);
    let markup = if names.is_empty() { markup } else { markup.excerpt(names.join("\n")) };
    Some(Hover { range: named.range, markup })
}

/// Returns the possible paths at a position, or `None` if no path can be written there.
pub(super) fn completions(at: &DocumentPlace<'_>) -> Option<Completions> {
    let named = SettingPath::at(at)?;
    let folder = at.file.path.parent().unwrap_or(&at.file.path);
    let is_session = |path: &Path| path.to_string_lossy().to_lowercase().contains(".session.");
    let fits = |path: &Path| match named.key {
        "use" => is_mangle(path) && !is_single(path),
        "session" => is_session(path),
        _ => !is_mangle(path) && !is_session(path),
    };
    let files = at.view.snapshot.files().map(|file| Path::new(&*file.path));
    let mut paths: Vec<_> = files.filter(|path| fits(path)).map(|path| relative_up(folder, path)).collect();
    paths.sort();
    paths.dedup();
    Some(completions_of_paths(paths, named.range, at.offset))
}

/// Returns a path relative to `folder`, with `..` for parent folders.
fn relative_up(folder: &Path, path: &Path) -> String {
    let shared = folder.components().zip(path.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().count() - shared;
    let down = path.components().skip(shared).map(|part| part.as_os_str().to_string_lossy().into_owned());
    let parts: Vec<_> = std::iter::repeat_n("..".to_owned(), up).chain(down).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_up_and_down() {
        let from = |folder: &str, path: &str| relative_up(Path::new(folder), Path::new(path));
        assert_eq!(from("/w/samples", "/w/samples/a.mg"), "a.mg");
        assert_eq!(from("/w/samples/x", "/w/policy/a.mg"), "../../policy/a.mg");
        assert_eq!(from("/w", "/w/policy/a.mg"), "policy/a.mg");
    }
}
