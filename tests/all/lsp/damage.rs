//! What a client should not send: broken messages, edits that do not fit, far too much.

use crate::support::client;

use serde_json::{Value, json};

use client::{Client, pulling};

const URI: &str = "untitled:a.mg";

/// The error that the server sends for a message whose sender it does not know.
fn complaint(client: &mut Client) -> i64 {
    let message =
        client.wait("a complaint", |message| message["id"].is_null() && message.get("error").is_some());
    message["error"]["code"].as_i64().unwrap()
}

fn is_alive(client: &mut Client) {
    client.did_open("untitled:alive.mg", 1, "p(1\n");
    assert_eq!(client.pull("untitled:alive.mg")["items"].as_array().unwrap().len(), 1);
    client.did_close("untitled:alive.mg");
}

fn raw(client: &mut Client, body: &str) {
    client.send_raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
}

#[test]
fn broken_messages_are_refused_and_survived() {
    let mut client = Client::open_workspace(None, pulling());
    for (body, code) in [
        ("{", -32700),
        ("", -32700),
        ("nonsense", -32700),
        ("[]", -32600),
        ("7", -32600),
        ("null", -32600),
        (r#"{"jsonrpc":"2.0"}"#, -32600),
        (r#"{"jsonrpc":"1.0","method":"shutdown"}"#, -32600),
        (r#"{"jsonrpc":"2.0","method":5}"#, -32600),
        (r#"{"jsonrpc":"2.0","method":"x","id":{}}"#, -32600),
        (&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), -32700),
    ] {
        raw(&mut client, body);
        assert_eq!(complaint(&mut client), code, "{body:.40}");
        is_alive(&mut client);
    }
    client.send_raw(b"Content-Length: 3\r\n\r\n\xff\xfe\xfd");
    assert_eq!(complaint(&mut client), -32700);
    is_alive(&mut client);
}

#[test]
fn broken_headers_are_skipped() {
    let mut client = Client::open_workspace(None, pulling());
    for garbage in [
        "hello\r\n\r\n",
        "Content-Length: many\r\n\r\n",
        "Content-Length: -1\r\n\r\n",
        "Content-Length: 99999999999999999999999999\r\n\r\n",
        "Content-Length: 999999999999999\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    ] {
        client.send_raw(garbage.as_bytes());
        is_alive(&mut client);
    }
    client.send_raw(&vec![b'x'; 100_000]);
    is_alive(&mut client);
}

#[test]
fn unknown_methods_and_parameters() {
    let mut client = Client::open_workspace(None, pulling());
    assert_eq!(client.request("textDocument/conjure", json!({})).unwrap_err()["code"], -32601);
    assert_eq!(client.request("textDocument/diagnostic", json!({ "x": 1 })).unwrap_err()["code"], -32602);
    client.notify("textDocument/conjured", json!({}));
    client.notify("$/whatever", json!(null));
    client.notify("$/setTrace", json!({ "value": "verbose" }));
    client.cancel(99);
    client.send(&json!({ "jsonrpc": "2.0", "id": 7_777, "result": "nobody asked" }));
    client.send(&json!({ "jsonrpc": "2.0", "id": "x", "error": { "code": 1, "message": "nobody asked" } }));
    is_alive(&mut client);
}

#[test]
fn edits_that_do_not_fit() {
    let mut client = Client::open_workspace(None, pulling());
    let range = |start: Value, end: Value| json!({ "start": start, "end": end });
    let at = |line: i64, character: i64| json!({ "line": line, "character": character });
    let document = |client: &mut Client| {
        let status = client.status();
        (
            status["documents"][0]["bytes"].as_u64().unwrap(),
            status["documents"][0]["suspect"].as_bool().unwrap(),
        )
    };
    client.did_open(URI, 1, "p(1).\nq(2).\n");
    // Reversed and overlong ranges are put right.
    client.did_change(URI, 2, json!([{ "range": range(at(1, 4), at(0, 5)), "text": "" }]));
    client.did_change(URI, 3, json!([{ "range": range(at(0, 6), at(0, 4_000_000_000)), "text": "!" }]));
    assert_eq!(document(&mut client), (8, false));
    // What cannot be put right keeps the text and is remembered until the text is sent whole.
    for (version, change) in [
        (4, json!([{ "range": range(at(77, 0), at(78, 0)), "text": "x" }])),
        (5, json!([{ "range": range(at(-1, 0), at(0, 0)), "text": "x" }])),
        (6, json!([{ "range": range(at(0, 0), at(1 << 40, 0)), "text": "x" }])),
        (7, json!("x")),
    ] {
        client.did_change(URI, version, json!([{ "text": "p(1).\np(2).\n" }]));
        assert_eq!(document(&mut client), (12, false));
        client.did_change(URI, version, change.clone());
        assert_eq!(document(&mut client), (12, true), "{change}");
    }
    client.did_close(URI);
    client.did_open(URI, 1, "p(1).\n");
    assert_eq!(document(&mut client), (6, false));
    // A document that was never opened, opened twice, closed twice.
    client.did_change("untitled:other.mg", 2, json!([{ "text": "p" }]));
    client.did_close("untitled:other.mg");
    client.did_open(URI, 2, "p(1). \n");
    assert_eq!(document(&mut client), (7, false));
    is_alive(&mut client);
}

#[test]
fn suspect_documents_are_not_fixed() {
    let mut client = Client::open_workspace(None, pulling());
    client.did_open(URI, 1, "p(1).\nq(X) :- p(X)\n");
    let everywhere = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
    let actions =
        json!({ "textDocument": { "uri": URI }, "range": everywhere, "context": { "diagnostics": [] } });
    let offered = client.request("textDocument/codeAction", actions.clone()).unwrap();
    assert_ne!(offered, json!([]));
    let nowhere = json!({ "start": { "line": 50, "character": 0 }, "end": { "line": 50, "character": 0 } });
    client.did_change(URI, 2, json!([{ "range": nowhere, "text": "x" }]));
    let suspect = client.request("textDocument/codeAction", actions.clone()).unwrap();
    let changes_nothing = |action: &Value| action["command"]["command"] == "mangle.openRulePage";
    assert!(suspect.as_array().unwrap().iter().all(changes_nothing), "{suspect:#}");
    client.did_change(URI, 3, json!([{ "text": "p(1).\nq(X) :- p(X)\n" }]));
    let again = client.request("textDocument/codeAction", actions).unwrap();
    assert_eq!(again.as_array().unwrap().len(), offered.as_array().unwrap().len());
}

#[test]
fn very_much_text() {
    let mut client = Client::open_workspace(None, pulling());
    client.did_open(URI, 1, &"p(1).\n".repeat(4_000_000));
    let report = client.pull(URI);
    let message = report["items"][0]["message"].as_str().unwrap();
    assert!(message.contains("the limit is 16 MiB"), "{message}");
    client.did_change(URI, 2, json!([{ "text": "p(1).\n" }]));
    assert_eq!(client.pull(URI)["items"], json!([]));
    client.did_change(
        URI,
        3,
        json!([{ "text": format!("p({}1{}).", "[".repeat(100_000), "]".repeat(100_000)) }]),
    );
    client.pull(URI);
    is_alive(&mut client);
}

#[test]
fn text_of_all_kinds() {
    let mut client = Client::open_workspace(None, pulling());
    for text in ["\u{feff}p(1).", "\0", "p(1).\r", "\r\r\n\n\r", "\u{2028}p(1).", "\"\"\"\"\"`'", "💥", ""]
    {
        client.did_open(URI, 1, text);
        client.pull(URI);
        client.did_change(URI, 2, json!([{ "text": "" }, { "text": text }]));
        client.pull(URI);
        client.did_close(URI);
    }
    is_alive(&mut client);
}
