//! Sessions of an editor from bytes: what it opens, edits, asks, cancels and closes, in any order and at any place.

use serde_json::{Value, json};

use crate::sandbox;
use crate::support::Random;

use super::{mangle, pick, transcript};

/// A step of a session.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// A request, with its id.
    Request(i64, Value),
    /// A notification.
    Notification(Value),
    /// A file on disk is written; a notification follows.
    File(&'static str, Vec<u8>),
}

/// The documents of a session, with what is in them at first.
#[rustfmt::skip]
const DOCUMENTS: &[(&str, &str)] = &[
    ("policy.mg", "# é\nDecl p(X) bound [/name].\np(/a). p(/é🦀).\nq(X) :- p(X), !r(X, _).\nr(X, Y) :- p(X), Y = fn:pair(X, X).\nn(Y) |> do fn:group_by(), let Y = fn:count().\n"),
    ("schemas.gl", "Decl task_status(Task, Status) descr [doc(\"é\")] bound [/string, /name].\nDecl pending_action(I, A, T, P, At).\nDecl permitted(A, T, P).\npermitted(A, T, P) :- pending_action(_, A, T, P, _).\n"),
    ("policy_test.mg", "# @test name: é\np(/z).\n# @expect q(/z)\n# @forbid r(/z, _)\n"),
    ("s.kernel.mg", "# @preview name: é\n# @preview shard: coder-7 coder\ntest_state(/failing).\ninjectable_context(\"*\", \"é🦀\").\n"),
    ("transcripts/t.jsonl", "{\"role\":\"assistant\",\"content\":\"{\\\"control_packet\\\":{\\\"mangle_updates\\\":[\\\"task_status(\\\\\\\"é\\\\\\\", /done)\\\"]},\\\"surface_response\\\":\\\"\\ud83e\\udd80\\\"}\"}\n"),
    ("mangle-ls.toml", "[[program]]\nname = \"p\"\n\n[kernel]\nmax_facts = 2000\nmax_derived = 1000\nmax_steps = 100000\ntimeout_ms = 1500\nsample = [\"**/*.kernel.mg\"]\n"),
    ("notes.md", "# é\n\n```mangle\np(X) :- q(X).\n```\n"),
];

/// The documents of a session, to be written to disk.
pub(crate) fn documents() -> &'static [(&'static str, &'static str)] {
    DOCUMENTS
}

const AT_PLACES: &[&str] = &[
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/definition",
    "textDocument/declaration",
    "textDocument/typeDefinition",
    "textDocument/implementation",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/prepareCallHierarchy",
    "textDocument/linkedEditingRange",
    "textDocument/onTypeFormatting",
];

const OF_DOCUMENTS: &[&str] = &[
    "textDocument/diagnostic",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/semanticTokens/full/delta",
    "textDocument/inlayHint",
    "textDocument/documentLink",
    "textDocument/codeLens",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/codeAction",
    "mangle/graph",
    "mangle/preview",
    "mangle/query",
    "mangle/repair",
    "mangle/replay",
    "mangle/test",
];

const OF_ALL: &[&str] = &[
    "workspace/diagnostic",
    "workspace/symbol",
    "mangle/status",
    "mangle/virtualDocument",
    "workspace/executeCommand",
    "workspace/willRenameFiles",
    "completionItem/resolve",
    "codeAction/resolve",
    "inlayHint/resolve",
    "codeLens/resolve",
    "callHierarchy/incomingCalls",
    "$/unknown",
    "é",
];

/// The steps that bytes stand for, after `initialize` and `initialized`.
pub(crate) fn steps(bytes: &[u8]) -> Vec<Step> {
    let split = bytes.len() / 3;
    let (choices, texts) = bytes.split_at(split.clamp(bytes.len().min(24), 400.min(bytes.len())));
    let mut session = Session {
        random: Random::from_bytes(choices),
        texts: texts.to_vec(),
        at: 0,
        next: 1,
        version: 1,
        steps: Vec::new(),
    };
    session.initialize();
    for _ in 0..2 + session.random.below(24) {
        session.step();
    }
    session.steps
}

