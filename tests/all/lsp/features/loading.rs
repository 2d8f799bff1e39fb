//! A program that does not load shows no facts in an editor.

use serde_json::json;

use crate::lsp::features::at;
use crate::lsp::features::client::{Client, Folder, pulling, with_encoding};

const DOORS: &str = "door(/d).\nopen(D) :- door(D).\n";

#[test]
fn first_error_stands_in_place_of_facts() {
    let folder = Folder::new(&[("main.mg", DOORS)]);
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-8"));
    let uri = folder.uri("main.mg");
    client.did_open(&uri, 1, DOORS);
    let document = json!({ "textDocument": { "uri": uri } });
    let hover = |client: &mut Client| {
        let found = client.request("textDocument/hover", at(&uri, 1, 1)).unwrap();
        found["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(
        client.request("mangle/query", json!({ "uri": uri })).unwrap()[0]["facts"].as_array().unwrap().len(),
        2
    );
    assert!(hover(&mut client).contains("1 fact without a sample"));
    // Nothing is left of the earlier state while the program is broken.
    client.did_change(&uri, 2, json!([{ "text": "door(/d).\nopen(D) :- dor(D).\n" }]));
    let lenses = client.request("textDocument/codeLens", document.clone()).unwrap();
    let titles: Vec<_> =
        lenses.as_array().unwrap().iter().map(|lens| lens["command"]["title"].clone()).collect();
    let mark = "the program does not load: main.mg:2:12: undefined predicate `dor/1` (MG301)";
    assert_eq!(titles, [mark]);
    assert!(hover(&mut client).contains("The program does not load"), "{}", hover(&mut client));
    let refused = client.request("mangle/query", json!({ "uri": uri })).unwrap_err();
    assert_eq!(refused["message"], mark);
    client.did_change(&uri, 3, json!([{ "text": DOORS }]));
    assert!(client.request("mangle/query", json!({ "uri": uri })).is_ok());
    assert!(hover(&mut client).contains("1 fact without a sample"));
    assert!(client.shut_down().success());
}

#[test]
fn broken_settings_are_shown_in_place_of_facts() {
    let files = [("main.mg", DOORS), ("mangle-ls.toml", "[kernel]\nreading = \"writen\"\n")];
    let folder = Folder::new(&files);
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-8"));
    let uri = folder.uri("main.mg");
    client.did_open(&uri, 1, DOORS);
    let refused = client.request("mangle/query", json!({ "uri": uri })).unwrap_err();
    assert!(refused["message"].as_str().unwrap().contains("mangle-ls.toml:2:12"), "{refused}");
    assert!(client.shut_down().success());
}
