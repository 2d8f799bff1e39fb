//! What the framework gets wrong when it is used carelessly, as regression tests: order of edits,
//! clients that never answer, cancellation, work that blocks other work.

use crate::support::client;
use crate::support::text;

use serde_json::json;

use client::{Client, Folder, pulling, pushed};
use text::checksum;

const URI: &str = "untitled:a.mg";

/// A policy that takes a while to judge: many clauses, each over predicates of all kinds.
fn laborious(clauses: usize) -> String {
    (0..clauses).map(|n| format!("p{n}(X, Y) :- q{}(X), !r{}(Y, _), s(Z).\n", n % 97, n % 89)).collect()
}

#[test]
fn forty_rapid_edits_with_requests_in_between_keep_their_order() {
    for _ in 0..4 {
        let mut client = Client::open_workspace(None, pulling());
        client.did_open(URI, 0, "");
        let mut text = String::new();
        let mut asked = Vec::new();
        for version in 1..=40 {
            let at = json!({ "line": 0, "character": text.len() });
            let piece = format!("{version} ");
            client.did_change(URI, version, json!([{ "range": { "start": at, "end": at }, "text": piece }]));
            text += &piece;
            asked.push((client.ask("mangle/status", json!(null)), version, checksum(&text)));
            client.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } }));
        }
        for (id, version, sum) in asked {
            let document = client.response(id).unwrap()["documents"][0].take();
            assert_eq!((&document["version"], &document["checksum"]), (&json!(version), &json!(sum)));
        }
    }
}

#[test]
fn a_client_that_never_answers_is_served_all_the_same() {
    let folder = Folder::new(&[("a.mg", "p(1).\n"), ("b.mg", "q(X) :- p(X).\n")]);
    let mut capabilities = pulling();
    capabilities["window"] = json!({ "workDoneProgress": true });
    let mut client = Client::start();
    client.answers = false;
    client.initialize(json!({
        "capabilities": capabilities,
        "workspaceFolders": [{ "uri": client::uri(&folder.path()), "name": "test" }],
    }));
    client.incoming("client/registerCapability");
    client.pull(&folder.uri("b.mg"));
    for round in 0..8 {
        folder.write(&format!("c{round}.mg"), "r(1).\n");
        let event = json!([{ "uri": folder.uri(&format!("c{round}.mg")), "type": 1 }]);
        client.notify("workspace/didChangeWatchedFiles", json!({ "changes": event }));
        client.pull(&folder.uri("b.mg"));
        client.status();
    }
    client.incoming("workspace/diagnostic/refresh");
    assert!(client.shut_down().success());
}

#[test]
fn a_cancelled_request_is_answered_at_once_and_its_work_is_dropped() {
    let mut client = Client::open_workspace(None, pulling());
    client.did_open(URI, 0, &laborious(500));
    let pull = client.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } }));
    let everything = client.ask("workspace/diagnostic", json!({ "previousResultIds": [] }));
    client.cancel(everything);
    client.cancel(pull);
    for id in [pull, everything] {
        // The work may have been done before the cancellation was read.
        if let Err(error) = client.response(id) {
            assert_eq!(error["code"], -32800);
        }
    }
    assert!(client.shut_down().success());
}

#[test]
fn long_work_does_not_hold_up_short_work() {
    let mut client = Client::open_workspace(None, pulling());
    client.did_open(URI, 0, &laborious(500));
    let long: Vec<_> = (0..10)
        .map(|_| client.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": URI } })))
        .collect();
    let short = client.ask("mangle/status", json!(null));
    let first = client.wait("any response", |message| message.get("method").is_none());
    assert_eq!(first["id"], short);
    for id in long {
        client.response(id).unwrap();
    }
}

#[test]
fn an_edit_overtakes_the_computation_about_the_text_before_it() {
    let mut client = Client::open_workspace(None, pushed());
    client.did_open(URI, 0, &laborious(500));
    for version in 1..=20 {
        client.did_change(URI, version, json!([{ "text": format!("p({version}).\n{}", laborious(50)) }]));
    }
    let versions: Vec<_> = std::iter::from_fn(|| {
        let version = client.incoming("textDocument/publishDiagnostics")["params"]["version"].as_i64()?;
        Some(version)
    })
    .take_while(|version| *version < 20)
    .collect();
    assert!(versions.is_sorted(), "{versions:?}");
}

#[test]
fn nothing_waits_behind_questions_about_all_of_the_workspace() {
    let folder = Folder::new(&[("a.mg", "p(1).\n")]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let known = |report: &serde_json::Value| {
        let items = report["items"].as_array().unwrap().iter();
        items.map(|item| json!({ "uri": item["uri"], "value": item["resultId"] })).collect::<Vec<_>>()
    };
    client.pull(&folder.uri("a.mg")); // the workspace is loaded by now
    folder.write("a.mg", "p(1\n");
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({ "changes": [{ "uri": folder.uri("a.mg"), "type": 2 }] }),
    );
    client.pull_until(&folder.uri("a.mg"), 1);
    let report = client.request("workspace/diagnostic", json!({ "previousResultIds": [] })).unwrap();
    // Nothing is new: these wait, however many they are.
    let parked: Vec<_> = (0..20)
        .map(|_| client.ask("workspace/diagnostic", json!({ "previousResultIds": known(&report) })))
        .collect();
    client.pull(&folder.uri("a.mg"));
    client.status();
    folder.write("a.mg", "p(1).\n");
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({ "changes": [{ "uri": folder.uri("a.mg"), "type": 2 }] }),
    );
    for id in parked {
        let report = client.response(id).unwrap();
        assert_eq!(report["items"][0]["items"], json!([]));
    }
}
