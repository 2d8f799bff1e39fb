//! `textDocument/documentSymbol` and `workspace/symbol`

use tower_lsp::ls_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, SymbolKind,
    WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

use crate::lsp::to_proto;
use crate::lsp::view::View;
use crate::lsp::virtual_documents::shown_conversation;
use mangle_host::workspace::SnapshotFile;
use mangle_ide::symbols::{self, SymbolType, document_symbols, workspace_symbols};
use mangle_ide::transcripts;
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
