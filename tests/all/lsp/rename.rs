//! Rename over the protocol: in all encodings, over files and programs, with versions; refused in words.

use crate::support::client;
use crate::support::text;

use serde_json::{Value, json};

use client::{Client, Folder, pulling, with_encoding};
use text::{Columns, about, position};

const SCHEMAS: &str = "# 🦀\r\nDecl stop(Line, Name) bound [/line, /string].\r\n";
const POLICY: &str = "# 漢字 stop\r\nstop(/line/a, \"🦀 stop\").\r\nidle(L) :- line(\"🦀\", L), !stop(L, \"漢\"), L != /line/a .\r\n";
const TEST: &str = "was(L) :- stop(L, \"🦀\").\r\n";

fn folder() -> Folder {
    let files =
        [("schemas.mg", SCHEMAS), ("policy.mg", POLICY), ("idle_test.mg", TEST), ("mangle-ls.toml", "")];
    Folder::new(&files)
}

fn preparing() -> Value {
    let mut capabilities = pulling();
    capabilities["textDocument"]["rename"] = json!({ "prepareSupport": true });
    capabilities
}

fn naming(mut params: Value, name: &str) -> Value {
    params["newName"] = name.into();
    params
}

/// The text after edits, from the last to the first.
fn applied(text: &str, edits: &Value, columns: Columns) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let at = |chars: &[char], place: &Value| {
        (0..=chars.len()).find(|index| position(chars, *index, columns) == *place).unwrap()
    };
    for edit in edits.as_array().unwrap().iter().rev() {
        let start = at(&chars, &edit["range"]["start"]);
        let end = at(&chars, &edit["range"]["end"]);
        chars.splice(start..end, edit["newText"].as_str().unwrap().chars());
    }
    chars.into_iter().collect()
}

#[test]
fn a_predicate_in_every_file_and_every_encoding() {
    for columns in Columns::ALL {
        let folder = folder();
        let uri = folder.uri("policy.mg");
        let capabilities = with_encoding(preparing(), columns.name());
        let mut client = Client::open_workspace(Some(&folder.path()), capabilities);
        client.did_open(&uri, 7, POLICY);
        let params = about(&uri, POLICY, "!st|op(L", columns);
        let found = client.request("textDocument/prepareRename", params.clone()).unwrap();
        assert_eq!(found["placeholder"], "stop");
        let edit = client.request("textDocument/rename", naming(params, "halt")).unwrap();
        let mut changed = Vec::new();
        for change in edit["documentChanges"].as_array().unwrap() {
            let document = &change["textDocument"];
            let file = document["uri"].as_str().unwrap().rsplit('/').next().unwrap();
            let (text, version) = match file {
                "policy.mg" => (POLICY, json!(7)),
                "schemas.mg" => (SCHEMAS, json!(null)),
                _ => (TEST, json!(null)),
            };
            assert_eq!(document["version"], version, "{file}");
            let after = applied(text, &change["edits"], columns);
            assert_eq!(after, text.replace("stop(", "halt("));
            changed.push(file.to_owned());
        }
        changed.sort();
        assert_eq!(changed, ["idle_test.mg", "policy.mg", "schemas.mg"]);
        assert!(client.shut_down().success());
    }
}

#[test]
fn a_variable_and_a_name() {
    let uri = "untitled:Untitled-1";
    let mut client = Client::open_workspace(None, preparing());
    client.did_open(uri, 1, POLICY);
    let mut after = |at: &str, name: &str| {
        let params = naming(about(uri, POLICY, at, Columns::Utf16), name);
        let edit = client.request("textDocument/rename", params).unwrap();
        applied(POLICY, &edit["documentChanges"][0]["edits"], Columns::Utf16)
    };
    let variable = POLICY.replace("idle(L)", "idle(Line)").replace(", L)", ", Line)");
    assert_eq!(
        after("idle(|L)", "Line"),
        variable.replace("stop(L,", "stop(Line,").replace("L !=", "Line !=")
    );
    assert_eq!(after("/line|/a,", "/line/b"), POLICY.replace("/line/a", "/line/b"));
}

