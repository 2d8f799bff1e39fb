"""Does the check itself see what is wrong? Sound messages pass; each wrong one is caught."""

import sense
import strict
from offers import Offers
from text import Text

AT = {"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 2}}


def answer(result):
    return {"jsonrpc": "2.0", "id": 1, "result": result}


def published(diagnostic):
    params = {"uri": "file:///a.mg", "diagnostics": [diagnostic]}
    return {"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params}


SOUND = [
    (answer(None), "textDocument/hover"),
    (answer({"contents": {"kind": "markdown", "value": "x"}, "range": AT}), "textDocument/hover"),
    (answer([{"label": "a", "kind": 3, "textEdit": {"range": AT, "newText": "a"}}]), "textDocument/completion"),
    (answer({"isIncomplete": False, "items": []}), "textDocument/completion"),
    (answer({"data": [0, 1, 2, 3, 0]}), "textDocument/semanticTokens/full"),
    (answer({"kind": "unchanged", "resultId": "1"}), "textDocument/diagnostic"),
    (answer([{"from": {"name": "p", "kind": 12, "uri": "file:///a", "range": AT, "selectionRange": AT}, "fromRanges": [AT]}]), "callHierarchy/incomingCalls"),
    (answer({"documentChanges": [{"textDocument": {"uri": "file:///a", "version": None}, "edits": []}]}), "textDocument/rename"),
    (published({"range": AT, "message": "m", "severity": 1, "code": "E", "data": {"any": [1]}}), None),
    ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}, "textDocument/hover"),
    ({"jsonrpc": "2.0", "id": "7", "method": "workspace/diagnostic/refresh"}, None),
]

WRONG = [
    (answer({"value": "x"}), "textDocument/hover"),
    (answer({"contents": {"kind": "html", "value": "x"}}), "textDocument/hover"),
    (answer({"contents": "x", "range": None}), "textDocument/hover"),
    (answer([{"label": 3}]), "textDocument/completion"),
    (answer({"items": []}), "textDocument/completion"),
    (answer(None), "textDocument/diagnostic"),
    (answer([{"textDocument": {"uri": "file:///a"}, "edits": []}]), "textDocument/rename"),
    (answer({"data": [0, 1, 2.5, 3, 0]}), "textDocument/semanticTokens/full"),
    (answer([{"startLine": -1, "endLine": 2}]), "textDocument/foldingRange"),
    (published({"range": AT}), None),
    (published({"range": AT, "message": "m", "severity": 9}), None),
    (published({"range": AT, "message": "m", "sevrity": 1}), None),
    (published({"range": AT, "message": "m", "tags": None}), None),
    (published({"range": {**AT, "start": {"line": "0", "character": 1}}, "message": "m"}), None),
    (published({"range": {**AT, "start": {"line": 0, "character": True}}, "message": "m"}), None),
    ({"id": 1, "result": None}, "textDocument/hover"),
    ({"jsonrpc": "2.0", "id": 1}, "textDocument/hover"),
    ({"jsonrpc": "2.0", "id": 1, "result": None, "error": {"code": 1, "message": ""}}, "textDocument/hover"),
    ({"jsonrpc": "2.0", "method": "textDocument/publishDiagnostics"}, None),
    ({"jsonrpc": "2.0", "method": "textDocument/hoover", "params": {}}, None),
]

TEXT = Text('a🦀b\r\np("x").\n', "utf-16")


class Document:
    encoding = "utf-16"

    def __call__(self, uri):
        return TEXT if uri == "file:///a.mg" else None


def place(start, end, line=0):
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}


PARAMS = {"textDocument": {"uri": "file:///a.mg"}, "position": {"line": 0, "character": 1}, "positions": [{"line": 0, "character": 1}]}

SENSIBLE = [
    ("textDocument/hover", {"contents": "x", "range": place(1, 3)}),
    ("textDocument/formatting", [{"range": place(0, 0), "newText": "x"}, {"range": place(0, 1), "newText": ""}]),
    ("textDocument/selectionRange", [{"range": place(1, 3), "parent": {"range": place(0, 4)}}]),
    ("textDocument/semanticTokens/full", {"data": [0, 0, 1, 0, 0, 0, 1, 2, 1, 1, 1, 0, 1, 0, 0]}),
    ("textDocument/documentSymbol", [{"name": "p", "kind": 12, "range": place(0, 4), "selectionRange": place(0, 1)}]),
]

