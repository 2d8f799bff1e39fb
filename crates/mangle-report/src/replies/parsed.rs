//! Output of `parse`: one line of JSON or text for each reply, the extraction stages of the runtime
//! (`--explain`), and the texts that other parts of the runtime extract (`--extractor`).

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{TranscriptReply, failure_words, stage_word, warning_words};
use crate::replay::atom;
use crate::sink;
use mangle_settings::{Caps, PeriodRequirement};
use piggyback::envelope::account::{AccountEntry, NO_POLICY_NOTICE, UpdateFate};
use piggyback::envelope::extractors::Extract;
use piggyback::envelope::runtime::{self, Stage, candidates, record};
use piggyback::envelope::{Object, Reply};

/// The record of a reply. `diagnostics` are in the format of `check --format json`.
///
/// `model` is the result of the runtime itself, which supports one protocol version. All other
/// members follow the version of the reply. `caps` are the limits of the runtime.
#[must_use]
pub fn parsed(answered: TranscriptReply<'_>, caps: &Caps, diagnostics: Vec<Value>) -> Value {
    let TranscriptReply { file, reply, turn, .. } = answered;
    let reading = reply.reading.as_ref();
    let picked = reading.ok().and_then(|reading| reading.accepted.as_ref());
    let surface = reading.map_or(&[][..], |reading| reading.visible_text());
    let correction = picked.and_then(|picked| picked.packet.self_correction.as_ref());
    let memory = picked.iter().flat_map(|picked| picked.packet.memory.as_slice());
    let warnings = reading.map_or(&[][..], |reading| &reading.warnings);
    let envelopes = reply.objects.iter().enumerate().filter(|(_, object)| object.is_acceptable());
    json!({
        "file": file,
        "record": answered.record.number,
        "path": turn.path,
        "stage": stage_word(&reply.reading),
        "method": reading.map_or(Value::Null, |reading| reading.stage.method().into()),
        "confidence": reading.map_or(0.0, |reading| reading.stage.confidence()),
        "error": reading.err().map(failure_words),
        "surface": {
            "text": String::from_utf8_lossy(surface),
            "bytes": surface.len(),
            "range": reading.ok().map(|_| surface_range(answered)),
        },
        "control": { "present": picked.is_some(), "range": member_range(answered, &["control_packet"]) },
        "atoms": atoms(answered),
        "memory_ops": memory.map(|one| json!({ "op": one.op, "key": one.key, "value": one.value })).collect::<Value>(),
        "self_correction": correction
            .map(|one| json!({ "triggered": one.triggered, "hypothesis": one.hypothesis })),
        "warnings": warnings.iter().map(warning_words).collect::<Vec<_>>(),
        "model": model(reply, caps),
        "diagnostics": diagnostics,
        "envelopes": envelopes.map(|(at, object)| json!({
            "range": answered.place(object.range.clone()),
            "picked_by_runtime": reply.accepted == Some(at),
            "picked_safe": reply.preferred == Some(at),
        })).collect::<Value>(),
    })
}

/// The result of the runtime itself. It drops updates without a period, even if the version of the
/// reply allows them.
fn model(reply: &Reply<'_>, caps: &Caps) -> Value {
    let picked = reply.reading.as_ref().ok().and_then(|reading| reading.accepted.as_ref());
    match picked.is_some_and(|picked| picked.kept.is_without_full_stops) {
        false => record(&reply.reading, caps.runtime, None),
        true => {
            let caps = Caps { full_stops: PeriodRequirement::default(), ..caps.clone() };
            record(&runtime::read(reply.raw, &caps), caps.runtime, None)
        }
    }
}

