//! `mangle/test` and the lenses of test files.

use serde_json::{Value, json};

use super::client::{Client, Folder, pulling};

const POLICY: &str = "Decl door(Id) bound [/name].\nopen(D) :- door(D), !locked(D, _).\nlocked(/x, /k).\n";
const TESTS: &str = "# @test name: a door is open\ndoor(/a).\n# @expect open(/a)\n\n\
    # @test name: a locked one is not\ndoor(/x).\n# @forbid open(/x)\n";

fn opened() -> (Folder, Client, String) {
    let folder = Folder::new(&[("doors.mg", POLICY), ("doors_test.mg", TESTS)]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let uri = folder.uri("doors_test.mg");
    client.did_open(&uri, 1, TESTS);
    (folder, client, uri)
}

fn outcomes(report: &Value) -> Vec<(String, String)> {
    let cases =
        report["suites"].as_array().unwrap().iter().flat_map(|suite| suite["cases"].as_array().unwrap());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    cases.map(|case| (text(&case["name"]), text(&case["outcome"]))).collect()
}

#[test]
fn tests_answer_as_the_command_line_does() {
    let (folder, mut client, uri) = opened();
    let report = client.request("mangle/test", json!({ "uri": uri })).unwrap();
    let command = std::process::Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(["test", "--format", "json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let mut expected: Value = serde_json::from_slice(&command.stdout).unwrap();
    assert_eq!(expected["suites"][0]["file"], "doors_test.mg");
    expected["suites"][0]["file"] = report["suites"][0]["file"].clone();
    let explanation = expected["suites"][0]["cases"][1]["failures"][0]["explanation"].take();
    let answered = &report["suites"][0]["cases"][1]["failures"][0]["explanation"];
    expected["suites"][0]["cases"][1]["failures"][0]["explanation"] = answered.clone();
    assert_eq!(explanation.as_str().unwrap().lines().count(), answered.as_str().unwrap().lines().count());
    assert_eq!(report, expected);
    let passed = ("a door is open".to_owned(), "passed".to_owned());
    let failed = ("a locked one is not".to_owned(), "failed".to_owned());
    assert_eq!(outcomes(&report), [passed.clone(), failed.clone()]);
    // Of the policy, the tests that run with it; of the workspace, all.
    for params in [json!({ "uri": folder.uri("doors.mg") }), json!({})] {
        assert_eq!(
            outcomes(&client.request("mangle/test", params).unwrap()),
            [passed.clone(), failed.clone()]
        );
    }
    let written =
        json!({ "uri": uri, "reading": "intended", "case": "a locked one is not", "coverage": true });
    let report = client.request("mangle/test", written).unwrap();
    assert_eq!(outcomes(&report), [("a locked one is not".to_owned(), "passed".to_owned())]);
    assert_eq!(report["coverage"]["unfired"][0]["predicate"], "open/1");
    let filter = json!({ "uri": uri, "filter": "door" });
    assert_eq!(outcomes(&client.request("mangle/test", filter).unwrap()), [passed]);
    // It is the text as it is now that counts.
    let edit = json!([{ "range": { "start": { "line": 5, "character": 0 }, "end": { "line": 6, "character": 0 } }, "text": "" }]);
    client.did_change(&uri, 2, edit);
    let report = client.request("mangle/test", json!({ "uri": uri })).unwrap();
    assert_eq!(report["summary"]["passed"], 2);
    assert!(client.shut_down().success());
}

#[test]
fn lenses_run_the_cases() {
    let (_folder, mut client, uri) = opened();
    let document = json!({ "textDocument": { "uri": uri } });
    let lenses = client.request("textDocument/codeLens", document).unwrap();
    let titles: Vec<_> = lenses.as_array().unwrap().iter().map(|lens| &lens["command"]["title"]).collect();
    assert_eq!(titles, ["run all", "run", "run"]);
    let run = &lenses[2]["command"];
    assert_eq!(run["arguments"], json!([{ "uri": uri, "case": "a locked one is not" }]));
    assert_eq!(lenses[2]["range"]["start"], json!({ "line": 4, "character": 0 }));
    let command = json!({ "command": run["command"], "arguments": run["arguments"] });
    let report = client.request("workspace/executeCommand", command).unwrap();
    assert_eq!(report["summary"]["failed"], 1);
    let shown = client.incoming("window/showMessage");
    let message = "0 passed, 1 failed.\na locked one is not: `open(/x)` is forbidden, but holds.";
    assert_eq!(shown["params"]["message"], message);
    let command = json!({ "command": "mangle.test", "arguments": [] });
    assert_eq!(client.request("workspace/executeCommand", command).unwrap_err()["code"], -32602);
    assert!(client.shut_down().success());
}

/// A position in a document, as parameters of a request.
fn at(uri: &str, line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
}

#[test]
fn expectations_answer_as_code_does() {
    let (folder, mut client, uri) = opened();
    let policy = folder.uri("doors.mg");
    client.did_open(&policy, 1, POLICY);
    // From the policy, all files are renamed, comments included.
    let mut rename = at(&policy, 1, 1);
    rename["newName"] = json!("usable");
    let edit = client.request("textDocument/rename", rename).unwrap();
    let lines = |uri: &str| {
        let changes = &edit["documentChanges"];
        let of_file = changes.as_array().map(|all| all.iter().find(|it| it["textDocument"]["uri"] == uri));
        let edits = match of_file {
            Some(found) => found.map_or(Value::Null, |found| found["edits"].clone()),
            None => edit["changes"][uri].clone(),
        };
        let edits = edits.as_array().cloned().unwrap_or_default();
        let mut lines: Vec<_> =
            edits.iter().map(|edit| edit["range"]["start"]["line"].as_u64().unwrap()).collect();
        lines.sort_unstable();
        lines
    };
    assert_eq!((lines(&policy), lines(&uri)), (vec![1], vec![2, 6]));
    // From a comment, too.
    let prepared = client.request("textDocument/prepareRename", at(&uri, 2, 11)).unwrap();
    assert_eq!(prepared["placeholder"], "open");
    let mut references = at(&uri, 2, 11);
    references["context"] = json!({ "includeDeclaration": true });
    let references = client.request("textDocument/references", references).unwrap();
    assert_eq!(references.as_array().unwrap().len(), 3);
    let definition = client.request("textDocument/definition", at(&uri, 2, 11)).unwrap();
    let definition = definition.to_string();
    assert!(definition.contains(&policy) && definition.contains("\"line\":1"), "{definition}");
    let hover = client.request("textDocument/hover", at(&uri, 2, 11)).unwrap().to_string();
    assert!(hover.contains("open(D: /name)"), "{hover}");
    let key = client.request("textDocument/hover", at(&uri, 2, 5)).unwrap().to_string();
    assert!(key.contains("A fact that must be derived"), "{key}");
    // What is typed is completed.
    let edit = json!([{ "range": { "start": { "line": 2, "character": 0 }, "end": { "line": 3, "character": 0 } },
        "text": "#@expect   lo\n" }]);
    client.did_change(&uri, 2, edit);
    let items = client.request("textDocument/completion", at(&uri, 2, 13)).unwrap().to_string();
    assert!(items.contains("\"label\":\"locked\"") && !items.contains("fn:"), "{items}");
    let edit = json!([{ "range": { "start": { "line": 2, "character": 11 }, "end": { "line": 2, "character": 13 } },
        "text": "open( /a )" }]);
    client.did_change(&uri, 3, edit);
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    let format = json!({ "textDocument": { "uri": uri }, "options": options });
    let edits = client.request("textDocument/formatting", format).unwrap();
    assert_eq!(edits.as_array().unwrap().len(), 4, "{edits}");
    assert!(client.shut_down().success());
}

#[test]
fn paths_of_a_preview_lead_to_their_files() {
    const SAMPLE: &str =
        "# @preview use: policy/doors.mg, policy/*.mg\n# @preview shard: coder-7 coder\ndoor(/a).\n";
    let folder =
        Folder::new(&[("policy/doors.mg", POLICY), ("policy/more.mg", "q(1).\n"), ("x.kernel.mg", SAMPLE)]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let uri = folder.uri("x.kernel.mg");
    client.did_open(&uri, 1, SAMPLE);
    let one = client.request("textDocument/definition", at(&uri, 0, 20)).unwrap().to_string();
    assert!(one.contains("doors.mg") && !one.contains("more.mg"), "{one}");
    let both = client.request("textDocument/definition", at(&uri, 0, 36)).unwrap().to_string();
    assert!(both.contains("doors.mg") && both.contains("more.mg"), "{both}");
    let hover = client.request("textDocument/hover", at(&uri, 0, 36)).unwrap().to_string();
    assert!(hover.contains("Names 2 files:") && hover.contains("policy/more.mg"), "{hover}");
    let key = client.request("textDocument/hover", at(&uri, 1, 12)).unwrap().to_string();
    assert!(key.contains("its ID and its type"), "{key}");
    let items = client.request("textDocument/completion", at(&uri, 0, 20)).unwrap().to_string();
    assert!(items.contains("policy/more.mg") && !items.contains("x.kernel.mg"), "{items}");
    assert!(client.shut_down().success());
}
