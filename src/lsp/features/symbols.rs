//! The structure of a document: `textDocument/documentSymbol`, `workspace/symbol`,
//! `textDocument/foldingRange` and `textDocument/selectionRange`.

use tower_lsp::ls_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, FoldingRange, FoldingRangeKind,
    FoldingRangeParams, Location, Position, Range, SelectionRange, SelectionRangeParams, SymbolKind,
    WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

use crate::lsp::view::View;
use crate::lsp::virtual_documents::shown_conversation;
use crate::lsp::{from_proto, to_proto};
use mangle_host::workspace::{SnapshotFile, SnapshotTranscript};
use mangle_ide::folding::selections;
use mangle_ide::folding::{Fold, FoldKind, folds};
use mangle_ide::symbols::{SymbolType, document_symbols, workspace_symbols};
use mangle_ide::{symbols, transcripts};
use mangle_syntax::text::{TextRange, TextSize};
use piggyback::envelope::secrets::redacted;

/// The maximum number of workspace symbols in a response. A user with more results refines the
/// query.
const LIMIT: usize = 256;

/// Returns the outline of a document, as a tree if the client supports trees.
pub(in crate::lsp) fn document(view: &View, params: &DocumentSymbolParams) -> Option<DocumentSymbolResponse> {
    let client =
        view.session.client.text_document.as_ref().and_then(|client| client.document_symbol.as_ref());
    let trees = client.is_some_and(|client| client.hierarchical_document_symbol_support == Some(true));
    let uri = &params.text_document.uri;
    if let Some(conversation) = shown_conversation(view, uri) {
        return Some(conversation.symbols(uri, trees));
    }
    let file = view.file(uri)?;
    let symbols = match view.snapshot.transcript(file.id) {
        Some(transcript) => transcript.with_policies(transcripts::symbols::symbols),
        None => document_symbols(file.summary()),
    };
    Some(if trees {
        let symbols = symbols.into_iter().map(|symbol| tree(view, file, symbol));
        DocumentSymbolResponse::Nested(symbols.collect())
    } else {
        let mut flat = Vec::new();
        let uri = to_proto::uri(file)?;
        for symbol in &symbols {
            flatten(symbol, None, &mut |symbol, container| {
                let location = Location { uri: uri.clone(), range: view.range(file, symbol.range) };
                flat.push(to_proto::symbol_information(
                    &redacted(&symbol.name),
                    kind(symbol.kind),
                    location,
                    container,
                ));
            });
        }
        DocumentSymbolResponse::Flat(flat)
    })
}

#[expect(deprecated, reason = "the type has the member")]
fn tree(view: &View, file: &SnapshotFile, symbol: symbols::DocumentSymbol) -> DocumentSymbol {
    let children: Vec<_> = symbol.children.into_iter().map(|child| tree(view, file, child)).collect();
    DocumentSymbol {
        name: redacted(&symbol.name).into_owned(),
        detail: Some(redacted(&symbol.detail).into_owned()).filter(|detail| !detail.is_empty()),
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: view.range(file, symbol.range),
        selection_range: view.range(file, symbol.selection),
        children: Some(children).filter(|children| !children.is_empty()),
    }
}

/// Visits a symbol and its descendants, each with the name of its parent.
fn flatten(
    symbol: &symbols::DocumentSymbol,
    container: Option<&str>,
    visit: &mut impl FnMut(&symbols::DocumentSymbol, Option<&str>),
) {
    visit(symbol, container);
    for child in &symbol.children {
        flatten(child, Some(&symbol.name), visit);
    }
}

/// Returns the symbols of the workspace that match a query.
pub(in crate::lsp) fn workspace(
    view: &View,
    params: &WorkspaceSymbolParams,
) -> Option<WorkspaceSymbolResponse> {
    let programs: Vec<_> = view.snapshot.programs.iter().map(|program| program.program().as_ref()).collect();
    let found = workspace_symbols(&programs, &params.query, LIMIT);
    let symbols = found.into_iter().filter_map(|symbol| {
        let location = to_proto::location(view, symbol.file, symbol.range)?;
        let package = symbol.package.map(|package| package.as_str());
        Some(to_proto::symbol_information(symbol.name.as_str(), kind(symbol.kind), location, package))
    });
    Some(WorkspaceSymbolResponse::Flat(symbols.collect()))
}

