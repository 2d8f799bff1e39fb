//! Code actions: what is offered where, and what applying it does.

use crate::support::client;

use serde_json::{Value, json};

use client::{Client, Folder, pulling};

const URI: &str = "untitled:a.mg";

fn at(line: u32, character: u32) -> Value {
    json!({ "line": line, "character": character })
}

fn actions(client: &mut Client, uri: &str, start: Value, end: Value, context: Value) -> Vec<Value> {
    let range = json!({ "start": start, "end": end });
    let params = json!({ "textDocument": { "uri": uri }, "range": range, "context": context });
    client.request("textDocument/codeAction", params).unwrap().as_array().unwrap().clone()
}

fn titles(actions: &[Value]) -> Vec<String> {
    let one = |action: &Value| {
        format!("{}: {}", action["kind"].as_str().unwrap(), action["title"].as_str().unwrap())
    };
    actions.iter().map(one).collect()
}

/// The text after the edits of an action in the only document; all on single lines, in UTF-16.
fn applied(text: &str, edits: &Value) -> String {
    let mut edits: Vec<_> = edits.as_array().unwrap().clone();
    let key = |edit: &Value| {
        let start = &edit["range"]["start"];
        (start["line"].as_u64().unwrap(), start["character"].as_u64().unwrap())
    };
    edits.sort_by_key(key);
    let mut lines: Vec<Vec<u16>> = text.split('\n').map(|line| line.encode_utf16().collect()).collect();
    for edit in edits.iter().rev() {
        let (start, end) = (&edit["range"]["start"], &edit["range"]["end"]);
        assert_eq!(start["line"], end["line"]);
        let column = |position: &Value| usize::try_from(position["character"].as_u64().unwrap()).unwrap();
        let line = &mut lines[usize::try_from(start["line"].as_u64().unwrap()).unwrap()];
        line.splice(column(start)..column(end), edit["newText"].as_str().unwrap().encode_utf16());
    }
    let lines: Vec<_> = lines.iter().map(|line| String::from_utf16(line).unwrap()).collect();
    lines.join("\n")
}

#[test]
fn a_quick_fix_mends_its_diagnostic() {
    let text = "# 🦀\nq(\"🦀\").\np(X) :- q(X)\n\nr(1).\n";
    let mut client = Client::open_workspace(None, pulling());
    client.did_open(URI, 3, text);
    let report = client.pull(URI);
    let diagnostic =
        report["items"].as_array().unwrap().iter().find(|item| item["code"] == "missing-dot").unwrap();
    let mut sent = diagnostic.clone();
    sent["data"] = json!({ "kept": "by the client" });
    let (start, end) = (diagnostic["range"]["start"].clone(), diagnostic["range"]["end"].clone());
    let offered = actions(&mut client, URI, start, end, json!({ "diagnostics": [sent] }));
    assert_eq!(
        titles(&offered),
        [
            "quickfix: insert `.`",
            "quickfix: Open the page of `missing-dot`",
            "source.fixAll.mangle: Apply all safe fixes in this file"
        ]
    );
    assert_eq!(offered[0]["isPreferred"], true);
    assert_eq!(offered[0]["diagnostics"][0], sent, "the diagnostic is the client's own");
    let edit = &offered[0]["edit"]["documentChanges"][0];
    assert_eq!(edit["textDocument"], json!({ "uri": URI, "version": 3 }));
    let after = applied(text, &edit["edits"]);
    assert_eq!(after, text.replace("q(X)\n", "q(X).\n"));
    client.did_change(URI, 4, json!([{ "text": after }]));
    assert!(client.pull(URI)["items"].as_array().unwrap().iter().all(|item| item["code"] != "missing-dot"));
}

#[test]
fn nothing_is_offered_elsewhere() {
    let mut client = Client::open_workspace(None, pulling());
    client.did_open(URI, 1, "r(1). # r\n\np(X) :- q(X)\n");
    assert_eq!(actions(&mut client, URI, at(0, 7), at(0, 9), json!({ "diagnostics": [] })), [] as [Value; 0]);
}

#[test]
fn kinds_are_filtered() {
    let text = "p(1)\nq(2)\nr(3).\n";
    let mut client = Client::open_workspace(None, pulling());
    client.did_open(URI, 1, text);
    let mut only = |kinds: Value| {
        titles(&actions(&mut client, URI, at(0, 0), at(9, 0), json!({ "diagnostics": [], "only": kinds })))
    };
    let all = "source.fixAll.mangle: Apply all safe fixes in this file";
    for kinds in [json!(["source"]), json!(["source.fixAll"]), json!(["source.fixAll.mangle"])] {
        assert_eq!(only(kinds), [all]);
    }
    assert!(only(json!(["quickfix"])).iter().all(|title| title.starts_with("quickfix: ")));
    assert_eq!(
        only(json!(["refactor"])),
        ["refactor.rewrite: Declare `p/1`", "refactor.rewrite: Declare all 3 predicates that have no `Decl`"]
    );
    assert_eq!(only(json!(["refactor.inline", "source.organizeImports"])), [] as [&str; 0]);
}

