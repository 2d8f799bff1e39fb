//! Rule for replies whose surface differs from the text shown during streaming.

use crate::envelope::runtime::live;
use crate::envelope::sink::Sink;
use crate::envelope::survey::Survey;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{TextRange, size};

pub(super) static LIVE_DIFFERS: Rule = rule!("live-differs.md");

/// The maximum number of characters of the shown text in a finding.
const SHOWN: usize = 60;

pub(super) fn check(survey: &Survey<'_>, sink: &mut Sink) {
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
