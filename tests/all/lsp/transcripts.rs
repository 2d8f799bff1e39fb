//! Transcripts in an editor, over the real binary.

use crate::support::client;

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
    client.did_open_as(uri, language, 1, text);
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
    for part in ["task_status(Task: /string, Status: /name)", "How a task stands", "schemas.gl", "Asserted."]
    {
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
    client.did_change(&uri, 2, json!([{ "text": line().replace("Fixed", "Changed") }]));
    assert_eq!(client.incoming("mangle/virtualDocumentChanged")["params"]["uri"], split);
    let made = client.request("mangle/virtualDocument", json!({ "uri": split })).unwrap();
    assert!(made["text"].as_str().unwrap().contains("Changed"));
}

#[test]
fn a_conversation_leads_there_and_back() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let (uri, text) = transcript(&mut client, &folder);
    let address = format!("mangle-conversation:/line-1?of={uri}");
    let first = client.request("mangle/virtualDocument", json!({ "uri": address })).unwrap();
    let shown = first["text"].as_str().unwrap();
    assert!(shown.contains("\n  Fixed <b>it</b>.\n"), "{shown}");
    assert!(shown.contains("+ task_status(\"🦀\", /done)."), "{shown}");
    assert!(shown.contains("- ~~task_status(\"b\", /open)~~"), "{shown}");
    let origins = first["origins"].as_array().unwrap();
    let of_kind = |kind: &str| origins.iter().filter(|one| one["kind"] == kind).collect::<Vec<_>>();
    assert_eq!(covered(&text, &of_kind("surface")[0]["location"]["range"]), "Fixed <b>it</b>.");
    // Every finding has a line, which leads to its bytes.
    let found = client.pull(&uri)["items"].as_array().unwrap().clone();
    for one in &found {
        let leads = |origin: &&Value| origin["location"]["range"] == one["range"];
        assert!(of_kind("finding").iter().any(leads), "{one}");
    }
    assert_eq!(first["window"], json!({ "first": 1, "count": 1, "total": 1, "before": null, "after": null }));
    // A log that grows.
    let grown = format!("{}{}", line(), line().replace("Fixed", "Changed"));
    client.did_change(&uri, 2, json!([{ "text": grown }]));
    assert_eq!(client.incoming("mangle/virtualDocumentChanged")["params"]["uri"], address);
    let after = format!("mangle-conversation:/2?count=1&of={uri}");
    let made = client.request("mangle/virtualDocument", json!({ "uri": after })).unwrap();
    assert!(made["text"].as_str().unwrap().contains("turn 2"), "{made}");
    assert_eq!(made["window"]["after"], Value::Null);
    let before = made["window"]["before"].as_str().unwrap();
    let made = client.request("mangle/virtualDocument", json!({ "uri": before })).unwrap();
    assert_eq!((&made["window"]["first"], &made["window"]["before"]), (&json!(1), &Value::Null));
    let bad = format!("mangle-conversation:/nothing?of={uri}");
    assert!(client.request("mangle/virtualDocument", json!({ "uri": bad })).is_err());
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
    assert!(titles.contains("Silence `no-period` here"), "{titles}");
    // A capture is evidence: its fixes say so, and are offered one by one.
    assert!(titles.contains("add the full stop (edits evidence)"), "{titles}");
    assert!(!titles.contains("source.fixAll") && !titles.contains("Fix all"), "{titles}");
    assert!(!titles.contains("\"isPreferred\":true"), "{titles}");
}

