//! Transcripts in an editor, over the real binary.
#![allow(clippy::unwrap_used)]

#[path = "support/client.rs"]
mod client;

use serde_json::{Value, json};

use client::{Client, Folder, messages, pulling, pushed, with_encoding};

const SCHEMAS: &str = "# How a task stands.\nDecl task_status(Task, Status) bound [/string, /name].\n";

const POLICY: &str = "open(T) :- task_status(T, /open).\n";

/// An envelope in a chat record, an update with quotes in it: two strings around each.
fn line() -> String {
    let reply = json!({
        "control_packet": {
            "intent_classification": { "category": "/mutation", "verb": "/fix", "target": "policy.mg" },
            "mangle_updates": ["task_status(\"🦀\", /done).", "task_status(\"b\", /open)"],
        },
        "surface_response": "Fixed <b>it</b>.",
    });
    format!("{}\n", json!({ "role": "assistant", "content": reply.to_string() }))
}

fn folder() -> Folder {
    Folder::new(&[("schemas.gl", SCHEMAS), ("policy.mg", POLICY), ("transcripts/a.jsonl", &line())])
}

fn open(client: &mut Client, uri: &str, language: &str, text: &str) {
    let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
}

/// Opens the transcript; gives its URI and its text.
fn transcript(client: &mut Client, folder: &Folder) -> (String, String) {
    let (uri, text) = (folder.uri("transcripts/a.jsonl"), line());
    open(client, &uri, "jsonl", &text);
    (uri, text)
}

/// The place of a word on the first line, in UTF-16.
fn place(uri: &str, text: &str, word: &str) -> Value {
    let before = &text[..text.find(word).unwrap_or_else(|| panic!("no {word} in {text}"))];
    let character = before.encode_utf16().count();
    json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": character } })
}

/// What a range covers on the first line.
fn covered(text: &str, range: &Value) -> String {
    let units: Vec<u16> = text.lines().next().unwrap().encode_utf16().collect();
    let [start, end] = ["start", "end"].map(|end| range[end]["character"].as_u64().unwrap() as usize);
    String::from_utf16(&units[start..end]).unwrap()
}

