//! Rule for the members that version 1.3 plans.

use crate::envelope::json::{Json, JsonKind, NodeId};
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use crate::envelope::table::PLANNED;
use crate::envelope::view::first_byte;
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) static DRAFT_SHAPE: Rule = rule!("draft-shape.md");

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    for name in PLANNED {
        let Some(entry) = subject.control.get(name) else { continue };
        if !entry.field.is_in(subject.profile) || fits(subject.json, name, entry.value) {
            continue;
        }
        let message = format!("planned field `{name}` has an unexpected shape");
        let range = first_byte(subject.json.range(entry.value));
        let note = format!("the draft of version 1.3 proposes {}", wanted(name));
        sink.push(Finding::new(&DRAFT_SHAPE, range, message).note(note));
    }
}

fn wanted(name: &str) -> &'static str {
    match name {
        "dependencies_added" => "a list of names, or of objects with `name`",
        "security_review" => "an object with `risk` (none, low, medium, high) and `findings`",
        "performance_profile" => "an object of numbers",
        "test_coverage_delta" => "a number, or an object with `before` and `after`",
        "git_metadata" => "an object with `commit`, `branch`, `dirty`",
        _ => "a list of texts",
    }
}

fn fits(json: &Json<'_>, name: &str, node: NodeId) -> bool {
    let is_text = |node| matches!(json.kind(node), JsonKind::Plain | JsonKind::Escaped);
    let is_number = |node| json.kind(node) == JsonKind::Number;
    let member = |node, name: &str| {
        let is_it = |key| json.string(key).is_some_and(|key| key == name);
        json.members(node).find(|member| is_it(member.key)).map(|member| member.value)
    };
    let is_object = json.kind(node) == JsonKind::Object;
    let is_list = json.kind(node) == JsonKind::Array;
    match name {
        _ if json.kind(node) == JsonKind::Null => true,
        "dependencies_added" => {
            is_list && json.elements(node).all(|one| is_text(one) || member(one, "name").is_some_and(is_text))
        }
        "security_review" => {
            let risk = member(node, "risk").and_then(|risk| json.string(risk));
            let is_known = |risk: &str| ["none", "low", "medium", "high"].contains(&risk);
            is_object && risk.is_none_or(|risk| is_known(&risk))
        }
        "performance_profile" => is_object && json.members(node).all(|member| is_number(member.value)),
        "test_coverage_delta" => {
            is_number(node)
                || is_object
                    && ["before", "after"].iter().all(|name| member(node, name).is_some_and(is_number))
        }
        "git_metadata" => is_object,
        _ => is_list && json.elements(node).all(is_text),
    }
}
