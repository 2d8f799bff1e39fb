//! Rules for the audit objects of version 1.2 (`PB150`–`PB161`): metadata, state transitions,
//! impact, gates and learning. This file has the rules for missing objects, missing members and
//! value types.
//!
//! The input is a [`Subject`], the output is findings. The runtime ignores these objects, so no
//! finding affects the acceptance of an envelope.

mod gates;
#[cfg(test)]
mod tests;
mod transitions;

pub use transitions::TRANSITION_UNBACKED;

use super::edits::quoted;
use super::json::{Json, JsonKind, NodeId};
use super::pointer::{pointer, shortened};
use super::survey::Subject;
use super::table::{AUDIT, MemberField, Requirement, Shape, Table};
use super::view::{first_byte, number};
use super::{Family, Sink};
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::text::{TextRange, listed, nearest};

pub(super) const FAMILY: Family = Family {
    rules: &[
        &AUDIT_SHAPE,
        &transitions::TRANSITION_TIME,
        &transitions::TRANSITION_PAIR,
        &transitions::TRANSITION_UNBACKED,
        &transitions::TRANSITION_MISSING,
        &transitions::SCOPE_MISMATCH,
        &gates::GATE_MISMATCH,
        &gates::LEARNING_MISMATCH,
        &transitions::IMPACT_INCOMPLETE,
        &gates::GATES_ABSENT,
        &AUDIT_ABSENT,
        &AUDIT_INCOMPLETE,
    ],
    reply: None,
    envelope: Some(check),
};

static AUDIT_SHAPE: Rule = rule!("audit-shape.md");

static AUDIT_ABSENT: Rule = rule!("audit-absent.md");

static AUDIT_INCOMPLETE: Rule = rule!("audit-incomplete.md");

fn check(subject: &Subject<'_>, sink: &mut Sink) {
    gates::absent(subject, sink);
    check_presence(subject, sink);
    // Members that the profile does not have are not checked.
    let is_known = |name: &&str| {
        let field = subject.control.table.field(name);
        field.is_some_and(|field| field.is_in(subject.profile)) && subject.control.contains_key(name)
    };
    if AUDIT.iter().any(is_known) {
        check_shape(subject, sink);
        transitions::check_transitions(subject, sink);
        transitions::check_impact(subject, sink);
        gates::check(subject, sink);
    }
}

fn check_shape(subject: &Subject<'_>, sink: &mut Sink) {
    let correction = subject.control.object("self_correction");
    let more = ["recovery_action", "confidence"].into_iter().flat_map(|name| correction.all(name));
    let objects = AUDIT.into_iter().flat_map(|name| subject.control.all(name));
    for entry in objects.chain(more).filter(|entry| entry.field.is_in(subject.profile)) {
        check_value(subject.json, &entry.field.shape, entry.value, sink);
    }
}

fn check_value(json: &Json<'_>, shape: &Shape, node: NodeId, sink: &mut Sink) {
    if sink.is_full(&AUDIT_SHAPE) {
        return;
    }
    let kind = json.kind(node);
    let is_text = matches!(kind, JsonKind::Plain | JsonKind::Escaped);
    let fits = match shape {
        Shape::Text => is_text,
        Shape::TextOrNull => is_text || kind == JsonKind::Null,
        Shape::Word(words) => json.string(node).is_some_and(|word| words.contains(&&*word)),
        Shape::Number => number(json, node).is_some(),
        Shape::Count => number(json, node).is_some_and(|number| number >= 0.0 && number.fract() == 0.0),
        Shape::Flag => matches!(kind, JsonKind::Bool(_)),
        Shape::FlagOrNull => matches!(kind, JsonKind::Bool(_) | JsonKind::Null),
        Shape::Object(_) | Shape::Map => kind == JsonKind::Object,
        Shape::List(_) => kind == JsonKind::Array,
        Shape::Free => true,
    };
    if !fits && kind != JsonKind::Broken {
        sink.push(wrong_type(json, shape, node));
        return;
    }
    match shape {
        Shape::List(of) => json.elements(node).for_each(|element| check_value(json, of, element, sink)),
        Shape::Object(table) => {
            for member in json.members(node) {
                let field = json.string(member.key).and_then(|key| table.field(&key));
                if let Some(field) = field {
                    check_value(json, &field.shape, member.value, sink);
                }
            }
        }
        _ => {}
    }
}

/// Returns the key of a value, or the key of the surrounding list.
fn key_of(json: &Json<'_>, node: NodeId) -> String {
    let pointer = pointer(json, node);
    let is_key = |part: &&str| !part.bytes().all(|byte| byte.is_ascii_digit());
    pointer.rsplit('/').find(is_key).map(shortened).unwrap_or_default()
}

fn wrong_type(json: &Json<'_>, shape: &Shape, node: NodeId) -> Finding {
    let (wanted, found) = (kind_name(shape), value_text(json, node));
    let range = match json.kind(node) {
        JsonKind::Array | JsonKind::Object => first_byte(json.range(node)),
        _ => json.range(node),
    };
    let name = key_of(json, node);
    let message = match (shape, json.string(node)) {
        (Shape::Word(_), Some(text)) => format!("unknown value `{}` of `{name}`", shortened(&text)),
        _ => format!("expected {wanted} for `{name}`, found {found}"),
    };
    let mut finding = Finding::new(&AUDIT_SHAPE, range, message);
    if let Shape::Word(words) = shape {
        finding = finding.note(format!("the known values are {}", listed(words.iter().copied())));
    }
    let near = match (shape, json.string(node)) {
        (Shape::Word(words), Some(word)) => nearest(&word, words.iter().copied()),
        _ => None,
    };
    finding.fix = near.map(|near| Fix::guess(format!("write `{near}`")).replace(range, quoted(near)));
    finding
}