#[test]
fn credentials_are_masked_in_what_the_server_says() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let secret = "password: 7hXq-9vTz-2Lm4";
    let uri = folder.uri("transcripts/secret.jsonl");
    let packet = format!(
        "{{\"control_packet\": {{\"mangle_updates\": [\"{secret}\"]}}, \"surface_response\": \"{secret}\"}}\n"
    );
    client.did_open(&uri, 1, &packet);
    let mut said = client.pull(&uri).to_string();
    for method in ["textDocument/documentSymbol", "mangle/repair"] {
        said += &client
            .request(method, json!({ "textDocument": { "uri": uri }, "uri": uri }))
            .unwrap()
            .to_string();
    }
    for character in [5, 40, 60, 100] {
        let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": character } });
        said += &client.request("textDocument/hover", at).unwrap().to_string();
    }
    for scheme in ["mangle-split:", "mangle-replay:", "mangle-conversation:/1?of="] {
        if let Ok(made) = client.request("mangle/virtualDocument", json!({ "uri": format!("{scheme}{uri}") }))
        {
            said += &made.to_string();
        }
    }
    assert!(said.contains("surface-secret") && said.contains("***"), "{said}");
    assert!(!said.contains("7hXq"), "{said}");
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

/// What a pull of the workspace says of a file: the names of its findings; `None` where it says nothing.
fn found_in(report: &Value, uri: &str) -> Option<Vec<String>> {
    let items = report["items"].as_array().unwrap();
    let item = items.iter().find(|item| item["uri"] == *uri)?;
    let found = item["items"].as_array()?.iter();
    Some(found.map(|one| one["code"].as_str().unwrap().to_owned()).collect())
}

#[test]
fn closed_transcripts_are_looked_at() {
    let folder = folder();
    let closed = folder.uri("transcripts/a.jsonl");
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let asked = json!({ "previousResultIds": [] });
    let report = client.request("workspace/diagnostic", asked.clone()).unwrap();
    assert!(found_in(&report, &closed).unwrap().contains(&"no-period".to_owned()), "{report}");
    // What mentions something, too.
    let declared = json!({
        "textDocument": { "uri": folder.uri("schemas.gl") }, "position": { "line": 1, "character": 6 },
        "context": { "includeDeclaration": false }, "newName": "status_of",
    });
    client.did_open(&folder.uri("schemas.gl"), 1, SCHEMAS);
    let found = client.request("textDocument/references", declared.clone()).unwrap();
    let there: Vec<_> = found.as_array().unwrap().iter().filter(|one| one["uri"] == *closed).collect();
    assert_eq!(there.len(), 2, "{found}");
    assert!(there.iter().all(|one| covered(&line(), &one["range"]) == "task_status"));
    client.request("textDocument/rename", declared.clone()).unwrap();
    let said = client.incoming("window/showMessage")["params"]["message"].as_str().unwrap().to_owned();
    assert!(said.contains("occurs 2 times in a transcript"), "{said}");
    // A file that changes, and one that comes.
    folder.write("transcripts/a.jsonl", "{\"role\":\"user\",\"content\":\"a\"}\n");
    folder.write("transcripts/new/b.json", "{");
    let new = folder.uri("transcripts/new/b.json");
    let changes = json!({ "changes": [{ "uri": closed, "type": 2 }, { "uri": new, "type": 1 }] });
    client.notify("workspace/didChangeWatchedFiles", changes);
    let report = loop {
        let report = client.request("workspace/diagnostic", asked.clone()).unwrap();
        if found_in(&report, &new).is_some_and(|found| !found.is_empty()) {
            break report;
        }
    };
    // It has nothing but a prompt now.
    assert_eq!(found_in(&report, &closed), Some(vec!["no-reply-found".to_owned()]));
    let found = client.request("textDocument/references", declared).unwrap();
    assert!(!found.to_string().contains("a.jsonl"), "{found}");
    assert!(client.shut_down().success());
}

#[test]
fn closed_transcripts_that_are_too_large_are_left_out() {
    let folder = folder();
    folder.write("mangle-ls.toml", "[transcripts]\nclosed_limit = 100\n");
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let asked = json!({ "previousResultIds": [] });
    let report = client.request("workspace/diagnostic", asked.clone()).unwrap();
    let closed = folder.uri("transcripts/a.jsonl");
    assert_eq!(found_in(&report, &closed).unwrap(), ["transcript-left-out"]);
    // Opened, it is looked at; closed again, not.
    transcript(&mut client, &folder);
    assert!(codes(&mut client, &closed).contains(&"no-period".to_owned()));
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": closed } }));
    loop {
        let report = client.request("workspace/diagnostic", asked.clone()).unwrap();
        if found_in(&report, &closed).unwrap() == ["transcript-left-out"] {
            break;
        }
    }
    assert!(client.shut_down().success());
}

