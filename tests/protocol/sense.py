"""Does an answer make sense? What types cannot say: ranges lie in their texts, edits can be applied, tokens are in order.

`document(uri)` gives a `Text`, or None where the client has none; `params` are those of the request.
"""

from text import Text


def before(one, other):
    return (one["line"], one["character"]) <= (other["line"], other["character"])


def inside(inner, outer):
    return before(outer["start"], inner["start"]) and before(inner["end"], outer["end"])


def holds(range_, position):
    return before(range_["start"], position) and before(position, range_["end"])


def is_range(value):
    return isinstance(value, dict) and value.keys() == {"start", "end"} and isinstance(value["start"], dict)


def ranges(value, uri):
    """All ranges in a value, each with the document that it lies in."""
    if is_range(value):
        yield uri, value
    elif isinstance(value, list):
        for one in value:
            yield from ranges(one, uri)
    elif isinstance(value, dict):
        here = value.get("uri") or (value.get("textDocument") or {}).get("uri") if "edits" in value else value.get("uri")
        if not isinstance(here, str):
            here = uri
        for name, one in value.items():
            if name in ("targetRange", "targetSelectionRange"):
                yield value["targetUri"], one
            elif name in ("changes", "relatedDocuments") and isinstance(one, dict):
                for other, nested in one.items():
                    yield from ranges(nested, other)
            elif name == "fromRanges":
                # Places of calls: in the caller, which is this answer's item or the one that was asked about.
                caller = (value.get("from") or {}).get("uri", uri)
                for nested in one:
                    yield caller, nested
            elif name != "data":
                yield from ranges(one, here)


def created(value):
    """The documents that an edit makes before it fills them."""
    if isinstance(value, list):
        return {uri for one in value for uri in created(one)}
    if not isinstance(value, dict):
        return set()
    own = {value["uri"]} if value.get("kind") == "create" and "uri" in value else set()
    return own.union(*(created(one) for one in value.values()))


def with_created(value, document):
    """`document`, with the empty ones that an edit makes."""
    new = created(value)
    # Nothing but the start lies in an empty text, in whichever unit.
    return lambda uri: document(uri) or (Text("", "utf-8") if uri in new else None)


def of_ranges(value, uri, document):
    document = with_created(value, document)
    for where, range_ in ranges(value, uri):
        text = document(where)
        if text is None:
            yield f"a range in {where}, which is not there"
        elif text.offset(range_["start"]) is None or text.offset(range_["end"]) is None:
            yield f"{range_} is not in {where.rsplit('/', 1)[-1]}, or inside a character"
        elif not before(range_["start"], range_["end"]):
            yield f"{range_} ends before it starts"


def check(method, params, result, document, legend, uri=None):
    """What makes no sense in a result; `uri` is the document that the request is about, where its parameters do not say it."""
    if result is None:
        return []
    asked = params if isinstance(params, dict) else {}
    # The places of outgoing calls lie in the document of the item that is asked about.
    uri = (asked.get("item") or {}).get("uri") or uri or (asked.get("textDocument") or {}).get("uri")
    at = {"textDocument/semanticTokens/full": of_tokens, "textDocument/semanticTokens/range": of_tokens}
    special = {
        **at,
        "textDocument/hover": of_hover,
        "textDocument/completion": of_completion,
        "textDocument/signatureHelp": of_signatures,
        "textDocument/documentHighlight": of_disjoint,
        "textDocument/linkedEditingRange": lambda context: of_disjoint(context, context.result["ranges"]),
        "textDocument/prepareRename": of_prepared,
        "textDocument/rename": of_workspace_edit,
        "textDocument/documentSymbol": of_symbols,
        "textDocument/selectionRange": of_selections,
        "textDocument/foldingRange": of_folding,
        "textDocument/formatting": of_edits,
        "textDocument/rangeFormatting": of_edits,
        "textDocument/onTypeFormatting": of_edits,
        "textDocument/inlayHint": of_hints,
        "textDocument/codeAction": of_actions,
        "codeAction/resolve": lambda context: of_actions(context, [context.result]),
        "textDocument/prepareCallHierarchy": lambda context: of_items(context.result),
        "callHierarchy/incomingCalls": lambda context: of_items([one["from"] for one in context.result]),
        "callHierarchy/outgoingCalls": lambda context: of_items([one["to"] for one in context.result]),
        "mangle/virtualDocument": of_virtual_document,
    }.get(method)
    context = Context(asked, uri, result, document, legend)
    wrong = [] if method == "mangle/virtualDocument" else list(of_ranges(result, uri, document))
    # What lies outside of its text cannot be looked at more closely.
    return wrong if wrong or special is None else list(special(context) or [])


