//! The life of a session: introduction, encodings, farewell.

use crate::support::client;

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
fn requests_of_the_protocol_that_nobody_knows_are_answered() {
    let mut client = Client::start();
    assert_eq!(client.request("$/foo", json!({})).unwrap_err()["code"], -32002);
    assert_eq!(client.request("conjure", json!({})).unwrap_err()["code"], -32002);
    client.notify("$/foo", json!({}));
    client.notify("conjured", json!({}));
    client.initialize(json!({ "capabilities": pulling() }));
    for method in ["$/foo", "$/", "$/cancelRequest", "$/setTrace", "conjure", "window/showMessage"] {
        assert_eq!(client.request(method, json!({})).unwrap_err()["code"], -32601, "{method}");
    }
    for method in ["$/foo", "$/", "$/setTrace", "$/progress", "conjured"] {
        client.notify(method, json!({}));
    }
    client.send(&json!({ "jsonrpc": "2.0", "id": null, "method": "$/foo" }));
    let answer = client.wait("the answer", |message| message.get("error").is_some());
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(null), &json!(-32601)));
    let unexpected: Vec<_> =
        client.drain().into_iter().filter(|message| message.get("error").is_some()).collect();
    assert_eq!(unexpected, [""; 0], "notifications have no answer");
    client.request("shutdown", json!(null)).unwrap();
    for method in ["$/foo", "conjure", "shutdown", "initialize"] {
        assert_eq!(client.request(method, json!({})).unwrap_err()["code"], -32600, "{method}");
    }
    client.notify("exit", json!(null));
    assert_eq!(client.exit_status().code(), Some(0));
}

#[test]
fn initialize_can_be_tried_again() {
    let mut client = Client::start();
    assert_eq!(client.request("initialize", json!({ "capabilities": 7 })).unwrap_err()["code"], -32602);
    assert_eq!(client.request("mangle/status", json!(null)).unwrap_err()["code"], -32002);
    client.initialize(json!({ "capabilities": pulling() }));
    assert!(client.shut_down().success());
}

/// A process that ends when its input does.
#[cfg(unix)]
fn process() -> std::process::Child {
    let pipe = std::process::Stdio::piped();
    std::process::Command::new("cat").stdin(pipe).stdout(std::process::Stdio::null()).spawn().unwrap()
}

#[cfg(unix)]
#[test]
fn the_server_ends_with_the_process_of_the_client() {
    let mut process = process();
    let mut client = Client::start();
    client.initialize(json!({ "processId": process.id(), "capabilities": pulling() }));
    client.did_open("untitled:a.mg", 1, "p(1\n");
    assert_eq!(client.pull("untitled:a.mg")["items"].as_array().unwrap().len(), 1);
    drop(process.stdin.take());
    process.wait().unwrap();
    assert_eq!(client.exit_status().code(), Some(1));
    // Also where the process had ended before.
    let mut client = Client::start();
    client.ask("initialize", json!({ "processId": process.id(), "capabilities": {} }));
    assert_eq!(client.exit_status().code(), Some(1));
}

#[cfg(unix)]
#[test]
fn the_process_of_the_client_may_end_after_shutdown() {
    let mut process = process();
    let mut client = Client::start();
    client.initialize(json!({ "processId": process.id(), "capabilities": {} }));
    client.request("shutdown", json!(null)).unwrap();
    drop(process.stdin.take());
    process.wait().unwrap();
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
