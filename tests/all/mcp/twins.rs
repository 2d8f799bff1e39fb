//! Each tool against its twin: the same JSON, apart from the pages.

use std::path::Path;

use mangle_settings::Runtime;
use serde_json::{Value, json};

use super::client::McpClient;
use super::example;
use crate::support::command::run;

/// What a command writes, without the time that it took.
fn written(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = String::from_utf8(run(folder, arguments).stdout).unwrap();
    match serde_json::from_str(&output) {
        Ok(one) => vec![steady(one)],
        Err(_) => output.lines().map(|line| steady(serde_json::from_str(line).unwrap())).collect(),
    }
}

/// A value without the time that something took.
fn steady(mut value: Value) -> Value {
    match &mut value {
        Value::Object(members) => {
            members.retain(|name, _| name != "elapsed_ms");
            members.values_mut().for_each(|member| *member = steady(member.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = steady(item.take())),
        _ => {}
    }
    value
}

/// The items of all pages.
fn items(pages: &[Value], place: &str) -> Vec<Value> {
    pages
        .iter()
        .flat_map(|page| page.pointer(place).and_then(Value::as_array).cloned().unwrap_or_default())
        .map(steady)
        .collect()
}

#[test]
fn check_is_that_of_the_command_line() {
    for name in ["incident", "habits", "shift", "transcripts", "starter"] {
        let folder = example(name);
        let mut client = McpClient::start(&folder, &[]);
        let mut twin = written(&folder, &["check", "--format", "json", "--evaluate"]);
        let last = twin.pop().unwrap();
        let pages = client.pages("check", &json!({"evaluate": true}));
        assert_eq!(items(&pages, "/findings"), twin, "{name}");
        for page in &pages {
            assert_eq!(steady(page["summary"].clone()), last["summary"], "{name}");
            assert!(page["findings"].as_array().unwrap().len() <= 50);
        }
    }
}

#[test]
fn unsaved_text_is_checked_in_its_program() {
    let folder = example("incident");
    let mut client = McpClient::start(&folder, &[]);
    let text = "wrong(X) :- no_such_predicate(X).\n";
    let of_rules = |page: &Value| {
        let findings = page["findings"].as_array().unwrap().iter();
        findings.map(|finding| (finding["file"].clone(), finding["rule"].clone())).collect::<Vec<_>>()
    };
    let there = client.call("check", json!({"path": "routing.mg", "text": text}));
    assert!(of_rules(&there).contains(&(json!("routing.mg"), json!("undefined-predicate"))), "{there}");
    let new = client.call("check", json!({"path": "new.mg", "text": text}));
    assert!(of_rules(&new).contains(&(json!("new.mg"), json!("undefined-predicate"))), "{new}");
    assert!(of_rules(&new).iter().all(|(file, _)| file == "new.mg"), "{new}");
    let known = client.call("check", json!({"path": "new.mg", "text": "fresh(X) :- safe_action(X).\n"}));
    assert!(!of_rules(&known).contains(&(json!("new.mg"), json!("undefined-predicate"))), "{known}");
    assert_eq!(client.refused("check", json!({"text": text})), "`text` needs `path`, the path of this text");
}

#[test]
fn rules_are_those_of_the_command_line() {
    let folder = example("starter");
    let mut client = McpClient::start(&folder, &[]);
    let twin = written(&folder, &["explain", "MG210", "--format", "json"]);
    assert_eq!(client.call("explain_rule", json!({"rule": "negation-wildcard"}))["rule"], twin[0][0]);
    let why = client.refused("explain_rule", json!({"rule": "negation-wildcrad"}));
    assert_eq!(why, "there is no rule `negation-wildcrad`; did you mean `negation-wildcard`?");
}

#[test]
fn queries_are_those_of_the_command_line() {
    let folder = example("starter");
    let mut client = McpClient::start(&folder, &[]);
    let atom = "permitted(A, B, C)";
    for (arguments, options) in [
        (json!({"atom": atom}), &[][..]),
        (json!({"atom": atom, "why": true, "reading": "both"}), &["--why", "--reading", "both"]),
        (json!({"atom": "permitted(/no, _, _)", "why_not": true}), &["--why-not"]),
    ] {
        let words: Vec<_> = [
            "query",
            if arguments["why_not"].is_null() { atom } else { "permitted(/no, _, _)" },
            "--format",
            "json",
        ]
        .into_iter()
        .chain(options.iter().copied())
        .collect();
        let twin = written(&folder, &words);
        let pages = client.pages("query", &arguments);
        assert_eq!(pages.len(), 1);
        assert_eq!(pages[0]["answers"], twin[0], "{arguments}");
    }
}

#[test]
fn tests_and_properties_are_those_of_the_command_line() {
    let folder = example("silent-errors");
    let mut client = McpClient::start(&folder, &[]);
    let twin = written(&folder, &["test", "--format", "json"]);
    let pages = client.pages("test", &json!({}));
    assert_eq!(items(&pages, "/suites/0/cases"), twin[0]["suites"][0]["cases"].as_array().unwrap().clone());
    assert_eq!(steady(pages[0]["summary"].clone()), twin[0]["summary"]);
    let twin = written(&folder, &["verify", "--format", "json", "--scope", "2"]);
    let pages = client.pages("verify", &json!({"scope": 2}));
    // What is longer than a tool answers is cut.
    let uncut = |mut properties: Vec<Value>| {
        for property in &mut properties {
            for long in ["covered", "proof"] {
                assert!(!property[long].take().is_null());
            }
        }
        properties
    };
    let properties = twin[0]["properties"].as_array().unwrap().clone();
    assert_eq!(uncut(items(&pages, "/properties")), uncut(properties));
}

#[test]
fn predicates_are_the_nodes_of_the_graph() {
    let folder = example("incident");
    let mut client = McpClient::start(&folder, &[]);
    let twin = written(&folder, &["graph", "--format", "json", "--anyway"]);
    let pages = client.pages("predicates", &json!({"anyway": true}));
    assert!(pages.len() > 1);
    let all = items(&pages, "/programs/0/predicates");
    assert_eq!(all, twin[0]["programs"][0]["predicates"].as_array().unwrap().clone());
    let declared = all.iter().find(|predicate| predicate["name"] == "safe_action").unwrap();
    assert!(declared["declaration"].as_str().unwrap().starts_with("Decl safe_action("), "{declared}");
}

#[test]
fn replays_and_repairs_are_those_of_the_command_line() {
    let folder = example("");
    let mut client = McpClient::start(&folder, &[]);
    let transcript = "jailbreak/session.piggyback.jsonl";
    let mut twin = written(&folder, &["replay", transcript, "--policy", "guardian", "--format", "json"]);
    let last = twin.pop().unwrap();
    let pages = client.pages("replay", &json!({"path": transcript, "policy": ["guardian"]}));
    assert_eq!(items(&pages, "/turns"), twin);
    assert_eq!(pages[0]["summary"], last["summary"]);
    assert_eq!(pages[0]["policy"], last["policy"]);
    let twin = written(&folder, &["transcript", "repair", transcript, "--format", "json"]);
    let pages = client.pages("repair", &json!({"path": transcript}));
    assert_eq!(items(&pages, "/messages"), twin);
}

#[test]
fn comparisons_of_versions_are_those_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "policy.mg",
        "Decl e(X) bound [/number].\ne(1).\nother(X, Y) :- X != Y, e(X), e(Y).\n\
        permitted(/a, \"b\", \"c\").\n",
    );
    std::fs::create_dir(folder.path().join("logs")).unwrap();
    write("logs/mangle-ls.toml", "");
    let reply = json!({ "control_packet": { "mangle_updates": ["test_state(/passing)."] }, "surface_response": "Done." });
    write(
        "logs/session.jsonl",
        &format!("{}\n", json!({ "role": "assistant", "content": reply.to_string() })),
    );
    let mut client = McpClient::start(folder.path(), &[]);
    let all: Vec<_> = Runtime::all().collect();
    let [old, new] = [all[1].name(), all[2].name()];
    let mut twin = written(
        folder.path(),
        &["check", "--engine", "2026-06", "--compare-engine", "2026-09", "--format", "json"],
    );
    let last = twin.pop().unwrap();
    let pages = client.pages("check", &json!({"engine": "2026-06", "compare_engine": "2026-09"}));
    assert!(!twin.is_empty());
    assert_eq!((items(&pages, "/changes"), &pages[0]["summary"]), (twin, &last["summary"]));
    let parse = ["transcript", "parse", "logs/session.jsonl", "--runtime", old, "--format", "json"];
    let arguments = json!({"path": "logs/session.jsonl", "runtime": old});
    assert_eq!(items(&client.pages("parse", &arguments), "/replies"), written(folder.path(), &parse));
    let mut twin = written(folder.path(), &[&parse[..], &["--compare-runtime", new]].concat());
    let last = twin.pop().unwrap();
    let arguments = json!({"path": "logs/session.jsonl", "runtime": old, "compare_runtime": new});
    let pages = client.pages("parse", &arguments);
    assert_eq!((items(&pages, "/replies"), &pages[0]["summary"]), (twin, &last["summary"]));
    let replay =
        ["replay", "logs/session.jsonl", "--policy", "policy.mg", "--runtime", old, "--compare-runtime", new];
    let mut twin = written(folder.path(), &[&replay[..], &["--format", "json"]].concat());
    twin.pop().unwrap();
    let arguments = json!({"path": "logs/session.jsonl", "policy": ["policy.mg"], "runtime": old, "compare_runtime": new});
    assert_eq!(items(&client.pages("replay", &arguments), "/turns"), twin);
}