/// Describes a value for a message.
fn value_text(json: &Json<'_>, node: NodeId) -> String {
    match json.kind(node) {
        JsonKind::Null | JsonKind::Broken => "null".to_owned(),
        JsonKind::Bool(_) | JsonKind::Number => {
            format!("`{}`", shortened(&String::from_utf8_lossy(json.raw(node))))
        }
        JsonKind::Plain | JsonKind::Escaped => {
            format!("string `{}`", shortened(&json.string(node).unwrap_or_default()))
        }
        JsonKind::Array => "list".to_owned(),
        JsonKind::Object => "object".to_owned(),
    }
}

/// Returns the name of the expected kind of value.
fn kind_name(shape: &Shape) -> &'static str {
    match shape {
        Shape::Word(_) => "string",
        Shape::TextOrNull => "string or null",
        Shape::Number => "number",
        Shape::Count => "whole number from 0 on",
        Shape::Flag => "boolean",
        Shape::FlagOrNull => "boolean or null",
        Shape::Object(_) | Shape::Map => "object",
        Shape::List(_) => "list",
        Shape::Text | Shape::Free => "string",
    }
}

/// Checks every packet, including packets without audit objects.
fn check_presence(subject: &Subject<'_>, sink: &mut Sink) {
    if subject.is_whole() && subject.control.exists() {
        absent_objects(subject, sink);
        incomplete_objects(subject, sink);
    }
}

/// Reports all missing recommended objects in one finding.
fn absent_objects(subject: &Subject<'_>, sink: &mut Sink) {
    let control = &subject.control;
    // A separate rule reports missing gates for version 1.2 and for dangerous actions.
    let is_of_gates = || subject.profile == Profile::V1_2 || gates::needed(subject).is_some();
    let is_own = |name: &str| name != "safety_gates" || !is_of_gates();
    let is_absent = |field: &MemberField| {
        field.need(subject.profile) == Requirement::Recommended
            && is_own(field.name)
            && !control.has(field.name)
            && control.misspelled_key(field.name).is_none()
    };
    let absent: Vec<_> = control.table.fields.iter().filter(|field| is_absent(field)).collect();
    let finding =
        missing_parts(&AUDIT_ABSENT, subject.control_range(), control.table, "audit object", &absent);
    finding.into_iter().for_each(|finding| sink.push(finding));
}

/// Reports missing recommended members, with one finding per object.
fn incomplete_objects(subject: &Subject<'_>, sink: &mut Sink) {
    for entry in AUDIT.into_iter().flat_map(|name| subject.control.all(name)) {
        // Empty gates that must have values are reported by another rule.
        let is_reported = entry.field.name == "safety_gates"
            && gates::are_empty(subject)
            && gates::danger(subject).is_some();
        if entry.field.is_in(subject.profile) && !is_reported {
            members_of_objects(subject, &entry.field.shape, entry.value, sink);
        }
    }
}

fn members_of_objects(subject: &Subject<'_>, shape: &Shape, node: NodeId, sink: &mut Sink) {
    match shape {
        Shape::List(of) => {
            subject.json.elements(node).for_each(|element| members_of_objects(subject, of, element, sink));
        }
        Shape::Object(table) => members_of_object(subject, table, node, sink),
        _ => {}
    }
}

fn members_of_object(subject: &Subject<'_>, table: &'static Table, node: NodeId, sink: &mut Sink) {
    let json = subject.json;
    if json.kind(node) != JsonKind::Object || sink.is_full(&AUDIT_INCOMPLETE) {
        return;
    }
    let lacks = |field: &MemberField| {
        let mut members = json.members(node);
        let is_it = |key: &str| {
            key == field.name || table.similar_field(key).is_some_and(|near| near.name == field.name)
        };
        let found = members.find(|member| json.string(member.key).is_some_and(|key| is_it(&key)));
        found.is_none_or(|member| is_blank(json, &field.shape, member.value))
    };
    let wanted = table.fields.iter().filter(|field| field.need(subject.profile) == Requirement::Recommended);
    let lacked: Vec<_> = wanted.filter(|field| lacks(field)).collect();
    let finding = missing_parts(&AUDIT_INCOMPLETE, first_byte(json.range(node)), table, "field", &lacked);
    finding.into_iter().for_each(|finding| sink.push(finding));
}

/// True if the value is a blank string.
fn is_blank(json: &Json<'_>, shape: &Shape, node: NodeId) -> bool {
    matches!(shape, Shape::Text) && json.string(node).is_some_and(|text| text.trim().is_empty())
}

/// Returns a finding if an object lacks recommended fields. `item` names the missing parts.
fn missing_parts(
    rule: &'static Rule,
    range: TextRange,
    table: &Table,
    item: &str,
    missing: &[&MemberField],
) -> Option<Finding> {
    let title = table.title;
    let names = listed(missing.iter().map(|field| field.name));
    Some(match missing.len() {
        0 => return None,
        1 => Finding::new(rule, range, format!("{names} is missing in {title}"))
            .note(format!("the version of the protocol recommends this {item}")),
        count => Finding::new(rule, range, format!("{count} recommended {item}s are missing in {title}"))
            .note(format!("missing: {names}")),
    })
}
