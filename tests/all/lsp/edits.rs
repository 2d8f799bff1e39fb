//! Thousands of edits in every encoding, with requests in between: the server's text is the
//! client's at every version, and no diagnostic is older than the text it is shown on.

use crate::support::client;
use crate::support::text;

use std::collections::HashMap;

use serde_json::{Value, json};

use client::{Client, pulling, pushed, with_encoding};
use text::{Columns, Dice, Editor, checksum};

const EDITS: usize = 2_000;
const URI: &str = "untitled:constitution.mg";

fn start_text() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/incident/constitution.mg");
    let text = std::fs::read_to_string(path).unwrap();
    format!("# 🦀 é 漢\r\n{text}")
}

/// The diagnostics of a text that a server sees for the first time.
fn fresh(text: &str, columns: Columns) -> Value {
    let mut client = Client::open_workspace(None, with_encoding(pulling(), columns.name()));
    client.did_open(URI, 0, text);
    client.pull(URI)["items"].clone()
}

fn version_of(result_id: &Value) -> i32 {
    result_id.as_str().unwrap().split(':').next().unwrap().parse().unwrap()
}

/// Edits without ever waiting, asking for checksums and diagnostics all the time.
fn check_pulled(columns: Columns) {
    let mut client = Client::open_workspace(None, with_encoding(pulling(), columns.name()));
    let mut editor = Editor::new(&start_text(), columns);
    let mut dice = Dice::new(7);
    client.did_open(URI, 0, &editor.text());
    let mut pulls = Vec::new();
    let mut statuses = Vec::new();
    let mut texts = HashMap::new();
    for edit in 0..EDITS {
        let changes = editor.edit(&mut dice);
        client.did_change(URI, editor.version, changes);
        statuses.push((client.ask("mangle/status", json!(null)), editor.version, checksum(&editor.text())));
        if dice.below(3) == 0 {
            pulls.push((
                client.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } })),
                editor.version,
            ));
        }
        if edit % 100 == 99 {
            texts.insert(editor.version, editor.text());
            let report = client.pull(URI);
            assert_eq!(version_of(&report["resultId"]), editor.version);
            assert_eq!(report["items"], fresh(&editor.text(), columns), "version {}", editor.version);
        }
    }
    for (id, version, sum) in statuses {
        let status = client.response(id).unwrap();
        let document = &status["documents"][0];
        assert_eq!((&document["version"], &document["checksum"]), (&json!(version), &json!(sum)));
        assert_eq!(document["suspect"], false);
    }
    for (id, version) in pulls {
        match client.response(id) {
            Ok(report) => assert_eq!(version_of(&report["resultId"]), version),
            Err(error) => assert_eq!(
                (&error["code"], &error["data"]["retriggerRequest"]),
                (&json!(-32802), &json!(true))
            ),
        }
    }
    assert!(client.shut_down().success());
}

#[test]
fn utf_8() {
    check_pulled(Columns::Utf8);
}

#[test]
fn utf_16() {
    check_pulled(Columns::Utf16);
}

#[test]
fn utf_32() {
    check_pulled(Columns::Utf32);
}

#[test]
fn pushed_diagnostics_never_go_back() {
    let columns = Columns::Utf16;
    let mut client = Client::open_workspace(None, pushed());
    let mut editor = Editor::new(&start_text(), columns);
    let mut dice = Dice::new(11);
    client.did_open(URI, 0, &editor.text());
    for _ in 0..EDITS / 4 {
        let changes = editor.edit(&mut dice);
        client.did_change(URI, editor.version, changes);
    }
    let mut newest = -1;
    while newest < i64::from(editor.version) {
        let params = client.incoming("textDocument/publishDiagnostics")["params"].take();
        assert_eq!(params["uri"], URI);
        let version = params["version"].as_i64().unwrap();
        assert!(version > newest, "{version} after {newest}");
        newest = version;
        if newest == i64::from(editor.version) {
            assert_eq!(params["diagnostics"], fresh(&editor.text(), columns));
        }
    }
}
