//! Rules for text that hides an envelope from the runtime's object search.
//!
//! The causes are quotes and braces in prose, nesting depth, size, and the number of objects.

use crate::envelope::edits;
use crate::envelope::json::JsonProblemKind;
use crate::envelope::runtime::{self, Stage, candidates};
use crate::envelope::sink::Sink;
use crate::envelope::survey::{ObjectRole, Survey};
use mangle_syntax::lint::{Finding, Fix, Rule, Severity, Span, rule};
use mangle_syntax::text::{TextRange, size};

pub(super) static STRAY_QUOTE: Rule = rule!("stray-quote.md");

pub(super) static STRAY_BRACE: Rule = rule!("stray-brace.md");

pub(super) static DEPTH: Rule = rule!("depth.md");

pub(super) static TOO_LARGE: Rule = rule!("too-large.md");

pub(super) static CANDIDATE_FLOOD: Rule = rule!("candidate-flood.md");

/// The maximum number of objects in a reply before it is reported as flooded.
const FLOOD: usize = 50;

pub(super) fn check(survey: &Survey<'_>, sink: &mut Sink) {
    let is_direct = matches!(survey.stage(), Some(Stage::Whole | Stage::Stream));
    for (at, object) in survey.with_role(ObjectRole::Envelope) {
        let sight = survey.scanner_states.get(at).copied().unwrap_or_default();
        if let Some(quote) = sight.quote {
            stray_quote(survey, quote, at, sink);
        } else if let Some(brace) = sight.brace.filter(|_| !is_direct) {
            stray_brace(survey, brace, at, sink);
        }
        let limit = survey.context.settings.caps.candidate();
        if !is_direct && object.range.len() > limit {
            let message =
                format!("envelope in mixed text has {} bytes, the limit is {limit}", object.range.len());
            let finding = Finding::new(&TOO_LARGE, survey.brace(object), message);
            sink.push(finding.note("the runtime's search silently ignores a larger object"));
        }
    }
    depth(survey, is_direct, sink);
    if !is_direct {
        flood(survey, sink);
    }
}

fn stray_quote(survey: &Survey<'_>, quote: usize, at: usize, sink: &mut Sink) {
    let range = TextRange::at(size(quote), size(1));
    let Some(object) = survey.reply.objects.get(at) else { return };
    let (message, note, severity) = if survey.is_lost() {
        (
            "unpaired quote hides the following envelope",
            "the runtime's search takes the envelope for text in a string and does not find it",
            Severity::Error,
        )
    } else {
        (
            "unpaired quote before the envelope",
            "when the runtime has to search for the envelope, it does not find it",
            Severity::Hint,
        )
    };
    let mut finding = Finding::new(&STRAY_QUOTE, range, message).severity(severity).note(note);
    finding.fix = fix("delete the quote", range, survey, sink);
    finding = finding.help("delete the quote");
    sink.push(finding.related(Span::here(survey.brace(object)), "envelope"));
}

fn stray_brace(survey: &Survey<'_>, brace: usize, at: usize, sink: &mut Sink) {
    let Some(object) = survey.reply.objects.get(at) else { return };
    let message = "unclosed brace hides the following envelope";
    let range = TextRange::at(size(brace), size(1));
    let mut finding = Finding::new(&STRAY_BRACE, range, message)
        .note("the runtime takes the envelope for a part of this object and finds nothing")
        .help("delete the brace");
    finding.fix = fix("delete the brace", range, survey, sink);
    sink.push(finding.related(Span::here(survey.brace(object)), "envelope"));
}

/// Returns the fix that deletes a byte, if the runtime then finds an envelope.
fn fix(title: &str, range: TextRange, survey: &Survey<'_>, sink: &mut Sink) -> Option<Fix> {
    let (raw, fix) = (survey.reply.raw, Fix::guess(title).replace(range, ""));
    if !sink.may_read(2 * raw.len()) {
        return None;
    }
    let new = edits::applied(raw, &fix)?;
    let reading = runtime::read(&new, &survey.context.settings.caps).ok()?;
    reading.accepted.is_some().then_some(fix)
}

fn depth(survey: &Survey<'_>, is_direct: bool, sink: &mut Sink) {
    let too_deep = survey.reply.objects.iter().find_map(|object| {
        object.json.problems.iter().find(|problem| problem.kind == JsonProblemKind::TooDeep)
    });
    if let Some(problem) = too_deep {
        let range = TextRange::at(problem.range.start(), size(1));
        let finding = Finding::new(&DEPTH, range, "more than 10,000 levels of nesting");
        sink.push(finding.note("the runtime's decoder reaches its limit here"));
    } else if let Some(brace) = survey.too_deep.filter(|_| !is_direct) {
        let limit = survey.context.settings.caps.depth();
        let message = format!("object is nested more than {limit} braces deep");
        let finding = Finding::new(&DEPTH, TextRange::at(size(brace), size(1)), message).note(
            "the runtime's search reaches its limit here, and may take a piece of the object for an object",
        );
        sink.push(finding);
    }
}

fn flood(survey: &Survey<'_>, sink: &mut Sink) {
    let found = candidates(survey.reply.raw, &survey.context.settings.caps);
    if let Some(first) = found.first().filter(|_| found.len() > FLOOD) {
        let message = format!("reply contains {} objects", found.len());
        let range = TextRange::at(size(first.start), size(1));
        let finding = Finding::new(&CANDIDATE_FLOOD, range, message);
        sink.push(finding.note("the runtime tries to decode each of them, the last one first"));
    }
}
