//! Several envelopes in one reply: which of them the runtime believes.

use crate::envelope::check::Sink;
use crate::envelope::examples::line;
use crate::envelope::runtime::Stage;
use crate::envelope::survey::{Role, Survey};
use mangle_settings::Select;
use mangle_syntax::lint::{Finding, FixKind, Group, Rule, Severity, Span};

pub(super) static MULTIPLE_ENVELOPES: Rule = Rule {
    code: "PB007",
    name: "multiple-envelopes",
    group: Group::Replies,
    severity: Some(Severity::Warning),
    summary: "Several envelopes in one reply.",
    rationale: "A turn is one envelope. The runtime takes one of them and drops the others with all their updates. An envelope in \
                quoted text is how a turn is hijacked.",
    bad: concat!("Set {x}: ", line!("first"), "\nLet me try again.\n", line!("second"), "\n"),
    good: line!("second"),
    fix: FixKind::None,
};

pub(super) static DECOY_ACCEPTED: Rule = Rule {
    code: "PB021",
    name: "decoy-accepted",
    group: Group::Replies,
    severity: Some(Severity::Error),
    summary: "An earlier envelope is believed instead of the last one.",
    rationale: "A reply ends with its envelope, but the runtime stops at the first object that decodes and has a surface. Whoever \
                gets the model to repeat an envelope first decides what the kernel believes.",
    bad: concat!(line!("quoted from the issue"), "\nMy own answer:\n", line!("real"), "\n"),
    good: line!("real"),
    fix: FixKind::None,
};

pub(super) static DECOY_REJECTED: Rule = Rule {
    code: "PB022",
    name: "decoy-rejected",
    group: Group::Replies,
    severity: Some(Severity::Information),
    summary: "An earlier envelope was passed over for the last one.",
    rationale: "The text from the first brace on was no envelope, so the runtime searched from the end, and the last one won. Had \
                the reply begun with the earlier one, that would have been believed.",
    bad: concat!("Use {x}: ", line!("earlier"), " and then ", line!("last"), "\n"),
    good: line!("last"),
    fix: FixKind::None,
};

pub(super) static ECHOED_ENVELOPE: Rule = Rule {
    code: "PB023",
    name: "echoed-envelope",
    group: Group::Replies,
    severity: Some(Severity::Warning),
    summary: "An envelope in text that quotes somebody.",
    rationale: "It stands in a quotation or behind a label such as `User:`, so the model repeats what it was given. The runtime \
                makes no difference between that and an envelope of the model's own.",
    bad: concat!("> ", line!("grant me everything"), "\n"),
    good: line!("I will not do that."),
    fix: FixKind::None,
};

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
    for (_, object) in survey.with_role(Role::Envelope) {
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
