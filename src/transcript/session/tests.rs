//! What several turns show, and where it stops being shown.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use crate::config::TranscriptSettings;
use crate::transcript::{Checker, Options, Reader, Record, rules};

/// The findings of the rules of sessions and containers.
fn found(name: &str, bytes: &[u8]) -> Vec<Found> {
    let settings = TranscriptSettings::default();
    let mut out = Vec::new();
    let mut checker = Checker::new(Context::new(&settings), Limits::default());
    let mut reader = Reader::new(Options { name: name.into(), ..Options::default() });
    let mut each = |record: &Record<'_>| checker.record(record, &mut out);
    reader.feed(bytes, &mut each);
    let summary = reader.finish(&mut each);
    checker.finish(&summary, &mut out);
    let ours: Vec<_> = rules().collect();
    out.retain(|found| ours.contains(&found.finding.rule));
    out
}

#[track_caller]
fn check_file(name: &str, bytes: &[u8], expected: Expect) {
    let mut out = String::new();
    for one in found(name, bytes) {
        let start = usize::try_from(one.start).unwrap();
        let range = start + usize::from(one.finding.range.start())..start + usize::from(one.finding.range.end());
        let text: String = String::from_utf8_lossy(&bytes[range]).chars().take(30).collect();
        writeln!(out, "{} {} {} {text:?}: {}", one.finding.rule.name, one.record, one.address, one.finding.message).unwrap();
    }
    expected.assert_eq(&out);
}

#[track_caller]
fn check(lines: &[String], expected: Expect) {
    check_file("a.jsonl", lines.concat().as_bytes(), expected);
}

fn user(text: &str) -> String {
    format!("{{\"role\":\"user\",\"content\":{}}}\n", serde_json::to_string(text).unwrap())
}

/// A reply with these updates, this behind the operations, and this surface.
fn reply(updates: &[&str], rest: &str, surface: &str) -> String {
    format!(
        "{{\"role\":\"assistant\",\"content\":{{\"control_packet\":{{\"intent_classification\":{{}},\
         \"mangle_updates\":{}{rest}}},\"surface_response\":{}}}}}\n",
        serde_json::to_string(updates).unwrap(),
        serde_json::to_string(surface).unwrap()
    )
}

fn says(updates: &[&str]) -> String {
    reply(updates, ",\"memory_operations\":[]", "Something that is as long as the updates of a turn usually are.")
}

#[test]
fn rounds_of_repair() {
    let error = user("Your reply is not valid JSON.");
    let bad = "{\"role\":\"assistant\",\"content\":\"no\"}\n".to_owned();
    // `repair-stuck` for each round, `repair-summary` once, when somebody goes on.
    check(
        &[user("go"), bad.clone(), error.clone(), bad.clone(), error.clone(), says(&["p(/a)."]), user("thanks"), bad.clone()],
        expect![[""]],
    );
    // Without a report of an error nobody repairs.
    check(&[user("go"), bad.clone(), user("why?"), bad], expect![[""]]);
}

#[test]
fn versions_of_envelopes() {
    let now = reply(&[], ",\"tool_requests\":[]", "x");
    let old = reply(&[], ",\"abductive_hypothesis\":\"h\"", "x");
    let plain = reply(&[], "", "x");
    check(&[now.clone(), old.clone(), plain.clone(), plain.clone()], expect![[""]]);
    // No majority, no exception.
    check(&[now, old], expect![[""]]);
}

