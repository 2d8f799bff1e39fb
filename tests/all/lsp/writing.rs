//! Help while one writes, over the protocol: each client gets the forms that it takes.

use crate::support::client;

use serde_json::{Value, json};

use client::{Client, Folder, pulling, with_encoding};

const SCHEMA: &str =
    "# Who sails 🦀.\nDecl crew(Person, Ship) descr [arg(Person, \"a name\"), arg(Ship, \"é bell\")].\n";

/// A client with these abilities for a feature, and its folder.
fn start(feature: &str, abilities: Value) -> (Folder, Client) {
    let folder = Folder::new(&[("mangle-ls.toml", ""), ("schema.mg", SCHEMA), ("a.mg", "")]);
    let mut capabilities = with_encoding(pulling(), "utf-16");
    capabilities["textDocument"][feature] = abilities;
    capabilities["workspace"]["inlayHint"] = json!({ "refreshSupport": true });
    let client = Client::open_workspace(Some(&folder.path()), capabilities);
    (folder, client)
}

/// Opens a document with the cursor `|`, and asks about that place.
fn ask(folder: &Folder, client: &mut Client, method: &str, marked: &str) -> Value {
    let text = marked.replacen('|', "", 1);
    client.did_open(&folder.uri("a.mg"), 1, &text);
    client.request(method, at(folder, marked)).unwrap()
}

fn at(folder: &Folder, marked: &str) -> Value {
    let before = &marked[..marked.find('|').unwrap()];
    let column = before.rsplit('\n').next().unwrap().encode_utf16().count();
    let position = json!({ "line": before.matches('\n').count(), "character": column });
    json!({ "textDocument": { "uri": folder.uri("a.mg") }, "position": position })
}

fn item<'a>(answer: &'a Value, label: &str) -> &'a Value {
    answer["items"].as_array().unwrap().iter().find(|item| item["label"] == label).unwrap()
}

#[test]
fn a_client_that_can_all_of_completion() {
    let abilities = json!({ "completionItem": {
        "snippetSupport": true,
        "insertReplaceSupport": true,
        "labelDetailsSupport": true,
        "documentationFormat": ["markdown", "plaintext"],
        "resolveSupport": { "properties": ["detail", "documentation"] },
        "tagSupport": { "valueSet": [1] },
    } });
    let (folder, mut client) = start("completion", abilities);
    let answer = ask(&folder, &mut client, "textDocument/completion", "p(\"🦀\", X) :- cr|ew_old.\n");
    assert_eq!(answer["isIncomplete"], false);
    let found = item(&answer, "crew").clone();
    let position = |character: u32| json!({ "line": 0, "character": character });
    assert_eq!(found["textEdit"]["newText"], "crew(${1:Person}, ${2:Ship})");
    assert_eq!(found["insertTextFormat"], 2);
    assert_eq!(found["textEdit"]["insert"], json!({ "start": position(14), "end": position(16) }));
    assert_eq!(found["textEdit"]["replace"], json!({ "start": position(14), "end": position(22) }));
    assert_eq!(found["labelDetails"]["detail"], "(Person, Ship)");
    assert!(found.get("documentation").is_none() && found.get("detail").is_none());
    let resolved = client.request("completionItem/resolve", found).unwrap();
    assert_eq!(resolved["detail"], "crew(Person, Ship)");
    assert_eq!(resolved["documentation"], json!({ "kind": "markdown", "value": "Who sails 🦀." }));
    assert!(client.shut_down().success());
}

#[test]
fn a_client_that_can_nothing_of_completion() {
    let (folder, mut client) = start("completion", json!({}));
    let answer = ask(&folder, &mut client, "textDocument/completion", "p(X) :- cr|.\n");
    let found = item(&answer, "crew");
    assert_eq!(found["textEdit"]["newText"], "crew");
    assert!(found["textEdit"].get("range").is_some());
    assert_eq!(found["documentation"], json!({ "kind": "plaintext", "value": "Who sails 🦀." }));
    assert_eq!(found["detail"], "crew(Person, Ship)");
    assert!(
        ["insertTextFormat", "labelDetails", "data", "tags"].iter().all(|name| found.get(name).is_none())
    );
    assert!(client.shut_down().success());
}

#[test]
fn signatures_with_offsets_or_words() {
    let offsets = json!({ "signatureInformation": {
        "parameterInformation": { "labelOffsetSupport": true },
        "activeParameterSupport": true,
        "documentationFormat": ["markdown"],
    } });
    for (abilities, label) in [(offsets, json!([13, 17])), (json!({}), json!("Ship"))] {
        let (folder, mut client) = start("signatureHelp", abilities);
        let answer = ask(&folder, &mut client, "textDocument/signatureHelp", "p(X) :- crew(X, |).\n");
        assert_eq!((&answer["activeSignature"], &answer["activeParameter"]), (&json!(0), &json!(1)));
        let signature = &answer["signatures"][0];
        assert_eq!(signature["label"], "crew(Person, Ship)");
        assert_eq!(signature["parameters"][1]["label"], label);
        assert_eq!(signature["parameters"][1]["documentation"]["value"], "é bell");
        assert!(client.shut_down().success());
    }
}

fn hints(folder: &Folder, client: &mut Client) -> Value {
    let end = json!({ "line": 9, "character": 0 });
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": end });
    let params = json!({ "textDocument": { "uri": folder.uri("a.mg") }, "range": range });
    client.request("textDocument/inlayHint", params).unwrap()
}

#[test]
fn hints_are_resolved_and_asked_for_again_after_changes_elsewhere() {
    let lazily = json!({ "resolveSupport": { "properties": ["tooltip", "label.location"] } });
    let (folder, mut client) = start("inlayHint", lazily);
    client.did_open(&folder.uri("a.mg"), 1, "crew(\"🦀\", /x).\n");
    let found = hints(&folder, &mut client);
    let labels = |found: &Value| -> Vec<String> {
        found
            .as_array()
            .unwrap()
            .iter()
            .map(|hint| hint["label"][0]["value"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(labels(&found), ["Person:", "Ship:"]);
    assert_eq!(found[1]["position"], json!({ "line": 0, "character": 11 }));
    let resolved = client.request("inlayHint/resolve", found[1].clone()).unwrap();
    let part = &resolved["label"][0];
    assert_eq!(part["value"], "Ship:");
    assert_eq!(part["location"]["uri"], folder.uri("schema.mg"));
    assert!(resolved["tooltip"]["value"].as_str().unwrap().contains("é bell"));

    client.pull(&folder.uri("a.mg"));
    let schema = folder.uri("schema.mg");
    client.did_open(&schema, 1, SCHEMA);
    let position = json!({ "line": 1, "character": 18 });
    let named = json!([{ "range": { "start": position, "end": position }, "text": "Old" }]);
    client.did_change(&schema, 2, named);
    client.pull(&schema);
    client.incoming("workspace/inlayHint/refresh");
    assert_eq!(labels(&hints(&folder, &mut client)), ["Person:", "OldShip:"]);

    let wanted = json!({ "settings": { "mangle": { "hints": { "arguments": "off" } } } });
    client.notify("workspace/didChangeConfiguration", wanted);
    client.incoming("workspace/inlayHint/refresh");
    assert_eq!(hints(&folder, &mut client), json!([]));
    assert!(client.shut_down().success());
}