SENSELESS = [
    ("textDocument/hover", {"contents": "x", "range": place(2, 3)}),
    ("textDocument/hover", {"contents": "x", "range": place(3, 4)}),
    ("textDocument/hover", {"contents": "x", "range": place(1, 5)}),
    ("textDocument/definition", {"uri": "file:///b.mg", "range": place(0, 1)}),
    ("textDocument/definition", [{"targetUri": "file:///a.mg", "targetRange": place(0, 9), "targetSelectionRange": place(0, 1)}]),
    ("textDocument/formatting", [{"range": place(0, 3), "newText": "x"}, {"range": place(1, 4), "newText": ""}]),
    ("textDocument/rename", {"changes": {"file:///a.mg": [{"range": place(0, 1, 9), "newText": "x"}]}}),
    ("textDocument/selectionRange", [{"range": place(0, 4), "parent": {"range": place(1, 3)}}]),
    ("textDocument/selectionRange", []),
    ("textDocument/semanticTokens/full", {"data": [0, 0, 3, 0, 0, 0, 1, 2, 0, 0]}),
    ("textDocument/semanticTokens/full", {"data": [0, 0, 2, 0, 0]}),
    ("textDocument/semanticTokens/full", {"data": [0, 0, 1, 7, 0]}),
    ("textDocument/documentSymbol", [{"name": " ", "kind": 12, "range": place(0, 4), "selectionRange": place(0, 1)}]),
    ("textDocument/documentSymbol", [{"name": "p", "kind": 12, "range": place(0, 1), "selectionRange": place(0, 4)}]),
    ("textDocument/foldingRange", [{"startLine": 0, "endLine": 7}]),
    ("textDocument/documentHighlight", [{"range": place(0, 3)}, {"range": place(1, 4)}]),
]

LEGEND = {"tokenTypes": ["a", "b"], "tokenModifiers": ["c"]}

# Results that use what a client without abilities does not know.
UNOFFERED = [
    ("textDocument/hover", {"contents": {"kind": "markdown", "value": "x"}}),
    ("textDocument/definition", [{"targetUri": "file:///a.mg"}]),
    ("textDocument/completion", [{"label": "a", "insertTextFormat": 2}]),
    ("textDocument/completion", [{"label": "a", "labelDetails": {}}]),
    ("textDocument/completion", [{"label": "a", "kind": 25}]),
    ("textDocument/documentSymbol", [{"name": "a", "kind": 5, "range": AT}]),
    ("textDocument/codeAction", [{"title": "a", "edit": {"changes": {}}}]),
    ("textDocument/rename", {"documentChanges": []}),
    ("textDocument/diagnostic", {"items": [{"codeDescription": {}}]}),
    ("initialize", {"capabilities": {"positionEncoding": "utf-8"}}),
    ("initialize", {"capabilities": {"renameProvider": {"prepareProvider": True}}}),
]


def run():
    """Prints a line for each kind of mistake; whether all are right."""
    blind = [message for message, asked in WRONG if not strict.message(message, asked)]
    nervous = [strict.message(message, asked) for message, asked in SOUND if strict.message(message, asked)]
    blind += [pair for pair in SENSELESS if not sense.check(pair[0], PARAMS, pair[1], Document(), LEGEND)]
    found = [sense.check(method, PARAMS, result, Document(), LEGEND) for method, result in SENSIBLE]
    nervous += [wrong for wrong in found if wrong]
    blind += [pair for pair in UNOFFERED if not Offers({}).of_response(pair[0], pair[1], {})]
    for what, list_ in (("sees what is wrong", blind), ("leaves alone what is right", nervous)):
        print("not ok" if list_ else "ok", f"- the check {what}")
        for one in list_:
            print(f"  {one}")
    return not (blind or nervous)


if __name__ == "__main__":
    raise SystemExit(not run())
