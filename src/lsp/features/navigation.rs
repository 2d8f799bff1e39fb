//! `textDocument/definition`, `declaration`, `typeDefinition`, `implementation`, `references`,
//! `documentHighlight` and the call hierarchy.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::request::{
    GotoDeclarationParams, GotoDeclarationResponse, GotoImplementationParams, GotoImplementationResponse,
    GotoTypeDefinitionParams, GotoTypeDefinitionResponse,
};
use tower_lsp::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, GotoCapability, GotoDefinitionParams,
    GotoDefinitionResponse, Location, LocationLink, ReferenceParams, TextDocumentClientCapabilities,
};

use super::conversations::ShownConversation;
use super::{paths, symbols, transcripts};
use crate::lsp::to_proto;
use crate::lsp::view::{DocumentPlace, View};
use crate::lsp::virtual_documents::shown_conversation;
use agent_prompt::PreviewSetting;
use mangle_engine::program::{PredicateKey, Program};
use mangle_host::absolute;
use mangle_host::workspace::SnapshotFile;
use mangle_ide::call_hierarchy::{Call, HierarchyItem};
use mangle_ide::definition::{Definition, DefinitionTarget};
use mangle_ide::references::references;
use mangle_ide::references::{HighlightKind, highlights};
use mangle_ide::subject::Subject;
use mangle_ide::{Place, call_hierarchy, definition};
use mangle_syntax::text::{Symbol, TextRange};

pub(in crate::lsp) fn definition(
    view: &View,
    params: &GotoDefinitionParams,
) -> Option<GotoDefinitionResponse> {
    if let Some(shown) = conversation(view, params) {
        return shown.go(params, |raw| definition(view, raw));
    }
    if let Some(found) = paths::definition(view, &params.text_document_position_params) {
        return Some(found);
    }
    go(view, params, definition::definition, |client| client.definition.as_ref())
}

pub(in crate::lsp) fn declaration(
    view: &View,
    params: &GotoDeclarationParams,
) -> Option<GotoDeclarationResponse> {
    go(view, params, definition::declaration, |client| client.declaration.as_ref())
}

pub(in crate::lsp) fn type_definition(
    view: &View,
    params: &GotoTypeDefinitionParams,
) -> Option<GotoTypeDefinitionResponse> {
    go(view, params, definition::type_definition, |client| client.type_definition.as_ref())
}

pub(in crate::lsp) fn implementation(
    view: &View,
    params: &GotoImplementationParams,
) -> Option<GotoImplementationResponse> {
    go(view, params, definition::implementation, |client| client.implementation.as_ref())
}

fn go(
    view: &View,
    params: &GotoDefinitionParams,
    feature: fn(Place<'_>) -> Option<Definition>,
    capability: fn(&TextDocumentClientCapabilities) -> Option<&GotoCapability>,
) -> Option<GotoDefinitionResponse> {
    if let Some(shown) = conversation(view, params) {
        return shown.go(params, |raw| go(view, raw, feature, capability));
    }
    let at = view.spot(&params.text_document_position_params)?;
    let all: Vec<Definition> = at.places().filter_map(feature).collect();
    let mut targets: Vec<DefinitionTarget> = Vec::new();
    for target in all.iter().flat_map(|found| &found.targets) {
        if !targets.contains(target) {
            targets.push(*target);
        }
    }
    let client = view.session.client.text_document.as_ref();
    let links = client.and_then(capability).is_some_and(|it| it.link_support == Some(true));
    let origin = all.first()?.origin;
    Some(if links {
        let links = targets.iter().filter_map(|target| link(&at, origin, target));
        GotoDefinitionResponse::Link(links.collect())
    } else {
        let locations = targets.iter().filter_map(|target| location(view, target));
        GotoDefinitionResponse::Array(locations.collect())
    })
}

/// Returns the conversation of a request, if its document is one.
fn conversation<'v>(view: &'v View, params: &GotoDefinitionParams) -> Option<ShownConversation<'v>> {
    shown_conversation(view, &params.text_document_position_params.text_document.uri)
}

fn location(view: &View, target: &DefinitionTarget) -> Option<Location> {
    to_proto::location(view, target.file, target.name)
}

