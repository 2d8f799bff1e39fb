"""A session of an editor with the server: opens a program, asks everything, edits, asks again, takes questions back, leaves."""

import collections
import pathlib
import random
import urllib.parse

import sense
import strict
from offers import Offers
from promises import AT_PLACES, COMMANDS, FOLLOWING, parameters, promised
from text import Text
from wire import Wire

# Answers of one result that are asked more about.
FOLLOWED = 2

# Errors that a sound request may have: the text changed, or what was asked cannot be done, for a reason that is said.
FORGIVEN = {-32801, -32802, -32803, -32602}


class Session:
    def __init__(self, server, name, client, encoding, folder, report):
        """`report(sentence)` takes what is wrong."""
        self.name, self.encoding, self.folder = name, encoding, pathlib.Path(folder)
        self.capabilities = {**client["capabilities"]}
        self.capabilities["general"] = {**self.capabilities.get("general", {}), "positionEncodings": [encoding]}
        self.client_info, self.report = client.get("clientInfo"), report
        self.offers = Offers(self.capabilities)
        self.documents, self.versions, self.diagnostics = {}, {}, collections.defaultdict(list)
        self.params, self.legend, self.delivered = {}, None, collections.Counter()
        # Messages that were judged, for the closing line.
        self.judged = 0
        self.wire = Wire([server, "serve"], self.judge)
        self.wire.reply = self.reply

    # What is said

    def uri(self, name):
        return "file://" + urllib.parse.quote(str(self.folder / name))

    def start(self):
        folder = {"uri": self.uri(""), "name": self.folder.name}
        params = {"processId": None, "rootUri": folder["uri"], "capabilities": self.capabilities, "workspaceFolders": [folder]}
        if self.client_info:
            params["clientInfo"] = self.client_info
        result = self.request("initialize", params)
        self.promised, unknown = promised(result["capabilities"])
        for name in unknown:
            self.report(f"tests/protocol/promises.py does not know the capability {name}, so nobody asks for what it promises")
        self.server = result["capabilities"]
        self.legend = (self.server.get("semanticTokensProvider") or {}).get("legend")
        self.wire.notify("initialized", {})

    def open(self, name, text):
        uri = self.uri(name)
        self.documents[uri], self.versions[uri] = Text(text, self.encoding), 1
        language = "jsonl" if name.endswith(".jsonl") else "mangle"
        item = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.wire.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def change(self, uri, start, end, new):
        """Replaces characters by others, as one edit of a new version."""
        text = self.documents[uri]
        start, end = (at - (text.text[at - 1 : at + 1] == "\r\n") for at in (start, end))
        range_ = {"start": text.position(start), "end": text.position(end)}
        self.versions[uri] += 1
        self.documents[uri] = Text(text.text[:start] + new + text.text[end:], self.encoding)
        document = {"uri": uri, "version": self.versions[uri]}
        self.wire.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [{"range": range_, "text": new}]})

    def close(self, uri):
        del self.documents[uri]
        self.wire.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    # What is asked

    def ask(self, method, params, uri=None):
        """Sends a request; `uri` is the document that it is about, where the parameters do not say it."""
        number = self.wire.ask(method, params)
        self.params[number] = (method, params, uri)
        return number

    def answer(self, number):
        """The result of a request; None for an error that may be."""
        message = self.wire.response(number)
        method, _, _ = self.params.pop(number)
        if "error" in message:
            if message["error"]["code"] not in FORGIVEN:
                self.report(f"{method}: the error {message['error']}")
            return None
        if message.get("result"):
            self.delivered[method] += 1
        return message.get("result")

    def request(self, method, params, uri=None):
        return self.answer(self.ask(method, params, uri))

    def ask_all(self, methods, uri, offset):
        """Asks about a place all at once, then more about some of the answers."""
        text = self.documents[uri]
        asked = [(method, self.ask(method, parameters(method, uri, text, offset, self.diagnostics[uri]))) for method in methods]
        for method, number in asked:
            result = self.answer(number)
            for following in FOLLOWING.get(method, []):
                if following in self.promised and result:
                    for one in answers(result)[:FOLLOWED]:
                        self.request(following, {"item": one} if "Hierarchy/" in following else one, uri)

    def ask_places(self, uri, offsets):
        methods = [method for method in self.promised if method.removeprefix("textDocument/") in AT_PLACES]
        for offset in offsets:
            self.ask_all(methods, uri, offset)

    def ask_document(self, uri):
        followed = {one for list_ in FOLLOWING.values() for one in list_}
        late = {"workspace/diagnostic", "textDocument/semanticTokens/full/delta", "workspace/executeCommand"}
        methods = [
            method
            for method in self.promised
            if method.removeprefix("textDocument/") not in AT_PLACES and method not in followed and method not in late
        ]
        self.pull(uri)
        self.ask_all(methods, uri, 0)

    def compare_texts(self):
        """Whether the server has the same texts as the client: it tells their checksums."""
        status = self.request("mangle/status", None)
        for document in status["documents"]:
            text = self.documents.get(document["uri"])
            if text is None or checksum(text.text.encode()) != document["checksum"] or document["suspect"]:
                self.report(f"the server has another text of {document['uri'].rsplit('/', 1)[-1]}")

    def pull(self, uri):
        if "textDocument/diagnostic" in self.promised:
            report = self.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
            self.diagnostics[uri] = (report or {}).get("items", [])

    def ask_tokens(self, uri, edit):
        """All tokens, then after an edit the difference, which has to lead to all tokens of then."""
        full, delta = "textDocument/semanticTokens/full", "textDocument/semanticTokens/full/delta"
        if full not in self.promised:
            return edit()
        params = {"textDocument": {"uri": uri}}
        first = self.request(full, params)
        edit()
        if delta in self.promised and first and "resultId" in first:
            changed = self.request(delta, {**params, "previousResultId": first["resultId"]})
            if changed is not None:
                self.delivered[delta] += "edits" in changed
                new = self.request(full, params)
                if sense.after_delta(first["data"], changed) != new["data"]:
                    self.report(f"{delta}: what changed does not lead to what is there")

    def run_commands(self):
        """Each command does something that is seen: the server asks for an edit, or for something to be shown."""
        for name in (self.server.get("executeCommandProvider") or {}).get("commands", []):
            seen = len(self.wire.seen)
            params = {"command": name, "arguments": COMMANDS[name]}
            error = self.wire.response(self.ask("workspace/executeCommand", params)).get("error")
            if error and error["message"].startswith("the program does not load"):
                # The edits before have left errors. The command says so, and does nothing else.
                self.delivered["workspace/executeCommand"] += 1
                continue
            if error:
                self.report(f"{name} fails: {error['message']}")
            deeds = {"workspace/applyEdit", "window/showDocument", "window/showMessage"}
            if self.wire.wait_until(lambda: deeds & set(self.wire.seen[seen:])):
                self.delivered["workspace/executeCommand"] += 1

    def take_back(self, uri, offsets):
        """Asks, takes every other question back, and edits meanwhile: all are answered."""
        methods = [method for method in self.promised if method.removeprefix("textDocument/") in AT_PLACES]
        numbers = []
        for offset in offsets:
            text = self.documents[uri]
            for method in methods:
                number = self.ask(method, parameters(method, uri, text, offset, []))
                # The text will be another one when the answer comes.
                self.params[number] = (method, None, uri)
                numbers.append(number)
                if number % 2:
                    self.wire.notify("$/cancelRequest", {"id": number})
            self.change(uri, offset, offset, "\n")
        for number in numbers:
            message = self.wire.response(number)
            self.params.pop(number)
            code = message.get("error", {}).get("code")
            if code is not None and code not in FORGIVEN | {-32800}:
                self.report(f"after a cancellation: the error {message['error']}")

    # What passes

    def judge(self, message, sent, asked):
        self.judged += 1
        asked_method = asked["method"] if asked else None
        direction = "to" if sent else "from"
        what = message.get("method") or f"the answer to {asked_method}"
        for wrong in strict.message(message, asked_method):
            if sent and "params.capabilities" in wrong and "has no such member" in wrong:
                # Editors know more than the specification of today.
                continue
            self.report(f"{what} ({direction} the server): {wrong}")
        if sent:
            return
        if "method" in message:
            wrongs = list(self.offers.of_server_message(message))
            if message["method"] == "textDocument/publishDiagnostics":
                wrongs += self.published(message["params"])
            if message["method"] == "workspace/applyEdit":
                wrongs += sense.of_edit(message["params"]["edit"], Documents(self))
        elif asked is None:
            wrongs = ["nobody asked for this"]
        else:
            wrongs = self.judge_result(message, asked)
        for wrong in wrongs:
            self.report(f"{what}: {wrong}")

    def judge_result(self, message, asked):
        if "result" not in message:
            return []
        result, (method, params, uri) = message["result"], self.params.get(message["id"], (asked["method"], asked.get("params"), None))
        wrongs = self.offers.of_response(method, result, params or {})
        if method != "initialize" and params is not None:
            document = Documents(self)
            wrongs += sense.check(method, params, result, document, self.legend, uri)
        return wrongs

    def published(self, params):
        """Ranges of diagnostics that were pushed; those of an older version cannot be looked at."""
        uri, version = params["uri"], params.get("version")
        # Of a document that was closed, the server may not have read yet what is on disk.
        if version != self.versions.get(uri) or (uri in self.versions and uri not in self.documents):
            return []
        self.diagnostics[uri] = params["diagnostics"]
        return list(sense.of_ranges(params["diagnostics"], uri, Documents(self)))

    def reply(self, message):
        """What a client answers to a request of the server."""
        params = message.get("params") or {}
        if message["method"] == "workspace/configuration":
            return [None for _ in params["items"]]
        if message["method"] == "workspace/applyEdit":
            return {"applied": False}
        return {"success": True} if message["method"] == "window/showDocument" else None

    def leave(self):
        self.wire.drain()
        status, forgotten = self.wire.leave()
        if status != 0:
            self.report(f"the exit status is {status}")
        for method in forgotten:
            self.report(f"{method} was never answered")


