//! `mangle/replay` and `mangle-state:`.

use serde_json::{Value, json};

use super::client::{Client, Folder, pulling};

const POLICY: &str = "Decl task(T, S) bound [/string, /name].\n\
    Decl pending_action(I, A, T, P, S) bound [/string, /name, /string, /string, /number].\n\
    Decl permitted(A, T, P) bound [/name, /string, /string].\n\
    open(T) :- task(T, /open).\n\
    permitted(A, T, P) :- pending_action(_, A, T, P, _), safe_action(A).\n\
    safe_action(/read_file).\n";

/// A turn that asserts a task and asks for a tool. It says its time: what is decided does not hang on the clock.
fn line(task: &str, tool: &str) -> String {
    let reply = json!({
        "control_packet": {
            "intent_classification": { "category": "/query", "verb": "/explain", "target": "a.go" },
            "mangle_updates": [format!("task(\"{task}\", /open).")],
            "tool_requests": [{ "id": "r1", "tool_name": tool, "tool_args": { "path": "a.go" }, "purpose": "to see" }],
        },
        "surface_response": "I am looking.",
    });
    format!(
        "{}\n",
        json!({ "role": "assistant", "timestamp": "2026-01-31T10:00:00Z", "content": reply.to_string() })
    )
}

fn opened() -> (Folder, Client, String, String) {
    let text = line("one", "read_file") + &line("two", "delete_file");
    let folder = Folder::new(&[("policy.mg", POLICY), ("transcripts/a.jsonl", &text)]);
    folder.write("mangle-ls.toml", "[[program]]\nname = \"agent\"\n");
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let uri = folder.uri("transcripts/a.jsonl");
    let document = json!({ "uri": uri, "languageId": "jsonl", "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    (folder, client, uri, text)
}

#[test]
fn replays_answer_as_the_command_line_does() {
    let (folder, mut client, uri, _) = opened();
    let answer = client.request("mangle/replay", json!({ "uri": uri })).unwrap();
    let command = std::process::Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(["replay", "--format", "json", "transcripts/a.jsonl"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(command.stdout).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = lines.pop().unwrap();
    assert_eq!(answer["turns"], Value::Array(lines));
    assert_eq!((&answer["summary"], &answer["policy"]), (&last["summary"], &last["policy"]));
    let verdicts: Vec<_> = [0, 1]
        .into_iter()
        .map(|at| answer["turns"][at]["verdicts"][0]["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["PERMIT", "DENY"]);
    let one = client.request("mangle/replay", json!({ "uri": uri, "turn": 2 })).unwrap();
    assert_eq!(one["turns"], json!([answer["turns"][1]]));
    let page = client.request("mangle/replay", json!({ "uri": uri, "format": "html" })).unwrap();
    let page = page["text"].as_str().unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("policy <code>agent</code>"), "{page}");
    let report = std::process::Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(["replay", "--report", "page.html", "transcripts/a.jsonl"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(report.status.code().is_some_and(|code| code < 2), "{report:?}");
    let from_command = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    let problems = |page: &str| {
        let start = page.find("id=\"problems\"").unwrap();
        page[start..].split("</section>").next().unwrap().to_owned()
    };
    assert_eq!(problems(page), problems(&from_command));
    assert!(problems(page).contains("PB"), "what `check` finds: {}", problems(page));
    let policy = client.request("mangle/replay", json!({ "uri": folder.uri("policy.mg") })).unwrap();
    assert_eq!(policy, Value::Null);
    assert!(client.shut_down().success());
}

/// Rules of `blocked_action` are a constitution without any rule of `permitted`.
#[test]
fn an_editor_shows_what_a_policy_that_only_blocks_denies() {
    let policy = "Decl task(T, S) bound [/string, /name].\nDecl confirmed(T) bound [/string].\n\
         Decl blocked_action(T, Why) bound [/string, /name].\n\
         blocked_action(T, /unconfirmed) :- task(T, /open), !confirmed(T).\n";
    let text = line("one", "read_file");
    let folder = Folder::new(&[("policy.mg", policy), ("log.jsonl", &text)]);
    let mut client = Client::open_workspace(Some(&folder.path()), refreshing());
    let uri = folder.uri("log.jsonl");
    let document = json!({ "uri": uri, "languageId": "jsonl", "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let answer = client.request("mangle/replay", json!({ "uri": uri })).unwrap();
    let turn = answer["turns"][0].to_string();
    assert!(turn.contains("blocked_action(\\\"one\\\",/unconfirmed)"), "{turn}");
    assert_eq!(found(&mut client, &uri, "denied", true).len(), 1);
    assert!(client.shut_down().success());
}

#[test]
fn the_state_after_a_turn_follows_edits() {
    let (_folder, mut client, uri, text) = opened();
    let state = |client: &mut Client, turn: u64| {
        let name = format!("mangle-state:/{turn}?of={uri}");
        let made = client.request("mangle/virtualDocument", json!({ "uri": name })).unwrap();
        (made["text"].as_str().unwrap().to_owned(), made["origins"].clone())
    };
    let (first, origins) = state(&mut client, 1);
    assert!(first.starts_with("# After turn 1: "), "{first}");
    assert!(first.contains("open(\"one\") .\n") && !first.contains("two"), "{first}");
    assert!(first.contains("task(\"one\",/open) .  # turn 1, update 1\n"), "{first}");
    assert_eq!((&origins[0]["kind"], &origins[0]["location"]["uri"]), (&json!("turn"), &json!(uri)));
    let (second, _) = state(&mut client, 2);
    assert!(second.contains("open(\"one\") .\n") && second.contains("open(\"two\") .\n"), "{second}");
    assert!(state(&mut client, 9).0.lines().next().unwrap().ends_with("There is no turn 9."));
    client.did_change(&uri, 2, json!([{ "text": text.replace("one", "three") }]));
    assert_eq!(client.incoming("mangle/virtualDocumentChanged")["method"], "mangle/virtualDocumentChanged");
    let (edited, _) = state(&mut client, 1);
    assert!(edited.contains("open(\"three\") .\n") && !edited.contains("one"), "{edited}");
    assert!(
        client.request("mangle/virtualDocument", json!({ "uri": "mangle-state:/x?of=file:///a" })).is_err()
    );
    assert!(client.shut_down().success());
}

/// A client that pulls, and is told when to ask again for anything.
fn refreshing() -> Value {
    let mut client = pulling();
    client["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    client["workspace"]["inlayHint"] = json!({ "refreshSupport": true });
    client["textDocument"]["hover"] = json!({ "contentFormat": ["markdown"] });
    client
}

/// Pulls until a finding of this rule is there, or gone.
fn found(client: &mut Client, uri: &str, rule: &str, is_there: bool) -> Vec<Value> {
    loop {
        let items = client.pull(uri)["items"].as_array().unwrap().clone();
        let found: Vec<_> = items.into_iter().filter(|item| item["code"] == rule).collect();
        if found.is_empty() != is_there {
            return found;
        }
        client.incoming("workspace/diagnostic/refresh");
    }
}

fn hints(client: &mut Client, uri: &str) -> Vec<String> {
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
    let hints = client
        .request("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, "range": range }))
        .unwrap();
    let labels = hints.as_array().unwrap().iter().map(|hint| hint["label"].as_str().unwrap().to_owned());
    labels.filter(|label| !label.starts_with("json")).collect()
}

fn place(uri: &str, text: &str, word: &str) -> Value {
    let before = &text[..text.find(word).unwrap()];
    let line = before.matches('\n').count();
    let character = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}

#[test]
fn verdicts_are_shown_at_requests_and_follow_the_policy() {
    let text = line("one", "read_file") + &line("two", "delete_file");
    let folder = Folder::new(&[("policy.mg", POLICY), ("transcripts/a.jsonl", &text)]);
    let mut client = Client::open_workspace(Some(&folder.path()), refreshing());
    let (uri, policy) = (folder.uri("transcripts/a.jsonl"), folder.uri("policy.mg"));
    let document = json!({ "uri": uri, "languageId": "jsonl", "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let denied = found(&mut client, &uri, "denied", true);
    assert_eq!(denied.len(), 1);
    assert_eq!((&denied[0]["severity"], &denied[0]["range"]["start"]["line"]), (&json!(1), &json!(1)));
    assert_eq!(hints(&mut client, &uri), ["permitted", "denied"]);
    let hover = client.request("textDocument/hover", place(&uri, &text, "delete_file")).unwrap();
    let shown = hover["contents"]["value"].as_str().unwrap();
    let link = format!("[policy.mg\\:5]({policy}#L5)");
    for part in [
        "/delete_file on a.go is denied",
        "3. the constitution (denies)",
        "`safe_action(/delete_file)`",
        &link,
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    // The policy permits it from now on, without a word about the transcript.
    client.did_open(&policy, 1, POLICY);
    client.did_change(&policy, 2, json!([{ "text": format!("{POLICY}safe_action(/delete_file).\n") }]));
    found(&mut client, &uri, "denied", false);
    assert_eq!(hints(&mut client, &uri), ["permitted", "permitted"]);
    client.did_change(
        &policy,
        3,
        json!([{ "text": POLICY.replace("safe_action(/read_file).", "Decl safe_action(A) bound [/name].") }]),
    );
    found(&mut client, &uri, "denied", true);
    client.incoming("workspace/inlayHint/refresh");
    assert!(client.shut_down().success());
}

#[test]
fn who_pulls_the_workspace_too_hears_of_open_documents() {
    let text = line("one", "delete_file");
    let folder = Folder::new(&[("policy.mg", POLICY), ("transcripts/a.jsonl", &text)]);
    let mut client = Client::open_workspace(Some(&folder.path()), refreshing());
    let uri = folder.uri("transcripts/a.jsonl");
    client.request("workspace/diagnostic", json!({ "previousResultIds": [] })).unwrap();
    let document = json!({ "uri": uri, "languageId": "jsonl", "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    found(&mut client, &uri, "denied", true);
    assert!(client.shut_down().success());
}

#[test]
fn models_that_permit_themselves_are_reported_while_the_transcript_is_open() {
    let policy = "Decl approved(T) bound [/string].\n".to_owned()
        + POLICY
        + "permitted(A, T, P) :- pending_action(_, A, T, P, _), approved(T).\n";
    let text = line("one", "delete_file")
        .replace("task(\\\\\\\"one\\\\\\\", /open)", "approved(\\\\\\\"a.go\\\\\\\")");
    assert!(text.contains("approved"), "{text}");
    let folder = Folder::new(&[("policy.mg", &policy), ("transcripts/a.jsonl", &text)]);
    let mut client = Client::open_workspace(Some(&folder.path()), super::client::pushed());
    let uri = folder.uri("transcripts/a.jsonl");
    let document = json!({ "uri": uri, "languageId": "jsonl", "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let told = client.wait("self-granted", |message| {
        message["params"]["uri"] == *uri
            && message["params"]["diagnostics"].to_string().contains("self-granted")
    });
    assert_eq!(told["params"]["version"], 1);
    // Nothing of it is left when another document of the same words but these is replayed.
    let other = folder.uri("transcripts/b.jsonl");
    let text = line("one", "delete_file");
    let document = json!({ "uri": other, "languageId": "jsonl", "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    client.wait("denied", |message| {
        message["params"]["uri"] == *other
            && message["params"]["diagnostics"].to_string().contains("\"denied\"")
    });
    assert!(client.shut_down().success());
}

#[test]
fn findings_of_replays_are_silenced_in_markdown_and_by_settings() {
    let reply = line("one", "delete_file");
    let reply: Value = serde_json::from_str(&reply).unwrap();
    let text = format!("```json\n{}\n```\n", reply["content"].as_str().unwrap());
    let folder = Folder::new(&[("policy.mg", POLICY), ("mangle-ls.toml", "[[program]]\nname = \"agent\"\n")]);
    let mut client = Client::open_workspace(Some(&folder.path()), refreshing());
    let uri = folder.uri("transcripts/a.md");
    let document = json!({ "uri": uri, "languageId": "markdown", "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let item = found(&mut client, &uri, "denied", true).remove(0);
    let context = json!({ "diagnostics": [item], "only": ["quickfix"] });
    let asked = json!({ "textDocument": { "uri": uri }, "range": item["range"], "context": context });
    let actions = client.request("textDocument/codeAction", asked).unwrap();
    let titles: Vec<_> =
        actions.as_array().unwrap().iter().map(|action| action["title"].as_str().unwrap()).collect();
    assert!(titles.contains(&"Silence `denied` here"), "{titles:?}");
    let silenced = format!("<!-- mangle-ls: ignore denied -->\n{text}");
    client.did_change(&uri, 2, json!([{ "text": silenced }]));
    found(&mut client, &uri, "denied", false);
    assert_eq!(hints(&mut client, &uri).last().unwrap(), "denied");
    client.did_change(&uri, 3, json!([{ "text": text }]));
    found(&mut client, &uri, "denied", true);
    let config = folder.uri("mangle-ls.toml");
    let settings = "[[program]]\nname = \"agent\"\n[rules]\ndenied = \"information\"\n";
    let document = json!({ "uri": config, "languageId": "toml", "version": 1, "text": settings });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    while found(&mut client, &uri, "denied", true)[0]["severity"] != 3 {
        client.incoming("workspace/diagnostic/refresh");
    }
    assert!(client.shut_down().success());
}

#[test]
fn lenses_open_the_state_and_replay_from_a_turn() {
    let (folder, mut client, uri, text) = opened();
    let lenses = |client: &mut Client| {
        let lenses =
            client.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } })).unwrap();
        lenses.as_array().unwrap().clone()
    };
    while lenses(&mut client)[0]["command"]["title"] == "Turn 1" {
        found(&mut client, &uri, "denied", true);
    }
    let all = lenses(&mut client);
    let titles: Vec<_> = all.iter().map(|lens| lens["command"]["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Turn 1: 1 permitted", "replay from here", "Turn 2: 1 denied", "replay from here"]);
    assert_eq!(all[2]["range"]["start"]["line"], 1);
    let command = |at: usize| json!({ "command": all[at]["command"]["command"], "arguments": all[at]["command"]["arguments"] });
    let state = client.request("workspace/executeCommand", command(2)).unwrap();
    let message = client.incoming("window/showMessage")["params"]["message"].to_string();
    assert!(message.contains("After turn 2, the kernel has"), "{message}");
    assert!(state["document"].as_str().unwrap().starts_with("mangle-state:/2?of=file%3A%2F%2F"), "{state}");
    let replay = client.request("workspace/executeCommand", command(3)).unwrap();
    let message = client.incoming("window/showMessage")["params"]["message"].to_string();
    assert!(message.contains("DENY /delete_file a.go"), "{message}");
    let made = client.request("mangle/virtualDocument", json!({ "uri": replay["document"] })).unwrap();
    let shown = made["text"].as_str().unwrap();
    assert!(
        shown.starts_with("turn 2") && !shown.contains("turn 1\n") && !shown.contains('\u{1b}'),
        "{shown}"
    );
    assert_eq!(
        (&made["origins"][0]["location"]["range"]["start"]["line"], &made["folds"][0]["title"]),
        (&json!(1), &json!("turn 2"))
    );
    // By place, without a message.
    let asked = json!({ "uri": uri, "position": place(&uri, &text, "two")["position"], "quiet": true });
    let params = json!({ "command": "mangle.state", "arguments": [asked] });
    assert_eq!(client.request("workspace/executeCommand", params).unwrap()["turn"], 2);
    let policy = json!({ "command": "mangle.replay", "arguments": [{ "uri": folder.uri("policy.mg") }] });
    assert_eq!(client.request("workspace/executeCommand", policy).unwrap()["document"], Value::Null);
    let from = client.request("mangle/replay", json!({ "uri": uri, "from": 2 })).unwrap();
    assert_eq!((from["turns"].as_array().unwrap().len(), &from["turns"][0]["turn"]), (1, &json!(2)));
    assert!(client.shut_down().success());
}

#[test]
fn an_endless_policy_keeps_nobody_waiting() {
    let policy = format!("{POLICY}n(0).\nn(Y) :- n(X), Y = fn:plus(X, 1).\n");
    let text = line("one", "read_file").repeat(50);
    let folder = Folder::new(&[("policy.mg", &policy), ("transcripts/a.jsonl", &text)]);
    let mut client = Client::open_workspace(Some(&folder.path()), refreshing());
    let uri = folder.uri("transcripts/a.jsonl");
    let document = json!({ "uri": uri, "languageId": "jsonl", "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    client.pull(&uri);
    hints(&mut client, &uri);
    // An edit ends what is under way.
    client.did_change(&uri, 2, json!([{ "text": line("two", "read_file") }]));
    let denied = found(&mut client, &uri, "denied", true);
    assert!(denied[0]["message"].as_str().unwrap().contains("the evaluation stopped"), "{denied:?}");
    assert!(client.shut_down().success());
}

#[test]
fn what_policies_say_to_every_request_is_found_while_they_are_open() {
    let policy = format!("{POLICY}Decl blocked_pattern(P) bound [/string].\nblocked_pattern(\"a > b\").\n");
    let folder = Folder::new(&[("policy.mg", &policy)]);
    let mut client = Client::open_workspace(Some(&folder.path()), refreshing());
    let uri = folder.uri("policy.mg");
    client.did_open(&uri, 1, &policy);
    let item = found(&mut client, &uri, "unmatchable-pattern", true).remove(0);
    assert_eq!((&item["range"]["start"]["line"], &item["severity"]), (&json!(7), &json!(2)));
    let silenced =
        policy.replace("blocked_pattern(\"", "# mangle-ls: ignore unmatchable-pattern\nblocked_pattern(\"");
    client.did_change(&uri, 2, json!([{ "text": silenced }]));
    found(&mut client, &uri, "unmatchable-pattern", false);
    assert_eq!(found(&mut client, &uri, "unused-suppression", false), [] as [Value; 0]);
    assert!(client.shut_down().success());
}
