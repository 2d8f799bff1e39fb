//! What hides an envelope from the runtime's search for objects: quotes and braces in prose, depth, size, and sheer
//! number.

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

/// More objects than this are a flood.
const FLOOD: usize = 50;

pub(super) fn check(survey: &Survey<'_>, sink: &mut Sink) {
    let is_direct = matches!(survey.stage(), Some(Stage::Whole | Stage::Stream));
    for (at, object) in survey.with_role(ObjectRole::Envelope) {
        let sight = survey.sights.get(at).copied().unwrap_or_default();
        if let Some(quote) = sight.quote {
            stray_quote(survey, quote, at, sink);
        } else if let Some(brace) = sight.brace.filter(|_| !is_direct) {
            stray_brace(survey, brace, at, sink);
        }
        let limit = survey.context.settings.caps.candidate;
        if !is_direct && object.range.len() > limit {
            let message = format!(
                "this envelope has {} bytes: the runtime's search drops objects of more than {limit} without a word",
                object.range.len()
            );
            sink.push(Finding::new(&TOO_LARGE, survey.brace(object), message));
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
    let (message, severity) = if survey.is_lost() {
        let message = "this quote has no other half, so the runtime's search takes the envelope behind it for text in a string and \
                       does not find it; delete the quote";
        (message, Severity::Error)
    } else {
        (
            "this quote has no other half: had the runtime to search for the envelope, it would not find it",
            Severity::Hint,
        )
    };
    let mut finding = Finding::new(&STRAY_QUOTE, range, message).severity(severity);
    finding.fix = fix("Delete the quote", range, survey, sink);
    sink.push(finding.related(Span::here(survey.brace(object)), "the envelope"));
}

fn stray_brace(survey: &Survey<'_>, brace: usize, at: usize, sink: &mut Sink) {
    let Some(object) = survey.reply.objects.get(at) else { return };
    let message = "this brace is never closed, so the runtime takes the envelope behind it for a part of it and finds nothing; delete \
                   the brace";
    let range = TextRange::at(size(brace), size(1));
    let mut finding = Finding::new(&STRAY_BRACE, range, message);
    finding.fix = fix("Delete the brace", range, survey, sink);
    sink.push(finding.related(Span::here(survey.brace(object)), "the envelope"));
}

/// The deletion of a byte, if the runtime finds an envelope then.
fn fix(title: &str, range: TextRange, survey: &Survey<'_>, sink: &mut Sink) -> Option<Fix> {
    let (raw, fix) = (survey.reply.raw, Fix::guess(title).replace(range, ""));
    if !sink.may_read(2 * raw.len()) {
        return None;
    }
    let new = edits::applied(raw, &fix)?;
    let reading = runtime::read(&new, &survey.context.settings.caps).ok()?;
    reading.picked.is_some().then_some(fix)
}

fn depth(survey: &Survey<'_>, is_direct: bool, sink: &mut Sink) {
    let too_deep = survey.reply.objects.iter().find_map(|object| {
        object.json.problems.iter().find(|problem| problem.kind == JsonProblemKind::TooDeep)
    });
    if let Some(problem) = too_deep {
        let message = "more than 10,000 levels of nesting: the runtime's decoder gives up here";
        sink.push(Finding::new(&DEPTH, TextRange::at(problem.range.start(), size(1)), message));
    } else if let Some(brace) = survey.too_deep.filter(|_| !is_direct) {
        let limit = survey.context.settings.caps.depth;
        let message = format!(
            "more than {limit} braces deep: the runtime's search gives the object up here, and may take a piece of it for an object"
        );
        sink.push(Finding::new(&DEPTH, TextRange::at(size(brace), size(1)), message));
    }
}

fn flood(survey: &Survey<'_>, sink: &mut Sink) {
    let found = candidates(survey.reply.raw, &survey.context.settings.caps);
    if let Some(first) = found.first().filter(|_| found.len() > FLOOD) {
        let message =
            format!("{} objects in one reply: the runtime tries each of them, the last first", found.len());
        sink.push(Finding::new(&CANDIDATE_FLOOD, TextRange::at(size(first.start), size(1)), message));
    }
}
