//! Which of its attempts got the runtime an envelope, or that none did.

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
        let message = if survey.context.settings.caps.strict {
            "this reply has no JSON object: the runtime refuses it"
        } else {
            "this reply has no JSON object: the user sees the text as it is, and the kernel learns nothing of the turn"
        };
        sink.push(Finding::new(&NO_JSON, line, message));
        return;
    }
    match survey.stage() {
        Some(Stage::EmbeddedRich | Stage::EmbeddedOther) if !survey.context.is_documentation => {
            let message = "the runtime only finds this envelope by searching the text around it (confidence 0.85), because the text \
                           from its first brace on is not the envelope; send the envelope alone";
            let brace = survey.reply.picked_object().map_or(line, |object| survey.brace(object));
            sink.push(Finding::new(&EXTRACTED, brace, message));
        }
        Some(Stage::Fallback) if !is_explained(survey) => {
            let message = "no envelope can be read from this reply: the runtime shows the raw text to the user (confidence 0.5) and \
                           drops the control packet";
            sink.push(Finding::new(&FALLBACK, line, message));
        }
        None if !is_explained(survey) && matches!(survey.refusal(), Some(DecodeFailure::Syntax(_))) => {
            let message = "no envelope can be read from this reply, and the runtime asks for valid JSON: it refuses the reply";
            sink.push(Finding::new(&FALLBACK, line, message));
        }
        _ => {}
    }
}

/// Whether another finding says already why there is no envelope.
fn is_explained(survey: &Survey<'_>) -> bool {
    let is_wrong = |(_, object): (usize, &crate::envelope::Object<'_>)| {
        matches!(object.decoded, Err(DecodeFailure::Kind { .. }))
    };
    survey.with_role(ObjectRole::Truncated).next().is_some()
        || survey.with_role(ObjectRole::Envelope).any(is_wrong)
}
