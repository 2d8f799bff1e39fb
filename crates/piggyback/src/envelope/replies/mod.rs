//! Rules about the search for an envelope in a reply (`PB0xx`).
//!
//! Inputs are a [`Survey`] or a [`Subject`], outputs are findings. The rules cover surrounding
//! text, decoys, JSON syntax errors and truncation. This file has the rules for the parsing stage
//! and for JSON that is not an envelope at the top level. Rules about files of replies are in
//! `transcript`.

mod surface;
mod surroundings;
mod syntax;
mod truncation;

pub use surface::{CONTROL_LEAK, control_shown};
pub use syntax::{BAD_UNICODE, JSON_SYNTAX};

use super::json::{Json, JsonKind, NodeId};
use super::runtime::{self, DecodeFailure, Stage};
use super::survey::{ObjectRole, Subject, Survey};
use super::view::first_byte;
use super::{Family, Sink};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::text::{TextRange, TextSize};

pub(super) const FAMILY: Family = Family {
    rules: &[
        &NO_JSON,
        &surroundings::LEADING_TEXT,
        &surroundings::TRAILING_TEXT,
        &surroundings::FENCED,
        &EXTRACTED,
        &FALLBACK,
        &surroundings::MULTIPLE_ENVELOPES,
        &syntax::JSON_SYNTAX,
        &syntax::BAD_UNICODE,
        &NOT_OBJECT,
        &ARRAY_WRAPPED,
        &NESTED_ENVELOPE,
        &surroundings::DECOY_ACCEPTED,
        &surroundings::DECOY_REJECTED,
        &surroundings::ECHOED_ENVELOPE,
        &surroundings::STRAY_QUOTE,
        &surroundings::STRAY_BRACE,
        &truncation::TRUNCATED,
        &surroundings::DEPTH,
        &surroundings::TOO_LARGE,
        &surroundings::CANDIDATE_FLOOD,
        &truncation::SURFACE_CAP,
        &truncation::UPDATES_CAP,
        &truncation::ATOMS_DROPPED,
        &truncation::TRACE_CAP,
        &truncation::MEMORY_CAP,
        &truncation::TOOLS_CAP,
        &truncation::KNOWLEDGE_CAP,
        &truncation::PREMATURE_ARTICULATION,
        &surface::PLACEHOLDER_SURFACE,
        &surface::LIVE_DIFFERS,
        &surface::CONTROL_LEAK,
    ],
    reply: Some(check_reply),
    envelope: Some(check_envelope),
};

static NO_JSON: Rule = rule!("no-json.md");

static EXTRACTED: Rule = rule!("extracted.md");

static FALLBACK: Rule = rule!("fallback.md");

static NOT_OBJECT: Rule = rule!("not-object.md");

static ARRAY_WRAPPED: Rule = rule!("array-wrapped.md");

static NESTED_ENVELOPE: Rule = rule!("nested-envelope.md");

fn check_reply(survey: &Survey<'_>, sink: &mut Sink) {
    check_stage(survey, sink);
    if !survey.context.is_documentation {
        surroundings::check_around(survey, sink);
    }
    check_shape(survey, sink);
    surroundings::check_decoys(survey, sink);
    surroundings::check_hidden(survey, sink);
    truncation::check(survey, sink);
    syntax::check(survey, sink);
    surface::check_leak(survey, sink);
    surface::check_placeholder(survey, sink);
    surface::check_live(survey, sink);
}

fn check_envelope(subject: &Subject<'_>, sink: &mut Sink) {
    syntax::check_unicode(subject, sink);
    if !subject.is_truncated {
        truncation::check_caps(subject, sink);
    }
}

fn check_stage(survey: &Survey<'_>, sink: &mut Sink) {
    let line = survey.first_line();
    if !survey.reply.raw.contains(&b'{') {
        let note = if survey.context.settings.caps.strict {
            "the runtime rejects the reply"
        } else {
            "the user sees the text as it is, and nothing is asserted"
        };
        sink.push(Finding::new(&NO_JSON, line, "reply has no JSON object").note(note));
        return;
    }
    match survey.stage() {
        Some(Stage::EmbeddedRich | Stage::EmbeddedOther) if !survey.context.is_documentation => {
            let brace = survey.reply.picked_object().map_or(line, |object| survey.brace(object));
            let finding = Finding::new(&EXTRACTED, brace, "envelope is found only by searching the reply")
                .note("decoding from the first brace on fails, so the confidence is 0.85")
                .help("send the envelope alone");
            sink.push(finding);
        }
        Some(Stage::Fallback) if !is_explained(survey) => {
            let note = match survey.is_salvaged() {
                true => {
                    "the runtime shows only what it can recover of the surface, and ignores the control packet"
                }
                false => {
                    "the runtime shows the raw text to the user (confidence 0.5) and ignores the control packet"
                }
            };
            sink.push(Finding::new(&FALLBACK, line, "reply has no readable envelope").note(note));
        }
        None if !is_explained(survey) && matches!(survey.refusal(), Some(DecodeFailure::Syntax(_))) => {
            let note = "the runtime requires valid JSON and rejects the reply";
            sink.push(Finding::new(&FALLBACK, line, "reply has no readable envelope").note(note));
        }
        _ => {}
    }
}

/// True if another finding explains the missing envelope.
fn is_explained(survey: &Survey<'_>) -> bool {
    let is_wrong = |(_, object): (usize, &super::Object<'_>)| {
        matches!(object.decoded, Err(DecodeFailure::Kind { .. } | DecodeFailure::Value { .. }))
    };
    survey.with_role(ObjectRole::Truncated).next().is_some()
        || survey.with_role(ObjectRole::Envelope).any(is_wrong)
}

fn check_shape(survey: &Survey<'_>, sink: &mut Sink) {
    if let Some(json) = &survey.wrapper {
        match json.kind(json.root()) {
            JsonKind::Array => wrapped_array(json, survey, sink),
            _ if survey.reply.raw.contains(&b'{') => other_value(json, sink),
            _ => {}
        }
    }
    for (_, object) in survey.with_role(ObjectRole::Json) {
        let text = survey.reply.raw.get(object.range.clone()).unwrap_or(&[]);
        if object.json.problems.is_empty()
            && runtime::is_rich(text)
            && let Some(inner) = nested_envelope(&object.json)
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

fn wrapped_array(json: &Json<'_>, survey: &Survey<'_>, sink: &mut Sink) {
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

fn other_value(json: &Json<'_>, sink: &mut Sink) {
    let (kind, range) = (json.kind(json.root()), json.range(json.root()));
    let kind_name = match kind {
        JsonKind::Number => "a number",
        JsonKind::Plain | JsonKind::Escaped => "a string",
        _ => "a word",
    };
    let inner = json.string(json.root()).filter(|inner| Json::parse(inner.as_bytes()).is_valid_to_the_end());
    let mut finding =
        Finding::new(&NOT_OBJECT, first_byte(range), format!("reply is {kind_name}, not an object"))
            .note("the runtime finds no envelope in it and shows it as it is");
    if inner.is_some() {
        finding = finding.note("the string contains JSON, which the runtime does not read");
    }
    finding.fix = inner.map(|inner| Fix::guess("take the JSON out of the string").replace(range, inner));
    sink.push(finding);
}

/// Returns the first nested object that has both members of an envelope.
fn nested_envelope(json: &Json<'_>) -> Option<NodeId> {
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
