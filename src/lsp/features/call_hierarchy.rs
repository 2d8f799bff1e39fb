//! `textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and
//! `callHierarchy/outgoingCalls`

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
};

use super::symbols;
use crate::lsp::to_proto;
use crate::lsp::view::View;
use mangle_engine::program::{PredicateKey, Program};
use mangle_host::workspace::SnapshotFile;
use mangle_ide::call_hierarchy::{self, Call, HierarchyItem};
use mangle_syntax::text::Symbol;

/// The `data` of an item: the predicate, which remains valid after edits.
#[derive(Debug, Serialize, Deserialize)]
struct ItemData {
    name: String,
    arity: u16,
}

/// Returns the item of the predicate at a position.
pub(in crate::lsp) fn prepare(
    view: &View,
    params: &CallHierarchyPrepareParams,
) -> Option<Vec<CallHierarchyItem>> {
    let at = view.spot(&params.text_document_position_params)?;
    let found = at.places().find_map(call_hierarchy::prepare)?;
    Some(vec![item(view, &found, String::new())?])
}

/// Returns the predicates whose rules use the item.
pub(in crate::lsp) fn incoming(
    view: &View,
    params: &CallHierarchyIncomingCallsParams,
) -> Option<Vec<CallHierarchyIncomingCall>> {
    let calls = calls(view, &params.item, |program, _, key| call_hierarchy::incoming(program, key))?;
    let calls = calls.iter().filter_map(|call| {
        let file = view.shown(call.item.file)?;
        let from = item(view, &call.item, call.kinds.to_string())?;
        Some(CallHierarchyIncomingCall { from, from_ranges: ranges(view, file, call) })
    });
    Some(calls.collect())
}

/// Returns the predicates that the rules of the item use.
pub(in crate::lsp) fn outgoing(
    view: &View,
    params: &CallHierarchyOutgoingCallsParams,
) -> Option<Vec<CallHierarchyOutgoingCall>> {
    let file = view.file(&params.item.uri)?;
    let calls =
        calls(view, &params.item, |program, file, key| call_hierarchy::outgoing(program, key, file.id))?;
    let calls = calls.iter().filter_map(|call| {
        let to = item(view, &call.item, call.kinds.to_string())?;
        Some(CallHierarchyOutgoingCall { to, from_ranges: ranges(view, file, call) })
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

fn ranges(view: &View, file: &SnapshotFile, call: &Call) -> Vec<tower_lsp::ls_types::Range> {
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