#[test]
fn hovers_tell_how_the_runtime_reads() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let (uri, text) = transcript(&mut client, &folder);
    let mut hover = |word: &str| client.request("textDocument/hover", place(&uri, &text, word)).unwrap();
    let envelope = hover(r#"{\"control_packet"#);
    let shown = envelope["contents"]["value"].as_str().unwrap();
    assert!(shown.contains("Method json") && shown.contains("1 kept, 1 lost"), "{shown}");
    let verb = hover("/fix");
    assert!(verb["contents"]["value"].as_str().unwrap().contains("shard coder"), "{verb}");
    let atom = hover("task_status");
    let shown = atom["contents"]["value"].as_str().unwrap();
    for part in ["task_status(Task: /string, Status: /name)", "How a task stands", "schemas.gl", "Kept"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert_eq!(covered(&text, &atom["range"]), "task_status");
    let lost = client.request("textDocument/hover", place(&uri, &text, r#"b\\\", /open"#)).unwrap();
    assert!(lost["contents"]["value"].as_str().unwrap().contains("full stop"), "{lost}");
}

#[test]
fn an_update_is_mangle() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let (uri, text) = transcript(&mut client, &folder);
    let at = place(&uri, &text, "task_status");
    let found = client.request("textDocument/declaration", at.clone()).unwrap();
    let target = if found.is_array() { found[0].clone() } else { found };
    assert!(target.to_string().contains("schemas.gl"), "{target}");
    // From the declaration to the policy and the transcript.
    let declared = json!({
        "textDocument": { "uri": folder.uri("schemas.gl") }, "position": { "line": 1, "character": 6 },
        "context": { "includeDeclaration": true },
    });
    let found = client.request("textDocument/references", declared).unwrap();
    let there: Vec<_> = found.as_array().unwrap().iter().filter(|one| one["uri"] == *uri).collect();
    assert_eq!(there.len(), 2, "{found}");
    assert!(there.iter().all(|one| covered(&text, &one["range"]) == "task_status"));
    let mut rename = at;
    rename["newName"] = "other".into();
    assert_eq!(client.request("textDocument/rename", rename).unwrap_err()["code"], -32803);
}

#[test]
fn what_is_completed_in_an_update_is_escaped() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let uri = folder.uri("transcripts/b.json");
    let text = r#"{"control_packet":{"mangle_updates":["task_s"]},"surface_response":"a"}"#;
    open(&mut client, &uri, "json", text);
    let mut at = place(&uri, text, "_s\"");
    at["position"]["character"] = (at["position"]["character"].as_u64().unwrap() + 2).into();
    let found = client.request("textDocument/completion", at).unwrap();
    let items = found["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["label"] == "task_status").unwrap_or_else(|| panic!("{found}"));
    let edit = &item["textEdit"];
    let range = if edit["range"].is_null() { &edit["replace"] } else { &edit["range"] };
    assert_eq!(covered(text, range), "task_s");
    // Typed strings stand in JSON strings.
    let typed = r#"{"control_packet":{"mangle_updates":["task_status("]},"surface_response":"a"}"#;
    let whole = json!([{ "text": typed }]);
    client.did_change(&uri, 2, whole);
    let mut at = place(&uri, typed, "(\"]");
    at["position"]["character"] = (at["position"]["character"].as_u64().unwrap() + 1).into();
    let help = client.request("textDocument/signatureHelp", at).unwrap();
    assert!(help["signatures"][0]["label"].as_str().unwrap().starts_with("task_status("), "{help}");
}

#[test]
fn hints_symbols_folds_links_and_tokens() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let (uri, _) = transcript(&mut client, &folder);
    let document = json!({ "textDocument": { "uri": uri } });
    let mut asked = document.clone();
    asked["range"] = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 1, "character": 0 } });
    let hints = client.request("textDocument/inlayHint", asked).unwrap();
    assert_eq!(hints[0]["label"], "json 1.00 · 1 kept, 1 lost");
    assert_eq!(hints[1]["label"], "lost: dropped");
    let symbols = client.request("textDocument/documentSymbol", document.clone()).unwrap().to_string();
    assert!(symbols.contains("1 assistant") && symbols.contains("mangle_updates"), "{symbols}");
    assert_eq!(client.request("textDocument/foldingRange", document.clone()).unwrap(), json!([]));
    let links = client.request("textDocument/documentLink", document).unwrap();
    assert_eq!(links.as_array().unwrap().len(), 1);
    assert_eq!(links[0]["target"], folder.uri("policy.mg"));
}

#[test]
fn both_channels_with_their_origins() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let (uri, text) = transcript(&mut client, &folder);
    let split = format!("mangle-split:{uri}");
    let made = client.request("mangle/virtualDocument", json!({ "uri": split })).unwrap();
    let shown = made["text"].as_str().unwrap();
    assert!(shown.contains("Fixed <b>it</b>."), "{shown}");
    assert!(shown.contains("│ + task_status(\"🦀\", /done).\n"), "{shown}");
    let origins = made["origins"].as_array().unwrap();
    let atom = origins.iter().find(|origin| origin["kind"] == "atom").unwrap();
    assert_eq!(covered(&text, &atom["location"]["range"]), r#"task_status(\\\"🦀\\\", /done)."#);
    // Who asked is told of changes.
    client.did_change(&uri, 2, json!([{ "text": line().replace("Fixed", "Mended") }]));
    assert_eq!(client.incoming("mangle/virtualDocumentChanged")["params"]["uri"], split);
    let made = client.request("mangle/virtualDocument", json!({ "uri": split })).unwrap();
    assert!(made["text"].as_str().unwrap().contains("Mended"));
}

#[test]
fn what_is_no_transcript_is_left_alone() {
    let folder = folder();
    folder.write("package.json", "{,}");
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let uri = folder.uri("package.json");
    open(&mut client, &uri, "json", "{,}");
    assert_eq!(client.pull(&uri)["items"], json!([]));
    let document = json!({ "textDocument": { "uri": uri } });
    for method in ["documentSymbol", "foldingRange", "documentLink"] {
        assert_eq!(client.request(&format!("textDocument/{method}"), document.clone()).unwrap(), Value::Null);
    }
    // Settings that name it make it one.
    folder.write("mangle-ls.toml", "[transcripts]\ninclude = [\"*.json\"]\n");
    let change = json!({ "changes": [{ "uri": folder.uri("mangle-ls.toml"), "type": 1 }] });
    client.notify("workspace/didChangeWatchedFiles", change);
    while client.request("textDocument/documentSymbol", document.clone()).unwrap() == Value::Null {
        client.incoming("workspace/diagnostic/refresh");
    }
}

