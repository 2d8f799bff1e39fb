//! Features of the editor over the real protocol: what conversion, capabilities and positions make of
//! what the tests beside the features show.

use crate::support::client;
mod completion;
mod evaluation;
mod formatting;
mod grammars;
mod hover;
mod loading;
mod policy_tests;
mod previews;
mod properties;
mod replays;
mod shape;

use serde_json::{Value, json};

use client::{Client, Folder, with_encoding};

/// A client with these capabilities for documents, in each encoding, with `a.mg` open.
fn in_each_encoding(document: &Value, text: &str, test: impl Fn(&mut Client, &str, &str)) {
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let folder = Folder::new(&[("a.mg", text)]);
        let capabilities = with_encoding(json!({ "textDocument": document }), encoding);
        let mut client = Client::open_workspace(Some(&folder.path()), capabilities);
        let uri = folder.uri("a.mg");
        client.did_open(&uri, 1, text);
        test(&mut client, &uri, encoding);
        assert!(client.shut_down().success());
    }
}

/// How many units a crab takes.
fn crab(encoding: &str) -> u64 {
    match encoding {
        "utf-8" => 4,
        "utf-16" => 2,
        _ => 1,
    }
}

fn at(uri: &str, line: u64, character: u64) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}
