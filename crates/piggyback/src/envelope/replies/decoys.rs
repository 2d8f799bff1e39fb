//! Several envelopes in one reply: which of them the runtime believes.

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
    let (Some(safe), true) = (reply.safe, acceptable.len() > 1) else { return };
    let Some(last) = reply.objects.get(safe) else { return };
    let count = acceptable.len();
    for object in acceptable.iter().filter(|at| **at != safe).filter_map(|at| reply.objects.get(*at)) {
        let message = format!(
            "{count} envelopes in one reply; a turn has one, and the runtime drops all but one of them"
        );
        let mut finding = Finding::new(&MULTIPLE_ENVELOPES, survey.brace(object), message);
        if survey.context.settings.select == Select::Error {
            finding = finding.severity(Severity::Error);
        }
        sink.push(finding.related(Span::here(survey.brace(last)), "the last of them"));
    }
    if let Some(picked) = survey.accepted_decoy() {
        let message = "the runtime accepts this earlier envelope and ignores the later one: what the kernel believes is not the \
                       model's last word";
        let finding = Finding::new(&DECOY_ACCEPTED, survey.brace(picked), message);
        sink.push(finding.related(Span::here(survey.brace(last)), "the envelope that is ignored"));
        return;
    }
    if matches!(survey.stage(), Some(Stage::EmbeddedRich | Stage::EmbeddedOther)) {
        let earlier = acceptable.iter().filter(|at| **at < safe).filter_map(|at| reply.objects.get(*at));
        for object in earlier {
            let message = "the runtime passed over this earlier envelope and took the last one, by chance: the reply did not begin \
                           with an object that decodes";
            sink.push(Finding::new(&DECOY_REJECTED, survey.brace(object), message));
        }
    }
}

/// How far back a label is looked for.
const PARAGRAPH: usize = 400;

/// Who is quoted.
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
            _ if line.trim_start().starts_with('>') => "a quotation".to_owned(),
            Some(label) => format!("what follows `{label}`"),
            None => continue,
        };
        let message = format!(
            "this envelope stands in {why}: it looks like echoed input, and the runtime does not tell that from the model's own"
        );
        sink.push(Finding::new(&ECHOED_ENVELOPE, survey.brace(object), message));
    }
}