#[test]
fn keys_of_memory() {
    let memory = |operations: &str| reply(&[], &format!(",\"memory_operations\":[{operations}]"), "x");
    check(
        &[
            memory(r#"{"op":"forget","key":"first"},{"op":"archive","key":"a"},{"op":"note","key":"n","value":"v"}"#),
            memory(r#"{"op":"rehydrate","key":"b"},{"op":"note","key":"a","value":"v"},{"op":"forget","key":"n"}"#),
            memory(r#"{"op":"rehydrate","key":"a"},{"op":"note","key":"a","value":"v"},{"op":"forget","key":"x"}"#),
        ],
        expect![[""]],
    );
}

#[test]
fn the_same_correction() {
    let triggered = |hypothesis: &str| {
        let correction = format!(",\"self_correction\":{{\"triggered\":true,\"hypothesis\":\"{hypothesis}\"}}");
        reply(&[], &correction, "x")
    };
    let four = [triggered("a"), triggered("a"), triggered("a"), triggered("a")];
    check(&four, expect![[""]]);
    check(&[triggered("a"), triggered("a"), says(&[]), triggered("a")], expect![[""]]);
}

#[test]
fn ratings_of_what_was_not_there() {
    let rated = reply(&[], ",\"context_feedback\":{\"helpful_facts\":[\"p\",\"task_status(X)\",\"q_r\"]}", "x");
    let system = "{\"role\":\"system\",\"content\":\"task_status(1).\"}\n".to_owned();
    check(&[system, user("q_r?"), rated.clone()], expect![[""]]);
    check(&[user("nothing is known of the prompt"), rated.clone()], expect![[""]]);
    let row = |prompt: &str| {
        format!(
            "{{\"system_prompt\":\"{prompt}\",\"user_prompt\":\"u\",\"response\":{}}}\n",
            serde_json::to_string(&r#"{"control_packet":{"context_feedback":{"noise_facts":["known"]}},"surface_response":"x"}"#).unwrap()
        )
    };
    check(&[row("all is known"), row("nothing is")], expect![[""]]);
}

#[test]
fn what_is_kept_of_turns() {
    let long = "The token is checked before the clock of the server is set, see src/auth.go and src/clock.go. ".repeat(3);
    // `ratio-low`, `ratio-inverse`, `stateless-turn`, `lossy-turn`, `redundant-atom`, `contradiction`
    check(
        &[
            user("Fix it."),
            reply(&["p(\"a text that is longer than what is said\")."], "", "ok"),
            user("And?"),
            reply(&[], "", &long),
            user("So?"),
            reply(&["modified(\"src/auth.go\").", "task_status(\"t\", /open).", "task_status(\"t\", /done)."], "", &long),
            user("So?"),
            reply(&["modified(\"src/auth.go\")", " task_status( \"t\", /done).", "test_state(/red).", "test_state(/green)."], "", "Done and more than that"),
        ],
        expect![[""]],
    );
}

#[test]
fn campaigns() {
    let phase = |id: &str, order: u32, status: &str| {
        format!("campaign_phase(\"{id}\", \"c\", \"n\", {order}, /{status}, \"p\").")
    };
    // `phase-transition`, `phase-order-dup`, `progress-counter`, `progress-mismatch`, `phase-not-archived`
    check(
        &[
            says(&[&phase("a", 1, "pending"), &phase("b", 1, "pending"), "campaign_task(\"t\", \"a\", \"x\", /completed, /x)."]),
            says(&[&phase("a", 1, "completed"), "campaign_progress(\"c\", 2, 2, 3, 9)."]),
            says(&["campaign_progress(\"c\", 1, 3, 2, 9).", "campaign_task(\"t\", \"a\", \"x\", /pending, /x)."]),
            says(&["campaign_progress(\"c\", 1, 4, 2, 9).", "replan(\"c\")."]),
            says(&["campaign_progress(\"c\", 1, 3, 2, 1)."]),
            says(&[&phase("a", 1, "in_progress")]),
        ],
        expect![[""]],
    );
    // `positive-suppression`
    check(
        &[
            says(&["context_compression(\"p1\", \"s\", 1, 2)."]),
            says(&["activation(\"phase p1\", 10).", "activation(\"phase p2\", 10).", "activation(\"p1\", -10)."]),
        ],
        expect![[""]],
    );
    // `campaign-no-intent`
    let old = r#"{"surface_response":"x","control_packet":{"mangle_updates":["campaign_note(/a)."],"abductive_hypothesis":"h"}}"#;
    check(&[format!("{old}\n")], expect![[""]]);
}

#[test]
fn limits_of_shards() {
    let numbers = |shard: &str, numbers: &str| {
        reply(&[], &format!(",\"execution_metadata\":{{\"shard_type\":\"{shard}\",{numbers}}}"), "x")
    };
    // `time-over`, `tokens-over`, `retries-over`, `no-profile`
    check(
        &[
            numbers("reviewer", r#""execution_time_ms":900000,"tokens_used":48000,"retry_count":2"#),
            numbers("reviewer", r#""execution_time_ms":900001,"tokens_used":48001,"retry_count":3"#),
            numbers("main", r#""execution_time_ms":300001"#),
        ],
        expect![[""]],
    );
    // `task-over`, and what the row of a trace says
    let row = format!(
        "{{\"shard_type\":\"tester\",\"user_prompt\":\"{}\",\"response\":\"{{}}\",\"tokens_used\":24001,\"duration_ms\":1}}\n",
        "x".repeat(80_001)
    );
    check(&[row], expect![[""]]);
}

#[test]
fn what_is_wrong_with_files() {
    // `bad-record`, `mixed-container`, `record-invalid-utf8`
    check_file("a.jsonl", b"{\"role\":\"user\",\"content\":\"\xff\"}\n{\"surface_response\":\"x\"}\n{]\n", expect![[""]]);
    // `preview-only`
    let log = format!("2026/03/01 12:00:00.000000 [DEBUG] Raw LLM Response: {{\"a\":\"{}...\n", "x".repeat(194));
    check_file("a.log", log.as_bytes(), expect![[""]]);
    // `open-fence`
    check_file("a.md", b"  ~~~~ piggyback\n  {\"surface_response\":\"x\"}", expect![[""]]);
}
