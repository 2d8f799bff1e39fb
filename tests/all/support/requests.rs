//! Every request that a server's capabilities promise, with parameters: whoever adds a feature has it tested without
//! a word. A capability that is not known here is a failure.
#![allow(dead_code, unreachable_pub, missing_docs, clippy::unwrap_used)] // each test file uses a part of it

use serde_json::{Value, json};

/// What a request is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// A place in a document.
    Place,
    /// A document.
    Document,
    /// The workspace.
    Workspace,
    /// One of the answers to another request.
    Answer,
}

/// A request and the capability that promises it.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    pub capability: &'static str,
    pub method: &'static str,
    pub about: About,
    /// The requests that follow from each of its answers.
    pub follow: &'static [&'static str],
}

const fn request(
    about: About,
    capability: &'static str,
    method: &'static str,
    follow: &'static [&'static str],
) -> Request {
    Request { capability, method, about, follow }
}

/// All requests of the protocol 3.17 that a capability promises.
const ALL: &[Request] = &[
    request(About::Place, "hoverProvider", "textDocument/hover", &[]),
    request(About::Place, "completionProvider", "textDocument/completion", &["completionItem/resolve"]),
    request(About::Answer, "completionProvider.resolveProvider", "completionItem/resolve", &[]),
    request(About::Place, "signatureHelpProvider", "textDocument/signatureHelp", &[]),
    request(About::Place, "declarationProvider", "textDocument/declaration", &[]),
    request(About::Place, "definitionProvider", "textDocument/definition", &[]),
    request(About::Place, "typeDefinitionProvider", "textDocument/typeDefinition", &[]),
    request(About::Place, "implementationProvider", "textDocument/implementation", &[]),
    request(About::Place, "referencesProvider", "textDocument/references", &[]),
    request(About::Place, "documentHighlightProvider", "textDocument/documentHighlight", &[]),
    request(About::Place, "linkedEditingRangeProvider", "textDocument/linkedEditingRange", &[]),
    request(About::Place, "selectionRangeProvider", "textDocument/selectionRange", &[]),
    request(About::Place, "monikerProvider", "textDocument/moniker", &[]),
    request(About::Place, "renameProvider", "textDocument/rename", &[]),
    request(About::Place, "renameProvider.prepareProvider", "textDocument/prepareRename", &[]),
    request(About::Place, "documentOnTypeFormattingProvider", "textDocument/onTypeFormatting", &[]),
    request(
        About::Place,
        "callHierarchyProvider",
        "textDocument/prepareCallHierarchy",
        &["callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"],
    ),
    request(
        About::Place,
        "typeHierarchyProvider",
        "textDocument/prepareTypeHierarchy",
        &["typeHierarchy/supertypes", "typeHierarchy/subtypes"],
    ),
    request(About::Place, "codeActionProvider", "textDocument/codeAction", &["codeAction/resolve"]),
    request(About::Answer, "codeActionProvider.resolveProvider", "codeAction/resolve", &[]),
    request(About::Place, "inlayHintProvider", "textDocument/inlayHint", &["inlayHint/resolve"]),
    request(About::Answer, "inlayHintProvider.resolveProvider", "inlayHint/resolve", &[]),
    request(About::Place, "inlineValueProvider", "textDocument/inlineValue", &[]),
    request(About::Place, "documentRangeFormattingProvider", "textDocument/rangeFormatting", &[]),
    request(About::Place, "semanticTokensProvider.range", "textDocument/semanticTokens/range", &[]),
    request(About::Document, "semanticTokensProvider.full", "textDocument/semanticTokens/full", &[]),
    request(
        About::Document,
        "semanticTokensProvider.full.delta",
        "textDocument/semanticTokens/full/delta",
        &[],
    ),
    request(About::Document, "documentSymbolProvider", "textDocument/documentSymbol", &[]),
    request(About::Document, "codeLensProvider", "textDocument/codeLens", &["codeLens/resolve"]),
    request(About::Answer, "codeLensProvider.resolveProvider", "codeLens/resolve", &[]),
    request(About::Document, "documentLinkProvider", "textDocument/documentLink", &["documentLink/resolve"]),
    request(About::Answer, "documentLinkProvider.resolveProvider", "documentLink/resolve", &[]),
    request(About::Document, "colorProvider", "textDocument/documentColor", &[]),
    request(About::Document, "foldingRangeProvider", "textDocument/foldingRange", &[]),
    request(About::Document, "documentFormattingProvider", "textDocument/formatting", &[]),
    request(About::Document, "diagnosticProvider", "textDocument/diagnostic", &[]),
    // Answered when there is news; the tests of diagnostics ask it.
    request(About::Answer, "diagnosticProvider.workspaceDiagnostics", "workspace/diagnostic", &[]),
    request(About::Workspace, "workspaceSymbolProvider", "workspace/symbol", &["workspaceSymbol/resolve"]),
    request(About::Answer, "workspaceSymbolProvider.resolveProvider", "workspaceSymbol/resolve", &[]),
    request(About::Workspace, "executeCommandProvider", "workspace/executeCommand", &[]),
    request(About::Workspace, "workspace.fileOperations.willCreate", "workspace/willCreateFiles", &[]),
    request(About::Workspace, "workspace.fileOperations.willRename", "workspace/willRenameFiles", &[]),
    request(About::Workspace, "workspace.fileOperations.willDelete", "workspace/willDeleteFiles", &[]),
];