/// The record as one line of text.
#[must_use]
pub fn parsed_text(parsed: &Value) -> String {
    let word = |path: &str| {
        parsed.pointer(path).map_or(String::new(), |value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    };
    let count = |path: &str| parsed.pointer(path).and_then(Value::as_array).map_or(0, Vec::len);
    let mut out = format!("{}:{}: {}", sink::line(&word("/file")), word("/record"), word("/stage"));
    match parsed["error"].as_str() {
        Some(why) => return format!("{out} error: {}\n", sink::line(why)),
        None => out.push_str(&format!(" {} {}", word("/method"), word("/confidence"))),
    }
    out.push_str(&format!(", surface {}", plural(parsed["surface"]["bytes"].as_u64().unwrap_or(0), "byte")));
    if parsed["control"]["present"] == Value::Bool(true) {
        let kept = count("/atoms/kept") as u64;
        match parsed["atoms"]["not_judged"].is_null() {
            true => out.push_str(&format!(", {} kept", plural(kept, "atom"))),
            false => out
                .push_str(&format!(", {} passed the filters, not checked by a policy", plural(kept, "atom"))),
        }
        let lost =
            ["/atoms/dropped", "/atoms/blocked", "/atoms/withdrawn"].map(count).into_iter().sum::<usize>();
        if lost > 0 {
            out.push_str(&format!(" and {lost} lost"));
        }
        if count("/memory_ops") > 0 {
            out.push_str(&format!(", {}", plural(count("/memory_ops") as u64, "memory operation")));
        }
    } else {
        out.push_str(", nothing reaches the kernel");
    }
    if count("/diagnostics") > 0 {
        out.push_str(&format!(", {}", plural(count("/diagnostics") as u64, "finding")));
    }
    out + "\n"
}

fn plural(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The byte range of the shown text in the file: the string in the envelope without quotes, or the
/// whole reply.
fn surface_range(answered: TranscriptReply<'_>) -> [u64; 2] {
    match answered.reply.member(&["surface_response"]) {
        Some((json, node)) => {
            let range = json.range(node);
            let (start, end) = (usize::from(range.start()), usize::from(range.end()));
            answered.place(start + 1..end.saturating_sub(1))
        }
        None => {
            let raw = answered.reply.raw;
            let start = raw.len() - raw.trim_ascii_start().len();
            answered.place(start..raw.trim_ascii_end().len())
        }
    }
}

fn member_range(answered: TranscriptReply<'_>, path: &[&str]) -> Option<[u64; 2]> {
    let (json, node) = answered.reply.member(path)?;
    let range = json.range(node);
    Some(answered.place(range.start().into()..range.end().into()))
}

/// The outcomes of the updates.
fn atoms(answered: TranscriptReply<'_>) -> Value {
    let lost = |word: &str| {
        let of_word = answered.account.iter().filter(|entry| entry.fate.word() == word);
        let entry = |entry: &AccountEntry| json!({ "index": entry.index, "reason": entry.fate.reason(), "text": entry.text });
        of_word.map(entry).collect::<Value>()
    };
    let kept = answered.account.iter().filter(|entry| entry.fate.is_kept());
    let is_judged = !answered.account.iter().any(|entry| matches!(entry.fate, UpdateFate::Passed(_)));
    json!({
        "seen": answered.account.len(),
        "kept": kept.map(|entry| &entry.text).collect::<Vec<_>>(),
        "dropped": lost("dropped"),
        "blocked": lost("blocked"),
        "withdrawn": lost("withdrawn"),
        "not_judged": if is_judged { None } else { Some(NO_POLICY_NOTICE) },
        "account": answered.account.iter().map(atom).collect::<Vec<_>>(),
    })
}

/// The record of the extracted text.
#[must_use]
pub fn extracted(answered: TranscriptReply<'_>, extract: &Extract) -> Value {
    let range = extract.range.clone();
    let text = range.clone().and_then(|range| answered.reply.raw.get(range));
    json!({
        "file": answered.file,
        "record": answered.record.number,
        "path": answered.turn.path,
        "is_json": extract.is_json,
        "range": range.map(|range| answered.place(range)),
        "text": text.map(String::from_utf8_lossy),
        "updates": extract.updates,
    })
}

/// The maximum length of a text, in characters.
const SHOWN: usize = 100;

/// The stages of a reply as text, from its [`parsed`] record.
#[must_use]
pub fn explained(answered: TranscriptReply<'_>, parsed: &Value, caps: &Caps) -> String {
    let TranscriptReply { file, record, reply, .. } = answered;
    let mut out = format!("{}:{}: a reply of {} bytes\n", sink::line(file), record.number, reply.raw.len());
    // Writing to a string cannot fail.
    let mut line = |stage: &str, text: &str| {
        let _ = writeln!(out, "  {stage:<3} {}", sink::line(text));
    };
    let stage = reply.reading.as_ref().map(|reading| reading.stage);
    match stage {
        Ok(Stage::Whole) => line("P1", "all of it is one JSON value: taken"),
        Ok(Stage::Stream) => line("P1", "all of it is no envelope, but the value at its first `{` is: taken"),
        _ => {
            line("P1", &format!("not taken: {}", direct_failure(answered)));
            fenced(stage.ok(), caps, &mut line);
        }
    }
    if matches!(stage, Ok(Stage::EmbeddedRich | Stage::EmbeddedOther | Stage::Fallback) | Err(_)) {
        embedded(answered, stage.ok(), caps, &mut line);
    }
    match &reply.reading {
        Ok(reading) if reading.stage == Stage::Fallback => {
            line("P4", "the text itself is shown, and nothing reaches the kernel");
        }
        Err(failure) => line("P5", &format!("an error: {}", failure_words(failure))),
        Ok(_) => {}
    }
    results(parsed, &mut line);
    out
}

/// The reason why stage P1 rejected the reply.
fn direct_failure(answered: TranscriptReply<'_>) -> String {
    let first = answered.reply.objects.first();
    let why = |object: &Object<'_>| match &object.decoded {
        Err(failure) => failure_words(failure),
        Ok(()) if !object.is_acceptable() => "its `surface_response` is missing or empty".into(),
        Ok(()) => "it has no category or no verb".into(),
    };
    match first {
        None => "there is no `{` in it".into(),
        Some(object) => {
            format!("of the value at the first `{{` (byte {}), {}", object.range.start, why(object))
        }
    }
}

fn fenced(stage: Option<Stage>, caps: &Caps, line: &mut impl FnMut(&str, &str)) {
    match (stage, caps.fenced) {
        (Some(Stage::Fenced), _) => line("P2", "without the fences around it: taken"),
        (_, true) => line("P2", "without the fences around it: not taken, for the same reason"),
        (_, false) => line("P2", "left out, `allow_markdown_wrapped` is off"),
    }
}

fn embedded(
    answered: TranscriptReply<'_>,
    stage: Option<Stage>,
    caps: &Caps,
    line: &mut impl FnMut(&str, &str),
) {
    let found = candidates(answered.reply.raw, caps);
    let seen = match found.len() {
        0 => "the search for objects sees none".to_owned(),
        1 => "the search for objects sees one".to_owned(),
        many => format!("the search for objects sees {many}, and tries them from the last one on"),
    };
    let taken = answered.reply.picked_object().map(|object| object.range.clone());
    match (stage, taken) {
        (Some(Stage::EmbeddedRich | Stage::EmbeddedOther), Some(range)) => {
            let [start, end] = answered.place(range);
            line("P3", &format!("{seen}: the one at bytes {start} to {end} of the file is taken"));
        }
        _ if found.is_empty() => line("P3", &seen),
        _ => line("P3", &format!("{seen}; none is an envelope that shows something")),
    }
    let hidden = answered.reply.objects.iter().filter(|object| !object.is_seen && object.is_acceptable());
    for object in hidden {
        let [start, end] = answered.place(object.range.clone());
        line("", &format!("it does not see the envelope at bytes {start} to {end}"));
    }
}

/// The kept and the lost parts.
fn results(parsed: &Value, line: &mut impl FnMut(&str, &str)) {
    if let Some(method) = parsed["method"].as_str() {
        line("", &format!("method {method}, confidence {}", parsed["confidence"]));
        line("", &format!("surface: {}", shown(parsed["surface"]["text"].as_str().unwrap_or_default())));
    }
    for entry in parsed["atoms"]["account"].as_array().into_iter().flatten() {
        let word = |name: &str| entry[name].as_str().unwrap_or_default();
        let text = shown(word("text"));
        match word("fate") {
            "asserted" | "passed" => line("", &format!("{}: {text}", word("why"))),
            _ => line("", &format!("lost: update {}, {}: {text}", entry["index"], word("why"))),
        }
    }
    for warning in parsed["warnings"].as_array().into_iter().flatten() {
        line("", &format!("warning: {}", shown(warning.as_str().unwrap_or_default())));
    }
    for found in parsed["diagnostics"].as_array().into_iter().flatten() {
        let word = |name: &str| found[name].as_str().unwrap_or_default();
        line(
            "",
            &format!("{} {} {}: {}", word("severity"), word("code"), word("rule"), shown(word("message"))),
        );
    }
}

/// A truncated text on one line, without terminal controls.
fn shown(text: &str) -> String {
    let line = sink::line(&text.replace('\n', "⏎"));
    let mut chars = line.chars();
    let start: String = chars.by_ref().take(SHOWN).collect();
    if chars.next().is_some() { start + "…" } else { start }
}
