//! The examples of rules as projects of the playground: `playground/web/rules.json`, a line for each rule. *Try it* on a rule's page opens
//! its project, and findings in the playground link to the page.

use mangle_ide::verification::RULES;
use mangle_syntax::lint::Rule;
use serde_json::{Map, Value, json};

use crate::support::rule_examples::{files, switched_on};

/// The policy of the examples that are replayed.
const POLICY: &str = "policy.mg";

/// The text of the file.
pub(super) fn generated(rules: &[&'static Rule]) -> String {
    let rows = rules.iter().map(|rule| {
        let row = json!({ "code": rule.code, "project": project(rule) });
        format!("{}: {row}", Value::from(rule.name))
    });
    format!("{{\n{}\n}}\n", rows.collect::<Vec<_>>().join(",\n"))
}

/// The project of the bad example; `null` where there is none, or none that is a text.
fn project(rule: &Rule) -> Value {
    let files = files(rule, rule.bad);
    let mut texts = Map::new();
    for (name, bytes) in &files {
        let Ok(text) = std::str::from_utf8(bytes) else { return Value::Null };
        texts.insert(name.clone(), text.into());
    }
    let Some((first, _)) = files.first() else { return Value::Null };
    let settings = texts.get("mangle-ls.toml").and_then(Value::as_str).unwrap_or_default();
    if let Some(settings) = switched_on(rule, settings) {
        texts.insert("mangle-ls.toml".to_owned(), settings.into());
    }
    let is_transcript =
        ["txt", "jsonl", "log", "session.json", "session.md"].iter().any(|end| first.ends_with(end));
    let (panel, inputs) = if is_transcript && first.starts_with("session") && texts.contains_key(POLICY) {
        let options = format!("--policy {POLICY} --show-permits");
        ("verdicts", json!({ "transcript": first, "replayOptions": options }))
    } else if is_transcript {
        ("command", json!({ "line": format!("check --evaluate . --transcripts {first}") }))
    } else if RULES.contains(&rule) {
        ("command", json!({ "line": "check --verify" }))
    } else {
        ("findings", json!({ "line": "check --evaluate" }))
    };
    json!({ "files": texts, "open": first, "panel": panel, "inputs": inputs })
}
