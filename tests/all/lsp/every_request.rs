//! Every request that the server promises, at places of every example, whole and damaged, and with everything wrong
//! that a client can get wrong: each is answered, never by an internal error, and the server lives on.
//!
//! Every offset would take minutes in a debug build, so these are samples: every [`STEP`]th character, from another
//! one in each file. The features' own tests look at every offset.

use crate::support::client;
use crate::support::requests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use client::{Client, Folder, with_encoding};
use requests::{About, Request, answers, parameters, promised};

/// Characters between two places. Prime, so that no layout hides anything.
const STEP: usize = 211;

/// How many answers of one result are asked more about.
const FOLLOWED: usize = 2;

/// `InternalError`, and `MethodNotFound` for what was promised.
const UNFORGIVABLE: &[i64] = &[-32603, -32601];

/// The capabilities of a real editor that knows nearly everything.
fn able() -> Value {
    let client: Value =
        serde_json::from_str(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/vscode.json")))
            .unwrap();
    with_encoding(client["capabilities"].clone(), "utf-16")
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name)
}

/// The policies of an example.
fn policies(name: &str) -> Vec<(String, String)> {
    let mut files: Vec<_> = std::fs::read_dir(example(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "mg" || end == "gl"))
        .map(|path| {
            (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// A client that asks everything and remembers what went wrong.
struct Asker {
    client: Client,
    requests: Vec<Request>,
    asked: usize,
    errors: BTreeMap<i64, usize>,
}

impl Asker {
    fn new(folders: &[&Path]) -> Self {
        let mut client = Client::start();
        let folders: Vec<_> =
            folders.iter().map(|path| json!({ "uri": client::uri(path), "name": "test" })).collect();
        let capabilities = client.initialize(json!({
            "processId": null, "rootUri": null, "capabilities": able(), "workspaceFolders": folders,
        }));
        Self { client, requests: promised(&capabilities), asked: 0, errors: BTreeMap::new() }
    }

    fn about(&self, about: &[About]) -> Vec<Request> {
        self.requests.iter().filter(|request| about.contains(&request.about)).copied().collect()
    }

    /// Asks all at once, as an editor does that draws a window; then what follows from the answers.
    fn ask(&mut self, questions: Vec<(Request, Value)>) {
        let ids: Vec<_> = questions
            .into_iter()
            .map(|(request, parameters)| {
                (request, self.client.ask(request.method, parameters.clone()), parameters)
            })
            .collect();
        let mut more = Vec::new();
        for (request, id, parameters) in ids {
            let Some(result) = self.judge(&request, id, &parameters) else { continue };
            for method in request.follow.iter().filter(|method| self.serves(method)) {
                for answer in answers(&result).into_iter().take(FOLLOWED) {
                    let parameters = match method.contains("Hierarchy/") {
                        true => json!({ "item": answer }),
                        false => answer.clone(),
                    };
                    more.push((Request { method, follow: &[], ..request }, parameters));
                }
            }
        }
        if !more.is_empty() {
            self.ask(more);
        }
    }

    fn serves(&self, method: &str) -> bool {
        method.contains("Hierarchy/") || self.requests.iter().any(|request| request.method == method)
    }

    /// The result of a request, unless it is an error that may be.
    fn judge(&mut self, request: &Request, id: i64, parameters: &Value) -> Option<Value> {
        self.asked += 1;
        match self.client.response(id) {
            Ok(result) => Some(result),
            Err(error) => {
                let code = error["code"].as_i64().unwrap();
                assert!(!UNFORGIVABLE.contains(&code), "{} {parameters}: {error}", request.method);
                *self.errors.entry(code).or_default() += 1;
                None
            }
        }
    }

    /// Asks everything at places of an open document.
    fn walk(&mut self, uri: &str, text: &str, start: usize, step: usize) {
        let document = self.about(&[About::Document]);
        self.ask(document.iter().map(|request| (*request, parameters(request, uri, 0, 0))).collect());
        let place = self.about(&[About::Place]);
        for (line, character) in places(text, start, step) {
            self.ask(
                place.iter().map(|request| (*request, parameters(request, uri, line, character))).collect(),
            );
        }
    }
}

/// Every `step`th character as line and UTF-16 column, and the end.
fn places(text: &str, start: usize, step: usize) -> Vec<(u32, u32)> {
    let (mut line, mut column, mut places) = (0, 0, Vec::new());
    for (index, char) in text.chars().enumerate() {
        if index % step == start % step {
            places.push((line, column));
        }
        if char == '\n' {
            (line, column) = (line + 1, 0);
        } else {
            column += char.len_utf16() as u32;
        }
    }
    places.push((line, column));
    places
}

/// Numbers that look random and are always the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below.max(1) as u64).unwrap()
    }
}

/// The text without some stretches of it.
fn damaged(text: &str, dice: &mut Dice) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..4 {
        let from = dice.roll(chars.len());
        let until = (from + 1 + dice.roll(30)).min(chars.len());
        chars.drain(from..until);
    }
    chars.into_iter().collect()
}

fn walk_examples(name: &str) {
    let mut asker = Asker::new(&[&example(name)]);
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for (number, (file, text)) in policies(name).into_iter().enumerate() {
        let uri = client::uri(&example(name).join(&file));
        asker.client.did_open(&uri, 1, &text);
        asker.walk(&uri, &text, number * 31, STEP);
        for version in 2..4 {
            let text = damaged(&text, &mut dice);
            asker.client.did_change(&uri, version, json!([{ "text": text }]));
            asker.walk(&uri, &text, number * 31 + 7, 3 * STEP);
        }
        asker.client.did_close(&uri);
    }
    let workspace = asker.about(&[About::Workspace]);
    asker.ask(workspace.iter().map(|request| (*request, parameters(request, "", 0, 0))).collect());
    assert!(asker.asked > 500, "only {} requests", asker.asked);
    assert!(asker.client.shut_down().success());
}

#[test]
fn in_a_good_program() {
    walk_examples("guardian");
}

#[test]
fn in_a_bad_program() {
    walk_examples("incident");
}

/// Asks everything about documents that are not what one should ask about.
fn ask_wrongly(asker: &mut Asker, uris: &[String]) {
    let all = asker.about(&[About::Place, About::Document]);
    for uri in uris {
        for (line, character) in [(0, 0), (0, 9_999), (9_999, 0), (2_147_483_000, 2_147_483_647)] {
            asker.ask(
                all.iter().map(|request| (*request, parameters(request, uri, line, character))).collect(),
            );
        }
    }
}

#[test]
fn about_documents_that_are_not_there() {
    let folder = Folder::new(&[("a.mg", "p(1).\n"), ("gone.mg", "q(1).\n"), ("b.txt", "r(1).\n")]);
    let mut asker = Asker::new(&[&folder.path()]);
    let open = |asker: &mut Asker, uri: &str, language: &str, text: &str| {
        asker.client.did_open_as(uri, language, 1, text);
    };
    open(&mut asker, "untitled:closed.mg", "mangle", "p(X) :- q(X).\n");
    asker.client.did_close("untitled:closed.mg");
    open(&mut asker, &folder.uri("b.txt"), "plaintext", "p(X) :- q(X).\n");
    open(&mut asker, &folder.uri("mangle-ls.toml"), "toml", "fail_on = \"error\"\n[rules]\n");
    open(&mut asker, "untitled:empty.mg", "mangle", "");
    // Known to the server, and gone before anybody asks.
    asker.client.pull(&folder.uri("gone.mg"));
    folder.remove("gone.mg");
    let uris = [
        "file:///nowhere/at/all.mg".to_owned(),
        "untitled:closed.mg".to_owned(),
        "untitled:never.mg".to_owned(),
        "untitled:empty.mg".to_owned(),
        "git:/a.mg?ref=main#x".to_owned(),
        "file:///".to_owned(),
        client::uri(&folder.path()),
        folder.uri("a.mg"),
        folder.uri("gone.mg"),
        folder.uri("b.txt"),
        folder.uri("mangle-ls.toml"),
    ];
    ask_wrongly(&mut asker, &uris);
    assert!(asker.client.shut_down().success());
}

#[test]
fn with_parameters_that_make_no_sense() {
    let mut asker = Asker::new(&[]);
    asker.client.did_open("untitled:a.mg", 1, "p(X) :- q(X).\n");
    let wrong = [
        json!(null),
        json!(7),
        json!([]),
        json!({}),
        json!({ "textDocument": null }),
        json!({ "textDocument": { "uri": 5 }, "position": {} }),
        json!({ "textDocument": { "uri": "no uri" }, "position": { "line": -1, "character": 0 } }),
        json!({ "textDocument": { "uri": "untitled:a.mg" }, "position": { "line": 1.5, "character": "0" } }),
        json!({ "item": {}, "data": [], "label": 5, "title": {} }),
    ];
    let all = asker.requests.clone();
    for parameters in wrong {
        // What is sound by accident may wait for news.
        let sensible = |request: &&Request| request.method != "workspace/diagnostic";
        asker.ask(all.iter().filter(sensible).map(|request| (*request, parameters.clone())).collect());
    }
    assert!(asker.errors.contains_key(&-32602), "{:?}", asker.errors);
    assert!(asker.client.shut_down().success());
}

#[test]
fn with_a_reversed_range_and_stale_versions() {
    let mut asker = Asker::new(&[]);
    let uri = "untitled:a.mg";
    asker.client.did_open(uri, 9, "p(X) :- q(X).\nq(🦀).\nq(1).\n");
    let place = asker.about(&[About::Place]);
    let reversed = |request: &Request| {
        let mut parameters = parameters(request, uri, 2, 3);
        parameters["range"]["end"] = json!({ "line": 0, "character": 1 });
        parameters["textDocument"]["version"] = json!(3);
        (*request, parameters)
    };
    asker.ask(place.iter().map(reversed).collect());
    // Versions that go back, that stand still, and an edit that does not fit.
    for version in [8, 9, -1, 9] {
        let at = json!({ "line": version.max(0), "character": 0 });
        let change = json!([{ "range": { "start": at, "end": at }, "text": "r(1).\n" }]);
        asker.client.did_change(uri, version, change);
        asker.walk(uri, "p(X) :- q(X).\nq(🦀).\n", 0, 5);
    }
    assert!(asker.client.shut_down().success());
}

#[test]
fn with_one_file_in_two_workspaces() {
    let text = "Decl p(X) bound [/number].\np(X) :- q(X), !r(X).\nq(1).\n";
    let config = "[[program]]\nname = 'one'\ninclude = ['**/*.mg']\n\n[[program]]\nname = 'two'\ninclude = ['shared.mg']\n";
    let first = Folder::new(&[("shared.mg", text), ("r.mg", "r(2).\n"), ("mangle-ls.toml", config)]);
    // The same content, and a folder inside the other.
    let second = Folder::new(&[("shared.mg", text), ("inner/shared.mg", text)]);
    let (outer, inner) = (second.path(), second.path().join("inner"));
    let mut asker = Asker::new(&[&first.path(), &outer, &inner, &outer]);
    for uri in [first.uri("shared.mg"), second.uri("shared.mg"), second.uri("inner/shared.mg")] {
        asker.walk(&uri, text, 0, 3);
        asker.client.did_open(&uri, 1, text);
        asker.walk(&uri, text, 1, 3);
    }
    let removed = json!([{ "uri": client::uri(&first.path()), "name": "test" }]);
    let event = json!({ "event": { "added": [], "removed": removed } });
    asker.client.notify("workspace/didChangeWorkspaceFolders", event);
    asker.walk(&first.uri("shared.mg"), text, 2, 3);
    assert!(asker.client.shut_down().success());
}

/// Edits and questions in one stream: a question may be refused, but never forgotten.
#[test]
fn while_the_text_changes_and_questions_are_taken_back() {
    let (_, text) = policies("incident").swap_remove(1);
    let mut asker = Asker::new(&[&example("incident")]);
    let uri = client::uri(&example("incident").join("constitution.mg"));
    asker.client.did_open(&uri, 1, &text);
    let mut dice = Dice(42);
    let all = asker.about(&[About::Place, About::Document]);
    for version in 2..12 {
        let (line, character) = places(&text, version, 97)[dice.roll(20)];
        let asked: Vec<_> = all
            .iter()
            .map(|request| {
                let id = asker.client.ask(request.method, parameters(request, &uri, line, character));
                (*request, id)
            })
            .collect();
        asked.iter().filter(|(_, id)| id % 3 == 0).for_each(|(_, id)| asker.client.cancel(*id));
        let text = damaged(&text, &mut dice);
        asker.client.did_change(&uri, i32::try_from(version).unwrap(), json!([{ "text": text }]));
        for (request, id) in asked {
            asker.judge(&request, id, &Value::Null);
        }
    }
    assert!(asker.client.shut_down().success());
}
