//! Properties of a policy test in the editor: checked when nothing else is to be done, shown above them, in hover, as a document and as
//! findings, and what is done with their worlds.

use serde_json::{Value, json};

use super::at;
use super::client::{Client, Folder, pulling, with_encoding};

const POLICY: &str = "Decl door(D) descr [extensional()] bound [/name].\n\
    Decl locked(D, Key) descr [extensional()] bound [/name, /name].\n\
    open(D) :- door(D), !locked(D, _).\n";
const TESTS: &str =
    "# @never name: no locked door is open\n#   open(D), locked(D, _)\n\n# @possible open(/x)\n";

fn capable() -> Value {
    let mut client = pulling();
    client["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    with_encoding(client, "utf-8")
}

fn opened() -> (Folder, Client, String) {
    let folder = Folder::new(&[("doors.mg", POLICY), ("doors_test.mg", TESTS)]);
    let mut client = Client::open_workspace(Some(&folder.path()), capable());
    let uri = folder.uri("doors_test.mg");
    client.did_open(&uri, 1, TESTS);
    (folder, client, uri)
}

/// The verdicts above the properties.
fn verdicts(client: &mut Client, uri: &str) -> Vec<String> {
    let document = json!({ "textDocument": { "uri": uri } });
    let lenses = client.request("textDocument/codeLens", document).unwrap();
    let verdicts =
        lenses.as_array().unwrap().iter().filter(|lens| lens["command"]["command"] == "mangle.property");
    verdicts.map(|lens| lens["command"]["title"].as_str().unwrap().to_owned()).collect()
}

/// The verdicts once all are known.
fn known(client: &mut Client, uri: &str) -> Vec<String> {
    loop {
        let verdicts = verdicts(client, uri);
        if verdicts.iter().all(|verdict| verdict != "not checked yet") {
            return verdicts;
        }
        client.incoming("workspace/codeLens/refresh");
    }
}

fn found(client: &mut Client, uri: &str) -> Vec<Value> {
    let report = client.pull(uri);
    report["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|found| found["code"] == "property-violated")
        .cloned()
        .collect()
}

#[test]
fn what_a_property_came_to_is_above_it_and_is_found() {
    let (folder, mut client, uri) = opened();
    assert_eq!(known(&mut client, &uri), ["violated by 2 facts", "possible with 1 fact"]);
    let mut all = found(&mut client, &uri);
    while all.is_empty() {
        client.incoming("workspace/diagnostic/refresh");
        all = found(&mut client, &uri);
    }
    assert_eq!(all.len(), 1);
    let finding = all[0].to_string();
    for part in
        ["property is violated by 2 facts", "`door(/a)`, `locked(/a,/a)`", "this rule derives it", "doors.mg"]
    {
        assert!(finding.contains(part), "{part}: {finding}");
    }
    let hover = client.request("textDocument/hover", at(&uri, 0, 12)).unwrap().to_string();
    for part in ["violated by 2 facts", "locked(/a,/a)", "in the reading `intended`: holds up to 5 facts"] {
        assert!(hover.contains(part), "{part}: {hover}");
    }
    // Neither a comment nor a case behind the properties changes an answer.
    let insertion = |line: u64, text: &str| {
        let place = json!({ "line": line, "character": 0 });
        json!([{ "range": { "start": place, "end": place }, "text": text }])
    };
    let policy = folder.uri("doors.mg");
    client.did_open(&policy, 1, POLICY);
    client.did_change(&policy, 2, insertion(0, "# Doors.\n"));
    assert_eq!(verdicts(&mut client, &uri), ["violated by 2 facts", "possible with 1 fact"]);
    assert_eq!(found(&mut client, &uri).len(), 1);
    client.did_change(&uri, 2, insertion(4, "\n# @test name: one\ndoor(/a).\n# @expect open(/a)\n"));
    assert_eq!(verdicts(&mut client, &uri), ["violated by 2 facts", "possible with 1 fact"]);
    // The policy without its mistake has the property.
    let rule = json!([{ "range": { "start": { "line": 3, "character": 0 }, "end": { "line": 4, "character": 0 } },
        "text": "is_locked(D) :- locked(D, _).\nopen(D) :- door(D), !is_locked(D).\n" }]);
    client.did_change(&policy, 3, rule);
    assert_eq!(found(&mut client, &uri).len(), 0);
    assert_eq!(known(&mut client, &uri), ["holds up to 5 facts", "possible with 1 fact"]);
    assert!(client.shut_down().success());
}

#[test]
fn a_world_becomes_a_document_and_a_case() {
    let (_folder, mut client, uri) = opened();
    known(&mut client, &uri);
    let argument = json!({ "uri": uri, "name": "no locked door is open" });
    let command = json!({ "command": "mangle.property", "arguments": [argument] });
    let answer = client.request("workspace/executeCommand", command).unwrap();
    let message = client.incoming("window/showMessage")["params"]["message"].clone();
    let document = answer["document"].as_str().unwrap();
    assert!(document.starts_with("mangle-property:/no%20locked%20door%20is%20open?of="), "{document}");
    let made = client.request("mangle/virtualDocument", json!({ "uri": document })).unwrap();
    assert_eq!(made["text"], message);
    let text = made["text"].as_str().unwrap();
    assert!(
        text.contains("what only one reading gives in this world:\n    open(/a) (reading `engine`)\n"),
        "{text}"
    );
    assert_eq!(made["origins"][0]["location"]["range"]["start"], json!({ "line": 0, "character": 0 }));
    let range = json!({ "start": { "line": 0, "character": 3 }, "end": { "line": 0, "character": 3 } });
    let wanted = json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } });
    let actions = client.request("textDocument/codeAction", wanted).unwrap();
    let actions = actions.as_array().unwrap();
    let titled = |title: &str| actions.iter().find(|action| action["title"] == title).cloned().unwrap();
    let shown = titled("Show the differences between the readings");
    assert_eq!(shown["command"]["command"], "mangle.property");
    let case = titled("Add the world as a test case");
    let case = match case["edit"].is_null() {
        true => client.request("codeAction/resolve", case).unwrap(),
        false => case,
    };
    let edit = case["edit"].to_string();
    let expected =
        "\\n# @test name: no locked door is open\\ndoor(/a).\\nlocked(/a,/a).\\n# @forbid open(/a)\\n";
    assert!(edit.contains(expected), "{edit}");
    assert!(client.shut_down().success());
}

