//! `mangle/replay` and `mangle-state:`.

use serde_json::{Value, json};

use super::client::{Client, Folder, pulling};

const POLICY: &str = "Decl task(T, S) bound [/string, /name].\n\
    Decl pending_action(I, A, T, P, S) bound [/string, /name, /string, /string, /number].\n\
    Decl permitted(A, T, P) bound [/name, /string, /string].\n\
    open(T) :- task(T, /open).\n\
    permitted(A, T, P) :- pending_action(_, A, T, P, _), safe_action(A).\n\
    safe_action(/read_file).\n";

/// A turn that asserts a task and asks for a tool.
fn line(task: &str, tool: &str) -> String {
    let reply = json!({
        "control_packet": {
            "intent_classification": { "category": "/query", "verb": "/explain", "target": "a.go" },
            "mangle_updates": [format!("task(\"{task}\", /open).")],
            "tool_requests": [{ "id": "r1", "tool_name": tool, "tool_args": { "path": "a.go" }, "purpose": "to see" }],
        },
        "surface_response": "I am looking.",
    });
    format!("{}\n", json!({ "role": "assistant", "content": reply.to_string() }))
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
    let policy = client.request("mangle/replay", json!({ "uri": folder.uri("policy.mg") })).unwrap();
    assert_eq!(policy, Value::Null);
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
