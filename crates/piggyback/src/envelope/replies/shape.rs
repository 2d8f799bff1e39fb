//! Rules for replies that are JSON but not an envelope at the top level.

use crate::envelope::json::{Json, JsonKind, NodeId};
use crate::envelope::runtime;
use crate::envelope::sink::Sink;
use crate::envelope::survey::{ObjectRole, Survey};
use crate::envelope::view::first_byte;
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::text::{TextRange, TextSize};

pub(super) static NOT_OBJECT: Rule = rule!("not-object.md");

pub(super) static ARRAY_WRAPPED: Rule = rule!("array-wrapped.md");

pub(super) static NESTED_ENVELOPE: Rule = rule!("nested-envelope.md");

pub(super) fn check(survey: &Survey<'_>, sink: &mut Sink) {
    if let Some(json) = &survey.wrapper {
        match json.kind(json.root()) {
            JsonKind::Array => array(json, survey, sink),
            _ if survey.reply.raw.contains(&b'{') => other(json, sink),
            _ => {}
        }
    }
    for (_, object) in survey.with_role(ObjectRole::Json) {
        let text = survey.reply.raw.get(object.range.clone()).unwrap_or(&[]);
        if object.json.problems.is_empty()
            && runtime::is_rich(text)
            && let Some(inner) = nested(&object.json)
        {
            let (whole, range) = (object.json.range(object.json.root()), object.json.range(inner));
            let before = TextRange::new(whole.start(), range.start());
            let fix = Fix::guess("take the envelope out of the object around it")
                .replace(before, "")
                .replace(TextRange::new(range.end(), whole.end()), "");
            let finding =
                Finding::new(&NESTED_ENVELOPE, first_byte(range), "envelope is inside another object");
            sink.push(
                finding.note("the runtime ignores it: an envelope must be an object of its own").fix(fix),
            );
        }
    }
}

fn array(json: &Json<'_>, survey: &Survey<'_>, sink: &mut Sink) {
    let range = json.range(json.root());
    let len = json.elements(json.root()).count();
    if survey.picked().is_none() {
        return;
    }
    let close = TextRange::new(range.end() - TextSize::new(1), range.end());
    let (message, note) = match len {
        1 => ("envelope is wrapped in an array".to_owned(), "the runtime accepts it, other readers do not"),
        _ => (
            format!("envelope is in an array of {len} elements"),
            "the runtime uses the first object and ignores the rest",
        ),
    };
    let mut finding = Finding::new(&ARRAY_WRAPPED, first_byte(range), message).note(note);
    if len == 1 {
        let fix = Fix::safe("delete the brackets").replace(first_byte(range), "").replace(close, "");
        finding = finding.fix(fix).related(Span::here(close), "other bracket");
    }
    sink.push(finding);
}

fn other(json: &Json<'_>, sink: &mut Sink) {
    let (kind, range) = (json.kind(json.root()), json.range(json.root()));
    let what = match kind {
        JsonKind::Number => "a number",
        JsonKind::Plain | JsonKind::Escaped => "a string",
        _ => "a word",
    };
    let inner = json.string(json.root()).filter(|inner| Json::parse(inner.as_bytes()).is_valid_to_the_end());
    let mut finding = Finding::new(&NOT_OBJECT, first_byte(range), format!("reply is {what}, not an object"))
        .note("the runtime finds no envelope in it and shows it as it is");
    if inner.is_some() {
        finding = finding.note("the string contains JSON, which the runtime does not read");
    }
    finding.fix = inner.map(|inner| Fix::guess("take the JSON out of the string").replace(range, inner));
    sink.push(finding);
}

/// Returns the first nested object that has both members of an envelope.
fn nested(json: &Json<'_>) -> Option<NodeId> {
    let mut open = vec![json.root()];
    while let Some(node) = open.pop() {
        let has = |name: &str| {
            json.members(node).any(|member| json.string(member.key).is_some_and(|key| key == name))
        };
        if node != json.root() && has("control_packet") && has("surface_response") {
            return Some(node);
        }
        let inside: Vec<_> =
            json.elements(node).chain(json.members(node).map(|member| member.value)).collect();
        open.extend(inside.into_iter().rev());
    }
    None
}
