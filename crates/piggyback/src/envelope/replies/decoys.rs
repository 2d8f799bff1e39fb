//! Rules for replies with several envelopes. The runtime uses only one of them.

use crate::envelope::runtime::Stage;
use crate::envelope::sink::Sink;
use crate::envelope::survey::{ObjectRole, Survey};
use mangle_settings::Select;
use mangle_syntax::lint::{Finding, Rule, Severity, Span, rule};

pub(super) static MULTIPLE_ENVELOPES: Rule = rule!("multiple-envelopes.md");

pub(super) static DECOY_ACCEPTED: Rule = rule!("decoy-accepted.md");

pub(super) static DECOY_REJECTED: Rule = rule!("decoy-rejected.md");

pub(super) static ECHOED_ENVELOPE: Rule = rule!("echoed-envelope.md");

pub(super) fn check(survey: &Survey<'_>, sink: &mut Sink) {
    let acceptable = survey.acceptable();
    let reply = survey.reply;
    echoes(survey, sink);
    let (Some(safe), true) = (reply.preferred, acceptable.len() > 1) else { return };
    let Some(last) = reply.objects.get(safe) else { return };
    let count = acceptable.len();
    for object in acceptable.iter().filter(|at| **at != safe).filter_map(|at| reply.objects.get(*at)) {
        let message = format!("reply contains {count} envelopes");
        let mut finding = Finding::new(&MULTIPLE_ENVELOPES, survey.brace(object), message)
            .note("the runtime uses one of them and ignores the others");
        if survey.context.settings.select == Select::Error {
            finding = finding.severity(Severity::Error);
        }
        sink.push(finding.related(Span::here(survey.brace(last)), "last envelope"));
    }
    if let Some(picked) = survey.accepted_decoy() {
        let finding = Finding::new(
            &DECOY_ACCEPTED,
            survey.brace(picked),
            "earlier envelope is used instead of the last one",
        )
        .note("the runtime asserts its updates and ignores the last envelope");
        sink.push(finding.related(Span::here(survey.brace(last)), "ignored envelope"));
        return;
    }
    if matches!(survey.stage(), Some(Stage::EmbeddedRich | Stage::EmbeddedOther)) {
        let earlier = acceptable.iter().filter(|at| **at < safe).filter_map(|at| reply.objects.get(*at));
        for object in earlier {
            let message = "earlier envelope ignored; the last one is used";
            let finding = Finding::new(&DECOY_REJECTED, survey.brace(object), message).note(
                "the reply does not begin with an object that decodes, so the runtime searches from the end",
            );
            sink.push(finding);
        }
    }
}

/// The number of bytes before a quoted envelope that are searched for a label.
const PARAGRAPH: usize = 400;

/// Labels that introduce quoted text.
const LABELS: [&str; 6] = ["user:", "human:", "customer:", "question:", "issue:", "quote:"];

fn echoes(survey: &Survey<'_>, sink: &mut Sink) {
    for (_, object) in survey.with_role(ObjectRole::Envelope) {
        let before = survey.reply.raw.get(..object.range.start).unwrap_or(&[]);
        let tail = before.get(before.len().saturating_sub(PARAGRAPH)..).unwrap_or(&[]);
        let text = String::from_utf8_lossy(tail).to_lowercase().replace('\r', "");
        let paragraph = text.rsplit("\n\n").next().unwrap_or("");
        let line = paragraph.rsplit('\n').next().unwrap_or("");
        let label = paragraph.lines().find_map(|line| {
            let line = line.trim_start_matches(|char: char| !char.is_alphanumeric());
            LABELS.into_iter().find(|label| line.starts_with(label))
        });
        let why = match label {
            _ if line.trim_start().starts_with('>') => "in a quotation".to_owned(),
            Some(label) => format!("after `{label}`"),
            None => continue,
        };
        let message = format!("envelope {why} looks like echoed input");
        let finding = Finding::new(&ECHOED_ENVELOPE, survey.brace(object), message);
        sink.push(finding.note("the runtime does not distinguish it from an envelope of the model"));
    }
}
