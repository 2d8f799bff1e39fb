//! Output of `parse`: one line of JSON or text for each reply.

use serde_json::{Value, json};

use super::{TranscriptReply, words};
use crate::replay::atom;
use crate::sink;
use mangle_settings::PeriodRequirement;
use piggyback::envelope::Reply;
use piggyback::envelope::account::{AccountEntry, NO_POLICY_NOTICE, UpdateFate};
use piggyback::envelope::runtime::{self, Caps, record};

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
        "stage": words::stage_word(&reply.reading),
        "method": reading.map_or(Value::Null, |reading| reading.stage.method().into()),
        "confidence": reading.map_or(0.0, |reading| reading.stage.confidence()),
        "error": reading.err().map(words::failure_words),
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
        "warnings": warnings.iter().map(words::warning_words).collect::<Vec<_>>(),
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