/// The actions at a word of the first line.
fn actions(client: &mut Client, uri: &str, text: &str, word: &str) -> Vec<Value> {
    let at = place(uri, text, word)["position"].clone();
    let range = json!({ "start": at, "end": at });
    let asked = json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } });
    client.request("textDocument/codeAction", asked).unwrap().as_array().unwrap().clone()
}

/// The action of this title, and what a text is after it: all of its edits are insertions.
fn applied(actions: &[Value], title: &str, text: &str) -> String {
    let titles: Vec<_> = actions.iter().map(|action| action["title"].as_str().unwrap()).collect();
    let action =
        actions.iter().find(|action| action["title"] == title).unwrap_or_else(|| panic!("{titles:?}"));
    let mut text = text.to_owned();
    for edit in action["edit"]["documentChanges"][0]["edits"].as_array().unwrap() {
        assert_eq!(edit["range"]["start"], edit["range"]["end"]);
        let [line, column] = ["line", "character"].map(|name| edit["range"]["start"][name].as_u64().unwrap());
        let start: usize = text.split_inclusive('\n').take(line as usize).map(str::len).sum();
        let before = text[start..].encode_utf16().take(column as usize).collect::<Vec<_>>();
        let at = start + String::from_utf16(&before).unwrap().len();
        text.insert_str(at, edit["newText"].as_str().unwrap());
    }
    text
}

#[test]
fn findings_are_silenced_where_they_are() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let (uri, text) = transcript(&mut client, &folder);
    assert!(codes(&mut client, &uri).contains(&"no-period".to_owned()));
    // In the control packet, in a string of a record.
    let offered = actions(&mut client, &uri, &text, ")\\\"]");
    let silenced = applied(&offered, "Silence `no-period` here", &text);
    assert!(
        silenced.contains(r#", \"x_mangle_ls_ignore\": \"no-period\"}"#)
            || silenced.contains(r#",\"x_mangle_ls_ignore\": \"no-period\"}"#),
        "{silenced}"
    );
    client.did_change(&uri, 2, json!([{ "text": silenced }]));
    let left = codes(&mut client, &uri);
    assert!(!left.iter().any(|code| code == "no-period" || code.contains("suppression")), "{left:?}");
    // What is there gets one more name.
    let marked = silenced.replace("no-period", "blank-atom -- nobody minds");
    client.did_change(&uri, 3, json!([{ "text": marked }]));
    let offered = actions(&mut client, &uri, &marked, ")\\\"]");
    let silenced = applied(&offered, "Silence `no-period` here", &marked);
    assert!(silenced.contains("blank-atom, no-period -- nobody minds"), "{silenced}");
    client.did_change(&uri, 4, json!([{ "text": silenced }]));
    assert!(!codes(&mut client, &uri).contains(&"no-period".to_owned()));
    // In all of the reply.
    client.did_change(&uri, 5, json!([{ "text": text }]));
    let offered = actions(&mut client, &uri, &text, ")\\\"]");
    let silenced = applied(&offered, "Silence `no-period` in this reply", &text);
    client.did_change(&uri, 6, json!([{ "text": silenced }]));
    assert!(!codes(&mut client, &uri).contains(&"no-period".to_owned()));
}

#[test]
fn findings_in_markdown_are_silenced_by_comments() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let uri = folder.uri("transcripts/notes.md");
    let reply =
        r#"{"control_packet":{"mangle_updates":["task_status(\"a\", /open)"]},"surface_response":"a"}"#;
    let text = format!("# Notes\n\n```json\n{reply}\n```\n");
    open(&mut client, &uri, "markdown", &text);
    assert!(codes(&mut client, &uri).contains(&"no-period".to_owned()));
    for (title, start) in [
        ("Silence `no-period` here", "# Notes\n\n<!-- mangle-ls: ignore no-period -->\n```json\n"),
        ("Silence `no-period` in this file", "<!-- mangle-ls: ignore-file no-period -->\n# Notes\n"),
    ] {
        let at = json!({ "line": 3, "character": reply.find("/open)").unwrap() + 6 });
        let asked = json!({
            "textDocument": { "uri": uri }, "range": { "start": at, "end": at }, "context": { "diagnostics": [] },
        });
        let offered = client.request("textDocument/codeAction", asked).unwrap();
        let silenced = applied(offered.as_array().unwrap(), title, &text);
        assert!(silenced.starts_with(start), "{silenced}");
        client.did_change(&uri, 2, json!([{ "text": silenced }]));
        assert!(!codes(&mut client, &uri).contains(&"no-period".to_owned()));
        client.did_change(&uri, 3, json!([{ "text": text }]));
    }
}