struct Session {
    random: Random,
    /// Bytes of texts.
    texts: Vec<u8>,
    at: usize,
    next: i64,
    version: i32,
    steps: Vec<Step>,
}

impl Session {
    fn initialize(&mut self) {
        let encodings = [json!(["utf-8"]), json!(["utf-16"]), json!(["utf-32", "utf-8"]), json!(null)];
        let encoding = encodings[self.random.below(encodings.len())].clone();
        let folder = match self.random.below(4) {
            0 => json!(null),
            _ => json!([{ "uri": format!("file://{}", sandbox::path().display()), "name": "w" }]),
        };
        let pulls = self.random.below(2) == 0;
        let diagnostic = if pulls { json!({ "relatedDocumentSupport": true }) } else { json!(null) };
        let capabilities = json!({
            "general": { "positionEncodings": encoding },
            "textDocument": {
                "diagnostic": diagnostic,
                "publishDiagnostics": { "relatedInformation": true, "versionSupport": true },
                "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": ["quickfix", "source", "refactor"] } } },
                "hover": { "contentFormat": ["markdown"] },
                "rename": { "prepareSupport": true },
                "completion": { "completionItem": { "snippetSupport": true } },
            },
            "workspace": { "workspaceEdit": { "documentChanges": true } },
        });
        let params = json!({ "processId": null, "rootUri": null, "capabilities": capabilities, "workspaceFolders": folder });
        self.request("initialize", params);
        self.notify("initialized", json!({}));
    }

    fn request(&mut self, method: &str, params: Value) {
        let id = self.next;
        self.next += 1;
        self.steps.push(Step::Request(
            id,
            json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }),
        ));
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.steps.push(Step::Notification(json!({ "jsonrpc": "2.0", "method": method, "params": params })));
    }

    fn step(&mut self) {
        match self.random.below(16) {
            0..=1 => self.open(),
            2..=5 => self.change(),
            6 => {
                let uri = self.uri();
                self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
            }
            7..=9 => self.ask_at_place(),
            10..=12 => self.ask_about_document(),
            13 => self.ask_anything(),
            14 => {
                let back = i64::try_from(self.random.below(4)).unwrap_or(0);
                self.notify("$/cancelRequest", json!({ "id": self.next - back }));
            }
            _ => self.beside(),
        }
    }

    fn uri(&mut self) -> String {
        let name = match self.random.below(12) {
            0 => "new é.mg",
            1 => "../outside.mg",
            _ => pick(&mut self.random, DOCUMENTS).0,
        };
        format!("file://{}/{name}", sandbox::path().display())
    }

    /// Some bytes for a text.
    fn piece(&mut self, most: usize) -> Vec<u8> {
        let len = self.random.below(most + 1).min(self.texts.len() - self.at);
        let piece = self.texts[self.at..self.at + len].to_vec();
        self.at += len;
        piece
    }

    fn text(&mut self, most: usize) -> String {
        let piece = self.piece(most);
        match self.random.below(4) {
            0 => mangle(&[&[2], piece.as_slice()].concat()),
            1 => super::text(&transcript(&[&[1], piece.as_slice()].concat()).1),
            _ => super::text(&piece),
        }
    }

    fn open(&mut self) {
        let uri = self.uri();
        let known =
            DOCUMENTS.iter().find(|(name, _)| uri.ends_with(name)).map(|(_, text)| (*text).to_owned());
        let text = match known {
            Some(known) if self.random.below(3) > 0 => known,
            _ => self.text(200),
        };
        let languages = ["mangle", "mangle", "json", "jsonl", "markdown", "toml", "plaintext"];
        let language = pick(&mut self.random, &languages);
        self.version += 1;
        let document = json!({ "uri": uri, "languageId": language, "version": self.version, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn position(&mut self) -> Value {
        let (line, character) = (self.random.below(9), self.random.below(60));
        let character = if character == 59 { 4_294_967_295 } else { character };
        json!({ "line": line, "character": character })
    }

    fn range(&mut self) -> Value {
        let (start, mut end) = (self.position(), self.position());
        if self.random.below(4) > 0 {
            end["line"] = start["line"].clone();
            end["character"] = json!(
                start["character"]
                    .as_u64()
                    .unwrap_or(0)
                    .saturating_add(self.random.below(4) as u64)
                    .min(u64::from(u32::MAX))
            );
        }
        json!({ "start": start, "end": end })
    }

    fn change(&mut self) {
        let uri = self.uri();
        self.version += if self.random.below(9) == 0 { -3 } else { 1 };
        let mut changes = Vec::new();
        for _ in 0..=self.random.below(3) {
            let most = if self.random.below(4) == 0 { 120 } else { 6 };
            let text = self.text(most);
            let range = self.range();
            changes.push(if self.random.below(8) == 0 {
                json!({ "text": text })
            } else {
                json!({ "range": range, "text": text })
            });
        }
        let document = json!({ "uri": uri, "version": self.version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    fn ask_at_place(&mut self) {
        let method = pick(&mut self.random, AT_PLACES);
        let (uri, position) = (self.uri(), self.position());
        let names = ["x", "Y", "new_name", "é", "", "p", "/b"];
        let name = pick(&mut self.random, &names);
        let params = json!({
            "textDocument": { "uri": uri }, "position": position, "newName": name, "ch": "\n", "context": { "includeDeclaration": true },
            "options": { "tabSize": 4, "insertSpaces": true },
        });
        self.request(method, params);
    }

    fn ask_about_document(&mut self) {
        let method = pick(&mut self.random, OF_DOCUMENTS);
        let (uri, range, position) = (self.uri(), self.range(), self.position());
        let atoms = ["p(X)", "q(_)", "permitted(A, _, _)", "é(", "r(X, Y)"];
        let atom = pick(&mut self.random, &atoms);
        let params = json!({
            "textDocument": { "uri": uri }, "uri": uri, "range": range, "positions": [position], "position": position,
            "options": { "tabSize": 4, "insertSpaces": true }, "context": { "diagnostics": [] }, "atom": atom, "query": atom, "why": true,
            "whyNot": true, "previousResultId": "1", "previousResultIds": [],
        });
        self.request(method, params);
    }

    fn ask_anything(&mut self) {
        let method = pick(&mut self.random, OF_ALL);
        let (uri, text) = (self.uri(), self.text(20));
        let params = match self.random.below(3) {
            0 => {
                json!({ "query": text, "uri": uri, "previousResultIds": [], "command": "mangle.fixWorkspace", "arguments": [uri], "files": [] })
            }
            1 => serde_json::from_str(&text).unwrap_or(Value::Null),
            _ => {
                json!({ "label": text, "title": text, "data": { "uri": uri }, "query": text, "previousResultIds": [] })
            }
        };
        // The protocol knows lists and objects only.
        let params = if params.is_object() || params.is_array() { params } else { json!({}) };
        self.request(method, params);
    }

    /// What happens outside of documents.
    fn beside(&mut self) {
        let (name, _) = pick(&mut self.random, DOCUMENTS);
        let uri = format!("file://{}/{name}", sandbox::path().display());
        match self.random.below(4) {
            0 if name != "mangle-ls.toml" => {
                let bytes = self.piece(60);
                self.steps.push(Step::File(name, bytes));
                self.notify(
                    "workspace/didChangeWatchedFiles",
                    json!({ "changes": [{ "uri": uri, "type": 2 }] }),
                );
            }
            1 => self.notify(
                "workspace/didChangeConfiguration",
                json!({ "settings": { "mangle": { "rules": { "safety": "off" } } } }),
            ),
            2 => self
                .notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": uri, "type": 3 }] })),
            _ => {
                let folder = format!("file://{}", sandbox::path().display());
                self.notify(
                    "workspace/didChangeWorkspaceFolders",
                    json!({ "event": { "added": [], "removed": [{ "uri": folder, "name": "w" }] } }),
                );
            }
        }
    }
}