/// Capabilities that promise no request: they say how, or promise to take a notification.
const SILENT: &[&str] = &[
    "positionEncoding",
    "textDocumentSync",
    "textDocumentSync.openClose",
    "textDocumentSync.save",
    "completionProvider.completionItem",
    "completionProvider.completionItem.labelDetailsSupport",
    "diagnosticProvider.interFileDependencies",
    "semanticTokensProvider",
    "workspace",
    "workspace.fileOperations",
    "workspace.workspaceFolders",
    "workspace.workspaceFolders.supported",
    "workspace.workspaceFolders.changeNotifications",
];

/// Our own methods.
pub const EXTENSIONS: &[Request] = &[
    request(About::Document, "", "mangle/virtualDocument", &[]),
    request(About::Document, "", "mangle/graph", &[]),
    request(About::Document, "", "mangle/query", &[]),
    request(About::Document, "", "mangle/repair", &[]),
    request(About::Workspace, "", "mangle/status", &[]),
    request(About::Document, "", "mangle/test", &[]),
];

/// The requests that these capabilities promise, and our own.
pub fn promised(capabilities: &Value) -> Vec<Request> {
    let names = names(capabilities, "");
    for name in &names {
        let known = SILENT.contains(&name.as_str()) || ALL.iter().any(|request| request.capability == name);
        assert!(known, "tests/all/support/requests.rs knows no request of the capability {name}");
    }
    let is_promised = |request: &&Request| names.iter().any(|name| name == request.capability);
    ALL.iter().filter(is_promised).chain(EXTENSIONS).copied().collect()
}

/// The capabilities: members that are `true` or objects, of whatever depth; on top, all members.
pub fn names(capabilities: &Value, path: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (name, value) in capabilities.as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        let on_top = !path.contains('.') && !matches!(value, Value::Null | Value::Bool(false));
        if name != "legend" && (on_top || *value == true || value.is_object()) {
            names.push(path.clone());
            names.extend(self::names(value, &path));
        }
    }
    names
}

/// Parameters that fit every request about a place, a document or the workspace: each takes what it knows.
pub fn parameters(request: &Request, uri: &str, line: u32, character: u32) -> Value {
    let position = json!({ "line": line, "character": character });
    let until = json!({ "line": line + 3, "character": 1 });
    let mut parameters = json!({
        "textDocument": { "uri": uri },
        "position": position,
        "range": { "start": position, "end": until },
        "positions": [position],
        "context": {
            "triggerKind": 1, "isRetrigger": false, "includeDeclaration": true, "diagnostics": [],
            "frameId": 1, "stoppedLocation": { "start": position, "end": position },
        },
        "newName": "renamed",
        "ch": "\n",
        "options": { "tabSize": 4, "insertSpaces": true },
        "previousResultId": "1",
        "previousResultIds": [],
        "query": "a",
        "command": "mangle.unknown",
        "files": [],
    });
    match request.method {
        "mangle/virtualDocument" => {
            let schemes = [
                "mangle-syntax:",
                "mangle-split:",
                "mangle-preview:/fix-auth?of=",
                "mangle-state:/1?of=",
                "mangle-replay:/1?of=",
                "mangle-conversation:/line-1?count=3&of=",
            ];
            let scheme = schemes[line as usize % schemes.len()];
            parameters["uri"] = format!("{scheme}{uri}").into();
        }
        "mangle/graph" | "mangle/preview" | "mangle/query" | "mangle/repair" | "mangle/replay"
        | "mangle/test" => parameters["uri"] = uri.into(),
        "mangle/status" => parameters = Value::Null,
        _ => {}
    }
    parameters
}

/// The answers in a result, of which each can be asked more about.
pub fn answers(result: &Value) -> Vec<&Value> {
    match result {
        Value::Array(answers) => answers.iter().collect(),
        Value::Object(members) => {
            members.get("items").and_then(Value::as_array).into_iter().flatten().collect()
        }
        _ => Vec::new(),
    }
}
