//! Agreement of a part of an answer with the recorded result.

use std::collections::BTreeSet;

use serde_json::Value;

use super::kind::Kind;

/// True if a part of an answer agrees with the expectation.
pub(super) fn agrees(kind: Kind, part: &str, expected: &Value, answer: &Value) -> bool {
    match (kind, part) {
        (Kind::Language, "facts") => facts_agree(expected, answer),
        (Kind::Language, _) => expected == answer,
        (Kind::Replies, _) => without_places(expected) == without_places(answer),
        (Kind::Updates, _) => update(expected, expected) == update(answer, expected),
        (Kind::ToolCalls, _) => *expected == tool_call(answer, expected),
    }
}

/// Facts are sets. A fact that was recorded without its interval agrees with any interval.
fn facts_agree(expected: &Value, answer: &Value) -> bool {
    let texts = |value: &Value| -> Option<BTreeSet<String>> {
        value.as_array()?.iter().map(|fact| Some(fact.as_str()?.to_owned())).collect()
    };
    let (Some(expected), Some(mut answer)) = (texts(expected), texts(answer)) else { return false };
    if !expected.iter().any(|fact| fact.contains(")@[")) {
        answer = answer.iter().map(|fact| without_interval(fact)).collect();
    }
    expected == answer
}

fn without_interval(fact: &str) -> String {
    fact.split_once(")@[").map_or_else(|| fact.to_owned(), |(plain, _)| format!("{plain})"))
}

/// A result without the exact places of failures, which depend on the JSON decoder.
fn without_places(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let is_failure = members.contains_key("class");
            let members = members.iter();
            let compared = members
                .filter(|(name, _)| !is_failure || !["offset", "field", "fields"].contains(&name.as_str()));
            compared.map(|(name, value)| (name.clone(), without_places(value))).collect()
        }
        other => other.clone(),
    }
}

/// The result of an update without the words of the parser and without optional escapes in printed facts.
fn update(result: &Value, expected: &Value) -> Value {
    let mut result = result.clone();
    let reason = expected["session_reason"].as_str().unwrap_or_default();
    if let Some(members) = result.as_object_mut() {
        if reason.starts_with("parse error") {
            members.shift_remove("session_reason");
        }
        if let Some(kernel) = members.get_mut("kernel")
            && let Some(text) = kernel.as_str()
        {
            *kernel = text.replace("\\'", "'").into();
        }
    }
    result
}

/// The result of a tool call with the length of its payload, if the payload was recorded by its length.
fn tool_call(result: &Value, expected: &Value) -> Value {
    let mut result = result.clone();
    if expected.get("payload_bytes").is_some()
        && let Some(members) = result.as_object_mut()
        && let Some(Value::String(payload)) = members.shift_remove("payload")
    {
        members.insert("payload_bytes".into(), payload.len().into());
    }
    result
}
