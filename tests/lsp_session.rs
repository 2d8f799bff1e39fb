//! The life of a session: introduction, encodings, farewell.
#![allow(clippy::unwrap_used)]

#[path = "support/client.rs"]
mod client;

use serde_json::json;

use client::{Client, pulling, pushed, with_encoding};

#[test]
fn goodbye_with_and_without_shutdown() {
    assert_eq!(Client::open_workspace(None, json!({})).shut_down().code(), Some(0));
    let mut client = Client::open_workspace(None, json!({}));
    client.notify("exit", json!(null));
    assert_eq!(client.exit_status().code(), Some(1));
    let mut client = Client::open_workspace(None, json!({}));
    client.hang_up();
    assert_eq!(client.exit_status().code(), Some(1));
    let mut client = Client::start();
    client.notify("exit", json!(null));
    assert_eq!(client.exit_status().code(), Some(1));
}

#[test]
fn nothing_works_before_initialize_and_after_shutdown() {
    let mut client = Client::start();
    let pull = json!({ "textDocument": { "uri": "file:///a.mg" } });
    let error = client.request("textDocument/diagnostic", pull.clone()).unwrap_err();
    assert_eq!(error["code"], -32002);
    client.initialize(json!({ "capabilities": pulling() }));
    assert_eq!(client.request("initialize", json!({ "capabilities": {} })).unwrap_err()["code"], -32600);
    client.request("shutdown", json!(null)).unwrap();
    assert_eq!(client.request("textDocument/diagnostic", pull).unwrap_err()["code"], -32600);
    client.notify("exit", json!(null));
    assert_eq!(client.exit_status().code(), Some(0));
}

#[test]
fn what_is_offered_depends_on_the_client() {
    let capabilities = |client: serde_json::Value| {
        let mut server = Client::start();
        server.initialize(json!({ "capabilities": client }))
    };
    let plain = capabilities(pushed());
    assert_eq!(plain["positionEncoding"], "utf-16");
    assert!(plain.get("diagnosticProvider").is_none() && plain.get("codeActionProvider").is_none());
    let able = capabilities(with_encoding(pulling(), "utf-8"));
    assert_eq!(able["positionEncoding"], "utf-8");
    assert_eq!(able["textDocumentSync"]["change"], 2);
    assert_eq!(able["diagnosticProvider"]["workspaceDiagnostics"], true);
    let kinds = able["codeActionProvider"]["codeActionKinds"].as_array().unwrap();
    for kind in ["quickfix", "source.fixAll.mangle", "source.fixWorkspace.mangle", "refactor.extract"] {
        assert!(kinds.contains(&json!(kind)), "{kinds:?}");
    }
}
