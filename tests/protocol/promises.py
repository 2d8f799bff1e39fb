"""Which requests a server's capabilities promise, and how each is asked.

A capability that is not known here fails the check: so nothing is promised that nobody asks for.
"""

# Capability: the requests that it promises.
REQUESTS = {
    "hoverProvider": ["textDocument/hover"],
    "completionProvider": ["textDocument/completion"],
    "completionProvider.resolveProvider": ["completionItem/resolve"],
    "signatureHelpProvider": ["textDocument/signatureHelp"],
    "declarationProvider": ["textDocument/declaration"],
    "definitionProvider": ["textDocument/definition"],
    "typeDefinitionProvider": ["textDocument/typeDefinition"],
    "implementationProvider": ["textDocument/implementation"],
    "referencesProvider": ["textDocument/references"],
    "documentHighlightProvider": ["textDocument/documentHighlight"],
    "documentSymbolProvider": ["textDocument/documentSymbol"],
    "codeActionProvider": ["textDocument/codeAction"],
    "codeActionProvider.resolveProvider": ["codeAction/resolve"],
    "codeLensProvider": ["textDocument/codeLens"],
    "codeLensProvider.resolveProvider": ["codeLens/resolve"],
    "documentLinkProvider": ["textDocument/documentLink"],
    "documentLinkProvider.resolveProvider": ["documentLink/resolve"],
    "workspaceSymbolProvider": ["workspace/symbol"],
    "workspaceSymbolProvider.resolveProvider": ["workspaceSymbol/resolve"],
    "documentFormattingProvider": ["textDocument/formatting"],
    "documentRangeFormattingProvider": ["textDocument/rangeFormatting"],
    "documentOnTypeFormattingProvider": ["textDocument/onTypeFormatting"],
    "renameProvider": ["textDocument/rename"],
    "renameProvider.prepareProvider": ["textDocument/prepareRename"],
    "foldingRangeProvider": ["textDocument/foldingRange"],
    "selectionRangeProvider": ["textDocument/selectionRange"],
    "linkedEditingRangeProvider": ["textDocument/linkedEditingRange"],
    "callHierarchyProvider": ["textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"],
    "semanticTokensProvider.full": ["textDocument/semanticTokens/full"],
    "semanticTokensProvider.full.delta": ["textDocument/semanticTokens/full/delta"],
    "semanticTokensProvider.range": ["textDocument/semanticTokens/range"],
    "inlayHintProvider": ["textDocument/inlayHint"],
    "inlayHintProvider.resolveProvider": ["inlayHint/resolve"],
    "diagnosticProvider": ["textDocument/diagnostic"],
    "diagnosticProvider.workspaceDiagnostics": ["workspace/diagnostic"],
    "executeCommandProvider": ["workspace/executeCommand"],
}

# Capabilities that say how, or that a notification is taken.
SILENT = {
    "positionEncoding",
    "textDocumentSync",
    "textDocumentSync.openClose",
    "textDocumentSync.save",
    "completionProvider.completionItem",
    "completionProvider.completionItem.labelDetailsSupport",
    "diagnosticProvider.interFileDependencies",
    "semanticTokensProvider",
    "workspace",
    "workspace.workspaceFolders",
    "workspace.workspaceFolders.supported",
    "workspace.workspaceFolders.changeNotifications",
}

# Commands for workspace/executeCommand, and arguments that they take.
COMMANDS = {
    "mangle.copyQuery": ["mangle-ls query 'p(X)' ."],
    "mangle.copyRepair": [{"uri": "untitled:none"}],
    "mangle.fixWorkspace": [],
    "mangle.grammar": [{"uri": "untitled:none"}],
    "mangle.openRulePage": ["negation-wildcard"],
    "mangle.preview": [{"uri": "untitled:none"}],
    "mangle.property": [{"uri": "untitled:none", "name": "none"}],
    "mangle.query": [{}],
    "mangle.replay": [{"uri": "untitled:none"}],
    "mangle.state": [{"uri": "untitled:none"}],
    "mangle.test": [{}],
}

OWN = [
    "mangle/status", "mangle/graph", "mangle/preview", "mangle/query", "mangle/repair", "mangle/replay", "mangle/test", "mangle/virtualDocument",
]  # fmt: skip

