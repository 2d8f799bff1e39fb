//! What follows from a program, while one types: hover, lenses, hints, queries, findings.

use serde_json::{Value, json};

use crate::lsp::features::client::{Client, Folder, pulling, with_encoding};
use crate::lsp::features::{at, in_each_encoding};

const DOORS: &str = "door(/d). door(/e).\nlocked(/d, /key).\nopen(D) :- door(D), !locked(D, _).\nway(D) :- open(D), locked(D, /none).\n";

/// Waits until the programs of a document are evaluated.
fn evaluated(client: &mut Client, uri: &str) {
    client.request("mangle/query", json!({ "uri": uri })).unwrap();
}

fn hover(client: &mut Client, uri: &str, line: u64, character: u64) -> String {
    let found = client.request("textDocument/hover", at(uri, line, character)).unwrap();
    found["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

fn capable() -> Value {
    let mut client = pulling();
    client["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    client["workspace"]["inlayHint"] = json!({ "refreshSupport": true });
    with_encoding(client, "utf-8")
}

/// A server with `main.mg` of these files open.
fn opened(files: &[(&str, &str)]) -> (Folder, Client, String) {
    let folder = Folder::new(files);
    let mut client = Client::open_workspace(Some(&folder.path()), capable());
    let uri = folder.uri("main.mg");
    let text = files.iter().find(|(name, _)| *name == "main.mg").unwrap().1;
    client.did_open(&uri, 1, text);
    (folder, client, uri)
}

fn insertion(line: u64, text: &str) -> Value {
    let place = json!({ "line": line, "character": 0 });
    json!([{ "range": { "start": place, "end": place }, "text": text }])
}

#[test]
fn hover_counts_facts_and_shows_both_readings() {
    in_each_encoding(&json!({}), DOORS, |client, uri, _| {
        evaluated(client, uri);
        let text = hover(client, uri, 2, 1);
        assert!(text.contains("2 facts without a sample.\n\nopen(/d)\nopen(/e)"), "{text}");
        assert!(
            text.contains("Reading intended: 1 fact; reading engine: 2. Only in engine: open(/d)."),
            "{text}"
        );
        // `way` has no solutions here.
        assert!(hover(client, uri, 3, 1).contains("No solutions without a sample."));
        // A comment changes nothing: what is known stays known.
        client.did_change(uri, 2, insertion(0, "# Doors.\n"));
        assert!(hover(client, uri, 3, 1).contains("\n\n2 facts without"));
        client.did_change(uri, 3, insertion(1, "door(/f).\n"));
        evaluated(client, uri);
        assert!(hover(client, uri, 4, 1).contains("\n\n3 facts without"));
    });
}

#[test]
fn hover_names_the_samples() {
    let kernels = [
        (
            "main.mg",
            "open(D) :- door(D), !locked(D).\nshut(D) :- door(D), gone(D).\nDecl door(D).\nDecl locked(D).\nDecl gone(D).\n",
        ),
        ("other.mg", "elsewhere(1).\n"),
        ("a.kernel.mg", "# @preview use: main.mg\ndoor(/d). door(/e).\n"),
        ("b.kernel.mg", "# @preview use: main.mg\nlocked(/e).\n"),
        ("c.kernel.mg", "# @preview use: other.mg\ndoor(/never).\n"),
    ];
    let (_folder, mut client, uri) = opened(&kernels);
    evaluated(&mut client, &uri);
    let text = hover(&mut client, &uri, 0, 1);
    assert!(text.contains("2 facts in a.kernel.mg, 0 in b.kernel.mg.\n\nopen(/d)\nopen(/e)"), "{text}");
    let text = hover(&mut client, &uri, 1, 1);
    assert!(text.contains("No solutions with these samples (a.kernel.mg, b.kernel.mg)."), "{text}");
    assert!(client.shut_down().success());
}

#[test]
fn the_sample_of_the_settings_alone_counts() {
    let files = [
        ("mangle-ls.toml", "[kernel]\nsample = [\"b.kernel.mg\"]\nreading = \"intended\"\n"),
        ("main.mg", DOORS),
        ("a.kernel.mg", "# @preview use: main.mg\ndoor(/f).\n"),
        ("b.kernel.mg", "# @preview use: main.mg\ndoor(/g). door(/h).\n"),
    ];
    let (_folder, mut client, uri) = opened(&files);
    evaluated(&mut client, &uri);
    let text = hover(&mut client, &uri, 2, 1);
    assert!(text.contains("3 facts in b.kernel.mg.\n\nopen(/e)"), "{text}");
    assert!(text.contains("Reading intended: 3 facts with b.kernel.mg; reading engine: 4."), "{text}");
    let text = hover(&mut client, &uri, 3, 1);
    assert!(text.contains("No solutions with this sample (b.kernel.mg)."), "{text}");
    assert!(client.shut_down().success());
}

#[test]
fn tables_are_a_sample() {
    let files = [
        ("mangle-ls.toml", "[kernel]\nsample = [\"*.csv\"]\n"),
        (
            "main.mg",
            "Decl door(D) bound [/name].\nDecl locked(D) bound [/name].\nopen(D) :- door(D), !locked(D).\nopen(/e).\n",
        ),
        ("door.csv", "/d\n/e\n"),
        ("locked.csv", "/d\n"),
    ];
    let (_folder, mut client, uri) = opened(&files);
    evaluated(&mut client, &uri);
    let text = hover(&mut client, &uri, 2, 1);
    assert!(text.contains("1 fact in door.csv, locked.csv.\n\nopen(/e)"), "{text}");
    let text = hover(&mut client, &uri, 0, 6);
    assert!(text.contains("2 facts in door.csv, locked.csv.\n\ndoor(/d)\ndoor(/e)"), "{text}");
    let resolved =
        client.request("mangle/query", json!({ "uri": uri, "atom": "door(/d)", "why": true })).unwrap();
    assert_eq!(resolved[0]["sample"], "door.csv, locked.csv");
    assert!(client.shut_down().success());
}

#[test]
fn ground_atoms_hold_or_not() {
    let text = format!("{DOORS}open(/x) :- open(/d), !locked(/e, /key).\n");
    in_each_encoding(&json!({}), &text, |client, uri, _| {
        evaluated(client, uri);
        let fact = hover(client, uri, 0, 1);
        assert!(fact.ends_with("door(/d) holds: a fact at a.mg:1."), "{fact}");
        let premise = hover(client, uri, 4, 13);
        let says = "In reading engine, open(/d) holds: by the rule at a.mg:3 from door(/d), !locked(D, _), which the \
                    engine ignores. In reading intended, it does not hold: ";
        assert!(premise.contains(says), "{premise}");
        let negated = hover(client, uri, 4, 25);
        assert!(
            negated.ends_with(
                "locked(/e, /key) does not hold: this fact does not exist, and the predicate has no rules."
            ),
            "{negated}"
        );
    });
}

/// The lenses of a document.
fn lenses(client: &mut Client, uri: &str) -> Vec<Value> {
    let document = json!({ "textDocument": { "uri": uri } });
    client.request("textDocument/codeLens", document).unwrap().as_array().unwrap().clone()
}

/// The titles of lenses; `?` for those that are to be resolved.
fn titles(lenses: &[Value]) -> Vec<&str> {
    lenses.iter().map(|lens| lens["command"]["title"].as_str().unwrap_or("?")).collect()
}

#[test]
fn lenses_are_listed_at_once_and_resolved_by_the_evaluation() {
    let (folder, mut client, uri) = opened(&[("main.mg", DOORS)]);
    lenses(&mut client, &uri);
    client.incoming("workspace/codeLens/refresh");
    let found = lenses(&mut client, &uri);
    let query = ["query", "copy query"];
    assert_eq!(titles(&found), [&query[..], &query, &query, &["?"]].concat());
    let copy = &found[5]["command"];
    assert_eq!(copy["command"], "mangle.copyQuery");
    let line = format!("mangle-ls query 'open(D)' {}", folder.path().display());
    assert_eq!(copy["arguments"], json!([line]));
    let resolved = client.request("codeLens/resolve", found[6].clone()).unwrap();
    assert_eq!(resolved["command"]["title"], "2 facts (reading intended: 1)");
    // What is shown changes with the facts of another statement.
    client.did_change(&uri, 2, insertion(0, "door(/f).\n"));
    assert_eq!(client.request("codeLens/resolve", found[6].clone()).unwrap_err()["code"], -32801);
    let found = lenses(&mut client, &uri);
    let resolved = client.request("codeLens/resolve", found[6].clone()).unwrap();
    assert_eq!(resolved["command"]["title"], "3 facts (reading intended: 2)");
    client.incoming("workspace/codeLens/refresh");
    assert!(client.shut_down().success());
}

#[test]
fn lenses_without_solutions_are_shown_on_demand() {
    let files = [
        ("main.mg", "open(D) :- door(D).\nshut(D) :- locked(D).\n"),
        ("a.kernel.mg", "# @preview use: main.mg\nDecl locked(D).\ndoor(/f).\n"),
    ];
    let (_folder, mut client, uri) = opened(&files);
    lenses(&mut client, &uri);
    evaluated(&mut client, &uri);
    client.incoming("workspace/codeLens/refresh");
    assert_eq!(titles(&lenses(&mut client, &uri)), ["query", "copy query", "?"]);
    // The rule that is being edited keeps its lens until its new text is evaluated.
    client.did_change(&uri, 2, insertion(0, "open(D) :- locked(D).\n"));
    assert_eq!(titles(&lenses(&mut client, &uri)).last(), Some(&"?"));
    let all = json!({ "settings": { "mangle": { "lenses": { "all": true } } } });
    client.notify("workspace/didChangeConfiguration", all);
    client.incoming("workspace/codeLens/refresh");
    let found = lenses(&mut client, &uri);
    assert_eq!(titles(&found), ["query", "copy query", "?", "?", "query", "copy query", "?"]);
    let resolved = client.request("codeLens/resolve", found[6].clone()).unwrap();
    assert_eq!(resolved["command"]["title"], "no solutions");
    assert!(client.shut_down().success());
}

#[test]
fn a_client_that_cannot_refresh_lenses_has_all_before_the_evaluation() {
    let folder = Folder::new(&[("main.mg", "")]);
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let uri = folder.uri("main.mg");
    client.did_open(&uri, 1, DOORS);
    assert!(titles(&lenses(&mut client, &uri)).contains(&"?"));
    assert!(client.shut_down().success());
}

#[test]
fn the_command_of_a_lens_answers_and_shows_the_first_facts() {
    let (_folder, mut client, uri) = opened(&[("main.mg", DOORS)]);
    let question = json!({ "uri": uri, "atom": "open(D)" });
    let command = json!({ "command": "mangle.query", "arguments": [question] });
    let answer = client.request("workspace/executeCommand", command).unwrap();
    assert_eq!(answer[0]["facts"], json!(["open(/d)", "open(/e)"]));
    let shown = client.incoming("window/showMessage");
    assert_eq!(shown["params"]["message"], "2 facts for open(D):\nopen(/d)\nopen(/e)");
    for arguments in [json!([]), json!([{ "uri": uri, "atom": "oben(D)" }])] {
        let command = json!({ "command": "mangle.query", "arguments": arguments });
        assert_eq!(client.request("workspace/executeCommand", command).unwrap_err()["code"], -32602);
    }
    let copy = json!({ "command": "mangle.copyQuery", "arguments": ["mangle-ls query --dump ."] });
    client.request("workspace/executeCommand", copy).unwrap();
    assert_eq!(client.incoming("window/showMessage")["params"]["message"], "mangle-ls query --dump .");
    assert!(client.shut_down().success());
}

#[test]
fn rules_without_solutions_are_marked_where_there_is_a_sample() {
    let files = [("main.mg", DOORS), ("a.kernel.mg", "# @preview use: main.mg\ndoor(/f).\n")];
    let whole = |uri: &str| {
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
        json!({ "textDocument": { "uri": uri }, "range": range })
    };
    let marks = |hints: &Value| -> Vec<Value> {
        let hints = hints.as_array().unwrap().iter();
        hints.filter(|hint| hint["label"] == "no solutions").map(|hint| hint["position"].clone()).collect()
    };
    let (_folder, mut client, uri) = opened(&files);
    client.request("textDocument/inlayHint", whole(&uri)).unwrap();
    evaluated(&mut client, &uri);
    client.incoming("workspace/inlayHint/refresh");
    let hints = client.request("textDocument/inlayHint", whole(&uri)).unwrap();
    assert_eq!(marks(&hints), [json!({ "line": 3, "character": 36 })]);
    assert!(client.shut_down().success());
    let (_folder, mut client, uri) = opened(&files[..1]);
    evaluated(&mut client, &uri);
    let hints = client.request("textDocument/inlayHint", whole(&uri)).unwrap();
    assert_eq!(marks(&hints), [json!(null); 0]);
    assert!(client.shut_down().success());
}

#[test]
fn queries_answer_as_the_command_line_does() {
    let (_folder, mut client, uri) = opened(&[("main.mg", DOORS)]);
    let question = json!({ "uri": uri, "atom": "open(/d)", "reading": "both", "why": true, "whyNot": true });
    let answer = client.request("mangle/query", question).unwrap();
    let proof =
        "open(/d)  by main.mg:3\n  door(/d)  [main.mg:1]\n  !locked(D, _)  is ignored by the engine\n";
    assert_eq!(answer[0]["reading"], "engine");
    assert_eq!(answer[0]["proofs"], json!([proof]));
    assert_eq!(answer[0]["sample"], Value::Null);
    assert_eq!((&answer[1]["reading"], &answer[1]["facts"]), (&json!("intended"), &json!([])));
    let why_not = answer[1]["why_not"].as_str().unwrap();
    assert!(why_not.starts_with("main.mg:3: premise 2 fails"), "{why_not}");
    let wrong = client.request("mangle/query", json!({ "uri": uri, "atom": "oben(D)" })).unwrap_err();
    assert_eq!(wrong["message"], "there is no predicate `oben/1`; did you mean `open`?");
    assert!(client.shut_down().success());
}

#[test]
fn rows_that_fail_are_found_once_they_are_known() {
    let text = "fare(/tram, 120).\nfare(/ferry, 1).\nper_euro(L, N) :- fare(L, F), N = fn:div(1000, F).\n";
    let (_folder, mut client, uri) = opened(&[("main.mg", text)]);
    client.pull_until(&uri, 0);
    let zero = json!([{ "range": { "start": { "line": 1, "character": 13 }, "end": { "line": 1, "character": 14 } },
        "text": "0" }]);
    client.did_change(&uri, 2, zero);
    client.pull_until(&uri, 1);
    let found = client.pull(&uri)["items"][0].clone();
    assert_eq!((&found["code"], &found["severity"]), (&json!("evaluation-fails"), &json!(1)));
    let message = found["message"].as_str().unwrap();
    assert!(
        message.starts_with("`fn:div(1000, F)` fails: division by zero\nit fails where F = 0"),
        "{message}"
    );
    // A comment moves it, and it stays.
    client.did_change(&uri, 3, insertion(0, "# Fares.\n"));
    let found = client.pull(&uri)["items"][0].clone();
    assert_eq!(found["range"]["start"]["line"], 3);
    assert!(client.shut_down().success());
}

#[test]
fn an_endless_recursion_keeps_nobody_waiting_and_an_edit_ends_it() {
    let text = "tick(0).\ntick(M) :- tick(N), M = fn:plus(N, 1).\n";
    let files = [("mangle-ls.toml", "[kernel]\nmax_derived = 100000000\n"), ("main.mg", text)];
    let (_folder, mut client, uri) = opened(&files);
    let question = json!({ "uri": uri, "atom": "tick(1)" });
    let waiting = client.ask("mangle/query", question.clone());
    // Others are answered first.
    let text = hover(&mut client, &uri, 1, 1);
    assert!(text.contains("The evaluation is pending."), "{text}");
    for _ in 0..20 {
        client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } })).unwrap();
    }
    let is_answer = |message: &Value| message["id"] == waiting && message.get("method").is_none();
    assert!(!client.drain().iter().any(is_answer), "the evaluation cannot be over yet");
    client.did_change(&uri, 2, insertion(1, "# "));
    assert_eq!(client.response(waiting).unwrap_err()["code"], -32801);
    let answer = client.request("mangle/query", question).unwrap();
    assert_eq!((&answer[0]["facts"], &answer[0]["stopped"]), (&json!([]), &Value::Null));
    assert!(client.shut_down().success());
}
