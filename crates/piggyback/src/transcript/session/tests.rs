//! Tests of the rules across turns, and of their limits.
#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use super::*;
use crate::transcript::tests::words_of;
use crate::transcript::{Checker, Record, TranscriptOptions, TranscriptReader, rules};
use mangle_settings::TranscriptSettings;

/// Returns the findings of the rules about sessions and containers.
fn found(name: &str, bytes: &[u8]) -> Vec<TranscriptFinding> {
    found_by(&TranscriptSettings::default(), name, bytes)
}

fn found_by(settings: &TranscriptSettings, name: &str, bytes: &[u8]) -> Vec<TranscriptFinding> {
    let mut out = Vec::new();
    let mut checker = Checker::new(ReplyContext::new(settings), Limits::default());
    let mut reader =
        TranscriptReader::new(TranscriptOptions { name: name.into(), ..TranscriptOptions::default() });
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
        let range =
            start + usize::from(one.finding.range.start())..start + usize::from(one.finding.range.end());
        let text: String = String::from_utf8_lossy(&bytes[range]).chars().take(30).collect();
        writeln!(
            out,
            "{} {} {} {text:?}: {}",
            one.finding.rule.name,
            one.record,
            one.address,
            words_of(&one.finding)
        )
        .unwrap();
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

/// Creates a reply with these updates, additional packet members and surface.
fn reply(updates: &[&str], rest: &str, surface: &str) -> String {
    format!(
        "{{\"role\":\"assistant\",\"content\":{{\"control_packet\":{{\"intent_classification\":{{}},\
         \"mangle_updates\":{}{rest}}},\"surface_response\":{}}}}}\n",
        serde_json::to_string(updates).unwrap(),
        serde_json::to_string(surface).unwrap()
    )
}

fn says(updates: &[&str]) -> String {
    reply(
        updates,
        ",\"memory_operations\":[]",
        "Something that is as long as the updates of a turn usually are.",
    )
}

#[test]
fn rounds_of_repair() {
    let error = user("Your reply is not valid JSON.");
    let bad = "{\"role\":\"assistant\",\"content\":\"no\"}\n".to_owned();
    // `repair-stuck` for each round, `repair-summary` once, when the session continues.
    check(
        &[
            user("go"),
            bad.clone(),
            error.clone(),
            bad.clone(),
            error.clone(),
            says(&["p(/a)."]),
            user("thanks"),
            bad.clone(),
        ],
        expect![[r#"
            repair-stuck 4 «/content» "no": repair 1 repeats the errors of the previous reply | another repair with this prompt is unlikely to help
            repair-summary 6 «/content» "{\"control_packet\":{\"intent_cla": reply took 3 attempts | the runtime read the last one as `json`
            ratio-low 2 «/content ▸ /surface_response» "no": text is only 30.0 times as long as its updates | the target over the transcript is 100 (`target_compression_ratio`) | the updates fill the context too early
        "#]],
    );
    // Without an error report there is no repair.
    check(&[user("go"), bad.clone(), user("why?"), bad], expect![[""]]);
}

#[test]
fn versions_of_envelopes() {
    let now = reply(&[], ",\"tool_requests\":[]", "x");
    let old = reply(&[], ",\"abductive_hypothesis\":\"h\"", "x");
    let plain = reply(&[], "", "x");
    check(
        &[now.clone(), old.clone(), plain.clone(), plain.clone()],
        expect![[r#"
            profile-outlier 2 «/content» "{": envelope looks like `1.1`, most of the file like `current` | the runtime ignores fields of other versions
        "#]],
    );
    // Without a majority there is no outlier.
    check(&[now, old], expect![[""]]);
}

#[test]
fn keys_of_memory() {
    let memory = |operations: &str| reply(&[], &format!(",\"memory_operations\":[{operations}]"), "x");
    check(
        &[
            memory(
                r#"{"op":"forget","key":"first"},{"op":"archive","key":"a"},{"op":"note","key":"n","value":"v"}"#,
            ),
            memory(
                r#"{"op":"rehydrate","key":"b"},{"op":"note","key":"a","value":"v"},{"op":"forget","key":"n"}"#,
            ),
            memory(
                r#"{"op":"rehydrate","key":"a"},{"op":"note","key":"a","value":"v"},{"op":"forget","key":"x"}"#,
            ),
        ],
        expect![[r#"
            unpaired-op 2 «/content ▸ /control_packet/memory_operations/0» "{\"op\":\"rehydrate\",\"key\":\"b\"}": no earlier turn archives `b` | the operation has no effect
            unpaired-op 2 «/content ▸ /control_packet/memory_operations/1» "{\"op\":\"note\",\"key\":\"a\",\"value\"": archived key `a` is used without `rehydrate` | what was archived stays out of the context
            unpaired-op 3 «/content ▸ /control_packet/memory_operations/2» "{\"op\":\"forget\",\"key\":\"x\"}": no earlier turn stores or asserts `x` | the operation has no effect
        "#]],
    );
}

#[test]
fn the_same_correction() {
    let triggered = |hypothesis: &str| {
        let correction =
            format!(",\"self_correction\":{{\"triggered\":true,\"hypothesis\":\"{hypothesis}\"}}");
        reply(&[], &correction, "x")
    };
    let four = [triggered("a"), triggered("a"), triggered("a"), triggered("a")];
    check(
        &four,
        expect![[r#"
            correction-loop 3 «/content ▸ /control_packet/self_correction» "{\"triggered\":true,\"hypothesis\"": same hypothesis in 3 consecutive turns | the runtime counts self-corrections and does nothing about them
            correction-loop 4 «/content ▸ /control_packet/self_correction» "{\"triggered\":true,\"hypothesis\"": same hypothesis in 4 consecutive turns | the runtime counts self-corrections and does nothing about them
        "#]],
    );
    check(&[triggered("a"), triggered("a"), says(&[]), triggered("a")], expect![[""]]);
}

#[test]
fn ratings_of_what_was_not_there() {
    let rated =
        reply(&[], ",\"context_feedback\":{\"helpful_facts\":[\"p\",\"task_status(X)\",\"q_r\"]}", "x");
    let system = "{\"role\":\"system\",\"content\":\"task_status(1).\"}\n".to_owned();
    check(&[system, user("q_r?"), rated.clone()], expect![[""]]);
    check(&[user("nothing is known of the prompt"), rated.clone()], expect![[""]]);
    let row = |prompt: &str| {
        format!(
            "{{\"system_prompt\":\"{prompt}\",\"user_prompt\":\"u\",\"response\":{}}}\n",
            serde_json::to_string(
                &r#"{"control_packet":{"context_feedback":{"noise_facts":["known"]}},"surface_response":"x"}"#
            )
            .unwrap()
        )
    };
    check(
        &[row("all is known"), row("nothing is")],
        expect![[r#"
            feedback-unseen 2 «/response ▸ /control_packet/context_feedback/noise_facts/0» "known": `known` is rated but was in no prompt | the rating is a guess, and changes which facts later prompts contain
        "#]],
    );
}

#[test]
fn what_is_kept_of_turns() {
    let long =
        "The token is checked before the clock of the server is set, see src/auth.go and src/clock.go. "
            .repeat(3);
    // `ratio-low`, `ratio-inverse`, `stateless-turn`, `lossy-turn`, `redundant-atom`,
    // `contradiction`
    check(
        &[
            user("Fix it."),
            reply(&["p(\"a text that is longer than what is said\")."], "", "ok"),
            user("And?"),
            reply(&[], "", &long),
            user("So?"),
            reply(
                &["modified(\"src/auth.go\").", "task_status(\"t\", /open).", "task_status(\"t\", /done)."],
                "",
                &long,
            ),
            user("So?"),
            reply(
                &[
                    "modified(\"src/auth.go\")",
                    " task_status( \"t\", /done).",
                    "test_state(/red).",
                    "test_state(/green).",
                ],
                "",
                "Done and more than that",
            ),
        ],
        expect![[r#"
            stateless-turn 4 «/content ▸ /surface_response» "The token is checked before th": reply of 70 tokens has no update | nothing remains of this turn once its text is discarded
            lossy-turn 4 «/content ▸ /surface_response» "src/auth.go": no update of this turn mentions `src/auth.go` | the name is lost once the text of the turn is discarded
            lossy-turn 4 «/content ▸ /surface_response» "src/clock.go": no update of this turn mentions `src/clock.go` | the name is lost once the text of the turn is discarded
            lossy-turn 6 «/content ▸ /surface_response» "src/clock.go": no update of this turn mentions `src/clock.go` | the name is lost once the text of the turn is discarded
            contradiction 6 «/content ▸ /control_packet/mangle_updates/2» "task_status(\\\"t\\\", /done).": `task_status` of `t` has two values [here it is `done`] | the kernel keeps both facts, and rules derive from either
            contradiction 8 «/content ▸ /control_packet/mangle_updates/3» "test_state(/green).": `test_state` has two values [here it is `green`] | the kernel keeps both facts, and rules derive from either
            ratio-low 2 «/content ▸ /surface_response» "ok": text is only 3.2 times as long as its updates | the target over the transcript is 100 (`target_compression_ratio`) | the updates fill the context too early
        "#]],
    );
}

/// Single turns are compared with a ratio only if a target is set or the rule is configured.
#[test]
fn the_ratio_of_a_turn_matters_where_a_target_is_set() {
    let lines = [
        user("Go."),
        reply(&["observation(\"t\", \"a text that is longer than what was said\")."], "", "ok"),
    ]
    .concat();
    let of_turns = |target: Option<f64>, rules: Option<&mangle_settings::RuleSettings>| {
        let settings = TranscriptSettings { target_compression_ratio: target, ..Default::default() };
        let mut out = Vec::new();
        let mut checker =
            Checker::new(ReplyContext { rules, ..ReplyContext::new(&settings) }, Limits::default());
        let mut reader = TranscriptReader::new(TranscriptOptions {
            name: "a.jsonl".into(),
            ..TranscriptOptions::default()
        });
        let mut each = |record: &Record<'_>| checker.record(record, &mut out);
        reader.feed(lines.as_bytes(), &mut each);
        let summary = reader.finish(&mut each);
        checker.finish(&summary, &mut out);
        out.iter().filter(|found| found.finding.rule.name == "ratio-inverse").count()
    };
    assert_eq!(of_turns(None, None), 0);
    assert_eq!(of_turns(Some(100.0), None), 1);
    let (usual, mut named) =
        (mangle_settings::RuleSettings::default(), mangle_settings::RuleSettings::default());
    let rule = crate::transcript::rules().find(|rule| rule.name == "ratio-inverse").unwrap();
    named.set(rule, Some(mangle_syntax::lint::Severity::Hint));
    assert_eq!((of_turns(None, Some(&usual)), of_turns(None, Some(&named))), (0, 1));
}

#[test]
fn what_was_forgotten_is_no_longer_held() {
    let memory = |operations: &str| format!(",\"memory_operations\":[{operations}]");
    let forget = memory(r#"{"op":"forget","key":"p","value":""}"#);
    let surface = "Something that is as long as the updates of a turn usually are.";
    // Facts that are forgotten in the same turn do not hold in the next turn; other facts do.
    check(
        &[
            reply(&["p(/a).", "q(/a)."], &forget, surface),
            reply(&["p(/a).", "q(/a)."], &memory(""), surface),
            says(&["p(/a)."]),
        ],
        expect![[r#"
            redundant-atom 2 «/content ▸ /control_packet/mangle_updates/1» "q(/a).": update repeats a fact of reply 1 | a fact holds until it is retracted; asserting it again changes nothing | help: leave out updates that already hold
            redundant-atom 3 «/content ▸ /control_packet/mangle_updates/0» "p(/a).": update repeats a fact of reply 2 | a fact holds until it is retracted; asserting it again changes nothing | help: leave out updates that already hold
        "#]],
    );
    // `ratio-low` depends on the facts that hold at the end.
    let long = "p(\"a text that is longer than what is said, and is forgotten in the next turn\").";
    let asked = [user("go"), reply(&[long], &memory(""), surface), user("go on")];
    let kept = [asked.concat(), reply(&["q(/a)."], &memory(""), surface)];
    check(
        &kept,
        expect![[r#"
            ratio-low 2 «/content ▸ /surface_response» "Something that is as long as t": text is only 1.4 times as long as its updates | the target over the transcript is 100 (`target_compression_ratio`) | the updates fill the context too early
        "#]],
    );
    let forgotten = [asked.concat(), reply(&["q(/a)."], &forget, surface)];
    check(
        &forgotten,
        expect![[r#"
            ratio-low 2 «/content ▸ /surface_response» "Something that is as long as t": text is only 31.0 times as long as its updates | the target over the transcript is 100 (`target_compression_ratio`) | the updates fill the context too early
        "#]],
    );
}

#[test]
fn what_a_consumer_refuses_is_not_kept() {
    let long =
        "The token is checked before the clock of the server is set, so each login in the first second fails. "
            .repeat(2);
    let named = |lines: &[String]| {
        let settings = TranscriptSettings { consumer: Some("perception".to_owned()), ..Default::default() };
        let found = found_by(&settings, "a.jsonl", lines.concat().as_bytes());
        let names: Vec<_> =
            found.iter().map(|one| format!("{} {}", one.finding.rule.name, one.record)).collect();
        names
    };
    let refused = reply(&["modified(\"src/auth.go\")."], ",\"memory_operations\":[]", &long);
    let accepted = reply(&["ambiguity_flag(/a)."], ",\"memory_operations\":[]", &long);
    // `redundant-atom` for a refused fact would suggest removing its first effective assertion.
    assert_eq!(named(&[refused.clone(), refused]), ["stateless-turn 1", "stateless-turn 2"]);
    assert_eq!(named(&[accepted.clone(), accepted]), ["redundant-atom 2"]);
    // A fact that never holds contradicts nothing.
    let refused = reply(&["task_status(\"t\", /open).", "task_status(\"t\", /done)."], "", "ok");
    assert_eq!(named(&[refused]), <[&str; 0]>::default());
    // A file name that only occurs in a refused update is lost.
    let text = format!("{long} See src/auth.go.");
    let lost = reply(&["ambiguity_flag(/a).", "modified(\"src/auth.go\")."], "", &text);
    let kept = reply(&["ambiguity_flag(\"src/auth.go\")."], "", &text);
    assert_eq!(named(&[lost]), ["lossy-turn 1"]);
    assert_eq!(named(&[kept]), <[&str; 0]>::default());
}

#[test]
fn campaigns() {
    let phase = |id: &str, order: u32, status: &str| {
        format!("campaign_phase(\"{id}\", \"c\", \"n\", {order}, /{status}, \"p\").")
    };
    // `phase-transition`, `phase-order-dup`, `progress-counter`, `progress-mismatch`,
    // `phase-not-archived`
    check(
        &[
            says(&[
                &phase("a", 1, "pending"),
                &phase("b", 1, "pending"),
                "campaign_task(\"t\", \"a\", \"x\", /completed, /x).",
            ]),
            says(&[&phase("a", 1, "completed"), "campaign_progress(\"c\", 2, 2, 3, 9)."]),
            says(&[
                "campaign_progress(\"c\", 1, 3, 2, 9).",
                "campaign_task(\"t\", \"a\", \"x\", /pending, /x).",
            ]),
            says(&["campaign_progress(\"c\", 1, 4, 2, 9).", "replan(\"c\")."]),
            says(&["campaign_progress(\"c\", 1, 3, 2, 1)."]),
            says(&[&phase("a", 1, "in_progress")]),
        ],
        expect![[r#"
            phase-order-dup 1 «/content ▸ /control_packet/mangle_updates/1» "1": phase `a` already has order 1 | which of the two phases of campaign `c` comes first is undefined
            progress-mismatch 2 «/content ▸ /control_packet/mangle_updates/1» "2": progress counts 2 done phases, the transcript 1 | `campaign_progress` and `campaign_phase` disagree, and rules may read either
            phase-transition 3 «/content ▸ /control_packet/mangle_updates/1» "/pending": task `t` goes from `/completed` back to `/pending` | the kernel keeps both facts, so rules find it in two states
            progress-counter 3 «/content ▸ /control_packet/mangle_updates/0» "1": number of done phases falls: 2, then 1 | rules compare these numbers to find out whether the campaign is over
            progress-counter 5 «/content ▸ /control_packet/mangle_updates/0» "2": more tasks are done than exist: 2 of 1 | rules compare these numbers to find out whether the campaign is over
            phase-transition 6 «/content ▸ /control_packet/mangle_updates/0» "/in_progress": phase `a` goes from `/completed` back to `/in_progress` | the kernel keeps both facts, so rules find it in two states
            phase-not-archived 2 «/content ▸ /control_packet/mangle_updates/0» "campaign_phase(\\\"a\\\", \\\"c\\\", \\": completed phase `a` is not archived within 3 turns | its facts stay in the context | help: assert `context_compression` for the phase, or archive it
        "#]],
    );
    // `positive-suppression`
    check(
        &[
            says(&["context_compression(\"p1\", \"s\", 1, 2)."]),
            says(&[
                "activation(\"phase p1\", 10).",
                "activation(\"phase p2\", 10).",
                "activation(\"p1\", -10).",
            ]),
        ],
        expect![[r#"
            positive-suppression 2 «/content ▸ /control_packet/mangle_updates/0» "10": positive score for compressed phase `p1` | the facts of the phase come back into the context | help: set a score below zero
        "#]],
    );
    // `campaign-no-intent`
    let old = r#"{"surface_response":"x","control_packet":{"mangle_updates":["campaign_note(/a)."],"abductive_hypothesis":"h"}}"#;
    check(
        &[format!("{old}\n")],
        expect![[r#"
            campaign-no-intent 1 «/control_packet» "\"control_packet\"": packet of a campaign has no intent | all versions after 1.1 require `intent_classification`
        "#]],
    );
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
        expect![[r#"
            time-over 2 «/content ▸ /control_packet/execution_metadata/execution_time_ms» "900001": `reviewer` used 900001 ms, over its limit of 900000 | the runtime stops a shard after `max_execution_time_sec`: the number or the limit is wrong
            tokens-over 2 «/content ▸ /control_packet/execution_metadata/tokens_used» "48001": `reviewer` used 48001 tokens, over its limit of 48000 | the limit is `max_context_tokens` and `max_output_tokens` together
            retries-over 2 «/content ▸ /control_packet/execution_metadata/retry_count» "3": `reviewer` used 3 retries, over its limit of 2 | the runtime stops after `max_retries`: the number or the limit is wrong
            no-profile 3 «/content ▸ /control_packet/execution_metadata/shard_type» "main": shard type `main` has no profile | the limits of `default_shard` apply
            time-over 3 «/content ▸ /control_packet/execution_metadata/execution_time_ms» "300001": `main` used 300001 ms, over its limit of 300000 | the runtime stops a shard after `max_execution_time_sec`: the number or the limit is wrong
        "#]],
    );
    // `task-over`, and the numbers in the row of a trace
    let row = format!(
        "{{\"shard_type\":\"tester\",\"user_prompt\":\"{}\",\"response\":\"{{}}\",\"tokens_used\":24001,\"duration_ms\":1}}\n",
        "x".repeat(80_001)
    );
    check(
        &[row],
        expect![[r#"
            tokens-over 1 «/response» "24001": `tester` used 24001 tokens, over its limit of 24000 | the limit is `max_context_tokens` and `max_output_tokens` together
            task-over 1 «/user_prompt» "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": task of 80001 bytes exceeds the context of `tester` | the runtime rejects tasks of more than 80000 bytes for this shard
        "#]],
    );
}

#[test]
fn what_is_wrong_with_files() {
    // `bad-record`, `mixed-container`, `record-invalid-utf8`
    check_file(
        "a.jsonl",
        b"{\"role\":\"user\",\"content\":\"\xff\"}\n{\"surface_response\":\"x\"}\n{]\n",
        expect![[r#"
            record-invalid-utf8 1 «» "�": a byte of the record is not UTF-8 [at byte 26] | the runtime reads each such byte as U+FFFD
            bad-record 3 «» "{]": record is not valid JSON: an unmatched bracket [at byte 1] | its turns are not checked; reading continues after it
            mixed-container 0 «» "": file mixes envelopes and chat records | each record is read by its own format
        "#]],
    );
    // `preview-only`
    let log =
        format!("2026/03/01 12:00:00.000000 [DEBUG] Raw LLM Response: {{\"a\":\"{}...\n", "x".repeat(194));
    check_file(
        "a.log",
        log.as_bytes(),
        expect![[r#"
            preview-only 1 «» "{\"a\":\"xxxxxxxxxxxxxxxxxxxxxxxx": only the beginning of a reply was logged | the entry is not checked, because its reply is cut off | help: log the whole reply
        "#]],
    );
    // `open-fence`
    check_file(
        "a.md",
        b"  ~~~~ piggyback\n  {\"surface_response\":\"x\"}",
        expect![[r#"
            open-fence 1 «» "~~~~ piggyback": fence is never closed | all text after it is read as part of the reply
        "#]],
    );
}

#[test]
fn the_profile_is_told_once() {
    let settings = TranscriptSettings::default();
    let mut checker = Checker::new(ReplyContext::new(&settings), Limits::default());
    let envelope = r#"{"control_packet":{"mangle_updates":[],"memory_operations":[],"tool_requests":[]},"surface_response":"a"}"#;
    let lines = format!("{envelope}\n").repeat(3);
    let mut reader =
        TranscriptReader::new(TranscriptOptions { name: "a.jsonl".into(), ..TranscriptOptions::default() });
    let mut out = Vec::new();
    reader.feed(lines.as_bytes(), &mut |record| checker.record(record, &mut out));
    reader.finish(&mut |record| checker.record(record, &mut out));
    let told = out.iter().filter(|found| found.finding.rule == &PROFILE_INFERRED);
    assert_eq!(told.map(|found| found.record).collect::<Vec<_>>(), [1]);
}

/// Creates an envelope of the current version with these intent and packet members.
fn current(packet: &str, surface: &str) -> String {
    format!(
        "{{\"control_packet\":{{\"intent_classification\":{{\"category\":\"/query\",\"verb\":\"/explain\",\"target\":\"a\",\
         \"constraint\":\"none\",\"confidence\":0.9}},\"mangle_updates\":[],\"memory_operations\":[],\
         \"reasoning_trace\":\"\"{packet}}},\"surface_response\":\"{surface}\"}}\n"
    )
}

/// Creates an envelope of version 1.1 with these updates and memory operations.
fn oldest(updates: &str, memory: &str) -> String {
    format!(
        "{{\"surface_response\":\"I look.\",\"control_packet\":{{\"intent_classification\":{{\"category\":\"query\",\
         \"confidence\":0.9}},\"mangle_updates\":[{updates}],\"memory_operations\":[{memory}]}}}}\n"
    )
}

const ARCHIVE: &str = "{\"op\":\"archive\",\"key\":\"phase:one\"}";

/// Returns the record number and the rule name of each finding. `lines` holds one envelope each.
fn names(lines: &[String]) -> Vec<(u64, &'static str)> {
    let (settings, text) = (TranscriptSettings::default(), lines.concat());
    let mut out = Vec::new();
    let mut checker = Checker::new(ReplyContext::new(&settings), Limits::default());
    let mut reader =
        TranscriptReader::new(TranscriptOptions { name: "a.jsonl".into(), ..TranscriptOptions::default() });
    reader.feed(text.as_bytes(), &mut |record| checker.record(record, &mut out));
    let summary = reader.finish(&mut |record| checker.record(record, &mut out));
    checker.finish(&summary, &mut out);
    out.iter().map(|found| (found.record, found.finding.rule.name)).collect()
}

#[test]
fn a_slip_makes_no_session_of_another_version() {
    let moved = current("", "I look.").replacen(
        "{\"control_packet\"",
        "{\"surface_response\":\"I look.\",\"control_packet\"",
        1,
    );
    let first = moved.replace(",\"surface_response\":\"I look.\"}\n", "}\n");
    let archive = current("", "I look.")
        .replace("\"memory_operations\":[]", &format!("\"memory_operations\":[{ARCHIVE}]"));
    let others: Vec<_> = (0..5).map(|at| current("", &format!("I look {at}."))).collect();
    for (slip, rule) in [(first, "key-order"), (archive, "foreign-op")] {
        for before in [0, 2, 5] {
            let mut lines = others[..before].to_vec();
            lines.push(slip.clone());
            lines.extend_from_slice(&others[before..]);
            assert!(names(&lines).contains(&(before as u64 + 1, rule)), "{rule}: {:?}", names(&lines));
        }
        assert!(names(&[slip]).contains(&(1, rule)));
    }
}

#[test]
fn a_session_of_the_first_version_stays_one() {
    let lines: Vec<_> =
        (0..8).map(|at| oldest("\"test_state(/red)\"", if at % 3 == 0 { ARCHIVE } else { "" })).collect();
    let found = names(&lines);
    for wrong in ["key-order", "foreign-op", "profile-outlier", "bare-category", "atoms-dropped"] {
        assert!(!found.iter().any(|(_, name)| *name == wrong), "{wrong}: {found:?}");
    }
    // An envelope without hints has the version of the majority. A later version is reported.
    let mut mixed = lines;
    mixed.push(
        "{\"surface_response\":\"a\",\"control_packet\":{\"mangle_updates\":[],\"memory_operations\":[]}}\n"
            .to_owned(),
    );
    mixed.push(current(",\"tool_requests\":[]", "I look."));
    let found = names(&mixed);
    assert!(
        !found.contains(&(9, "profile-outlier")) && found.contains(&(10, "profile-outlier")),
        "{found:?}"
    );
}

#[test]
fn hints_of_several_replies_make_a_version_only_together() {
    let first = |memory: &str| {
        format!(
            "{{\"surface_response\":\"a\",\"control_packet\":{{\"mangle_updates\":[],\"memory_operations\":[{memory}]}}}}\n"
        )
    };
    let is_error = |lines: &[String]| names(lines).iter().any(|(_, name)| *name == "foreign-op");
    assert!(!is_error(&[first(""), first(ARCHIVE), first("")]));
    let after = |memory: &str| {
        format!(
            "{{\"control_packet\":{{\"mangle_updates\":[],\"memory_operations\":[{memory}]}},\"surface_response\":\"a\"}}\n"
        )
    };
    assert!(is_error(&[after(ARCHIVE), after(ARCHIVE), after(ARCHIVE)]));
}

#[test]
fn a_lost_update_is_one_finding() {
    let surface = "a long answer that says a good deal of what was found ".repeat(8);
    let lines = [
        user("Fix it."),
        reply(&["test_state(/red)"], ",\"memory_operations\":[],\"tool_requests\":[]", &surface),
    ];
    let found: Vec<_> = names(&lines).into_iter().map(|(_, name)| name).collect();
    for other in ["atoms-dropped", "stateless-turn"] {
        assert!(!found.contains(&other), "{found:?}");
    }
    assert_eq!(found.iter().filter(|name| **name == "no-period").count(), 1, "{found:?}");
}

/// Returns the findings about partial sessions.
fn parts(name: &str, text: &str) -> Vec<String> {
    let found =
        found(name, text.as_bytes()).into_iter().filter(|found| found.finding.rule.name == "partial-session");
    found.map(|found| format!("{}: {}", found.finding.message, found.finding.notes[0])).collect()
}

#[test]
fn parts_of_sessions_are_told_once() {
    let numbered = |number: u32, line: &str| line.replacen('{', &format!("{{\"turn\":{number},"), 1);
    let ask = user("Fix it.");
    let answer = says(&["test_state(/red)."]);
    let tool = "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"ok\"}\n";
    let begins = "file begins in the middle of a session: ";
    let ends = "file ends in the middle of a session: ";
    let expected = [
        (
            format!("{tool}{answer}{ask}{answer}"),
            Some(format!("{begins}its first turn is the result of a tool")),
        ),
        (
            format!("{answer}{ask}{answer}"),
            Some(format!("{begins}its first turn answers a turn that is missing")),
        ),
        (
            format!("{}{}", numbered(7, &ask), numbered(8, &answer)),
            Some(format!("{begins}its turns are not numbered from the start")),
        ),
        (format!("{ask}{answer}{ask}"), Some(format!("{ends}its last turn has no answer"))),
        (format!("{ask}{answer}{}", &answer[..60]), Some(format!("{ends}its last record is cut off"))),
        (
            format!("{}{ask}{answer}", &ask[5..]),
            Some(format!("{begins}its first record begins in the middle of a value")),
        ),
        (format!("{ask}{answer}{ask}{answer}"), None),
        (format!("{}{}", numbered(0, &ask), numbered(1, &answer)), None),
        (format!("{}{}", numbered(1, &ask), numbered(1, &answer)), None),
        (format!("{answer}{answer}"), None),
        (ask.clone(), None),
    ];
    for (text, message) in expected {
        assert_eq!(parts("a.jsonl", &text), message.into_iter().collect::<Vec<_>>(), "{text}");
    }
}

#[test]
fn whole_sessions_are_no_parts() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let clean = std::fs::read_dir(root.join("transcripts/clean")).unwrap().map(|file| file.unwrap().path());
    let files: Vec<_> = clean.chain([root.join("jailbreak/session.piggyback.jsonl")]).collect();
    assert!(files.len() > 5);
    for file in files {
        let found = found(&file.to_string_lossy(), &std::fs::read(&file).unwrap());
        let part = found.iter().find(|found| found.finding.rule.name == "partial-session");
        assert!(part.is_none(), "{}: {part:?}", file.display());
    }
}
