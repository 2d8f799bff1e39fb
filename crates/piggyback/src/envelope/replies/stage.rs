//! Rules for the parsing stage that found the envelope, or for replies without an envelope.

use crate::envelope::runtime::{DecodeFailure, Stage};
use crate::envelope::sink::Sink;
use crate::envelope::survey::{ObjectRole, Survey};
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) static NO_JSON: Rule = rule!("no-json.md");

pub(super) static EXTRACTED: Rule = rule!("extracted.md");

pub(super) static FALLBACK: Rule = rule!("fallback.md");

pub(super) fn check(survey: &Survey<'_>, sink: &mut Sink) {
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
    let is_wrong = |(_, object): (usize, &crate::envelope::Object<'_>)| {
        matches!(object.decoded, Err(DecodeFailure::Kind { .. } | DecodeFailure::Value { .. }))
    };
    survey.with_role(ObjectRole::Truncated).next().is_some()
        || survey.with_role(ObjectRole::Envelope).any(is_wrong)
}
