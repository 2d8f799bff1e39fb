//! Whether the members of audit objects hold what they should.

use crate::envelope::edits::quoted;
use crate::envelope::json::{Json, JsonKind, NodeId};
use crate::envelope::pointer::pointer;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use crate::envelope::table::{AUDIT, Shape};
use crate::envelope::view::{first_byte, number};
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::text::nearest;

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

fn wrong(json: &Json<'_>, shape: &Shape, node: NodeId) -> Finding {
    let found = match json.kind(node) {
        JsonKind::Null | JsonKind::Broken => "null".to_owned(),
        JsonKind::Bool(_) | JsonKind::Number => format!("`{}`", String::from_utf8_lossy(json.raw(node))),
        JsonKind::Plain | JsonKind::Escaped => {
            let text: String = json.string(node).unwrap_or_default().chars().take(30).collect();
            format!("the text `{text}`")
        }
        JsonKind::Array => "a list".to_owned(),
        JsonKind::Object => "an object".to_owned(),
    };
    let wanted = match shape {
        Shape::Word(words) => format!("one of {}", words.join(", ")),
        Shape::TextOrNull => "a text or null".to_owned(),
        Shape::Number => "a number".to_owned(),
        Shape::Count => "a whole number from 0 on".to_owned(),
        Shape::Flag => "true or false".to_owned(),
        Shape::FlagOrNull => "true, false or null".to_owned(),
        Shape::Object(_) | Shape::Map => "an object".to_owned(),
        Shape::List(_) => "a list".to_owned(),
        Shape::Text | Shape::Free => "a text".to_owned(),
    };
    let range = match json.kind(node) {
        JsonKind::Array | JsonKind::Object => first_byte(json.range(node)),
        _ => json.range(node),
    };
    let message = format!("{found} at `{}`, where {wanted} is expected", pointer(json, node));
    let mut finding = Finding::new(&AUDIT_SHAPE, range, message);
    let near = match (shape, json.string(node)) {
        (Shape::Word(words), Some(word)) => nearest(&word, words.iter().copied()),
        _ => None,
    };
    finding.fix = near.map(|near| Fix::guess(format!("Write `{near}`")).replace(range, quoted(near)));
    finding
}