#[test]
fn programs_that_share_a_file_are_renamed_together() {
    let configuration = "[[program]]\nname = \"a\"\ninclude = [\"shared.mg\", \"a.mg\"]\n\n[[program]]\nname = \"b\"\ninclude = [\"shared.mg\", \"b.mg\"]\n";
    let files = [
        ("shared.mg", "stop(1).\n"),
        ("a.mg", "here(X) :- stop(X).\n"),
        ("b.mg", "there(X) :- stop(X).\n"),
        ("mangle-ls.toml", configuration),
    ];
    let folder = Folder::new(&files);
    let uri = folder.uri("a.mg");
    let mut client = Client::open_workspace(Some(&folder.path()), preparing());
    client.did_open(&uri, 1, files[1].1);
    let params = about(&uri, files[1].1, "st|op", Columns::Utf16);
    let edit = client.request("textDocument/rename", naming(params.clone(), "halt")).unwrap();
    let changes = edit["documentChanges"].as_array().unwrap();
    let mut uris: Vec<_> = changes.iter().map(|change| change["textDocument"]["uri"].clone()).collect();
    uris.sort_by_key(ToString::to_string);
    assert_eq!(uris, ["a.mg", "b.mg", "shared.mg"].map(|file| json!(folder.uri(file))));
    // What exists in one of them is in the way in all.
    let error = client.request("textDocument/rename", naming(params, "there")).unwrap_err();
    assert!(error["message"].as_str().unwrap().ends_with("(b.mg:1)"), "{error}");
}

#[test]
fn refusals_say_why_and_where() {
    let folder = folder();
    let uri = folder.uri("policy.mg");
    let mut client = Client::open_workspace(Some(&folder.path()), preparing());
    client.did_open(&uri, 1, POLICY);
    let mut refused = |at: &str, name: &str| {
        let params = naming(about(&uri, POLICY, at, Columns::Utf16), name);
        let error = client.request("textDocument/rename", params).unwrap_err();
        assert_eq!(error["code"], -32803);
        error["message"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        refused("i|dle", "was"),
        "`was/1` already has clauses. The rename would merge both. (idle_test.mg:1)"
    );
    assert_eq!(
        refused("st|op(L", "Halt"),
        "`Halt` is not a predicate name: a lower-case letter, then letters, digits and `_`."
    );
    assert_eq!(refused("\"🦀 st|op", "x"), "No name at this position.");
    let nothing =
        client.request("textDocument/prepareRename", about(&uri, POLICY, "\"🦀 st|op", Columns::Utf16));
    assert_eq!(nothing.unwrap(), json!(null));
}

#[test]
fn a_document_that_may_differ_is_not_touched() {
    let folder = folder();
    let (uri, schemas) = (folder.uri("policy.mg"), folder.uri("schemas.mg"));
    let mut client = Client::open_workspace(Some(&folder.path()), preparing());
    client.did_open(&uri, 1, POLICY);
    client.did_open(&schemas, 1, SCHEMAS);
    let nowhere = json!({ "line": 999, "character": 0 });
    client.did_change(&schemas, 2, json!([{ "range": { "start": nowhere, "end": nowhere }, "text": "x" }]));
    let params = naming(about(&uri, POLICY, "!st|op(L", Columns::Utf16), "halt");
    let error = client.request("textDocument/rename", params).unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("schemas.mg"), "{error}");
    // What does not concern that document can be renamed.
    let params = naming(about(&uri, POLICY, "i|dle", Columns::Utf16), "resting");
    assert!(client.request("textDocument/rename", params).is_ok());
}

#[test]
fn clients_that_cannot_prepare_are_not_told_of_it() {
    let offered = |capabilities: Value| {
        let mut client = Client::start();
        let params = json!({ "processId": null, "rootUri": null, "capabilities": capabilities });
        client.initialize(params)["renameProvider"].clone()
    };
    assert_eq!(offered(preparing()), json!({ "prepareProvider": true }));
    assert_eq!(offered(pulling()), json!(true));
}
