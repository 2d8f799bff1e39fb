//! Findings about what a runtime cuts, drops or shows agree with what was recorded of it.

use std::fs;

use super::recordings::recordings;
use mangle_settings::{Runtime, TranscriptSettings};
use mangle_syntax::lint::Finding;
use piggyback::envelope::{Reply, ReplyContext, check};
use serde_json::{Map, Value};

/// Rules about a loss, and the warning of the runtime that has to go with each.
const LOSSES: [(&str, &str); 7] = [
    ("surface-cap", "surface_cut"),
    ("updates-cap", "updates_cut"),
    ("trace-cap", "trace_cut"),
    ("memory-cap", "memory_cut"),
    ("tools-cap", "tools_cut"),
    ("knowledge-cap", "knowledge_cut"),
    ("metachar", "update_meta"),
];

#[test]
fn findings_about_losses_agree_with_the_recordings() {
    let mut wrong = Vec::new();
    for recording in recordings("envelopes", &["cases.jsonl"]) {
        let (mut fired, mut settings) = (0, TranscriptSettings::default());
        settings.set_runtime(Some(recording.runtime()));
        for record in recording.records() {
            let name = record["file"].as_str().unwrap();
            let raw = fs::read(recording.inputs.join(name)).unwrap();
            let reply = Reply::new(&raw, &settings.caps);
            for finding in check(&reply, &ReplyContext::new(&settings)) {
                let verdict = is_false(&finding, &reply, &record);
                fired += usize::from(verdict.is_some());
                if verdict == Some(true) {
                    wrong.push(format!(
                        "{} {name}: {}: {}",
                        recording.runtime, finding.rule.name, finding.message
                    ));
                }
            }
        }
        eprintln!("{} {}: {fired} findings about losses", recording.runtime, recording.file.display());
    }
    assert!(wrong.is_empty(), "{} false findings\n{}", wrong.len(), wrong.join("\n"));
}

/// Whether a finding is false; `None` for one about something else, or about an envelope that the runtime ignores.
fn is_false(finding: &Finding, reply: &Reply<'_>, record: &Map<String, Value>) -> Option<bool> {
    let warnings = record["default"].get("warnings").map(ToString::to_string).unwrap_or_default();
    let name = finding.rule.name;
    if name == "control-leak" {
        return Some(!warnings.contains("\"fallback\""));
    }
    let picked = reply.picked_object().map(|object| object.range.clone());
    let is_inside = picked.is_some_and(|picked| picked.contains(&usize::from(finding.range.start())));
    if name == "wrong-kind" {
        return is_inside.then_some(true);
    }
    let (_, warning) = LOSSES.iter().find(|(rule, _)| *rule == name)?;
    is_inside.then(|| !warnings.contains(warning))
}

/// Without a runtime, only the rules of the protocol apply: nothing is cut, dropped or refused.
#[test]
fn the_protocol_alone_knows_no_limits() {
    let mut settings = TranscriptSettings::default();
    settings.set_runtime(Some(Runtime::none()));
    for recording in recordings("envelopes", &["cases.jsonl"]) {
        for record in recording.records() {
            let raw = fs::read(recording.inputs.join(record["file"].as_str().unwrap())).unwrap();
            let reply = Reply::new(&raw, &settings.caps);
            for finding in check(&reply, &ReplyContext::new(&settings)) {
                let is_limit = LOSSES.iter().any(|(rule, _)| *rule == finding.rule.name)
                    || ["host-witness", "placeholder-surface", "live-differs"].contains(&finding.rule.name);
                assert!(!is_limit, "{}: {}", record["file"], finding.message);
            }
        }
    }
}
