//! `mangle-property:`, the result of a property of a policy test, with its counterexample and
//! proof: `/NAME?of=URI`.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::Location;

use super::preview::{files, in_text};
use super::source::{SourceName, named};
use super::{DocumentContent, DocumentOrigin, Scheme, nothing};
use crate::lsp::features::property;
use crate::lsp::to_proto;
use crate::lsp::view::View;
use mangle_host::workspace::SnapshotFile;
use mangle_syntax::text::{Cancel, LineIndex, TextRange, text_len};

pub(super) const SCHEME: Scheme =
    Scheme { name: "mangle-property", read: named, find: nothing, outlives: true, stamp, make };

/// Depends on the programs of the test file and on the known results of their properties.
fn stamp(view: &View, file: &SnapshotFile) -> Option<u64> {
    let mut hasher = FxHasher::default();
    let mut is_open = file.open.is_some();
    for program in view.snapshot.programs_of(file.id) {
        is_open |= files(program, &mut hasher);
        program.is_verified().hash(&mut hasher);
    }
    is_open.then(|| hasher.finish())
}

fn make(view: &View, file: &SnapshotFile, named: &SourceName, _: &Cancel) -> Result<DocumentContent> {
    let Some((header, text)) = property::text(view, file, &named.name) else {
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