class Context:
    def __init__(self, params, uri, result, document, legend):
        self.params, self.uri, self.result, self.document, self.legend = params, uri, result, document, legend

    @property
    def text(self):
        return self.document(self.uri)


def of_hover(context):
    range_ = context.result.get("range")
    if range_ and not holds(range_, context.params["position"]):
        yield f"the hovered range {range_} is not at the cursor"
    contents = context.result["contents"]
    if isinstance(contents, dict) and not contents["value"].strip():
        yield "an empty hover"


def of_completion(context):
    result = context.result
    items = result["items"] if isinstance(result, dict) else result
    for item in items:
        if not item["label"].strip():
            yield "a completion without a label"
        edit = item.get("textEdit") or {}
        for name in ("range", "insert", "replace"):
            if name in edit:
                range_ = edit[name]
                if range_["start"]["line"] != range_["end"]["line"] or not holds(range_, context.params["position"]):
                    yield f"the completion {item['label']!r} replaces {range_}, which is not around the cursor, or not one line"
        if "insert" in edit and (edit["insert"]["start"] != edit["replace"]["start"] or not inside(edit["insert"], edit["replace"])):
            yield "what is inserted over is not the beginning of what is replaced"
        for other in item.get("additionalTextEdits") or []:
            if "range" in edit and not (before(other["range"]["end"], edit["range"]["start"]) or before(edit["range"]["end"], other["range"]["start"])):
                yield f"an additional edit of {item['label']!r} overlaps the main one"


def of_signatures(context):
    result = context.result
    signatures = result["signatures"]
    if signatures and result.get("activeSignature", 0) >= len(signatures):
        yield "the active signature is not among the signatures"
    for signature in signatures:
        label = signature["label"]
        units = len(label.encode("utf-16-le")) // 2
        for parameter in signature.get("parameters") or []:
            if isinstance(parameter["label"], list):
                start, end = parameter["label"]
                if not 0 <= start <= end <= units:
                    yield f"the parameter {parameter['label']} is not in the label {label!r}"
            elif parameter["label"] not in label:
                yield f"the parameter {parameter['label']!r} is not in the label {label!r}"


def of_disjoint(context, found=None):
    found = context.result if found is None else found
    places = [one.get("range", one) for one in found]
    places.sort(key=lambda one: (one["start"]["line"], one["start"]["character"]))
    for one, other in zip(places, places[1:]):
        if not before(one["end"], other["start"]):
            yield f"{one} and {other} overlap"


def of_prepared(context):
    result = context.result
    range_ = result.get("range", result)
    if is_range(range_):
        if not holds(range_, context.params["position"]):
            yield "what is to be renamed is not at the cursor"
        if "placeholder" in result and not result["placeholder"]:
            yield "an empty placeholder"


def of_workspace_edit(context, edit=None):
    edit = context.result if edit is None else edit
    document = with_created(edit, context.document)
    changes = [(uri, edits) for uri, edits in (edit.get("changes") or {}).items()]
    changes += [(one["textDocument"]["uri"], one["edits"]) for one in edit.get("documentChanges") or [] if "edits" in one]
    seen = set()
    for uri, edits in changes:
        if uri in seen:
            yield f"{uri} is changed twice in one edit"
        seen.add(uri)
        text = document(uri)
        if text is None:
            yield f"{uri}, which is not there, is changed"
            continue
        _, problem = text.edited(edits)
        if problem:
            yield f"{uri.rsplit('/', 1)[-1]}: {problem}"
    if not changes and not edit.get("documentChanges"):
        yield "an edit without edits"


def of_edit(edit, document):
    """An edit that the server asks for."""
    wrong = list(of_ranges(edit, None, document))
    return wrong or list(of_workspace_edit(Context({}, None, edit, document, None)))


def of_edits(context):
    _, problem = context.text.edited(context.result)
    if problem:
        yield problem
    asked = context.params.get("range")
    for edit in context.result if asked else ():
        # Whole statements are laid out, of which a part was selected, with the comments at them; nothing beyond.
        first, last = edit["range"]["end"]["line"], edit["range"]["start"]["line"]
        between = [*range(first + 1, asked["start"]["line"]), *range(asked["end"]["line"] + 1, last)]
        if any(not context.text.line(line).strip() for line in between):
            yield f"an edit at {edit['range']}, away from the range {asked}"


