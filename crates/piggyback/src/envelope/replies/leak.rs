//! Rule for control packets in text that is shown to the user.

use crate::envelope::runtime::Stage;
use crate::envelope::sink::Sink;
use crate::envelope::survey::Survey;
use crate::envelope::table::CONTROL;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{TextRange, size};

/// Reports a control packet in text that is shown to the user.
pub static CONTROL_LEAK: Rule = rule!("control-leak.md");

const VISIBLE: &str = "control packet is visible to the user";

pub(super) fn check(survey: &Survey<'_>, sink: &mut Sink) {
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
    names.filter_map(|name| find(raw, name)).min_by_key(|range| range.start())
}

fn find(raw: &[u8], name: &str) -> Option<TextRange> {
    let mut found = memchr::memmem::find_iter(raw, name.as_bytes());
    let start = found.find(|start| {
        let quote = start.checked_sub(1).and_then(|before| raw.get(before));
        let behind = raw.get(start + name.len()..).unwrap_or(&[]);
        quote == Some(&b'"') && (behind.starts_with(b"\"") || behind.starts_with(b"\\"))
    })?;
    Some(TextRange::at(size(start), size(name.len())))
}
