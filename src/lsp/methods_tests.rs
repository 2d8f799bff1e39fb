//! Consistency tests of the LSP methods: one table is compared with the handlers, the announced
//! capabilities, and `docs/protocol.md`.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::actions::COMMANDS;
use super::capabilities::initialize_result;
use super::server::EXTENSIONS;
use super::session::ClientSession;
use super::virtual_documents::{CHANGED, SCHEMES};

/// An LSP method: its handler in `server` (a method with a handler is served), its name, and the
/// capability that announces it, if one exists.
type Method = (&'static str, &'static str, Option<&'static str>);

const METHODS: &[Method] = &[
    ("initialize", "initialize", None),
    ("initialized", "initialized", None),
    ("shutdown", "shutdown", None),
    ("did_open", "textDocument/didOpen", Some("textDocumentSync.openClose")),
    ("did_change", "textDocument/didChange", Some("textDocumentSync.change")),
    ("did_close", "textDocument/didClose", Some("textDocumentSync.openClose")),
    ("did_save", "textDocument/didSave", Some("textDocumentSync.save")),
    ("did_change_watched_files", "workspace/didChangeWatchedFiles", None),
    (
        "did_change_workspace_folders",
        "workspace/didChangeWorkspaceFolders",
        Some("workspace.workspaceFolders.changeNotifications"),
    ),
    ("did_change_configuration", "workspace/didChangeConfiguration", None),
    ("diagnostic", "textDocument/diagnostic", Some("diagnosticProvider")),
    ("workspace_diagnostic", "workspace/diagnostic", Some("diagnosticProvider.workspaceDiagnostics")),
    ("hover", "textDocument/hover", Some("hoverProvider")),
    ("completion", "textDocument/completion", Some("completionProvider")),
    ("completion_resolve", "completionItem/resolve", Some("completionProvider.resolveProvider")),
    ("signature_help", "textDocument/signatureHelp", Some("signatureHelpProvider")),
    ("goto_declaration", "textDocument/declaration", Some("declarationProvider")),
    ("goto_definition", "textDocument/definition", Some("definitionProvider")),
    ("goto_type_definition", "textDocument/typeDefinition", Some("typeDefinitionProvider")),
    ("goto_implementation", "textDocument/implementation", Some("implementationProvider")),
    ("references", "textDocument/references", Some("referencesProvider")),
    ("document_highlight", "textDocument/documentHighlight", Some("documentHighlightProvider")),
    ("document_symbol", "textDocument/documentSymbol", Some("documentSymbolProvider")),
    ("symbol", "workspace/symbol", Some("workspaceSymbolProvider")),
    ("symbol_resolve", "workspaceSymbol/resolve", Some("workspaceSymbolProvider.resolveProvider")),
    ("prepare_rename", "textDocument/prepareRename", Some("renameProvider.prepareProvider")),
    ("rename", "textDocument/rename", Some("renameProvider")),
    ("prepare_call_hierarchy", "textDocument/prepareCallHierarchy", Some("callHierarchyProvider")),
    ("incoming_calls", "callHierarchy/incomingCalls", Some("callHierarchyProvider")),
    ("outgoing_calls", "callHierarchy/outgoingCalls", Some("callHierarchyProvider")),
    ("folding_range", "textDocument/foldingRange", Some("foldingRangeProvider")),
    ("selection_range", "textDocument/selectionRange", Some("selectionRangeProvider")),
    ("linked_editing_range", "textDocument/linkedEditingRange", Some("linkedEditingRangeProvider")),
    ("semantic_tokens_full", "textDocument/semanticTokens/full", Some("semanticTokensProvider.full")),
    (
        "semantic_tokens_full_delta",
        "textDocument/semanticTokens/full/delta",
        Some("semanticTokensProvider.full.delta"),
    ),
    ("semantic_tokens_range", "textDocument/semanticTokens/range", Some("semanticTokensProvider.range")),
    ("inlay_hint", "textDocument/inlayHint", Some("inlayHintProvider")),
    ("inlay_hint_resolve", "inlayHint/resolve", Some("inlayHintProvider.resolveProvider")),
    ("document_link", "textDocument/documentLink", Some("documentLinkProvider")),
    ("document_link_resolve", "documentLink/resolve", Some("documentLinkProvider.resolveProvider")),
    ("code_lens", "textDocument/codeLens", Some("codeLensProvider")),
    ("code_lens_resolve", "codeLens/resolve", Some("codeLensProvider.resolveProvider")),
    ("formatting", "textDocument/formatting", Some("documentFormattingProvider")),
    ("range_formatting", "textDocument/rangeFormatting", Some("documentRangeFormattingProvider")),
    ("on_type_formatting", "textDocument/onTypeFormatting", Some("documentOnTypeFormattingProvider")),
    ("will_rename_files", "workspace/willRenameFiles", Some("workspace.fileOperations.willRename")),
    ("code_action", "textDocument/codeAction", Some("codeActionProvider")),
    ("code_action_resolve", "codeAction/resolve", Some("codeActionProvider.resolveProvider")),
    ("execute_command", "workspace/executeCommand", Some("executeCommandProvider")),
];

/// Methods that the framework handles, and notifications of the server.
const OTHERS: &[&str] = &["exit", "$/cancelRequest", CHANGED];

/// Capabilities that describe a property of the server instead of a method.
const QUALITIES: &[&str] = &[
    "positionEncoding",
    "textDocumentSync",
    "diagnosticProvider.interFileDependencies",
    "completionProvider.completionItem",
    "completionProvider.completionItem.labelDetailsSupport",
    "semanticTokensProvider",
    "workspace",
    "workspace.workspaceFolders",
    "workspace.workspaceFolders.supported",
];

/// Returns the announced capabilities for a client with many capabilities.
pub(super) fn capabilities() -> Value {
    let mut client: Value = serde_json::from_str(include_str!("../../tests/clients/vscode.json")).unwrap();
    let params = json!({ "capabilities": client["capabilities"].take() });
    let session = ClientSession::new(&serde_json::from_value(params).unwrap());
    serde_json::to_value(initialize_result(&session)).unwrap()["capabilities"].take()
}

/// Returns the names of capabilities that a client can use: all top-level members, and nested
/// members that are true or objects.
pub(super) fn names(capabilities: &Value) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (name, value) in capabilities.as_object().unwrap() {
        names.insert(name.clone());
        nested(name, value, &mut names);
    }
    names
}

