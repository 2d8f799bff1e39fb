//! Rules for the text that is shown to the user: control packets in it, a surface that differs from
//! the streamed text, and a surface that repeats an example of the prompt.

use crate::envelope::Sink;
use crate::envelope::runtime::{Stage, live};
use crate::envelope::survey::Survey;
use crate::envelope::table::CONTROL;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{TextRange, size};

/// Reports a control packet in text that is shown to the user.
pub static CONTROL_LEAK: Rule = rule!("control-leak.md");

pub(super) static LIVE_DIFFERS: Rule = rule!("live-differs.md");

pub(super) static PLACEHOLDER_SURFACE: Rule = rule!("placeholder-surface.md");

const VISIBLE: &str = "control packet is visible to the user";

pub(super) fn check_leak(survey: &Survey<'_>, sink: &mut Sink) {
    if survey.stage() == Some(Stage::Fallback)
        && !survey.is_salvaged()
        && let Some(range) = first_key(survey.reply.raw)
    {
        let note = "no envelope can be read, so the runtime shows the whole text";
        sink.push(Finding::new(&CONTROL_LEAK, range, VISIBLE).note(note));
    }
}

/// Returns a finding if the text shown to the user contains a control packet.
#[must_use]
pub fn control_shown(shown: &[u8]) -> Option<Finding> {
    Some(Finding::new(&CONTROL_LEAK, first_key(shown)?, VISIBLE).note("this text was shown as it is"))
}

/// Returns the first quoted key of a control packet in a text. The quotes may be escaped.
fn first_key(raw: &[u8]) -> Option<TextRange> {
    let names = CONTROL.fields.iter().map(|field| field.name).chain(["control_packet"]);
    names.filter_map(|name| find_key(raw, name)).min_by_key(|range| range.start())
}

fn find_key(raw: &[u8], name: &str) -> Option<TextRange> {
    let mut found = memchr::memmem::find_iter(raw, name.as_bytes());
    let start = found.find(|start| {
        let quote = start.checked_sub(1).and_then(|before| raw.get(before));
        let behind = raw.get(start + name.len()..).unwrap_or(&[]);
        quote == Some(&b'"') && (behind.starts_with(b"\"") || behind.starts_with(b"\\"))
    })?;
    Some(TextRange::at(size(start), size(name.len())))
}

/// The maximum number of characters of the shown text in a finding.
const SHOWN: usize = 60;

pub(super) fn check_live(survey: &Survey<'_>, sink: &mut Sink) {
    let runtime = survey.context.settings.caps.runtime;
    if !runtime.live_channel || survey.context.is_documentation || !survey.context.wants(&LIVE_DIFFERS) {
        return;
    }
    // An incomplete envelope shows the same text with a mark. A separate rule reports dropped
    // examples.
    let Ok(reading) = &survey.reply.reading else { return };
    if reading.is_salvaged || reading.placeholders.surface {
        return;
    }
    let shown = live(survey.reply.raw, &[usize::MAX]);
    if shown.is_empty() || shown == reading.surface {
        return;
    }
    let text = String::from_utf8_lossy(&shown);
    let quoted: String = text.chars().take(SHOWN).collect();
    let more = if text.chars().count() > SHOWN { "…" } else { "" };
    let (range, message) = match survey.reply.member(&["surface_response"]) {
        Some((json, node)) => {
            (json.range(node), "surface response differs from the text shown while it streamed")
        }
        None => {
            let start = survey.first_line().start();
            (
                TextRange::at(start, size(1.min(survey.reply.raw.len()))),
                "reply shows another text while it streams",
            )
        }
    };
    let finding = Finding::new(&LIVE_DIFFERS, range, message)
        .note(format!("runtime {runtime} first shows `{}{more}`", quoted.escape_debug()))
        .help("send one envelope with one `surface_response`, and nothing before it");
    sink.push(finding);
}

pub(super) fn check_placeholder(survey: &Survey<'_>, sink: &mut Sink) {
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
