//! Rules for the surroundings of an envelope: text and code fences, other envelopes, and text that
//! hides an envelope from the runtime's object search.
//!
//! Quotes and braces in prose, nesting depth, size, and the number of objects can hide an envelope.

use std::ops::Range;

use crate::envelope::json::JsonProblemKind;
use crate::envelope::runtime::{self, Stage, candidates};
use crate::envelope::survey::{ObjectRole, Survey};
use crate::envelope::{Reply, Sink, edits};
use mangle_settings::Select;
use mangle_syntax::lint::{Finding, Fix, Rule, Severity, Span, rule};
use mangle_syntax::text::{TextRange, size};

pub(super) static LEADING_TEXT: Rule = rule!("leading-text.md");

pub(super) static TRAILING_TEXT: Rule = rule!("trailing-text.md");

pub(super) static FENCED: Rule = rule!("fenced.md");

pub(super) static MULTIPLE_ENVELOPES: Rule = rule!("multiple-envelopes.md");

pub(super) static DECOY_ACCEPTED: Rule = rule!("decoy-accepted.md");

pub(super) static DECOY_REJECTED: Rule = rule!("decoy-rejected.md");

pub(super) static ECHOED_ENVELOPE: Rule = rule!("echoed-envelope.md");

pub(super) static STRAY_QUOTE: Rule = rule!("stray-quote.md");

pub(super) static STRAY_BRACE: Rule = rule!("stray-brace.md");

pub(super) static DEPTH: Rule = rule!("depth.md");

pub(super) static TOO_LARGE: Rule = rule!("too-large.md");

pub(super) static CANDIDATE_FLOOD: Rule = rule!("candidate-flood.md");

pub(super) fn check_around(survey: &Survey<'_>, sink: &mut Sink) {
    let (Some(_), reply) = (survey.picked(), survey.reply) else { return };
    let is_json =
        |role: &ObjectRole| matches!(role, ObjectRole::Envelope | ObjectRole::Json | ObjectRole::Truncated);
    let (Some(first), Some(last)) =
        (survey.roles.iter().position(is_json), survey.roles.iter().rposition(is_json))
    else {
        return;
    };
    let (Some(first), Some(last)) = (reply.objects.get(first), reply.objects.get(last)) else { return };
    let (before, behind) = match &survey.wrapper {
        // The brackets of an array are not reported as text.
        Some(json) => {
            let array = json.range(json.root());
            (0..array.start().into(), array.end().into()..reply.raw.len())
        }
        None => (0..first.range.start, last.range.end..reply.raw.len()),
    };
    let (before, behind) = (trimmed(reply, before), trimmed(reply, behind));
    let is_fence = |part: &Range<usize>| reply.raw.get(part.clone()).is_some_and(is_fence);
    if is_fence(&before) {
        let also = Some(behind).filter(is_fence);
        fence(reply, before, also, sink);
        return;
    }
    if !before.is_empty() {
        let end = first.range.start;
        let message = format!("{} of text before the envelope", bytes(before.len()));
        let finding = Finding::new(&LEADING_TEXT, range(&before), message)
            .note("the user never sees this text, and a brace in it would hide the envelope");
        surrounding_text(finding, reply, 0..end, survey, sink);
    }
    if is_fence(&behind) {
        fence(reply, behind, None, sink);
    } else if !behind.is_empty() {
        let message = format!("{} of text after the envelope", bytes(behind.len()));
        let cut = behind.start.min(last.range.end)..reply.raw.trim_ascii_end().len();
        let finding = Finding::new(&TRAILING_TEXT, range(&behind), message)
            .note("the runtime ignores this text, and the user never sees it");
        surrounding_text(finding, reply, cut, survey, sink);
    }
}

/// Reports text around an envelope. The fix deletes the text if the reply is then decoded to the
/// same result.
fn surrounding_text(
    mut finding: Finding,
    reply: &Reply<'_>,
    cut: Range<usize>,
    survey: &Survey<'_>,
    sink: &mut Sink,
) {
    let title = "delete the text";
    // Text around an accepted decoy may state the intended envelope.
    let fix = if survey.accepted_decoy().is_some() { Fix::guess(title) } else { Fix::safe(title) };
    let fix = fix.replace(range(&cut), "");
    let is_same = sink.may_read(2 * reply.raw.len())
        && edits::applied(reply.raw, &fix)
            .is_some_and(|new| edits::reads_the_same(reply.raw, &new, &survey.context.settings.caps));
    finding.fix = is_same.then_some(fix);
    sink.push(finding);
}

fn fence(reply: &Reply<'_>, one: Range<usize>, other: Option<Range<usize>>, sink: &mut Sink) {
    let mut fix = Fix::safe("delete the fences");
    for part in other.iter().chain([&one]) {
        let start = part.start
            - reply.raw.get(..part.start).map_or(0, |before| before.len() - before.trim_ascii_end().len());
        let behind = reply.raw.get(part.end..).unwrap_or(&[]);
        let space = behind.len() - behind.trim_ascii_start().len();
        // Delete white space between the fence and the object with the fence. Keep the end of the
        // file.
        let cut = if space == behind.len() { start..part.end } else { part.start..part.end + space };
        fix = fix.replace(range(&cut), "");
    }
    let finding = Finding::new(&FENCED, range(&one), "envelope is in a code fence");
    sink.push(finding.note("the runtime accepts it, but the protocol requires the bare object").fix(fix));
}

/// True if the text consists only of a fence marker with an optional language name.
fn is_fence(text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let rest = text.strip_prefix("```").or(text.strip_prefix("~~~"));
    rest.is_some_and(|word| word.trim().chars().all(|char| char.is_ascii_alphanumeric()) && word.len() < 16)
}

/// Removes white space and byte order marks from both ends of a part of a reply, as the runtime
/// does.
fn trimmed(reply: &Reply<'_>, part: Range<usize>) -> Range<usize> {
    let text = reply.raw.get(part.clone()).unwrap_or(&[]);
    let front = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let is_blank = |char: char| char.is_whitespace() || char == '\u{feff}';
    let lead = front.len() - front.trim_start_matches(is_blank).len();
    let rest = text.get(lead..).unwrap_or(&[]);
    let back = rest.utf8_chunks().last().filter(|chunk| chunk.invalid().is_empty());
    let trail = back.map_or(0, |chunk| chunk.valid().len() - chunk.valid().trim_end_matches(is_blank).len());
    let start = part.start + lead;
    start..start + rest.len() - trail
}

fn range(part: &Range<usize>) -> TextRange {
    TextRange::new(size(part.start), size(part.end.max(part.start)))
}

fn bytes(count: usize) -> String {
    format!("{count} byte{}", if count == 1 { "" } else { "s" })
}

pub(super) fn check_decoys(survey: &Survey<'_>, sink: &mut Sink) {
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

/// The maximum number of objects in a reply before it is reported as flooded.
const FLOOD: usize = 50;

pub(super) fn check_hidden(survey: &Survey<'_>, sink: &mut Sink) {
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
    finding.fix = deletion("delete the quote", range, survey, sink);
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
    finding.fix = deletion("delete the brace", range, survey, sink);
    sink.push(finding.related(Span::here(survey.brace(object)), "envelope"));
}

/// Returns the fix that deletes a byte, if the runtime then finds an envelope.
fn deletion(title: &str, range: TextRange, survey: &Survey<'_>, sink: &mut Sink) -> Option<Fix> {
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