def of_symbols(context, found=None, around=None):
    for symbol in context.result if found is None else found:
        if not symbol["name"].strip():
            yield "a symbol without a name"
        if "selectionRange" in symbol:
            if not inside(symbol["selectionRange"], symbol["range"]):
                yield f"the name of {symbol['name']} is outside of it"
            if around and not inside(symbol["range"], around):
                yield f"{symbol['name']} is outside of what holds it"
            yield from of_symbols(context, symbol.get("children") or [], symbol["range"])


def of_items(found):
    for item in found:
        if not item["name"].strip():
            yield "an item without a name"
        if not inside(item["selectionRange"], item["range"]):
            yield f"the name of {item['name']} is outside of it"


def of_selections(context):
    positions = context.params["positions"]
    if len(positions) != len(context.result):
        yield f"{len(context.result)} selections for {len(positions)} positions"
    for position, selection in zip(positions, context.result):
        if not holds(selection["range"], position):
            yield f"the selection {selection['range']} is not at the cursor"
        while "parent" in selection:
            inner, selection = selection, selection["parent"]
            if not inside(inner["range"], selection["range"]) or inner["range"] == selection["range"]:
                yield f"the selection {selection['range']} does not grow from {inner['range']}"


def of_folding(context):
    lines = len(context.text.starts)
    for one in context.result:
        if not one["startLine"] <= one["endLine"] < lines:
            yield f"lines {one['startLine']} to {one['endLine']} of {lines} cannot be folded"
        for edge in ("start", "end"):
            place = {"line": one[f"{edge}Line"], "character": one.get(f"{edge}Character", 0)}
            if context.text.offset(place) is None:
                yield f"{place} is not in the text"
        if one["startLine"] == one["endLine"] and "startCharacter" not in one:
            yield f"folding the single line {one['startLine']} hides nothing"


def of_hints(context):
    asked = context.params["range"]
    for hint in context.result:
        if not holds(asked, hint["position"]):
            yield f"a hint at {hint['position']}, outside of {asked}"
        if context.text.offset(hint["position"]) is None:
            yield f"a hint at {hint['position']}, which is not in the text"
        label = hint["label"]
        if not (label if isinstance(label, str) else "".join(part["value"] for part in label)).strip():
            yield "an empty hint"


def of_actions(context, actions=None):
    for action in context.result if actions is None else actions:
        if not action["title"].strip():
            yield "an action without a title"
        if "edit" in action:
            yield from of_workspace_edit(context, action["edit"])


def tokens(data):
    """The tokens with absolute places: (line, start, length, type, modifiers)."""
    line = start = 0
    for at in range(0, len(data), 5):
        down, right, length, kind, modifiers = data[at : at + 5]
        line, start = line + down, right + (start if down == 0 else 0)
        yield line, start, length, kind, modifiers


def of_tokens(context):
    data = context.result["data"]
    if len(data) % 5:
        yield f"{len(data)} numbers are no tokens"
        return
    last = (0, 0)
    for line, start, length, kind, modifiers in tokens(data):
        if (line, start) < last:
            yield f"the token at {line}:{start} overlaps the one before"
        last = (line, start + length)
        edges = [{"line": line, "character": start}, {"line": line, "character": start + length}]
        if length == 0 or any(context.text.offset(edge) is None for edge in edges):
            yield f"the token at {line}:{start} of length {length} is not in its line, or inside a character"
        if kind >= len(context.legend["tokenTypes"]) or modifiers >> len(context.legend["tokenModifiers"]):
            yield f"the token at {line}:{start} is not in the legend: {kind}, {modifiers}"


def after_delta(data, delta):
    """The numbers after a delta; None where it does not fit."""
    if "data" in delta:
        return delta["data"]
    data = list(data)
    for edit in sorted(delta["edits"], key=lambda edit: -edit["start"]):
        if edit["start"] + edit["deleteCount"] > len(data):
            return None
        data[edit["start"] : edit["start"] + edit["deleteCount"]] = edit.get("data") or []
    return data


def of_virtual_document(context):
    from text import Text

    result = context.result
    if not isinstance(result.get("revision"), int) or not isinstance(result.get("text"), str):
        yield "no revision or no text"
        return
    own = Text(result["text"], context.document.encoding)
    for origin in result["origins"]:
        range_ = origin["range"]
        if own.offset(range_["start"]) is None or own.offset(range_["end"]) is None:
            yield f"{range_} is not in the virtual document"
    yield from of_ranges([origin["location"] for origin in result["origins"]], None, context.document)
