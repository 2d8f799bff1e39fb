//! Rules for requests and reports in a packet (`PB4xx`): self-corrections, tools, questions to
//! specialists, and context feedback.
//!
//! The input is a [`Subject`], the output is findings. Rules that need several turns are in
//! `transcript`.

mod arguments;
mod correction;
mod feedback;
mod knowledge;
mod shell;
mod surface;
mod tools;

pub use surface::{claim_in, phrase_in};

use super::sink::{Family, Sink};
use super::subject::Subject;

pub(super) use knowledge::{is_known, is_priority};
pub(super) use shell::{is_command, is_dangerous};
pub(super) use surface::{IGNORANT, Phrases};

pub(super) const FAMILY: Family = Family {
    rules: &[
        &correction::NO_HYPOTHESIS,
        &correction::IDLE_HYPOTHESIS,
        &correction::NO_TRIGGER,
        &correction::ACTION_NOT_NAME,
        &correction::HYPOTHESIS_UNMATCHED,
        &correction::TWO_HYPOTHESES,
        &tools::TOOL_ID,
        &tools::TOOL_NAME_EMPTY,
        &tools::TOOL_UNKNOWN,
        &tools::TOOL_ARG_MISSING,
        &arguments::NUMBER_PRECISION,
        &tools::ARGS_NULL,
        &shell::SHELL_DANGER,
        &surface::EARLY_CLAIM,
        &knowledge::KNOWLEDGE_EMPTY,
        &knowledge::BAD_PRIORITY,
        &knowledge::UNKNOWN_SPECIALIST,
        &knowledge::DUPLICATE_QUERY,
        &surface::IGNORANCE,
        &feedback::USEFULNESS_RANGE,
        &feedback::UNKNOWN_FEEDBACK_PRED,
        &feedback::FEEDBACK_BOTH,
        &feedback::FEEDBACK_ATOM,
        &feedback::FEEDBACK_INCONSISTENT,
    ],
    reply: None,
    envelope: Some(check),
};

fn check(subject: &Subject<'_>, sink: &mut Sink) {
    correction::check(subject, sink);
    tools::check(subject, sink);
    knowledge::check(subject, sink);
    surface::check(subject, sink);
    feedback::check(subject, sink);
}
