//! Rule for the value types of members of audit objects.

use crate::envelope::edits::quoted;
use crate::envelope::json::{Json, JsonKind, NodeId};
use crate::envelope::pointer::pointer;
use crate::envelope::shorten::shortened;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use crate::envelope::table::{AUDIT, Shape};
use crate::envelope::view::{first_byte, number};
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::text::{listed, nearest};

pub(super) static AUDIT_SHAPE: Rule = rule!("audit-shape.md");

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    let correction = subject.control.object("self_correction");
    let more = ["recovery_action", "confidence"].into_iter().flat_map(|name| correction.all(name));
    let objects = AUDIT.into_iter().flat_map(|name| subject.control.all(name));
    for entry in objects.chain(more).filter(|entry| entry.field.is_in(subject.profile)) {
        value(subject.json, &entry.field.shape, entry.value, sink);
    }
}

fn value(json: &Json<'_>, shape: &Shape, node: NodeId, sink: &mut Sink) {
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
        sink.push(wrong(json, shape, node));
        return;
    }
    match shape {
        Shape::List(of) => json.elements(node).for_each(|element| value(json, of, element, sink)),
        Shape::Object(table) => {
            for member in json.members(node) {
                let field = json.string(member.key).and_then(|key| table.field(&key));
                if let Some(field) = field {
                    value(json, &field.shape, member.value, sink);
                }
            }
        }
        _ => {}
    }
}

/// Returns the key of a value, or the key of the surrounding list.
fn name(json: &Json<'_>, node: NodeId) -> String {
    let pointer = pointer(json, node);
    let is_key = |part: &&str| !part.bytes().all(|byte| byte.is_ascii_digit());
    pointer.rsplit('/').find(is_key).map(shortened).unwrap_or_default()
}

fn wrong(json: &Json<'_>, shape: &Shape, node: NodeId) -> Finding {
    let found = match json.kind(node) {
        JsonKind::Null | JsonKind::Broken => "null".to_owned(),
        JsonKind::Bool(_) | JsonKind::Number => {
            format!("`{}`", shortened(&String::from_utf8_lossy(json.raw(node))))
        }
        JsonKind::Plain | JsonKind::Escaped => {
            format!("string `{}`", shortened(&json.string(node).unwrap_or_default()))
        }
        JsonKind::Array => "list".to_owned(),
        JsonKind::Object => "object".to_owned(),
    };
    let wanted = match shape {
        Shape::Word(_) => "string",
        Shape::TextOrNull => "string or null",
        Shape::Number => "number",
        Shape::Count => "whole number from 0 on",
        Shape::Flag => "boolean",
        Shape::FlagOrNull => "boolean or null",
        Shape::Object(_) | Shape::Map => "object",
        Shape::List(_) => "list",
        Shape::Text | Shape::Free => "string",
    };
    let range = match json.kind(node) {
        JsonKind::Array | JsonKind::Object => first_byte(json.range(node)),
        _ => json.range(node),
    };
    let name = name(json, node);
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
