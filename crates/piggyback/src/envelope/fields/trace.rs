//! Rules for the reasoning trace.

use crate::envelope::shorten::shortened;
use crate::envelope::sink::Sink;
use crate::envelope::subject::Subject;
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::text::{TextRange, size};

pub(super) static TRACE_MISSING: Rule = rule!("trace-missing.md");

pub(in crate::envelope) static TRACE_SHORT: Rule = rule!("trace-short.md");

pub(in crate::envelope) static TRACE_MISMATCH: Rule = rule!("trace-mismatch.md");

/// The maximum number of files in a trace that are checked.
const MAX_FILES: usize = 20;

pub(super) fn check(subject: &Subject<'_>, sink: &mut Sink) {
    let control = &subject.control;
    let Some(range) = control.value_range("reasoning_trace").filter(|_| control.has_text("reasoning_trace"))
    else {
        missing(subject, sink);
        return;
    };
    if subject.context.wants(&TRACE_SHORT) {
        short(subject, range, sink);
    }
    if subject.context.wants(&TRACE_MISMATCH) {
        mismatch(subject, sink);
    }
}

fn short(subject: &Subject<'_>, range: TextRange, sink: &mut Sink) {
    let Some(trace) = subject.control.text("reasoning_trace") else { return };
    let (words, wanted) = (trace.split_whitespace().count(), subject.context.settings.min_trace_words);
    if words < usize::try_from(wanted).unwrap_or(usize::MAX) {
        let message = format!("reasoning trace has {words} words, fewer than {wanted}");
        let finding = Finding::new(&TRACE_SHORT, range, message);
        sink.push(finding.note("`[transcripts] min_trace_words` sets the minimum"));
    }
}

fn missing(subject: &Subject<'_>, sink: &mut Sink) {
    let Some(agent) = subject.context.settings.conventions_of() else { return };
    let control = &subject.control;
    let changes = ["mangle_updates", "tool_requests"].iter().any(|name| !control.list(name).is_empty());
    if changes && subject.is_whole() && subject.profile >= Profile::V1_2 {
        let range = control.key_range("reasoning_trace").unwrap_or(subject.control_range());
        let finding = Finding::new(&TRACE_MISSING, range, "packet with changes has no reasoning trace");
        let note = format!("{agent} expects one, so that an audit can tell the reason for the changes");
        sink.push(finding.note(note));
    }
}

fn mismatch(subject: &Subject<'_>, sink: &mut Sink) {
    let control = &subject.control;
    let Some((trace, map)) =
        control.get("reasoning_trace").and_then(|entry| subject.json.string_with_map(entry.value))
    else {
        return;
    };
    let mut known = control.object("intent_classification").text("target").unwrap_or_default().into_owned();
    for update in control.list("mangle_updates") {
        known.push(' ');
        known.push_str(&subject.json.string(update).unwrap_or_default());
    }
    for file in files(&trace).filter(|file| !known.contains(file)).take(MAX_FILES) {
        // The word is a subslice of the trace.
        let start = file.as_ptr() as usize - trace.as_ptr() as usize;
        let range = map.to_source(TextRange::at(size(start), size(file.len())));
        let message = format!("packet does not mention `{}`", shortened(file));
        let finding = Finding::new(&TRACE_MISMATCH, range, message).label("mentioned in the reasoning trace");
        sink.push(finding.note("neither the target nor an update contains the name of the file"));
    }
}

/// Returns the file names in a text.
pub(in crate::envelope) fn files(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(bare).filter(|word| is_file(word))
}

/// Removes surrounding punctuation from a word.
fn bare(word: &str) -> &str {
    word.trim_matches(|char: char| !char.is_alphanumeric() && !matches!(char, '/' | '_' | '.'))
        .trim_end_matches('.')
}

/// True if a word is a file name.
fn is_file(word: &str) -> bool {
    const ENDS: [&str; 16] = [
        "go", "md", "py", "js", "ts", "tsx", "rs", "java", "json", "yaml", "yml", "toml", "mg", "gl", "sh",
        "sql",
    ];
    word.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && ENDS.contains(&end))
}