#[test]
fn all_safe_fixes_at_once() {
    let text = "p(1)\nq(2)\nr(3).\n";
    let mut client = Client::open_workspace(None, pulling());
    client.did_open(URI, 1, text);
    let offered = actions(
        &mut client,
        URI,
        at(0, 0),
        at(0, 0),
        json!({ "diagnostics": [], "only": ["source.fixAll"] }),
    );
    let after = applied(text, &offered[0]["edit"]["documentChanges"][0]["edits"]);
    client.did_change(URI, 2, json!([{ "text": after }]));
    let left = client.pull(URI);
    let codes: Vec<_> = left["items"].as_array().unwrap().iter().map(|item| item["code"].clone()).collect();
    assert!(!codes.contains(&json!("missing-dot")), "{after:?} {codes:?}");
}

#[test]
fn clients_that_know_no_versions_get_plain_changes() {
    let folder = Folder::new(&[("a.mg", "p(1)\n")]);
    let mut capabilities = pulling();
    capabilities["workspace"]["workspaceEdit"] = json!({});
    capabilities["textDocument"]["codeAction"]["isPreferredSupport"] = json!(false);
    let mut client = Client::open_workspace(Some(&folder.path()), capabilities);
    let uri = folder.uri("a.mg");
    let offered = actions(&mut client, &uri, at(0, 0), at(1, 0), json!({ "diagnostics": [] }));
    assert!(offered[0].get("isPreferred").is_none());
    let edits = &offered[0]["edit"]["changes"][&uri];
    assert_eq!(applied("p(1)\n", edits), "p(1).\n");
}

/// Capabilities of a client that asks later what an action does.
fn resolving() -> Value {
    let mut capabilities = pulling();
    let action = &mut capabilities["textDocument"]["codeAction"];
    action["dataSupport"] = json!(true);
    action["resolveSupport"] = json!({ "properties": ["edit"] });
    capabilities["workspace"]["applyEdit"] = json!(true);
    capabilities["window"] = json!({ "showDocument": { "support": true } });
    capabilities
}

fn titled<'a>(actions: &'a [Value], title: &str) -> &'a Value {
    let found = actions.iter().find(|action| action["title"] == title);
    found.unwrap_or_else(|| panic!("no {title} in {:?}", titles(actions)))
}

fn resolve(client: &mut Client, action: &Value) -> Value {
    client.request("codeAction/resolve", action.clone()).unwrap()
}

const HINTS: &str = "q(1, 2).\n  p(X) :- q(X, N).\n\nr(X) :- q(X, M).\nt(1)\n";

#[test]
fn what_an_action_does_is_said_when_asked() {
    let mut client = Client::open_workspace(None, resolving());
    client.did_open(URI, 1, HINTS);
    let offered = actions(&mut client, URI, at(1, 16), at(1, 16), json!({ "diagnostics": [] }));
    assert_eq!(
        titles(&offered),
        [
            "quickfix: replace `N` by `_`",
            "quickfix: Fix all `singleton-variable` in this file",
            "quickfix: Silence `singleton-variable` here",
            "quickfix: Silence `singleton-variable` in this file",
            "quickfix: Open the page of `singleton-variable`",
            "source.fixAll.mangle: Apply all safe fixes in this file",
            "source.fixWorkspace.mangle: Apply all safe fixes in the workspace",
        ]
    );
    assert!(offered.iter().all(|action| action.get("edit").is_none()));
    let mut after = |title: &str| {
        let resolved = resolve(&mut client, titled(&offered, title));
        let change = &resolved["edit"]["documentChanges"][0];
        assert_eq!(change["textDocument"], json!({ "uri": URI, "version": 1 }));
        applied(HINTS, &change["edits"])
    };
    assert_eq!(after("replace `N` by `_`"), HINTS.replace(", N", ", _"));
    assert_eq!(
        after("Fix all `singleton-variable` in this file"),
        HINTS.replace(", N", ", _").replace(", M", ", _")
    );
    let fixed = HINTS.replace(", N", ", _").replace(", M", ", _").replace("t(1)", "t(1).");
    assert_eq!(after("Apply all safe fixes in this file"), fixed);
    assert_eq!(after("Apply all safe fixes in the workspace"), fixed);
    let comment = "# mangle-ls: ignore singleton-variable\n";
    assert_eq!(
        after("Silence `singleton-variable` here"),
        HINTS.replace("  p(X)", &format!("  {comment}  p(X)"))
    );
    assert_eq!(
        after("Silence `singleton-variable` in this file"),
        format!("{}{HINTS}", comment.replace("ignore", "ignore-file"))
    );
}