fn link(
    at: &DocumentPlace<'_>,
    origin: mangle_syntax::text::TextRange,
    target: &DefinitionTarget,
) -> Option<LocationLink> {
    let whole = to_proto::location(at.view, target.file, target.whole)?;
    let name = location(at.view, target)?;
    Some(LocationLink {
        origin_selection_range: Some(at.range(origin)),
        target_uri: whole.uri,
        target_range: whole.range,
        target_selection_range: name.range,
    })
}

/// Returns the occurrences in all programs of the file.
pub(in crate::lsp) fn find_references(view: &View, params: &ReferenceParams) -> Option<Vec<Location>> {
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

/// The `data` of an item: the predicate, which remains valid after edits.
#[derive(Debug, Serialize, Deserialize)]
struct ItemData {
    name: String,
    arity: u16,
}

/// Returns the item of the predicate at a position.
pub(in crate::lsp) fn prepare_calls(
    view: &View,
    params: &CallHierarchyPrepareParams,
) -> Option<Vec<CallHierarchyItem>> {
    let at = view.spot(&params.text_document_position_params)?;
    let found = at.places().find_map(call_hierarchy::prepare)?;
    Some(vec![item(view, &found, String::new())?])
}

/// Returns the predicates whose rules use the item.
pub(in crate::lsp) fn incoming_calls(
    view: &View,
    params: &CallHierarchyIncomingCallsParams,
) -> Option<Vec<CallHierarchyIncomingCall>> {
    let calls = calls(view, &params.item, |program, _, key| call_hierarchy::incoming(program, key))?;
    let calls = calls.iter().filter_map(|call| {
        let file = view.shown(call.item.file)?;
        let from = item(view, &call.item, call.kinds.to_string())?;
        Some(CallHierarchyIncomingCall { from, from_ranges: call_ranges(view, file, call) })
    });
    Some(calls.collect())
}

/// Returns the predicates that the rules of the item use.
pub(in crate::lsp) fn outgoing_calls(
    view: &View,
    params: &CallHierarchyOutgoingCallsParams,
) -> Option<Vec<CallHierarchyOutgoingCall>> {
    let file = view.file(&params.item.uri)?;
    let calls =
        calls(view, &params.item, |program, file, key| call_hierarchy::outgoing(program, key, file.id))?;
    let calls = calls.iter().filter_map(|call| {
        let to = item(view, &call.item, call.kinds.to_string())?;
        Some(CallHierarchyOutgoingCall { to, from_ranges: call_ranges(view, file, call) })
    });
    Some(calls.collect())
}

/// Returns the calls of an item in all programs of its file, without duplicates.
fn calls(
    view: &View,
    of: &CallHierarchyItem,
    find: impl Fn(&Program, &SnapshotFile, PredicateKey) -> Vec<Call>,
) -> Option<Vec<Call>> {
    let kept: ItemData = serde_json::from_value(of.data.clone()?).ok()?;
    let key = PredicateKey { name: Symbol::new(&kept.name), arity: kept.arity };
    let file = view.file(&of.uri)?;
    let mut calls: Vec<Call> = Vec::new();
    for program in view.snapshot.programs_with(file.id) {
        for call in find(program.program(), file, key) {
            if !calls.iter().any(|known| known.item == call.item) {
                calls.push(call);
            }
        }
    }
    Some(calls)
}

fn call_ranges(view: &View, file: &SnapshotFile, call: &Call) -> Vec<tower_lsp::ls_types::Range> {
    call.ranges.iter().map(|range| view.range(file, *range)).collect()
}

fn item(view: &View, item: &HierarchyItem, detail: String) -> Option<CallHierarchyItem> {
    let file = view.shown(item.file)?;
    let kept = ItemData { name: item.key.name.as_str().to_owned(), arity: item.key.arity };
    Some(CallHierarchyItem {
        name: item.key.to_string(),
        kind: symbols::kind(item.kind),
        tags: None,
        detail: Some(detail).filter(|detail| !detail.is_empty()),
        uri: to_proto::uri(file)?,
        range: view.range(file, item.whole),
        selection_range: view.range(file, item.name),
        data: serde_json::to_value(kept).ok(),
    })
}
