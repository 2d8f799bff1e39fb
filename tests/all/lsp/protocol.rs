//! `docs/protocol.md` tells the truth, and the log tells no secrets.

use crate::support::client;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use client::{Client, Folder, pulling};

fn document() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/protocol.md")).unwrap()
}

/// The members of a value, with those of what is inside.
fn members(value: &Value, path: &str, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, member) in object {
                into.insert(format!("{path}.{key}"));
                members(member, &format!("{path}.{key}"), into);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| members(element, path, into)),
        _ => {}
    }
}

/// The JSON examples below a heading of the page.
fn examples(heading: &str) -> Vec<Value> {
    let text = document();
    let section = text.split(&format!("\n## {heading}\n")).nth(1).unwrap().split("\n## ").next().unwrap();
    let blocks = section.split("```json").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.map(|block| serde_json::from_str(block).unwrap()).collect()
}

#[track_caller]
fn check_members(example: &Value, real: &Value) {
    let mut sets = [BTreeSet::new(), BTreeSet::new()];
    for (value, set) in [example, real].iter().zip(&mut sets) {
        members(value, "", set);
    }
    assert_eq!(sets[0], sets[1]);
}

/// A server with one open document.
fn with_document() -> (Folder, Client, String) {
    let folder = Folder::new(&[("a.mg", "p(1).\n")]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let uri = folder.uri("a.mg");
    client.did_open(&uri, 1, "p(1).\n");
    client.pull(&uri);
    (folder, client, uri)
}

#[test]
fn the_documented_status_is_the_real_one() {
    let (_folder, mut client, _) = with_document();
    check_members(&examples("`mangle/status`")[0], &client.status());
}

#[test]
fn the_documented_virtual_document_is_a_real_one() {
    let (_folder, mut client, uri) = with_document();
    let [params, answer] = examples("`mangle/virtualDocument`").try_into().unwrap();
    let real = json!({ "uri": format!("mangle-syntax:{uri}") });
    check_members(&params, &real);
    check_members(&answer, &client.request("mangle/virtualDocument", real).unwrap());
}

#[test]
fn the_documented_parameters_of_a_graph_are_understood() {
    let (_folder, mut client, uri) = with_document();
    let mut params = examples("`mangle/graph`")[0].clone();
    params["uri"] = uri.into();
    params["of"] = json!(["p/1"]);
    assert_eq!(client.request("mangle/graph", params).unwrap()["programs"][0]["predicates"][0]["id"], "p/1");
}

#[test]
fn the_log_has_requests_but_no_text() {
    let folder = Folder::new(&[("a.mg", "secret_on_disk(\"hush\").\n")]);
    let log = folder.path().join("log.txt");
    let mut client =
        Client::start_with(&["lsp", "--log-file", log.to_str().unwrap()], &[("MANGLE_LS_LOG", "trace")]);
    client.initialize(json!({
        "capabilities": pulling(),
        "workspaceFolders": [{ "uri": client::uri(&folder.path()), "name": "test" }],
    }));
    let uri = folder.uri("b.mg");
    client.did_open(&uri, 1, "secret_in_editor(X) :- hush(X, \"hush\"\n");
    let at = json!({ "line": 99, "character": 0 });
    client.did_change(&uri, 2, json!([{ "range": { "start": at, "end": at }, "text": "hush" }]));
    client.did_change(&uri, 3, json!([{ "range": "hush", "text": "hush" }]));
    client.did_change(&uri, 4, json!([{ "text": "hush(\"hush\n" }]));
    client.send_raw(b"Content-Length: 12\r\n\r\n{\"hush\":hush");
    client.pull(&uri);
    assert!(client.shut_down().success());
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains("textDocument/didOpen") && log.contains("does not fit"), "{log}");
    let leaks: Vec<_> = log.lines().filter(|line| line.contains("hush") || line.contains("secret")).collect();
    assert!(leaks.is_empty(), "{leaks:#?}");
}
