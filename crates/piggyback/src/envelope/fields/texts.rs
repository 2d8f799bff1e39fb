//! Rules for the texts of a reply: credentials anywhere, parts of the control packet in the surface,
//! and the reasoning trace.

use crate::envelope::json::{Json, NodeId};
use crate::envelope::memory::MemoryOperation;
use crate::envelope::pointer::shortened;
use crate::envelope::runtime::Stage;
use crate::envelope::secrets::{Secret, secrets_in};
use crate::envelope::survey::{Subject, Survey};
use crate::envelope::{Sink, table};
use mangle_settings::Profile;
use mangle_syntax::lint::{Finding, Rule, Severity, rule};
use mangle_syntax::text::{TextRange, size};

/// Reports a credential in the surface.
pub(super) static SURFACE_SECRET: Rule = rule!("surface-secret.md");

/// Reports a part of the control packet in the surface.
pub(super) static SURFACE_LEAK: Rule = rule!("surface-leak.md");

/// Reports a credential in another part of a reply.
pub(super) static PACKET_SECRET: Rule = rule!("packet-secret.md");

pub(super) static TRACE_MISSING: Rule = rule!("trace-missing.md");

pub(in crate::envelope) static TRACE_SHORT: Rule = rule!("trace-short.md");

pub(in crate::envelope) static TRACE_MISMATCH: Rule = rule!("trace-mismatch.md");

/// Searches the whole reply for credentials.
pub(super) fn check_reply(survey: &Survey<'_>, sink: &mut Sink) {
    let found = secrets_in(survey.reply.raw);
    if found.is_empty() {
        return;
    }
    let subjects: Vec<_> = survey.subjects().collect();
    let places: Vec<Places> =
        subjects.iter().map(|subject| Places::from_subject(subject, survey.is_salvaged())).collect();
    let is_shown_whole = matches!(survey.stage(), None | Some(Stage::Fallback)) && !survey.is_salvaged();
    for secret in found {
        let range = TextRange::new(size(secret.range.start), size(secret.range.end));
        let within = |ranges: &[TextRange]| ranges.iter().any(|one| one.contains_range(range));
        if places.iter().any(|places| within(&places.stored)) {
            continue;
        }
        let is_shown = is_shown_whole || places.iter().any(|places| within(&places.surface));
        sink.push(finding(&secret, range, is_shown));
    }
}

fn finding(secret: &Secret, range: TextRange, is_shown: bool) -> Finding {
    let kind = secret.kind;
    match is_shown {
        true => {
            Finding::new(&SURFACE_SECRET, range, format!("user-visible text contains what looks like {kind}"))
                .note("the text is displayed and logged")
                .help("revoke the credential and issue a new one")
        }
        false => Finding::new(&PACKET_SECRET, range, format!("reply contains what looks like {kind}"))
            .note("this part of the reply is logged and may be stored")
            .help("keep the credential in a secret store"),
    }
}

/// Ranges of an envelope with dedicated rules.
struct Places {
    /// The surface, if the runtime uses the envelope.
    surface: Vec<TextRange>,
    /// Values that are stored in memory. The rule `secret-stored` checks them.
    stored: Vec<TextRange>,
}

impl Places {
    fn from_subject(subject: &Subject<'_>, is_salvaged: bool) -> Self {
        let json = subject.json;
        let surface = subject.envelope.get("surface_response").filter(|_| subject.is_picked || is_salvaged);
        let operations = subject.control.get("memory_operations").map(|list| list.value);
        let operations = operations.into_iter().flat_map(|list| json.elements(list));
        let stored = operations.filter_map(|operation| stored(json, operation));
        Self {
            surface: surface.map(|entry| json.range(entry.value)).into_iter().collect(),
            stored: stored.collect(),
        }
    }
}

/// Returns the value of a storing operation.
fn stored(json: &Json<'_>, operation: NodeId) -> Option<TextRange> {
    let member = |name: &str| {
        let is_it = |key: NodeId| json.string(key).is_some_and(|key| key == name);
        json.members(operation).filter(|member| is_it(member.key)).map(|member| member.value).last()
    };
    let op = json.string(member("op")?)?;
    let stores = MemoryOperation::find(&op).is_none_or(|operation| operation.stores);
    Some(json.range(member("value")?)).filter(|_| stores)
}

/// Searches the surface for parts of the packet.
pub(super) fn check_exposure(subject: &Subject<'_>, sink: &mut Sink) {
    if !subject.is_picked {
        return;
    }
    let Some(surface) = subject.envelope.get("surface_response") else { return };
    let Some((text, map)) = subject.json.string_with_map(surface.value) else { return };
    let place = |at: usize, len: usize| map.to_source(TextRange::at(size(at), size(len)));
    if let Some((at, key)) = leaked_key(&text) {
        let message = format!("user-visible text contains the control key `{key}`");
        let finding = Finding::new(&SURFACE_LEAK, place(at, key.len()), message);
        sink.push(finding.note("the control packet is not meant for the user"));
    }
    if let Some((at, len)) = leaked_update(subject, &text) {
        let message = "user-visible text repeats an update of the packet";
        let finding = Finding::new(&SURFACE_LEAK, place(at, len), message).severity(Severity::Warning);
        sink.push(finding.note("the control packet is not meant for the user"));
    }
}

