//! SARIF descriptors of the rules.

use serde_json::{Value, json};

use super::run::present;
use crate::rules::examples;
use mangle_syntax::lint::{Rule, Severity};

/// The level of a severity. SARIF has three levels.
pub(super) fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "note",
    }
}

pub(super) fn descriptor(rule: &Rule) -> Value {
    present(json!({
        "defaultConfiguration": configuration(rule),
        "fullDescription": { "text": rule.rationale },
        "help": help(rule),
        "helpUri": rule.address(),
        "id": rule.code,
        "name": rule.name,
        "properties": rule_properties(rule),
        "shortDescription": { "text": rule.summary },
    }))
}

fn configuration(rule: &Rule) -> Value {
    present(json!({ "enabled": rule.severity.is_some(), "level": rule.severity.map(level) }))
}

/// The group as a tag, and the severity in the terms of code scanning services.
fn rule_properties(rule: &Rule) -> Value {
    let severity = match rule.severity {
        Some(Severity::Error) => "error",
        Some(Severity::Warning) => "warning",
        Some(Severity::Information | Severity::Hint) | None => "recommendation",
    };
    json!({ "tags": [rule.group.as_str()], "problem.severity": severity })
}

/// The help text from the rule page.
fn help(rule: &Rule) -> Value {
    let examples = examples(rule, "Wrong", rule.bad) + &examples(rule, "Right", rule.good);
    let markdown = format!("{}\n\n{examples}", rule.rationale.trim());
    json!({ "markdown": markdown.trim_end(), "text": rule.rationale.trim() })
}
