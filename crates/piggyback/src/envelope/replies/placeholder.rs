//! Rule for surfaces that repeat an example of the prompt.

use crate::envelope::sink::Sink;
use crate::envelope::survey::Survey;
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) static PLACEHOLDER_SURFACE: Rule = rule!("placeholder-surface.md");

pub(super) fn check(survey: &Survey<'_>, sink: &mut Sink) {
    let Ok(reading) = &survey.reply.reading else { return };
    if !reading.placeholders.surface {
        return;
    }
    let member = survey.reply.member(&["surface_response"]);
    let range = member.map_or_else(|| survey.first_line(), |(json, node)| json.range(node));
    let runtime = survey.context.settings.caps.runtime;
    let finding =
        Finding::new(&PLACEHOLDER_SURFACE, range, "surface response repeats an example of the prompt")
            .note(format!("runtime {runtime} drops it, so the user sees an empty reply"))
            .help("write the answer in place of the example");
    sink.push(finding);
}