/// The minimum length in bytes of an update that is searched for in a text.
const SHORTEST_UPDATE: usize = 12;

/// Returns the first update that occurs literally in a text.
fn leaked_update(subject: &Subject<'_>, text: &str) -> Option<(usize, usize)> {
    let list = subject.control.get("mangle_updates")?;
    let updates = subject.json.elements(list.value).filter_map(|update| subject.json.string(update));
    let mut found = updates.filter_map(|update| {
        let update = update.trim().trim_end_matches('.');
        let is_fact = update.len() >= SHORTEST_UPDATE && update.contains('(') && update.ends_with(')');
        is_fact.then(|| Some((text.find(update)?, update.len()))).flatten()
    });
    found.next()
}

/// Returns the first key of a control packet in a text. A key has a colon after it, or is a tag.
#[must_use]
pub(in crate::envelope) fn leaked_key(text: &str) -> Option<(usize, &'static str)> {
    let bytes = text.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut end = 0;
    // All such keys contain `_`.
    for at in memchr::memchr_iter(b'_', bytes) {
        if at < end {
            continue;
        }
        let start = at - bytes.get(end..at)?.iter().rev().take_while(|byte| is_word(byte)).count();
        end = at + bytes.get(at..)?.iter().take_while(|byte| is_word(byte)).count();
        let word = text.get(start..end)?;
        let before = start.checked_sub(1).and_then(|before| bytes.get(before));
        if let Some(key) = key_like(word)
            && is_key(before, text.get(end..)?)
        {
            return Some((start, key));
        }
    }
    None
}

/// Returns the key of a control packet that equals a word, in any case.
fn key_like(word: &str) -> Option<&'static str> {
    let mut keys = table::CONTROL.fields.iter().map(|field| field.name).chain(["control_packet"]);
    keys.find(|key| key.contains('_') && key.eq_ignore_ascii_case(word))
}

/// True if the text around a word makes it a key.
fn is_key(before: Option<&u8>, behind: &str) -> bool {
    if matches!(before, Some(b'<' | b'/')) && behind.starts_with('>') {
        return true;
    }
    let unquoted = behind.trim_start_matches(['"', '\'', '\\']);
    let is_quoted = unquoted.len() < behind.len();
    let Some(value) = unquoted.trim_start().strip_prefix([':', '=']) else { return false };
    is_quoted || value.trim_start().starts_with(['[', '{', '"'])
}

/// The maximum number of files in a trace that are checked.
const MAX_FILES: usize = 20;

pub(super) fn check_trace(subject: &Subject<'_>, sink: &mut Sink) {
    let control = &subject.control;
    let Some(range) = control.value_range("reasoning_trace").filter(|_| control.has_text("reasoning_trace"))
    else {
        missing_trace(subject, sink);
        return;
    };
    if subject.context.wants(&TRACE_SHORT) {
        short_trace(subject, range, sink);
    }
    if subject.context.wants(&TRACE_MISMATCH) {
        mismatched_files(subject, sink);
    }
}

fn short_trace(subject: &Subject<'_>, range: TextRange, sink: &mut Sink) {
    let Some(trace) = subject.control.text("reasoning_trace") else { return };
    let (words, wanted) = (trace.split_whitespace().count(), subject.context.settings.min_trace_words);
    if words < usize::try_from(wanted).unwrap_or(usize::MAX) {
        let message = format!("reasoning trace has {words} words, fewer than {wanted}");
        let finding = Finding::new(&TRACE_SHORT, range, message);
        sink.push(finding.note("`[transcripts] min_trace_words` sets the minimum"));
    }
}

fn missing_trace(subject: &Subject<'_>, sink: &mut Sink) {
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

fn mismatched_files(subject: &Subject<'_>, sink: &mut Sink) {
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
    text.split_whitespace().map(bare_word).filter(|word| is_file(word))
}

/// Removes surrounding punctuation from a word.
fn bare_word(word: &str) -> &str {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_however_they_are_written() {
        for text in [
            "{\"mangle_updates\": []}",
            "{\\\"mangle_updates\\\":[]}",
            "'memory_operations' : {",
            "mangle_updates: [\"p(1).\"]",
            "Control_Packet={\"a\": 1}",
            "<control_packet>p</control_packet>",
        ] {
            assert!(leaked_key(text).is_some(), "{text}");
        }
        for text in [
            "I write to `mangle_updates` as always.",
            "About mangle_updates: they are facts.",
            "my_mangle_updates: []",
            "The control packet: a hidden part.",
        ] {
            assert_eq!(leaked_key(text), None, "{text}");
        }
    }
}