#[test]
fn silencing_takes_effect_at_once_and_grows() {
    let mut client = Client::open_workspace(None, resolving());
    client.did_open(URI, 1, "q(1, 2).\n# mangle-ls: ignore unsafe -- why\np(X) :- q(X, N).\n");
    let offered = actions(&mut client, URI, at(2, 14), at(2, 14), json!({ "diagnostics": [] }));
    let action = resolve(&mut client, titled(&offered, "Silence `singleton-variable` here"));
    let edits = &action["edit"]["documentChanges"][0]["edits"];
    let after = applied("q(1, 2).\n# mangle-ls: ignore unsafe -- why\np(X) :- q(X, N).\n", edits);
    assert_eq!(after, "q(1, 2).\n# mangle-ls: ignore unsafe, singleton-variable -- why\np(X) :- q(X, N).\n");
    client.did_change(URI, 2, json!([{ "text": after }]));
    let left = client.pull(URI);
    assert!(left["items"].as_array().unwrap().iter().all(|item| item["code"] != "singleton-variable"));
    // What an edit makes superfluous is said while one types.
    client.did_change(URI, 3, json!([{ "text": after.replace("(X, N)", "(X, _)") }]));
    let left = client.pull(URI);
    assert!(left["items"].as_array().unwrap().iter().any(|item| item["code"] == "unused-suppression"));
}

#[test]
fn syntax_errors_are_not_offered_to_be_silenced() {
    let mut client = Client::open_workspace(None, resolving());
    client.did_open(URI, 1, "p(1)\n");
    let offered = actions(&mut client, URI, at(0, 0), at(1, 0), json!({ "diagnostics": [] }));
    assert!(titles(&offered).iter().all(|title| !title.contains("Silence")), "{offered:?}");
}

#[test]
fn an_action_of_an_older_version_is_refused() {
    let mut client = Client::open_workspace(None, resolving());
    client.did_open(URI, 1, HINTS);
    let offered = actions(&mut client, URI, at(1, 16), at(1, 16), json!({ "diagnostics": [] }));
    client.did_change(URI, 2, json!([{ "text": format!("\n{HINTS}") }]));
    client.pull(URI);
    let error = client.request("codeAction/resolve", offered[0].clone()).unwrap_err();
    assert_eq!(error["code"], -32801);
    let foreign = json!({ "title": "x", "data": { "of": "somebody else" } });
    assert_eq!(client.request("codeAction/resolve", foreign).unwrap_err()["code"], -32602);
}

#[test]
fn moving_about_brings_up_nothing_wide() {
    let mut client = Client::open_workspace(None, resolving());
    client.did_open(URI, 1, HINTS);
    let automatic = json!({ "diagnostics": [], "triggerKind": 2 });
    let offered = actions(&mut client, URI, at(1, 16), at(1, 16), automatic);
    assert!(titles(&offered).iter().all(|title| title.starts_with("quickfix: ")));
    let on_save = json!({ "diagnostics": [], "triggerKind": 2, "only": ["source.fixAll"] });
    let offered = actions(&mut client, URI, at(0, 0), at(0, 0), on_save);
    assert_eq!(titles(&offered), ["source.fixAll.mangle: Apply all safe fixes in this file"]);
}

#[test]
fn the_workspace_is_fixed_over_files() {
    let folder = Folder::new(&[("a.mg", "p(1)\n"), ("sub/b.mg", "q(1)\n")]);
    let mut client = Client::open_workspace(Some(&folder.path()), resolving());
    client.did_open(&folder.uri("a.mg"), 7, "p(1)\n");
    client.pull(&folder.uri("a.mg"));
    client.request("workspace/executeCommand", json!({ "command": "mangle.fixWorkspace" })).unwrap();
    let request = client.incoming("workspace/applyEdit");
    let changes = request["params"]["edit"]["documentChanges"].as_array().unwrap();
    let documents: Vec<_> = changes.iter().map(|change| change["textDocument"].clone()).collect();
    assert_eq!(documents.len(), 2);
    assert!(documents.contains(&json!({ "uri": folder.uri("a.mg"), "version": 7 })));
    assert!(documents.contains(&json!({ "uri": folder.uri("sub/b.mg"), "version": null })));
    assert!(changes.iter().all(|change| change["edits"][0]["newText"] == "."));
}