#[test]
fn previews_are_those_of_the_command_line() {
    let folder = example("prompts");
    let mut client = McpClient::start(&folder, &[]);
    let kernel = "fix-auth.kernel.mg";
    let twin = written(&folder, &["preview", kernel, "--format", "json"]);
    let twin = twin[0].as_array().cloned().unwrap_or_else(|| twin.clone());
    let lines = |prompts: &[Value]| {
        let sections = prompts.iter().flat_map(|prompt| prompt["sections"].as_array().unwrap().clone());
        sections.flat_map(|section| section["lines"].as_array().unwrap().clone()).collect::<Vec<_>>()
    };
    let pages = client.pages("preview", &json!({"path": kernel}));
    let prompts: Vec<_> = pages.iter().flat_map(|page| page["prompts"].as_array().unwrap().clone()).collect();
    assert_eq!(lines(&prompts), lines(&twin));
}

#[test]
fn schemas_are_those_of_the_command_line() {
    let folder = example("incident");
    let mut client = McpClient::start(&folder, &[]);
    for (target, words) in [
        ("json-schema", &["grammar", "--target", "json-schema", "--anyway"][..]),
        ("gbnf", &["grammar", "--target", "gbnf", "--anyway"]),
    ] {
        let twin = String::from_utf8(run(&folder, words).stdout).unwrap();
        let pages = client.pages("schema", &json!({"target": target, "anyway": true}));
        let text: String = pages.iter().map(|page| page["schema"].as_str().unwrap()).collect();
        assert_eq!(text, twin, "{target}");
        assert!(pages[0]["problems"].is_array());
    }
}