#[test]
fn a_comparison_follows_the_other_program() {
    const CONFIGURATION: &str = "[[program]]\nname = \"one\"\n";
    const COMPARED: &str = "# @implies open(D) with ../old\n";
    let folder = Folder::new(&[
        ("new/mangle-ls.toml", CONFIGURATION),
        ("new/doors.mg", POLICY),
        ("new/doors_test.mg", COMPARED),
        ("old/mangle-ls.toml", CONFIGURATION),
        ("old/doors.mg", POLICY),
    ]);
    let mut client = Client::open_workspace(Some(&folder.path()), capable());
    let uri = folder.uri("new/doors_test.mg");
    client.did_open(&uri, 1, COMPARED);
    let verdict = known(&mut client, &uri);
    assert!(verdict[0].starts_with("holds in every world"), "{verdict:?}");
    let other = folder.uri("old/doors.mg");
    client.did_open(&other, 1, POLICY);
    let rule = json!([{ "range": { "start": { "line": 2, "character": 0 }, "end": { "line": 3, "character": 0 } },
        "text": "open(D) :- door(D), locked(D, _).\n" }]);
    client.did_change(&other, 2, rule);
    assert_eq!(known(&mut client, &uri), ["violated by 1 fact"]);
    assert!(client.shut_down().success());
}
