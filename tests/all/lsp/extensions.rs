//! What the server offers beyond the protocol: `mangle/graph`, `mangle/virtualDocument`.

use crate::support::client;

use serde_json::{Value, json};

use client::{Client, Folder, pulling, with_encoding};

const RULES: &str = "crew(/p/ann, \"🦀\"). idle(P) :- crew(P, _), !sent(P).\n";

fn folder() -> Folder {
    Folder::new(&[("schemas.gl", "Decl crew(P, N).\nDecl sent(P).\n"), ("rules.mg", RULES)])
}

/// Takes out the members that the command line does not give, and makes paths relative.
fn as_on_the_command_line(mut value: Value, folder: &str) -> Value {
    match &mut value {
        Value::Object(members) => {
            members.shift_remove("uri");
            members.shift_remove("range");
            members.values_mut().for_each(|member| *member = as_on_the_command_line(member.take(), folder));
        }
        Value::Array(elements) => {
            elements.iter_mut().for_each(|element| *element = as_on_the_command_line(element.take(), folder));
        }
        Value::String(text) => {
            *text = text.strip_prefix(folder).unwrap_or(text).trim_start_matches('/').to_owned();
        }
        _ => {}
    }
    value
}

#[test]
fn the_graph_is_that_of_the_command_line() {
    let folder = folder();
    folder.write("mangle-ls.toml", "[[program]]\nname = \"ship\"\ninclude = [\"**/*.mg\", \"**/*.gl\"]\n");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(["graph", "--of", "crew", "--direction", "users", "--format", "json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let expected: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(expected["programs"][0]["edges"][0]["to"], "crew/2");
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let params = json!({ "of": "crew", "direction": "users" });
    let graph = client.request("mangle/graph", params).unwrap();
    let premise = &graph["programs"][0]["edges"][0]["where"][0];
    assert_eq!(premise["uri"], folder.uri("rules.mg"));
    assert_eq!(premise["range"]["start"], json!({ "line": 0, "character": 31 }));
    assert_eq!(premise["column"], 31);
    let path = folder.path();
    assert_eq!(as_on_the_command_line(graph, path.to_str().unwrap()), expected);
}

#[test]
fn the_graph_as_a_picture_and_of_one_program() {
    let folder = folder();
    folder.write("other/schemas.gl", "Decl lonely(X).\n");
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let mut ask = |params: Value| client.request("mangle/graph", params);
    let dot = ask(json!({ "uri": folder.uri("rules.mg"), "format": "dot", "of": ["sent/1"] })).unwrap();
    let text = dot["text"].as_str().unwrap();
    assert!(text.contains("style=dashed") && !text.contains("lonely"), "{text}");
    let text = ask(json!({ "format": "mermaid" })).unwrap()["text"].take();
    assert!(text.as_str().unwrap().contains("lonely/1"), "{text}");
    let nowhere = ask(json!({ "uri": "untitled:nowhere" })).unwrap();
    assert_eq!(nowhere, json!({ "programs": [] }));
    for wrong in [json!({ "of": "snet" }), json!({ "format": "gif" }), json!({ "depth": -1 }), json!(7)] {
        assert_eq!(ask(wrong).unwrap_err()["code"], -32602);
    }
    assert!(ask(json!({ "of": "snet" })).unwrap_err()["message"].as_str().unwrap().contains("`sent/1`"));
}

fn virtual_document(client: &mut Client, uri: &str) -> Result<Value, Value> {
    client.request("mangle/virtualDocument", json!({ "uri": uri }))
}

#[test]
fn the_syntax_tree_of_a_document() {
    let folder = folder();
    let mut client = Client::open_workspace(Some(&folder.path()), with_encoding(pulling(), "utf-16"));
    let uri = folder.uri("rules.mg");
    for spelled in [format!("mangle-syntax:{uri}"), format!("mangle-syntax:{}", uri.replace(':', "%3A"))] {
        let document = virtual_document(&mut client, &spelled).unwrap();
        let lines: Vec<_> = document["text"].as_str().unwrap().lines().collect();
        let origins = document["origins"].as_array().unwrap();
        assert_eq!(lines.len(), origins.len());
        assert_eq!(lines[0], "source_file 1:1-2:1");
        let string = origins.iter().position(|origin| origin["kind"] == "string").unwrap();
        assert_eq!(lines[string].trim(), "string 1:14-1:17 \"\\\"🦀\\\"\"");
        let at = |character: usize, line: usize| json!({ "line": line, "character": character });
        let indent = lines[string].len() - lines[string].trim_start().len();
        let end = lines[string].encode_utf16().count();
        let expected = json!({
            "range": { "start": at(indent, string), "end": at(end, string) },
            "location": { "uri": uri, "range": { "start": at(13, 0), "end": at(17, 0) } },
            "kind": "string",
        });
        assert_eq!(origins[string], expected);
    }
}

#[test]
fn who_asked_is_told_of_changes_until_the_source_closes() {
    let mut client = Client::open_workspace(None, pulling());
    let (source, tree) = ("untitled:a b.mg", "mangle-syntax:untitled%3Aa%20b.mg");
    let source = source.replace(' ', "%20");
    client.did_open(&source, 1, "p(1).\n");
    client.did_open("untitled:other.mg", 1, "p(1).\n");
    let first = virtual_document(&mut client, tree).unwrap();
    client.did_change("untitled:other.mg", 2, json!([{ "text": "p(2).\n" }]));
    for version in 2..9 {
        client.did_change(&source, version, json!([{ "text": format!("p({version}).\n") }]));
    }
    let changed = client.incoming("mangle/virtualDocumentChanged");
    assert_eq!(changed["params"]["uri"], tree);
    let revision = |value: &Value| value["revision"].as_u64().unwrap();
    assert!(revision(&changed["params"]) > revision(&first));
    // An edit may refuse the question; then the notification says when to ask again.
    let newest = virtual_document(&mut client, tree).unwrap();
    assert!(revision(&newest) >= revision(&changed["params"]));
    assert!(newest["text"].as_str().unwrap().contains("number 1:3-1:4 \"8\""), "{newest}");
    client.did_close(&source);
    client.did_open(&source, 1, "p(1).\n");
    client.did_change(&source, 2, json!([{ "text": "q(1).\n" }]));
    client.pull(&source);
    client.status();
    let late: Vec<_> = client.drain();
    let late: Vec<_> = late
        .iter()
        .filter(|message| message["method"] == "mangle/virtualDocumentChanged")
        .filter(|message| revision(&message["params"]) > revision(&newest))
        .collect();
    assert!(late.is_empty(), "{late:?}");
}

#[test]
fn virtual_documents_that_there_are_not() {
    let mut client = Client::open_workspace(None, pulling());
    for uri in
        ["", ":", "mangle-dreams:file:///a.mg", "mangle-syntax:", "mangle-syntax:a.mg", "file:///a.mg", "é"]
    {
        assert_eq!(virtual_document(&mut client, uri).unwrap_err()["code"], -32602, "{uri}");
    }
    let error = virtual_document(&mut client, "mangle-syntax:file:///nowhere.mg").unwrap_err();
    assert_eq!(error["message"], "file:///nowhere.mg is not a document of the workspace");
}