#[test]
fn pages_open_where_there_are_any_and_commands_are_checked() {
    let mut client = Client::open_workspace(None, resolving());
    client.did_open(URI, 1, HINTS);
    let offered = actions(&mut client, URI, at(1, 16), at(1, 16), json!({ "diagnostics": [] }));
    let command = titled(&offered, "Open the page of `singleton-variable`")["command"].clone();
    assert_eq!(command["command"], "mangle.openRulePage");
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    client.request("workspace/executeCommand", params).unwrap();
    let shown = client.wait("a page", |message| {
        message["method"] == "window/showDocument" || message["method"] == "window/showMessage"
    });
    assert!(shown["params"].to_string().contains("singleton-variable"), "{shown}");
    for bad in [json!({ "command": "mangle.nothing" }), json!({ "command": "mangle.openRulePage" })] {
        assert_eq!(client.request("workspace/executeCommand", bad).unwrap_err()["code"], -32602);
    }
}

#[test]
fn assists_are_offered_by_kind_and_resolved() {
    let text = "# 🦀\na(X) :- b(\"🦀\", X), c(X, Y), !d(Y), e(X).\nb(\"\", 1). c(1, 1). d(2). e(1).\n";
    let mut client = Client::open_workspace(None, resolving());
    client.did_open(URI, 1, text);
    let context = json!({ "diagnostics": [], "only": ["refactor.extract"] });
    let offered = actions(&mut client, URI, at(1, 20), at(1, 34), context);
    assert_eq!(titles(&offered), ["refactor.extract: Extract 2 premises into the rule `a_part`"]);
    assert!(offered[0].get("edit").is_none());
    let resolved = client.request("codeAction/resolve", offered[0].clone()).unwrap();
    let edits = &resolved["edit"]["documentChanges"][0]["edits"];
    assert_eq!(
        applied(text, edits),
        "# 🦀\na(X) :- b(\"🦀\", X), a_part(X), e(X).\n\na_part(X) :-\n    c(X, Y), !d(Y).\nb(\"\", 1). c(1, 1). d(2). e(1).\n"
    );
    client.did_change(URI, 2, json!([{ "text": "a(1).\n" }]));
    assert!(client.request("codeAction/resolve", offered[0].clone()).is_err());
    let moving = json!({ "diagnostics": [], "triggerKind": 2 });
    assert_eq!(
        titles(&actions(&mut client, URI, at(0, 0), at(0, 0), moving)),
        ["refactor.rewrite: Declare `a/1`"]
    );
}

#[test]
fn a_test_case_goes_into_the_test_file_of_the_policy() {
    let policy = "door(/a).\nopen(D) :- door(D).\n";
    let folder = Folder::new(&[
        ("doors.mg", policy),
        ("more.mg", "door(/b).\n"),
        ("more_test.mg", "# @test name: x\n"),
    ]);
    let generate = |capabilities: &Value, file: &str| {
        let mut client = Client::open_workspace(Some(&folder.path()), capabilities.clone());
        let only = json!({ "diagnostics": [], "only": ["refactor.rewrite"] });
        let offered = actions(&mut client, &folder.uri(file), at(0, 0), at(0, 0), only);
        offered.into_iter().find(|action| action["title"] == "Generate a test case from this fact")
    };
    let mut capabilities = pulling();
    capabilities["workspace"]["workspaceEdit"]["documentChanges"] = json!(true);
    assert!(generate(&capabilities, "doors.mg").is_none(), "the client cannot make files");
    capabilities["workspace"]["workspaceEdit"]["resourceOperations"] = json!(["create"]);
    let uri = folder.uri("doors_test.mg");
    let changes = generate(&capabilities, "doors.mg").unwrap()["edit"]["documentChanges"].clone();
    assert_eq!(changes[0], json!({ "kind": "create", "uri": uri }));
    assert_eq!(changes[1]["textDocument"], json!({ "uri": uri, "version": null }));
    let case = "# @test name: facts derived from door\ndoor(/a).\n# @expect open(/a)\n";
    assert_eq!(changes[1]["edits"][0]["newText"], case);
    let changes = generate(&capabilities, "more.mg").unwrap()["edit"]["documentChanges"].clone();
    assert_eq!(changes[0]["textDocument"]["uri"], folder.uri("more_test.mg"));
    assert_eq!(changes[0]["edits"][0]["range"]["start"], at(1, 0));
    assert_eq!(changes[0]["edits"][0]["newText"], format!("\n{}", case.replace("/a", "/b")));
    folder.write("doors_test.mg", "");
    let changes = generate(&capabilities, "doors.mg").unwrap()["edit"]["documentChanges"].clone();
    assert_eq!(changes[0]["edits"][0]["newText"], case);
}
