"""Does the server use only what the client said it knows?

Each check is a generator of sentences about what was used without being offered. The specification names the capability
in the description of the member that needs it.
"""

# The values that clients know who list none.
OLD_COMPLETION_KINDS = range(1, 19)
OLD_SYMBOL_KINDS = range(1, 19)


def without(value, members):
    """A list of objects without some of their members; anything else as it is."""
    if not isinstance(value, list) or not members:
        return value
    return [{name: one[name] for name in one if name not in members} for one in value]


class Offers:
    def __init__(self, capabilities):
        self.capabilities = capabilities
        self.tokens = set()

    def get(self, path):
        value = self.capabilities
        for name in path.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        return value

    def lists(self, path, value):
        return value in (self.get(path) or [])

    def of_server_message(self, message):
        """A request or a notification of the server."""
        method, params = message["method"], message.get("params") or {}
        needed = {
            "workspace/configuration": "workspace.configuration",
            "workspace/applyEdit": "workspace.applyEdit",
            "workspace/workspaceFolders": "workspace.workspaceFolders",
            "window/workDoneProgress/create": "window.workDoneProgress",
            "window/showDocument": "window.showDocument.support",
            "workspace/diagnostic/refresh": "workspace.diagnostics.refreshSupport",
            "workspace/semanticTokens/refresh": "workspace.semanticTokens.refreshSupport",
            "workspace/inlayHint/refresh": "workspace.inlayHint.refreshSupport",
            "workspace/codeLens/refresh": "workspace.codeLens.refreshSupport",
            "workspace/inlineValue/refresh": "workspace.inlineValue.refreshSupport",
        }
        if method in needed and not self.get(needed[method]):
            yield f"{method} without {needed[method]}"
        if method == "client/registerCapability":
            yield from self.of_registrations(params)
        if method == "window/workDoneProgress/create":
            self.tokens.add(params["token"])
        if method == "$/progress" and params["token"] not in self.tokens:
            yield f"progress for a token that nobody made: {params['token']!r}"
        if method == "textDocument/publishDiagnostics":
            yield from self.of_published(params)
        if method == "workspace/applyEdit":
            yield from self.of_workspace_edit(params["edit"])

    def of_registrations(self, params):
        for registration in params["registrations"]:
            path = registration["method"].replace("/", ".").replace("textDocument.semanticTokens.full", "textDocument.semanticTokens")
            if not self.get(path + ".dynamicRegistration"):
                yield f"registers {registration['method']} without {path}.dynamicRegistration"
            for watcher in (registration.get("registerOptions") or {}).get("watchers", []):
                if isinstance(watcher["globPattern"], dict) and not self.get("workspace.didChangeWatchedFiles.relativePatternSupport"):
                    yield "a relative pattern without relativePatternSupport"

    def of_published(self, params):
        # The version needs no permission: versionSupport says that the client looks at it, and Emacs does without saying so.
        yield from self.of_diagnostics(params["diagnostics"], ["textDocument.publishDiagnostics"])

    def of_diagnostics(self, diagnostics, paths):
        # Clients that pull say of diagnostics as such what they know below publishDiagnostics or below diagnostic.
        members = {
            "relatedInformation": "relatedInformation",
            "codeDescription": "codeDescriptionSupport",
            "data": "dataSupport",
            "tags": "tagSupport",
        }
        for diagnostic in diagnostics:
            for member, capability in members.items():
                if member in diagnostic and not any(self.get(f"{path}.{capability}") for path in paths):
                    yield f"diagnostics with {member} without {capability}"

    def of_initialize(self, result):
        capabilities = result["capabilities"]
        encoding = capabilities.get("positionEncoding", "utf-16")
        if encoding not in (self.get("general.positionEncodings") or ["utf-16"]):
            yield f"positionEncoding {encoding} was not offered"
        if isinstance(capabilities.get("renameProvider"), dict) and not self.get("textDocument.rename.prepareSupport"):
            yield "rename options without rename.prepareSupport"
        if isinstance(capabilities.get("codeActionProvider"), dict) and not self.get("textDocument.codeAction.codeActionLiteralSupport"):
            yield "code action options without codeActionLiteralSupport"
        legend = (capabilities.get("semanticTokensProvider") or {}).get("legend") or {}
        for part in ("tokenTypes", "tokenModifiers"):
            for name in legend.get(part, []):
                if not self.lists(f"textDocument.semanticTokens.{part}", name):
                    yield f"the legend has {name}, which is not among the client's {part}"

    def of_response(self, method, result, params):
        """What a result uses that was not offered."""
        check = {
            "initialize": lambda: self.of_initialize(result),
            "textDocument/hover": lambda: self.of_markup(result["contents"], "textDocument.hover.contentFormat"),
            "textDocument/completion": lambda: self.of_completion(result),
            "completionItem/resolve": lambda: self.of_resolved(params, result, "textDocument.completion.completionItem.resolveSupport", {"documentation", "detail"}),
            "textDocument/signatureHelp": lambda: self.of_signatures(result),
            "textDocument/definition": lambda: self.of_links(result, "definition"),
            "textDocument/declaration": lambda: self.of_links(result, "declaration"),
            "textDocument/typeDefinition": lambda: self.of_links(result, "typeDefinition"),
            "textDocument/implementation": lambda: self.of_links(result, "implementation"),
            "textDocument/documentSymbol": lambda: self.of_symbols(result),
            "workspace/symbol": lambda: self.of_workspace_symbols(result),
            "textDocument/codeAction": lambda: self.of_actions(result),
            "codeAction/resolve": lambda: self.of_resolved(params, result, "textDocument.codeAction.resolveSupport", set()),
            "inlayHint/resolve": lambda: self.of_resolved(params, result, "textDocument.inlayHint.resolveSupport", set()),
            "textDocument/rename": lambda: self.of_workspace_edit(result),
            "textDocument/prepareRename": lambda: self.of_prepared(result),
            "textDocument/foldingRange": lambda: self.of_folding(result),
            "textDocument/documentLink": lambda: self.of_document_links(result),
            "textDocument/diagnostic": lambda: self.of_pulled(result),
            "workspace/diagnostic": lambda: self.of_pulled_workspace(result),
        }.get(method)
        return list(check() or []) if check and result is not None else []

    def of_markup(self, contents, path):
        if isinstance(contents, dict) and "kind" in contents and not self.lists(path, contents["kind"]):
            # Who says nothing shows plain text.
            if contents["kind"] != "plaintext":
                yield f"{contents['kind']} without {path}"

    def of_completion(self, result):
        support = "textDocument.completion.completionItem."
        defaults = result.get("itemDefaults") if isinstance(result, dict) else None
        for name in defaults or {}:
            if not self.lists("textDocument.completion.completionList.itemDefaults", name):
                yield f"itemDefaults.{name} without completionList.itemDefaults"
        kinds = self.get("textDocument.completion.completionItemKind.valueSet") or OLD_COMPLETION_KINDS
        for item in result["items"] if isinstance(result, dict) else result:
            needed = {
                "commitCharacters": "commitCharactersSupport",
                "deprecated": "deprecatedSupport",
                "preselect": "preselectSupport",
                "labelDetails": "labelDetailsSupport",
                "tags": "tagSupport",
                "insertTextMode": "insertTextModeSupport",
            }
            for member, capability in needed.items():
                if member in item and not self.get(support + capability):
                    yield f"completion with {member} without {capability}"
            if item.get("insertTextFormat") == 2 and not self.get(support + "snippetSupport"):
                yield "a snippet without snippetSupport"
            if "insert" in (item.get("textEdit") or {}) and not self.get(support + "insertReplaceSupport"):
                yield "insert and replace without insertReplaceSupport"
            if item.get("kind", 1) not in kinds:
                yield f"completion of kind {item['kind']}, which the client does not know"
            yield from self.of_markup(item.get("documentation"), support + "documentationFormat")

    def of_resolved(self, before, after, path, always):
        lazily = set(self.get(path + ".properties") or []) | always
        for name in before.keys() | after.keys():
            parts = {one.removeprefix(f"{name}.") for one in lazily if one.startswith(f"{name}.")}
            if name not in lazily and without(before.get(name), parts) != without(after.get(name), parts):
                yield f"{name} changes when resolved, which is not in {path}.properties"
        yield from self.of_workspace_edit(after.get("edit")) if "edit" in after else ()
        if "documentation" in after:
            yield from self.of_markup(after["documentation"], "textDocument.completion.completionItem.documentationFormat")

    def of_signatures(self, result):
        support = "textDocument.signatureHelp.signatureInformation."
        for signature in result["signatures"]:
            yield from self.of_markup(signature.get("documentation"), support + "documentationFormat")
            if "activeParameter" in signature and not self.get(support + "activeParameterSupport"):
                yield "activeParameter of a signature without activeParameterSupport"
            for parameter in signature.get("parameters") or []:
                yield from self.of_markup(parameter.get("documentation"), support + "documentationFormat")
                if isinstance(parameter["label"], list) and not self.get(support + "parameterInformation.labelOffsetSupport"):
                    yield "offsets in a label without labelOffsetSupport"

    def of_links(self, result, name):
        for one in result if isinstance(result, list) else [result]:
            if "targetUri" in one and not self.get(f"textDocument.{name}.linkSupport"):
                yield f"location links without {name}.linkSupport"

    def of_symbols(self, result):
        kinds = self.get("textDocument.documentSymbol.symbolKind.valueSet") or OLD_SYMBOL_KINDS
        for symbol in result:
            if "range" in symbol and not self.get("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport"):
                yield "nested symbols without hierarchicalDocumentSymbolSupport"
            if symbol["kind"] not in kinds:
                yield f"a symbol of kind {symbol['kind']}, which the client does not know"
            if "tags" in symbol and not self.get("textDocument.documentSymbol.tagSupport"):
                yield "tags of symbols without tagSupport"
            yield from self.of_symbols(symbol.get("children") or [])

    def of_workspace_symbols(self, result):
        kinds = self.get("workspace.symbol.symbolKind.valueSet") or OLD_SYMBOL_KINDS
        for symbol in result:
            if symbol["kind"] not in kinds:
                yield f"a symbol of kind {symbol['kind']}, which the client does not know"
            if "range" not in symbol["location"] and not self.get("workspace.symbol.resolveSupport"):
                yield "a symbol without a range without symbol.resolveSupport"
            if "tags" in symbol and not self.get("workspace.symbol.tagSupport"):
                yield "tags of symbols without symbol.tagSupport"

    def of_actions(self, result):
        support = "textDocument.codeAction."
        for action in result:
            if isinstance(action.get("command"), str):
                continue
            if not self.get(support + "codeActionLiteralSupport"):
                yield "a code action without codeActionLiteralSupport"
            needed = {"isPreferred": "isPreferredSupport", "disabled": "disabledSupport", "data": "dataSupport"}
            for member, capability in needed.items():
                if member in action and not self.get(support + capability):
                    yield f"a code action with {member} without {capability}"
            if not action.keys() & {"edit", "command", "disabled"} and "edit" not in (self.get(support + "resolveSupport.properties") or []):
                yield "a code action that does nothing, and the client does not resolve edits"
            if "edit" in action:
                yield from self.of_workspace_edit(action["edit"])
            paths = ["textDocument.publishDiagnostics", "textDocument.diagnostic"]
            yield from self.of_diagnostics(action.get("diagnostics") or [], paths)

    def of_workspace_edit(self, edit):
        support = "workspace.workspaceEdit."
        if "documentChanges" in edit and not self.get(support + "documentChanges"):
            yield "documentChanges without workspaceEdit.documentChanges"
        if "changeAnnotations" in edit and not self.get(support + "changeAnnotationSupport"):
            yield "changeAnnotations without changeAnnotationSupport"
        for change in edit.get("documentChanges") or []:
            if "kind" in change and not self.lists(support + "resourceOperations", change["kind"]):
                yield f"{change['kind']} of a file without workspaceEdit.resourceOperations"

    def of_prepared(self, result):
        if "defaultBehavior" in result and not self.get("textDocument.rename.prepareSupportDefaultBehavior"):
            yield "defaultBehavior without prepareSupportDefaultBehavior"

    def of_folding(self, result):
        support = "textDocument.foldingRange."
        limit = self.get(support + "rangeLimit")
        if limit is not None and len(result) > limit:
            yield f"{len(result)} folding ranges, and the client takes {limit}"
        kinds = self.get(support + "foldingRangeKind.valueSet")
        for one in result:
            if "collapsedText" in one and not self.get(support + "foldingRange.collapsedText"):
                yield "collapsedText without foldingRange.collapsedText"
            if "kind" in one and kinds is not None and one["kind"] not in kinds:
                yield f"folding of the kind {one['kind']}, which the client does not know"

    def of_document_links(self, result):
        for link in result:
            if "tooltip" in link and not self.get("textDocument.documentLink.tooltipSupport"):
                yield "tooltips of links without tooltipSupport"

    def of_pulled(self, report):
        paths = ["textDocument.publishDiagnostics", "textDocument.diagnostic"]
        if "relatedDocuments" in report and not self.get("textDocument.diagnostic.relatedDocumentSupport"):
            yield "relatedDocuments without relatedDocumentSupport"
        yield from self.of_diagnostics(report.get("items") or [], paths)
        for other in (report.get("relatedDocuments") or {}).values():
            yield from self.of_diagnostics(other.get("items") or [], paths)

    def of_pulled_workspace(self, result):
        for report in result["items"]:
            yield from self.of_pulled(report)