# Requests whose parameters are one of the answers to another request.
FOLLOWING = {
    "textDocument/completion": ["completionItem/resolve"],
    "textDocument/codeAction": ["codeAction/resolve"],
    "textDocument/codeLens": ["codeLens/resolve"],
    "textDocument/documentLink": ["documentLink/resolve"],
    "textDocument/inlayHint": ["inlayHint/resolve"],
    "workspace/symbol": ["workspaceSymbol/resolve"],
    "textDocument/prepareCallHierarchy": ["callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"],
}

# Requests about a place; all others about a document or the workspace are asked once a document.
AT_PLACES = [
    "hover", "completion", "signatureHelp", "declaration", "definition", "typeDefinition", "implementation", "references",
    "documentHighlight", "prepareRename", "rename", "selectionRange", "linkedEditingRange", "prepareCallHierarchy", "onTypeFormatting",
    "codeAction", "rangeFormatting", "inlayHint", "semanticTokens/range",
]  # fmt: skip


def names(capabilities, path=""):
    """The capabilities: all members on top, and below them those that are true or objects."""
    for name, value in capabilities.items():
        here = f"{path}.{name}" if path else name
        on_top = not path and value not in (None, False)
        if name != "legend" and (on_top or value is True or isinstance(value, dict)):
            yield here
            if isinstance(value, dict):
                yield from names(value, here)


def promised(capabilities):
    """The requests, and the capabilities that nobody here knows."""
    found = list(names(capabilities))
    unknown = [name for name in found if name not in REQUESTS and name not in SILENT]
    unknown += [name for name in (capabilities.get("executeCommandProvider") or {}).get("commands", []) if name not in COMMANDS]
    return [method for name in found for method in REQUESTS.get(name, [])] + OWN, unknown


def virtual(uri):
    """A document that is made from another one."""
    if uri.endswith(".kernel.mg"):
        return f"mangle-preview:/fix-auth?of={uri}"
    if uri.endswith(".jsonl"):
        return f"mangle-conversation:/1?of={uri}"
    return f"mangle-{'syntax' if uri.endswith(('.mg', '.gl')) else 'split'}:{uri}"


def parameters(method, uri, text, offset, diagnostics):
    """The parameters of a request about a place."""
    position = text.position(offset)
    document = {"textDocument": {"uri": uri}}
    line = text.line(position["line"])
    end = text.position(min(len(text.text), offset + 300))
    range_ = {"start": position, "end": end}
    placed = {**document, "position": position}
    options = {"tabSize": 4, "insertSpaces": True}
    trigger = text.text[offset - 1 : offset] if offset else ""
    special = {
        "textDocument/completion": {**placed, "context": {"triggerKind": 1}},
        "textDocument/signatureHelp": {**placed, "context": {"triggerKind": 1, "isRetrigger": False}},
        "textDocument/references": {**placed, "context": {"includeDeclaration": offset % 2 == 0}},
        "textDocument/rename": {**placed, "newName": "Renamed" if line[:1].isspace() else "renamed"},
        "textDocument/selectionRange": {**document, "positions": [position, text.position(0)]},
        "textDocument/onTypeFormatting": {**placed, "ch": trigger if trigger in ("\n", ",", ".") else "\n", "options": options},
        "textDocument/rangeFormatting": {**document, "range": range_, "options": options},
        "textDocument/formatting": {**document, "options": options},
        "textDocument/inlayHint": {**document, "range": range_},
        "textDocument/semanticTokens/range": {**document, "range": range_},
        "textDocument/codeAction": {
            **document,
            "range": range_,
            "context": {"diagnostics": [one for one in diagnostics if touches(one["range"], range_)], "triggerKind": 1},
        },
        "workspace/symbol": {"query": "per"},
        "workspace/diagnostic": {"previousResultIds": []},
        "mangle/status": None,
        "mangle/graph": {"uri": uri},
        "mangle/preview": {"uri": uri},
        "mangle/query": {"uri": uri},
        "mangle/repair": {"uri": uri},
        "mangle/replay": {"uri": uri},
        "mangle/test": {"uri": uri},
        "mangle/virtualDocument": {"uri": virtual(uri)},
    }
    if method in special:
        return special[method]
    return placed if method.removeprefix("textDocument/") in AT_PLACES else document


def touches(one, other):
    return (one["start"]["line"], one["start"]["character"]) <= (other["end"]["line"], other["end"]["character"]) and (
        other["start"]["line"],
        other["start"]["character"],
    ) <= (one["end"]["line"], one["end"]["character"])
