//! `textDocument/documentSymbol` and `workspace/symbol`

use tower_lsp::ls_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, SymbolKind,
    WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

use crate::host::workspace::SnapshotFile;
use crate::ide::symbols::{self, SymbolType, document_symbols, workspace_symbols};
use crate::ide::transcripts;
use crate::lsp::to_proto;
use crate::lsp::view::View;
use crate::lsp::virtual_documents::shown_conversation;
use piggyback::envelope::secrets::redacted;

/// How many symbols of the workspace are sent. Nobody reads more; whoever seeks more types another letter.
const LIMIT: usize = 256;

/// The outline of a document: as a tree if the client shows trees.
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

/// Visits a symbol and what is in it, each with the name of what it is in.
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

/// The names of the workspace that fit a query.
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

/// What clients draw for it: one of the kinds that each of them knows, the first eighteen of the protocol.
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
