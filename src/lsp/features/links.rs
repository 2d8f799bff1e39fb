//! `textDocument/documentLink`
//!
//! No file is opened or read for a link. A path is a link only if the workspace contains a file at
//! that path.

use std::path::Path;

use tower_lsp::ls_types::{DocumentLink, DocumentLinkParams, Uri};

use super::transcripts;
use crate::lsp::to_proto;
use crate::lsp::view::View;
use mangle_host::absolute;
use mangle_host::workspace::SnapshotFile;
use mangle_ide::links::{LinkTarget, links};

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
