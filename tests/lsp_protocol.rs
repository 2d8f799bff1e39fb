//! `docs/protocol.md` tells the truth, and the log tells no secrets.
#![allow(clippy::unwrap_used)]

#[path = "support/client.rs"]
mod client;

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

#[test]
fn the_documented_status_is_the_real_one() {
    let text = document();
    let example = text.split("```json").nth(1).unwrap().split("```").next().unwrap();
    let example: Value = serde_json::from_str(example).unwrap();
    let folder = Folder::new(&[("a.mg", "p(1).\n")]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    client.did_open(&folder.uri("a.mg"), 1, "p(1).\n");
    client.pull(&folder.uri("a.mg"));
    let mut sets = [BTreeSet::new(), BTreeSet::new()];
    for (value, set) in [example, client.status()].iter().zip(&mut sets) {
        members(value, "", set);
    }
    assert_eq!(sets[0], sets[1]);
}

#[test]
fn the_documented_methods_are_the_real_ones() {
    let text = document();
    let documented: BTreeSet<_> = text.split('`').filter(|word| word.starts_with("mangle/")).collect();
    let mut client = Client::open_workspace(None, pulling());
    for method in &documented {
        let unknown = client.request(method, json!(null)).is_err_and(|error| error["code"] == -32601);
        assert!(!unknown, "{method} is documented and unknown");
    }
    assert_eq!(documented, BTreeSet::from(["mangle/status"]));
}

#[test]
fn the_log_has_requests_but_no_text() {
    let folder = Folder::new(&[("a.mg", "secret_on_disk(\"hush\").\n")]);
    let log = folder.path().join("log.txt");
    let mut client =
        Client::start_with(&["serve", "--log-file", log.to_str().unwrap()], &[("MANGLE_LS_LOG", "trace")]);
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