/// Returns the LSP kind of a symbol. Only the first 18 kinds are used, because all clients support
/// them.
pub(in crate::lsp) fn kind(kind: SymbolType) -> SymbolKind {
    match kind {
        SymbolType::Section => SymbolKind::NAMESPACE,
        SymbolType::Package => SymbolKind::PACKAGE,
        SymbolType::Use => SymbolKind::MODULE,
        SymbolType::Declaration => SymbolKind::INTERFACE,
        SymbolType::Rule => SymbolKind::FUNCTION,
        SymbolType::Facts => SymbolKind::CONSTANT,
        SymbolType::Turn => SymbolKind::METHOD,
        SymbolType::Envelope => SymbolKind::CLASS,
        SymbolType::Member => SymbolKind::FIELD,
    }
}

pub(in crate::lsp) fn folding_ranges(view: &View, params: &FoldingRangeParams) -> Option<Vec<FoldingRange>> {
    if let Some(conversation) = shown_conversation(view, &params.text_document.uri) {
        return Some(conversation.folds());
    }
    let file = view.file(&params.text_document.uri)?;
    let client = view.session.client.text_document.as_ref().and_then(|text| text.folding_range.as_ref());
    let by_line = client.is_some_and(|client| client.line_folding_only == Some(true));
    let shows_text = client.and_then(|client| client.folding_range.as_ref()?.collapsed_text) == Some(true);
    let limit = client.and_then(|client| client.range_limit).map_or(usize::MAX, |limit| limit as usize);
    let convert = |Fold { range, kind, summary }: Fold| {
        let range = view.range(file, range);
        FoldingRange {
            start_line: range.start.line,
            start_character: (!by_line).then_some(range.start.character),
            end_line: range.end.line,
            end_character: (!by_line).then_some(range.end.character),
            kind: match kind {
                FoldKind::Comment => Some(FoldingRangeKind::Comment),
                FoldKind::Imports => Some(FoldingRangeKind::Imports),
                FoldKind::Region => Some(FoldingRangeKind::Region),
                FoldKind::Code => None,
            },
            collapsed_text: summary.filter(|_| shows_text),
        }
    };
    let found = match view.snapshot.transcript(file.id) {
        Some(transcript) => transcripts::symbols::folds(transcript.opened()),
        None => folds(file.source(), file.summary()),
    };
    Some(found.into_iter().take(limit).map(convert).collect())
}

/// Answers the request: one chain of ranges for each position.
pub(in crate::lsp) fn selection_ranges(
    view: &View,
    params: &SelectionRangeParams,
) -> Option<Vec<SelectionRange>> {
    let file = view.file(&params.text_document.uri)?;
    let chain = |position: &Position| {
        let at = from_proto::line_col(*position);
        let offset = file.lines().offset(file.text(), at, view.session.encoding);
        let ranges = match view.snapshot.transcript(file.id) {
            Some(transcript) => in_transcript(transcript, offset),
            None => {
                let offset = file.map().to_derived(offset).unwrap_or_default();
                selections(file.source(), file.summary(), offset)
            }
        };
        let ranges = ranges.into_iter().rev().map(|range| view.range(file, range));
        let add = |parent: Option<SelectionRange>, range| {
            Some(SelectionRange { range, parent: parent.map(Box::new) })
        };
        let here = SelectionRange { range: Range { start: *position, end: *position }, parent: None };
        ranges.fold(None, add).unwrap_or(here)
    };
    Some(params.positions.iter().map(chain).collect())
}

/// Returns the ranges around an offset in the Mangle of a transcript. Empty outside Mangle.
fn in_transcript(transcript: &SnapshotTranscript, offset: TextSize) -> Vec<TextRange> {
    let Some((start, text, inside)) = transcript.mangle_at(offset) else { return Vec::new() };
    let ranges = selections(text.source(), text.summary(), inside).into_iter();
    let mut ranges: Vec<_> = ranges.map(|range| text.to_source(range) + start).collect();
    ranges.retain(|range| range.contains_inclusive(offset));
    ranges.dedup();
    ranges
}