fn nested(path: &str, value: &Value, names: &mut BTreeSet<String>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        // The names of token types are not capabilities.
        let is_ability = (*value == true || value.is_object() || name == "change") && name != "legend";
        if is_ability {
            names.insert(path.clone());
            nested(&path, value, names);
        }
    }
}

/// Returns the handlers in `server.rs`: handwritten ones, and those in the `features!` table.
fn handlers() -> BTreeSet<String> {
    let source = include_str!("server.rs");
    let implementation = source.split("impl LanguageServer for Server {").nth(1).unwrap();
    let table = implementation.split_once("features! {").map_or("", |(_, table)| table);
    let (table, written) = table.split_once("\n    }\n").unwrap();
    let written = written.lines().filter_map(|line| line.trim().strip_prefix("async fn "));
    let of_features = table.lines().filter(|line| line.contains(") -> "));
    let name = |line: &str| line.trim().split('(').next().unwrap().to_owned();
    written.chain(of_features).map(name).collect()
}

fn served() -> impl Iterator<Item = &'static Method> {
    let handlers = handlers();
    METHODS.iter().filter(move |(handler, _, _)| handlers.contains(*handler))
}

const PAGE: &str = include_str!("../../docs/protocol.md");

/// Returns the names in backquotes in the first columns of a page's tables, if `wanted` accepts
/// them.
fn first_columns(page: &str, wanted: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix('|')?.split('|').next());
    let words = rows.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    words
        .map(|word| word.split(' ').next().unwrap_or(word))
        .filter(|word| wanted(word))
        .map(String::from)
        .collect()
}

fn set<'a>(names: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    names.into_iter().map(String::from).collect()
}

#[test]
fn every_handler_is_in_the_table() {
    let unknown: Vec<_> =
        handlers().difference(&set(METHODS.iter().map(|(handler, _, _)| *handler))).cloned().collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn the_table_and_the_capabilities_agree() {
    let promised =
        set(served().filter_map(|(_, _, capability)| *capability).chain(QUALITIES.iter().copied()));
    let named = names(&capabilities());
    let silent: Vec<_> =
        promised.difference(&named).filter(|name| !QUALITIES.contains(&name.as_str())).collect();
    assert!(silent.is_empty(), "served, and the client is not told: {silent:?}");
    let unserved: Vec<_> = named.difference(&promised).collect();
    assert!(unserved.is_empty(), "promised, and no method of the table serves it: {unserved:?}");
}

#[test]
fn the_page_names_all_methods_and_no_others() {
    let is_method =
        |word: &str| word.contains('/') || ["initialize", "initialized", "shutdown", "exit"].contains(&word);
    let standard = served().map(|(_, name, _)| *name);
    let served = standard.chain(EXTENSIONS.iter().copied()).chain(OTHERS.iter().copied());
    let (documented, served) = (first_columns(PAGE, is_method), set(served));
    let missing: Vec<_> = served.difference(&documented).collect();
    assert!(missing.is_empty(), "served, and not in docs/protocol.md: {missing:?}");
    let gone: Vec<_> = documented.difference(&served).collect();
    assert!(gone.is_empty(), "in docs/protocol.md, and not served: {gone:?}");
}

#[test]
fn the_page_names_all_commands_and_schemes_and_no_others() {
    let commands = first_columns(PAGE, |word| word.starts_with("mangle."));
    assert_eq!(commands, set(COMMANDS));
    let schemes = first_columns(PAGE, |word| word.starts_with("mangle-") && word.ends_with(':'));
    assert_eq!(schemes, SCHEMES.iter().map(|scheme| format!("{}:", scheme.name)).collect());
}
