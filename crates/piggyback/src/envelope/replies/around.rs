//! Rules for text and code fences around the envelope that the runtime uses.

use std::ops::Range;

use crate::envelope::sink::Sink;
use crate::envelope::survey::{ObjectRole, Survey};
use crate::envelope::{Reply, edits};
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::text::{TextRange, size};

pub(super) static LEADING_TEXT: Rule = rule!("leading-text.md");

pub(super) static TRAILING_TEXT: Rule = rule!("trailing-text.md");

pub(super) static FENCED: Rule = rule!("fenced.md");

pub(super) fn check(survey: &Survey<'_>, sink: &mut Sink) {
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
        text(finding, reply, 0..end, survey, sink);
    }
    if is_fence(&behind) {
        fence(reply, behind, None, sink);
    } else if !behind.is_empty() {
        let message = format!("{} of text after the envelope", bytes(behind.len()));
        let cut = behind.start.min(last.range.end)..reply.raw.trim_ascii_end().len();
        let finding = Finding::new(&TRAILING_TEXT, range(&behind), message)
            .note("the runtime ignores this text, and the user never sees it");
        text(finding, reply, cut, survey, sink);
    }
}

/// Reports text around an envelope. The fix deletes the text if the reply is then decoded to the
/// same result.
fn text(mut finding: Finding, reply: &Reply<'_>, cut: Range<usize>, survey: &Survey<'_>, sink: &mut Sink) {
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
