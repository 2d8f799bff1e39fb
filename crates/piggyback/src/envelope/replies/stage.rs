//! Which of its attempts got the runtime an envelope, or that none did.

use crate::envelope::check::Sink;
use crate::envelope::examples::line;
use crate::envelope::runtime::{Failure, Stage};
use crate::envelope::survey::{Role, Survey};
use mangle_syntax::lint::{Finding, FixKind, Group, Rule, Severity};

pub(super) static NO_JSON: Rule = Rule {
    code: "PB001",
    name: "no-json",
    group: Group::Replies,
    severity: Some(Severity::Error),
    summary: "A reply without any JSON object.",
    rationale: "The runtime finds no `{`, so there is no control packet: the text goes to the user as it is, at confidence 0.5, and \
                the kernel learns nothing of the turn. Ask the model for the whole envelope again.",
    bad: "Sure, done!\n",
    good: line!("Sure, done!"),
    fix: FixKind::None,
};

pub(super) static EXTRACTED: Rule = Rule {
    code: "PB005",
    name: "extracted",
    group: Group::Replies,
    severity: Some(Severity::Warning),
    summary: "An envelope that was only found by searching mixed text.",
    rationale: "Decoding from the first brace failed, so the runtime searched the text for objects and took one (confidence 0.85). \
                A stray brace or quote more, and the envelope is lost. A reply should be the envelope and nothing else.",
    bad: concat!("Set {name} first.\n", line!("ok"), "\n"),
    good: line!("ok"),
    fix: FixKind::None,
};

pub(super) static FALLBACK: Rule = Rule {
    code: "PB006",
    name: "fallback",
    group: Group::Replies,
    severity: Some(Severity::Error),
    summary: "No envelope could be read, so the raw text is shown.",
    rationale: "All of the runtime's attempts failed. The whole text goes to the user (confidence 0.5), and updates, memory \
                operations and tool requests in it are lost.",
    bad: "Please set {name} in the settings.\n",
    good: line!("Please set the name in the settings."),
    fix: FixKind::None,
};

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
        None if !is_explained(survey) && matches!(survey.refusal(), Some(Failure::Syntax(_))) => {
            let message = "no envelope can be read from this reply, and the runtime asks for valid JSON: it refuses the reply";
            sink.push(Finding::new(&FALLBACK, line, message));
        }
        _ => {}
    }
}

/// Whether another finding says already why there is no envelope.
fn is_explained(survey: &Survey<'_>) -> bool {
    let is_wrong = |(_, object): (usize, &crate::envelope::Object<'_>)| {
        matches!(object.decoded, Err(Failure::Kind { .. }))
    };
    survey.with_role(Role::Truncated).next().is_some() || survey.with_role(Role::Envelope).any(is_wrong)
}
