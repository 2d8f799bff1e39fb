//! Code actions: what is offered where, and what applying it does.
#![allow(clippy::unwrap_used)]

#[path = "support/client.rs"]
mod client;

use serde_json::{Value, json};

use client::{Client, Folder, pulling};

const URI: &str = "untitled:a.mg";

fn at(line: u32, character: u32) -> Value {
    json!({ "line": line, "character": character })
}

fn actions(client: &mut Client, uri: &str, start: Value, end: Value, context: Value) -> Vec<Value> {
    let range = json!({ "start": start, "end": end });
    let params = json!({ "textDocument": { "uri": uri }, "range": range, "context": context });
    client.request("textDocument/codeAction", params).unwrap().as_array().unwrap().clone()
}

fn titles(actions: &[Value]) -> Vec<String> {
    let one = |action: &Value| {
        format!("{}: {}", action["kind"].as_str().unwrap(), action["title"].as_str().unwrap())
    };
    actions.iter().map(one).collect()
}

/// The text after the edits of an action in the only document; all on single lines, in UTF-16.
fn applied(text: &str, edits: &Value) -> String {
    let mut edits: Vec<_> = edits.as_array().unwrap().clone();
    let key = |edit: &Value| {
        let start = &edit["range"]["start"];
        (start["line"].as_u64().unwrap(), start["character"].as_u64().unwrap())
    };
    edits.sort_by_key(key);
    let mut lines: Vec<Vec<u16>> = text.split('\n').map(|line| line.encode_utf16().collect()).collect();
    for edit in edits.iter().rev() {
        let (start, end) = (&edit["range"]["start"], &edit["range"]["end"]);
        assert_eq!(start["line"], end["line"]);
        let column = |position: &Value| usize::try_from(position["character"].as_u64().unwrap()).unwrap();
        let line = &mut lines[usize::try_from(start["line"].as_u64().unwrap()).unwrap()];
        line.splice(column(start)..column(end), edit["newText"].as_str().unwrap().encode_utf16());
    }
    let lines: Vec<_> = lines.iter().map(|line| String::from_utf16(line).unwrap()).collect();
    lines.join("\n")
}

#[test]
fn a_quick_fix_mends_its_diagnostic() {
    let text = "# 🦀\nq(\"🦀\").\np(X) :- q(X)\nr(1).\n";
    let mut client = Client::open_workspace(None, pulling());
    client.did_open(URI, 3, text);
    let report = client.pull(URI);
    let diagnostic =
        report["items"].as_array().unwrap().iter().find(|item| item["code"] == "missing-dot").unwrap();
    let mut sent = diagnostic.clone();
    sent["data"] = json!({ "kept": "by the client" });
    let (start, end) = (diagnostic["range"]["start"].clone(), diagnostic["range"]["end"].clone());
    let offered = actions(&mut client, URI, start, end, json!({ "diagnostics": [sent] }));
    assert_eq!(
        titles(&offered),
        ["quickfix: Insert the full stop", "source.fixAll.mangle: Apply all safe fixes in this file"]
    );
    assert_eq!(offered[0]["isPreferred"], true);
    assert_eq!(offered[0]["diagnostics"][0], sent, "the diagnostic is the client's own");
    let edit = &offered[0]["edit"]["documentChanges"][0];
    assert_eq!(edit["textDocument"], json!({ "uri": URI, "version": 3 }));
    let after = applied(text, &edit["edits"]);
    assert_eq!(after, text.replace("q(X)\n", "q(X).\n"));
    client.did_change(URI, 4, json!([{ "text": after }]));
    assert!(client.pull(URI)["items"].as_array().unwrap().iter().all(|item| item["code"] != "missing-dot"));
}

#[test]
fn nothing_is_offered_elsewhere() {
    let mut client = Client::open_workspace(None, pulling());
    client.did_open(URI, 1, "r(1).\n\np(X) :- q(X)\n");
    assert_eq!(actions(&mut client, URI, at(0, 0), at(0, 3), json!({ "diagnostics": [] })), [] as [Value; 0]);
}

#[test]
fn kinds_are_filtered() {
    let text = "p(1)\nq(2)\nr(3).\n";
    let mut client = Client::open_workspace(None, pulling());
    client.did_open(URI, 1, text);
    let mut only = |kinds: Value| {
        titles(&actions(&mut client, URI, at(0, 0), at(9, 0), json!({ "diagnostics": [], "only": kinds })))
    };
    let all = "source.fixAll.mangle: Apply all safe fixes in this file";
    for kinds in [json!(["source"]), json!(["source.fixAll"]), json!(["source.fixAll.mangle"])] {
        assert_eq!(only(kinds), [all]);
    }
    assert!(only(json!(["quickfix"])).iter().all(|title| title.starts_with("quickfix: ")));
    assert_eq!(only(json!(["refactor", "source.organizeImports"])), [] as [&str; 0]);
}

#[test]
fn all_safe_fixes_at_once() {
    let text = "p(1)\nq(2)\nr(3).\n";
    let mut client = Client::open_workspace(None, pulling());
    client.did_open(URI, 1, text);
    let offered = actions(
        &mut client,
        URI,
        at(0, 0),
        at(0, 0),
        json!({ "diagnostics": [], "only": ["source.fixAll"] }),
    );
    let after = applied(text, &offered[0]["edit"]["documentChanges"][0]["edits"]);
    client.did_change(URI, 2, json!([{ "text": after }]));
    let left = client.pull(URI);
    let codes: Vec<_> = left["items"].as_array().unwrap().iter().map(|item| item["code"].clone()).collect();
    assert!(!codes.contains(&json!("missing-dot")), "{after:?} {codes:?}");
}

#[test]
fn clients_that_know_no_versions_get_plain_changes() {
    let folder = Folder::new(&[("a.mg", "p(1)\n")]);
    let mut capabilities = pulling();
    capabilities["workspace"]["workspaceEdit"] = json!({});
    capabilities["textDocument"]["codeAction"]["isPreferredSupport"] = json!(false);
    let mut client = Client::open_workspace(Some(&folder.path()), capabilities);
    let uri = folder.uri("a.mg");
    let offered = actions(&mut client, &uri, at(0, 0), at(1, 0), json!({ "diagnostics": [] }));
    assert!(offered[0].get("isPreferred").is_none());
    let edits = &offered[0]["edit"]["changes"][&uri];
    assert_eq!(applied("p(1)\n", edits), "p(1).\n");
}
