//! Editors show some findings of each rule in a file, and how many more there are.

use crate::support::client;

use serde_json::{Value, json};

use client::{Client, messages, pulling, pushed};

/// A policy with 500 equal findings.
fn policy() -> String {
    "p(1).\n".repeat(501)
}

/// 100 findings, and one that says how many more there are, where the first of them is.
fn assert_shown(items: &Value) {
    let items = items.as_array().unwrap();
    assert_eq!(items.len(), 101);
    assert_eq!(messages(&json!(items)).iter().filter(|text| text.contains(": 400 more findings")).count(), 1);
    assert_eq!(items[100]["range"]["start"]["line"], 101);
    assert_eq!(items[100]["code"], items[0]["code"]);
}

#[test]
fn a_client_that_pulls() {
    let mut client = Client::open_workspace(None, pulling());
    client.did_open("untitled:a.mg", 1, &policy());
    assert_shown(&client.pull("untitled:a.mg")["items"]);
    // Below the limit all are shown.
    client.did_change("untitled:a.mg", 2, json!([{ "text": "p(1).\n".repeat(90) }]));
    assert_eq!(client.pull("untitled:a.mg")["items"].as_array().unwrap().len(), 89);
    assert!(client.shut_down().success());
}

#[test]
fn a_client_that_is_pushed() {
    let mut client = Client::open_workspace(None, pushed());
    client.did_open("untitled:a.mg", 1, &policy());
    let sent = client.wait("diagnostics", |message| {
        message["method"] == "textDocument/publishDiagnostics"
            && message["params"]["diagnostics"].as_array().is_some_and(|items| !items.is_empty())
    });
    assert_shown(&sent["params"]["diagnostics"]);
    assert!(client.shut_down().success());
}