class Documents:
    """The texts that the client has, or could read from the disk."""

    def __init__(self, session):
        self.session, self.encoding = session, session.encoding

    def __call__(self, uri):
        if uri in self.session.documents:
            return self.session.documents[uri]
        if not isinstance(uri, str) or not uri.startswith("file://"):
            return None
        path = pathlib.Path(urllib.parse.unquote(uri.removeprefix("file://")))
        return Text(path.read_bytes().decode("utf-8"), self.encoding) if path.is_file() else None


def checksum(data):
    """FNV-1a of 64 bits."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def answers(result):
    found = result.get("items", [result]) if isinstance(result, dict) else result
    return [one for one in found if isinstance(one, dict)]


def play(session, files, step, seed):
    """The whole session."""
    dice = random.Random(seed)
    session.start()
    opened = [session.open(name, text) for name, text in files.items()]
    for uri in opened:
        text = session.documents[uri].text
        session.ask_document(uri)
        session.ask_places(uri, range(dice.randrange(step), len(text) + 1, step))
        session.ask_places(uri, [len(text)])
    first = opened[0]
    session.ask_tokens(first, lambda: type_clause(session, first, dice))
    session.compare_texts()
    session.ask_document(first)
    session.ask_places(first, [dice.randrange(len(session.documents[first].text)) for _ in range(5)])
    session.run_commands()
    for uri in opened:
        for _ in range(3):
            length = len(session.documents[uri].text)
            start = dice.randrange(length)
            session.change(uri, start, min(length, start + dice.randrange(1, 40)), "")
        session.compare_texts()
        session.ask_document(uri)
        session.ask_places(uri, [dice.randrange(len(session.documents[uri].text) + 1) for _ in range(4)])
    session.take_back(first, [dice.randrange(len(session.documents[first].text)) for _ in range(3)])
    if "workspace/diagnostic" in session.promised:
        session.request("workspace/diagnostic", {"previousResultIds": []})
    session.close(first)
    session.compare_texts()
    session.leave()


def type_clause(session, uri, dice):
    """Types a clause with a character beyond the basic plane, key by key."""
    at = session.documents[uri].text.find("\n", dice.randrange(200)) + 1
    for char in 'typed(X, "🦀é") :- permitted(X, _, _), !':
        session.change(uri, at, at, char)
        at += 1