#[test]
fn a_bad_line_is_found_and_goes_again() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), pushed());
    let uri = folder.uri("transcripts/a.jsonl");
    let sound = line().repeat(3);
    open(&mut client, &uri, "jsonl", &format!("{sound}{{\"role\": \n"));
    let is_about = |message: &Value, wanted: bool| {
        message["params"]["uri"] == *uri
            && message["params"]["diagnostics"]
                .as_array()
                .is_some_and(|found| found.iter().any(|one| one["code"] == "bad-record") == wanted)
    };
    let told = client.wait("the bad line", |message| is_about(message, true));
    assert!(!messages(&told["params"]["diagnostics"]).is_empty());
    client.did_change(&uri, 2, json!([{ "text": sound }]));
    client.wait("nothing", |message| is_about(message, false));
    assert!(client.shut_down().success());
}

/// The names of the findings of a document.
fn codes(client: &mut Client, uri: &str) -> Vec<String> {
    let report = client.pull(uri);
    let items = report["items"].as_array().unwrap().iter();
    items.map(|item| item["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn findings_follow_the_declarations() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let uri = folder.uri("transcripts/b.json");
    let text = line().replace("task_status", "task_state");
    let record: Value = serde_json::from_str(&text).unwrap();
    let text = record["content"].as_str().unwrap();
    open(&mut client, &uri, "json", text);
    let report = client.pull(&uri);
    let items = report["items"].as_array().unwrap();
    let undeclared =
        items.iter().find(|item| item["code"] == "undeclared").unwrap_or_else(|| panic!("{report}"));
    assert_eq!(covered(text, &undeclared["range"]), "task_state");
    // A declaration that is not even saved counts.
    let schemas = folder.uri("schemas.gl");
    client.did_open(&schemas, 1, SCHEMAS);
    client.did_change(&schemas, 2, json!([{ "text": format!("{SCHEMAS}Decl task_state(Task, Status).\n") }]));
    while codes(&mut client, &uri).contains(&"undeclared".to_owned()) {
        client.incoming("workspace/diagnostic/refresh");
    }
    // A fix stands escaped where the finding is.
    let at = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": text.len() } });
    let asked = json!({ "textDocument": { "uri": uri }, "range": at, "context": { "diagnostics": [] } });
    let actions = client.request("textDocument/codeAction", asked).unwrap();
    let titles = actions.to_string();
    assert!(!titles.contains("Silence"), "{titles}");
}

#[test]
fn members_and_words_are_completed() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let uri = folder.uri("transcripts/b.json");
    let text = r#"{"control_packet":{"intent_classification":{"verb":"/"},"me":[]},"surface_response":"a",}"#;
    open(&mut client, &uri, "json", text);
    let mut labels = |word: &str, behind: u64| {
        let mut at = place(&uri, text, word);
        at["position"]["character"] = (at["position"]["character"].as_u64().unwrap() + behind).into();
        let found = client.request("textDocument/completion", at).unwrap();
        let items = found["items"].as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item["label"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let verbs = labels("/\"}", 1);
    assert!(verbs.contains(&"/fix".to_owned()) && verbs.len() > 30, "{verbs:?}");
    let members = labels("me\":", 2);
    assert!(members.contains(&"memory_operations".to_owned()), "{members:?}");
    assert!(!members.contains(&"intent_classification".to_owned()), "{members:?}");
}

#[test]
fn fences_of_markdown_are_mangle() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let uri = folder.uri("transcripts/notes.md");
    open(&mut client, &uri, "markdown", "# Notes\n\n```mangle\ntask_status(\"a\", /open).\n```\n");
    let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 3, "character": 3 } });
    let hover = client.request("textDocument/hover", at.clone()).unwrap();
    assert!(hover["contents"]["value"].as_str().unwrap().contains("How a task stands"), "{hover}");
    assert_eq!(hover["range"]["start"], json!({ "line": 3, "character": 0 }));
    let declared = client.request("textDocument/definition", at).unwrap();
    assert!(declared.to_string().contains("schemas.gl"), "{declared}");
}