#[test]
fn a_reply_is_asked_for_again() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let (uri, text) = transcript(&mut client, &folder);
    let offered = actions(&mut client, &uri, &text, ")\\\"]");
    let action = offered.iter().find(|action| action["title"] == "Copy the repair prompt").unwrap();
    let command =
        json!({ "command": action["command"]["command"], "arguments": action["command"]["arguments"] });
    let answer = client.request("workspace/executeCommand", command).unwrap();
    let message = answer["message"].as_str().unwrap();
    for part in [
        "Update #1: task_status(\\\"b\\\", /open)",
        "task_status(Task /string, Status /name)",
        "Attempt 1 of 3.",
    ] {
        assert!(message.contains(part), "{part} in {message}");
    }
    assert_eq!(client.incoming("window/showMessage")["params"]["message"], message);
    let asked = json!({ "uri": uri });
    assert_eq!(client.request("mangle/repair", asked).unwrap(), answer);
    let nothing = client.request("mangle/repair", json!({ "uri": folder.uri("policy.mg") })).unwrap();
    assert_eq!(nothing["message"], Value::Null);
}

#[test]
fn the_profile_is_pinned() {
    let folder = folder();
    let settings = "[transcripts]\nconsumer = \"compressor\"\n";
    folder.write("mangle-ls.toml", settings);
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let (uri, text) = transcript(&mut client, &folder);
    let offered = actions(&mut client, &uri, &text, "control_packet");
    let title = "Pin the profile `current` in mangle-ls.toml";
    let pinned = applied(&offered, title, settings);
    assert_eq!(pinned, "[transcripts]\nprofile = \"current\"\nconsumer = \"compressor\"\n");
    folder.write("mangle-ls.toml", &pinned);
    let change = json!({ "changes": [{ "uri": folder.uri("mangle-ls.toml"), "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", change);
    while actions(&mut client, &uri, &text, "control_packet").iter().any(|action| action["title"] == title) {
        client.incoming("workspace/diagnostic/refresh");
    }
}

#[test]
fn what_no_consumer_takes_is_not_proposed() {
    let folder = folder();
    folder.write("more.gl", "Decl permitted(A, B, C).\nDecl test_state(State).\nDecl task_time(T).\n");
    folder
        .write("guess.mg", "cause(T) :- task_time(T), abductive_hypothesis(\"the \\\"disk\\\" is full\").\n");
    folder.write("mangle-ls.toml", "[transcripts]\nconsumer = \"session\"\n");
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let uri = folder.uri("transcripts/b.json");
    let text = r#"{"control_packet":{"mangle_updates":["t"],"self_correction":{"triggered":true,"hypothesis":""},"memory_operations":[{"op":"forget","key":""}]},"surface_response":"a"}"#;
    open(&mut client, &uri, "json", text);
    let mut items = |word: &str, behind: u64| {
        let mut at = place(&uri, text, word);
        at["position"]["character"] = (at["position"]["character"].as_u64().unwrap() + behind).into();
        let found = client.request("textDocument/completion", at).unwrap();
        found["items"].as_array().cloned().unwrap_or_default()
    };
    let label = |item: &Value| item["label"].as_str().unwrap().to_owned();
    let mut predicates: Vec<_> = items("t\"]", 1).iter().map(label).collect();
    predicates.sort();
    assert_eq!(predicates, ["task_status", "test_state"]);
    let hypotheses = items("\"hypothesis\":\"", 14);
    assert_eq!(hypotheses.iter().map(label).collect::<Vec<_>>(), ["the \"disk\" is full"]);
    assert!(hypotheses[0]["textEdit"].to_string().contains(r#"the \\\"disk\\\" is full"#), "{hypotheses:?}");
    let keys: Vec<_> = items("\"key\":\"", 7).iter().map(label).collect();
    assert!(keys.contains(&"task_time".to_owned()), "{keys:?}");
}

/// What is found in a Markdown document: names and what they are about.
fn found_in_markdown(client: &mut Client, uri: &str, text: &str) -> Vec<String> {
    let report = client.pull(uri);
    let lines: Vec<&str> = text.lines().collect();
    let one = |item: &Value| {
        let [start, end] =
            ["start", "end"].map(|end| item["range"][end]["character"].as_u64().unwrap() as usize);
        let line = item["range"]["start"]["line"].as_u64().unwrap() as usize;
        format!("{} {}", item["code"].as_str().unwrap(), &lines[line][start..end])
    };
    report["items"].as_array().unwrap().iter().map(one).collect()
}

#[test]
fn fences_of_any_markdown_are_checked() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let text = "# Notes\n\n```mangle\nDecl task_status(Task, Status) bound [/string, /name].\nlate(T) :- task_statu(T, /late).\n\
                later(T) :- late(T, T).\n```\n\n```json\n{\"control_packet\": 1}\n```\n\n  ```mg\n  task_status(\"a\", /open)\n  ```\n";
    for name in ["README.md", "transcripts/notes.md"] {
        let uri = folder.uri(name);
        open(&mut client, &uri, "markdown", text);
        let found = found_in_markdown(&mut client, &uri, text);
        for expected in ["undefined-predicate task_statu", "arity-mismatch late(T, T)", "missing-dot )"] {
            assert!(found.contains(&expected.to_owned()), "{expected} in {found:?}");
        }
        // Envelopes are looked at in transcripts alone.
        assert_eq!(found.iter().any(|one| one.starts_with("wrong-kind")), name != "README.md", "{found:?}");
        assert_eq!(found.len(), if name == "README.md" { 3 } else { found.len() }, "{found:?}");
        // A comment silences what is in the fence behind it, and the features of Mangle files are there.
        let silenced = text.replace(
            "\n```mangle",
            "\n<!-- mangle-ls: ignore undefined-predicate, arity-mismatch -->\n```mangle",
        );
        client.did_change(&uri, 2, json!([{ "text": silenced }]));
        let found = found_in_markdown(&mut client, &uri, &silenced);
        assert!(!found.iter().any(|one| one.contains("task_statu")), "{found:?}");
        let at = json!({ "textDocument": { "uri": uri }, "position": { "line": 14, "character": 4 } });
        let hover = client.request("textDocument/hover", at).unwrap();
        assert!(hover["contents"]["value"].as_str().unwrap().contains("How a task stands"), "{hover}");
    }
    assert!(client.shut_down().success());
}

#[test]
fn state_transitions_are_mangle() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let uri = folder.uri("transcripts/b.json");
    let text = r#"{"control_packet":{"mangle_updates":[],"state_transitions":[{"from":"task_status(\"a\", /open)","to":"task_status(\"a\", /done)"}]},"surface_response":"a"}"#;
    open(&mut client, &uri, "json", text);
    let hover = client.request("textDocument/hover", place(&uri, text, "task_status")).unwrap();
    assert!(hover["contents"]["value"].as_str().unwrap().contains("How a task stands"), "{hover}");
    let mut asked = place(&uri, text, "task_status");
    asked["context"] = json!({ "includeDeclaration": false });
    let found = client.request("textDocument/references", asked).unwrap();
    let there = found.as_array().unwrap().iter().filter(|one| one["uri"] == *uri).count();
    assert_eq!(there, 2, "{found}");
}
