//! Output of `parse --explain`: the extraction stages of the runtime, with the reason for each
//! failure.

use std::fmt::Write as _;

use serde_json::Value;

use super::{TranscriptReply, words};
use crate::sink;
use mangle_settings::Caps;
use piggyback::envelope::Object;
use piggyback::envelope::runtime::{Stage, candidates};

/// The maximum length of a text, in characters.
const SHOWN: usize = 100;

/// The stages of a reply as text, from its [`super::parsed`] record.
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
        Err(failure) => line("P5", &format!("an error: {}", words::failure_words(failure))),
        Ok(_) => {}
    }
    results(parsed, &mut line);
    out
}

/// The reason why stage P1 rejected the reply.
fn direct_failure(answered: TranscriptReply<'_>) -> String {
    let first = answered.reply.objects.first();
    let why = |object: &Object<'_>| match &object.decoded {
        Err(failure) => words::failure_words(failure),
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
