//! Grammars of replies that a configuration names: their diagnostics, lens and command.

use serde_json::{Value, json};

use super::client::{Client, Folder, pulling};

const SETTINGS: &str = "[decoding]\nfiles = [\"*.gbnf\"]\n";
const POLICY: &str = "Decl modified(File) bound [/string].\n";

/// A policy with a grammar beside it that was generated, both open.
fn opened() -> (Folder, Client, String, String) {
    let folder = Folder::new(&[("mangle-ls.toml", SETTINGS), ("main.mg", POLICY)]);
    let command = std::process::Command::new(env!("CARGO_BIN_EXE_mangle-ls"))
        .args(["grammar", "--target", "gbnf", "-o", "reply.gbnf"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(command.status.success(), "{command:?}");
    let text = std::fs::read_to_string(folder.path().join("reply.gbnf")).unwrap();
    let mut client = Client::open_workspace(Some(&folder.path()), pulling());
    let (policy, grammar) = (folder.uri("main.mg"), folder.uri("reply.gbnf"));
    client.did_open(&policy, 1, POLICY);
    client.did_open_as(&grammar, "plaintext", 1, &text);
    (folder, client, policy, grammar)
}

fn messages(client: &mut Client, uri: &str) -> Vec<String> {
    let report = client.pull(uri);
    let items = report["items"].as_array().unwrap().iter();
    items.map(|item| item["message"].as_str().unwrap().lines().next().unwrap().to_owned()).collect()
}

fn lens(client: &mut Client, uri: &str) -> Value {
    let document = json!({ "textDocument": { "uri": uri } });
    let lenses = client.request("textDocument/codeLens", document).unwrap();
    assert_eq!(lenses.as_array().unwrap().len(), 1, "{lenses}");
    lenses[0]["command"].clone()
}

#[test]
fn a_changed_declaration_puts_the_grammar_out_of_date() {
    let (_folder, mut client, policy, grammar) = opened();
    assert_eq!(messages(&mut client, &grammar), Vec::<String>::new());
    assert_eq!(lens(&mut client, &grammar)["title"], "generated from 1 declaration");
    let added = json!([{ "text": format!("{POLICY}Decl removed(File) bound [/string].\n") }]);
    client.did_change(&policy, 2, added);
    assert_eq!(messages(&mut client, &grammar), ["file rejects the valid update `removed/1`"]);
    let run = lens(&mut client, &grammar);
    assert_eq!(run["title"], "generated from 1 declaration, out of date");
    let command = json!({ "command": run["command"], "arguments": run["arguments"] });
    assert_eq!(client.request("workspace/executeCommand", command).unwrap(), json!({ "changed": true }));
    let edit = client.incoming("workspace/applyEdit");
    assert!(edit["params"]["edit"].to_string().contains("removed"), "{edit}");
    assert!(client.shut_down().success());
}

#[test]
fn a_grammar_is_generated_for_a_policy() {
    let (folder, mut client, policy, _) = opened();
    let argument = json!({ "uri": policy, "target": "gbnf", "quiet": true });
    let command = json!({ "command": "mangle.grammar", "arguments": [argument] });
    let answer = client.request("workspace/executeCommand", command).unwrap();
    let file = std::fs::read_to_string(folder.path().join("reply.gbnf")).unwrap();
    assert_eq!(answer["text"], file);
    let list = json!({ "command": "mangle.grammar", "arguments": [{ "uri": policy, "quiet": true }] });
    let targets = client.request("workspace/executeCommand", list).unwrap();
    assert_eq!(targets["targets"][4], json!({ "name": "gbnf", "readers": "llama.cpp" }));
    let unknown = json!({ "command": "mangle.grammar", "arguments": [{ "uri": policy, "target": "xml" }] });
    let error = client.request("workspace/executeCommand", unknown).unwrap_err();
    assert!(error["message"].as_str().unwrap().starts_with("there is no target `xml`"), "{error}");
    assert!(client.shut_down().success());
}

#[test]
fn a_grammar_that_is_not_understood_is_reported() {
    let (_folder, mut client, _, grammar) = opened();
    client.did_change(&grammar, 2, json!([{ "text": "root ::= \"a\" root | \"b\"\n" }]));
    assert_eq!(messages(&mut client, &grammar), ["grammar is not compared with the declarations"]);
    assert!(client.shut_down().success());
}
