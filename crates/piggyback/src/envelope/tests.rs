//! What is said of replies: messages, replies cut at every byte, and replies that nobody would send.

#![allow(clippy::unwrap_used)]

use expect_test::expect;
use proptest::prelude::*;

use super::Reply;
use super::testing::{check, current, found, render, severity};
use mangle_settings::{Period, Profile, Strictness, TranscriptSettings};
use mangle_syntax::lint::{Applicability, Severity};

/// Envelopes of all kinds.
const ENVELOPES: [&str; 5] = [
    r#"{"control_packet": {"intent_classification": {"category": "/query", "verb": "/explain", "target": "src/auth.go", "constraint": "", "confidence": 0.9}, "mangle_updates": ["test_state(/passing).", "observation(\"t1\", \"gr\u00fcn\")."], "memory_operations": [{"op": "note", "key": "user:style", "value": "terse"}]}, "surface_response": "The login works."}"#,
    "{\n  \"surface_response\": \"Ready \u{1f680}\",\n  \"control_packet\": {\n    \"intent_classification\": {\"category\": \"mutation\", \"confidence\": 1},\n    \"mangle_updates\": [\"task_status(/t1, /complete)\"],\n    \"memory_operations\": []\n  }\n}",
    r#"{"control_packet":{"mangle_updates":[],"memory_operations":[],"safety_gates":{"requires_user_approval":true,"dangerous_action_blocked":null},"state_transitions":[{"from":"a(/t, /x)","to":"a(/t, /y)","timestamp":"2026-03-01T10:00:00Z","reason":"done"}]},"surface_response":"I need your approval."}"#,
    r#"{"control_packet": {"tool_requests": [{"id": "req_1", "tool_name": "read_file", "tool_args": {"path": "a.go", "lines": [1, 2.5e3, -4], "all": false}, "purpose": "look", "required": true}], "mangle_updates": [], "memory_operations": []}, "surface_response": "\"Quoted\" and \\ and \ud83d\ude00"}"#,
    r#"{"control_packet": {"context_feedback": {"overall_usefulness": 0.25, "helpful_facts": ["test_state"], "noise_facts": [], "missing_context": "the config"}, "knowledge_requests": [{"specialist": "researcher", "query": "why"}], "mangle_updates": [], "memory_operations": []}, "surface_response": "Let me ask."}"#,
];

/// What closes an envelope that ends too early: its quote, and its brackets, the innermost first.
fn closers(text: &[u8]) -> String {
    let (mut open, mut in_string, mut escaped) = (Vec::new(), false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' => open.push('}'),
            b'[' => open.push(']'),
            b'}' | b']' => drop(open.pop()),
            _ => {}
        }
    }
    let quote = if in_string { "the closing quote, " } else { "" };
    format!("{quote}`{}`", open.iter().rev().collect::<String>())
}

#[test]
fn a_reply_that_is_cut_says_what_is_missing() {
    for envelope in ENVELOPES {
        for end in 1..envelope.len() {
            let raw = &envelope.as_bytes()[..end];
            let findings = found(raw, &TranscriptSettings::default());
            let cut: Vec<_> = findings.iter().filter(|finding| finding.rule.code == "PB026").collect();
            let text = String::from_utf8_lossy(raw);
            assert_eq!(cut.len(), 1, "{text}\n{findings:?}");
            let missing = cut[0].message.split("missing: ").nth(1).unwrap();
            let closers = closers(raw);
            assert!(missing.starts_with(&closers), "{text}\n{missing} for {closers}");
            for key in ["control_packet", "surface_response"] {
                let value = text.split(&format!("\"{key}\":")).nth(1).unwrap_or("").trim_start();
                assert!(!value.is_empty() || missing.contains(key), "{text}\n{missing}");
            }
            assert!(!findings.iter().any(|finding| finding.rule.code == "PB010"), "{text}\n{findings:?}");
        }
    }
}

#[test]
fn places_of_cuts() {
    let cut = |text: &str, expect: expect_test::Expect| check(text, expect);
    cut(
        "{\"control_packet\": {\"mangle_updates\": [\"a(1).\", \"b(",
        expect![[r#"
            "control_packet" error control-leak: the control channel is visible to the user: no envelope could be read, so the runtime shows the whole text
            "(" error truncated: the reply is cut off inside the text `/control_packet/mangle_updates/1`; missing: the closing quote, `]}}`, the value of `surface_response`
        "#]],
    );
    cut(
        "{\"control_packet\": {\"mangle_up",
        expect![[r#"
            "control_packet" error control-leak: the control channel is visible to the user: no envelope could be read, so the runtime shows the whole text
            "p" error truncated: the reply is cut off inside a key of `/control_packet`; missing: the closing quote, `}}`, the value of `surface_response`
        "#]],
    );
    cut(
        "{\"control_packet\": {\"mangle_updates\"",
        expect![[r#"
            "control_packet" error control-leak: the control channel is visible to the user: no envelope could be read, so the runtime shows the whole text
            "\"" error truncated: the reply is cut off before the value `/control_packet/mangle_updates`; missing: `}}`, the value of `surface_response`
        "#]],
    );
    cut(
        "{\"surface_response\": \"ok\"",
        expect![[r#"
        "\"ok\"" error premature-articulation: the surface was written before the control packet, which then was cut off: the user gets a promise that the kernel never hears of
        "\"" error truncated: the reply is cut off behind the value `/surface_response`; missing: `}`, the value of `control_packet`
    "#]],
    );
    cut(
        "{",
        expect![[r#"
        "{" error truncated: the reply is cut off at the start of the outermost object; missing: `}`, the value of `control_packet`, the value of `surface_response`
    "#]],
    );
}

#[test]
fn slips_of_syntax() {
    check(
        "{'surface_response': 'it\"s',\n // why\n control_packet: {\"mangle_updates\": [] \"memory_operations\": [01, True,]}}",
        expect![[r#"
            "{'surface_response': 'it\"s'," error fallback: no envelope can be read from this reply: the runtime shows the raw text to the user (confidence 0.5) and drops the control packet
            "'surface_response'" error json-syntax: JSON strings need double quotes; the runtime reads nothing of an object with such a slip
              fix: Use double quotes
            "'it\"s'" error json-syntax: JSON strings need double quotes; the runtime reads nothing of an object with such a slip
              fix: Use double quotes
            "// why" error json-syntax: JSON has no comments; the runtime reads nothing of an object with such a slip
              fix: Delete the comment
            "control_packet" error json-syntax: `control_packet` is no JSON: keys and texts need double quotes, words are `true`, `false`, `null`; the runtime reads nothing of an object with such a slip
              fix: Put the key in quotes
            "mangle_updates" error control-leak: the control channel is visible to the user: no envelope could be read, so the runtime shows the whole text
            "]" error json-syntax: a comma is missing behind this; the runtime reads nothing of an object with such a slip
              fix: Insert a comma
            "01" error json-syntax: `01` is not how JSON writes a number; the runtime reads nothing of an object with such a slip
              fix: Write the number as JSON does
            "True" error json-syntax: `True` is no JSON: keys and texts need double quotes, words are `true`, `false`, `null`; the runtime reads nothing of an object with such a slip
              fix: Write `true`
            "," error json-syntax: JSON allows no comma here; the runtime reads nothing of an object with such a slip
              fix: Delete the comma
        "#]],
    );
    check(
        "{\"control_packet\": {\"mangle_updates\": [], \"memory_operations\": []}, \"surface_response\": \"a\nb\n\\'\"}",
        expect![[r#"
            "{\"control_packet\": {\"mangle_up" error fallback: no envelope can be read from this reply: the runtime shows the raw text to the user (confidence 0.5) and drops the control packet
            "control_packet" error control-leak: the control channel is visible to the user: no envelope could be read, so the runtime shows the whole text
            "\n" error json-syntax: line breaks inside a string must be written `\n` (2 control characters); the runtime reads nothing of an object with such a slip
              fix: Escape them
            "\\'" error json-syntax: `\'` is no escape of JSON; the runtime reads nothing of an object with such a slip
              fix: Delete the backslash
        "#]],
    );
}

#[test]
fn members_and_kinds() {
    check(
        r#"{"surface": "ok", "control_packet": {"mangleUpdates": "a(1).", "memory_operations": {}, "tool_requests": [{"required": "true"}]}}"#,
        expect![[r#"
            "{" information profile-inferred: judged as current, because it has `tool_requests`; `[transcripts] profile` pins it
              fix: Say that it is current
            "\"surface\"" error abbreviated-keys: `surface` is a short form for illustration: the runtime only knows `surface_response`, so this is lost
              fix: Rename it to `surface_response`
            "\"control_packet\"" error intent-missing: no `intent_classification`: the schema of the running version requires it
              fix: Insert `intent_classification`
            "\"control_packet\"" hint schema-member: the control packet has no `self_correction`, `reasoning_trace`, `knowledge_requests`, `context_feedback`: only the strict schema requires that
              fix: Insert empty ones
            "\"control_packet\"" hint trace-missing: this packet changes something and gives no reasoning trace: nobody can tell afterwards why
            "control_packet" error control-leak: the control channel is visible to the user: no envelope could be read, so the runtime shows the whole text
            "\"mangleUpdates\"" warning near-miss: the runtime does not know `mangleUpdates`, and what stands here is lost; did you mean `mangle_updates`?
              fix: Rename it to `mangle_updates`
            "{" error wrong-kind: an object at `/control_packet/memory_operations`, where a list is expected: the runtime rejects the whole envelope for it
              fix: Put it in a list
            "{" warning tool-id: this request has no id: its result cannot be told from others
              fix: Make it `req_1`
            "{" error tool-name-empty: this request names no tool: it is dropped, and its result never comes
            "{" warning args-null: no arguments object: the tool gets nothing, and the safety gate sees the payload `null`; write `{}`
              fix: Write `{}`
            "\"true\"" error wrong-kind: a string at `/control_packet/tool_requests/0/required`, where `true` or `false` is expected: the runtime rejects the whole envelope for it
              fix: Write it without quotes
        "#]],
    );
    check(
        r#"{"control_packet": null, "surface_response": "", "piggyback_version": 3}"#,
        expect![[r#"
            "{\"control_packet\": null, \"surf" error fallback: no envelope can be read from this reply: the runtime shows the raw text to the user (confidence 0.5) and drops the control packet
            "control_packet" error control-leak: the control channel is visible to the user: no envelope could be read, so the runtime shows the whole text
            "null" warning null-member: the control packet is `null`: the runtime accepts that, and the kernel learns nothing of the turn
              fix: Write a packet that says nothing
            "\"\"" warning surface-missing: the surface is empty: the runtime rejects the envelope, and its control packet is lost
            "3" information newer-version: version 3 is newer than this tool; the envelope is judged mildly, as 1.3-draft
        "#]],
    );
    check(
        r#"{"control_packet": {"mangle_updates": [], "mangle_updates": null, "reasoning_trace": null}, "surface_response": "a", "verdict": 1}"#,
        expect![[r#"
            "\"control_packet\"" error intent-missing: no `intent_classification`: the schema of the running version requires it
              fix: Insert `intent_classification`
            "\"control_packet\"" warning memory-missing: no `memory_operations`: the runtime assumes an empty list; write `[]` if nothing is to be remembered
              fix: Insert `memory_operations`
            "\"control_packet\"" hint schema-member: the control packet has no `self_correction`, `knowledge_requests`, `context_feedback`, `tool_requests`: only the strict schema requires that
              fix: Insert empty ones
            "\"mangle_updates\"" error duplicate-member: `mangle_updates` comes twice: the runtime writes the second list over the first, so parts of both are left
            "null" information null-member: the runtime reads this `null` as an empty list
              fix: Write an empty list
            "null" information null-member: the runtime reads this `null` as an empty text
              fix: Write an empty text
            "\"verdict\"" information unknown-field: `verdict` is unknown in current; the runtime ignores it (keys of your own begin with `x_`)
        "#]],
    );
}

#[test]
fn intents() {
    check(
        r#"{"piggyback_version": "1.2-go", "control_packet": {"intent_classification": {"category": "query", "verb": "fixx", "target": "/etc/passwd", "confidence": 85}, "mangle_updates": [], "memory_operations": []}, "surface_response": "ok"}"#,
        expect![[r#"
            "\"intent_classification\"" warning intent-member: the intent has no `constraint`: the runtime reads an empty text, or 0
              fix: Insert `constraint`
            "\"query\"" hint bare-category: the category should be the name `/query`: a rule that matches the name does not match the text
              fix: Add the slash
            "\"fixx\"" information unknown-verb: verb `fixx` is not in the taxonomy, so no shard is responsible for it; did you mean `/fix`?
              fix: Write `/fix`
            "\"/etc/passwd\"" information target-escape: this target leaves the workspace; rules about paths are mostly about those relative to it
            "85" error unit-range: confidence 85 is outside of 0 to 1; divide it by 100: 0.85
              fix: Divide it by 100
        "#]],
    );
}

#[test]
fn numbers_out_of_range_are_shown_as_they_are_in_the_reply() {
    let long = "9".repeat(50);
    let cut = format!("{}…", "9".repeat(40));
    for (number, shown) in [("99999999999999999999", "99999999999999999999"), ("1.50", "1.50"), (&long, &cut)]
    {
        let intent = format!(
            r#"{{"category": "/query", "verb": "/help", "target": "a", "constraint": "", "confidence": {number}}}"#
        );
        let raw = format!(
            r#"{{"control_packet": {{"intent_classification": {intent}, "mangle_updates": [], "memory_operations": [], "context_feedback": {{"overall_usefulness": {number}}}}}, "surface_response": "ok"}}"#
        );
        let findings = found(raw.as_bytes(), &TranscriptSettings::default());
        let messages = findings.iter().map(|finding| &finding.message);
        let of_range: Vec<_> = messages.filter(|message| message.contains("is outside of 0 to 1")).collect();
        assert!(
            of_range.len() == 2 && of_range.iter().all(|message| message.contains(&format!(" {shown} is"))),
            "{of_range:?}"
        );
    }
}

#[test]
fn around_and_between() {
    check(
        "> {\"control_packet\": {\"mangle_updates\": []}, \"surface_response\": \"x\"}\nNo.",
        expect![[r#"
            ">" warning leading-text: 1 bytes of prose before the envelope: nobody sees them, and a brace among them would hide the envelope
              fix: Delete the text
            "{" warning echoed-envelope: this envelope stands in a quotation: it looks like echoed input, and the runtime does not tell that from the model's own
            "\"control_packet\"" error intent-missing: no `intent_classification`: the schema of the running version requires it
              fix: Insert `intent_classification`
            "\"control_packet\"" warning memory-missing: no `memory_operations`: the runtime assumes an empty list; write `[]` if nothing is to be remembered
              fix: Insert `memory_operations`
            "\"control_packet\"" hint schema-member: the control packet has no `self_correction`, `reasoning_trace`, `knowledge_requests`, `context_feedback`, `tool_requests`: only the strict schema requires that
              fix: Insert empty ones
            "No." warning trailing-text: text after the envelope (3 bytes) is ignored: the user never sees it
              fix: Delete the text
        "#]],
    );
    check(
        "[{\"control_packet\": {}, \"surface_response\": \"x\"}, {\"control_packet\": {}, \"surface_response\": \"y\"}]",
        expect![[r#"
            "[" warning array-wrapped: 2 elements in an array: the runtime takes the first object and ignores the rest
            "{" warning multiple-envelopes: 2 envelopes in one reply; a turn has one, and the runtime drops all but one of them
            "{" error decoy-accepted: the runtime accepts this earlier envelope and ignores the later one: what the kernel believes is not the model's last word
            "\"control_packet\"" warning updates-missing: no `mangle_updates`: the runtime assumes an empty list; write `[]` if nothing changed
              fix: Insert `mangle_updates`
            "\"control_packet\"" error intent-missing: no `intent_classification`: the schema of the running version requires it
              fix: Insert `intent_classification`
            "\"control_packet\"" warning memory-missing: no `memory_operations`: the runtime assumes an empty list; write `[]` if nothing is to be remembered
              fix: Insert `memory_operations`
            "\"control_packet\"" hint schema-member: the control packet has no `self_correction`, `reasoning_trace`, `knowledge_requests`, `context_feedback`, `tool_requests`: only the strict schema requires that
              fix: Insert empty ones
            "\"control_packet\"" warning updates-missing: no `mangle_updates`: the runtime assumes an empty list; write `[]` if nothing changed
              fix: Insert `mangle_updates`
            "\"control_packet\"" error intent-missing: no `intent_classification`: the schema of the running version requires it
              fix: Insert `intent_classification`
            "\"control_packet\"" warning memory-missing: no `memory_operations`: the runtime assumes an empty list; write `[]` if nothing is to be remembered
              fix: Insert `memory_operations`
            "\"control_packet\"" hint schema-member: the control packet has no `self_correction`, `reasoning_trace`, `knowledge_requests`, `context_feedback`, `tool_requests`: only the strict schema requires that
              fix: Insert empty ones
        "#]],
    );
    check(
        "{\"result\": {\"control_packet\": {}, \"surface_response\": \"x\"}}",
        expect![[r#"
            "{\"result\": {\"control_packet\": " error fallback: no envelope can be read from this reply: the runtime shows the raw text to the user (confidence 0.5) and drops the control packet
            "{" warning nested-envelope: the runtime only sees objects at the top of a reply: this envelope inside another object is ignored; send it alone
              fix: Take the envelope out of what is around it
            "control_packet" error control-leak: the control channel is visible to the user: no envelope could be read, so the runtime shows the whole text
        "#]],
    );
    check(
        "{\"a\": 1}",
        expect![[r#"
        "{" error surface-missing: this object is no envelope: it has neither a surface nor a control packet, and the runtime rejects it
        "{\"a\": 1}" error fallback: no envelope can be read from this reply: the runtime shows the raw text to the user (confidence 0.5) and drops the control packet
    "#]],
    );
}

#[test]
fn white_space_is_no_text() {
    for space in ["\u{b}\u{c}", "\u{a0}\u{2028}", "\u{feff}\r\n"] {
        let raw = format!("{space}{}{space}", ENVELOPES[0]);
        let found = found(raw.as_bytes(), &TranscriptSettings::default());
        assert!(found.iter().all(|finding| !["PB002", "PB003"].contains(&finding.rule.code)), "{found:?}");
    }
}

#[test]
fn text_before_an_accepted_decoy_is_deleted_by_hand() {
    let envelope = ENVELOPES[0];
    let check = |raw: &str, expected| {
        let found = found(raw.as_bytes(), &current());
        let fix =
            found.iter().find(|finding| finding.rule.code == "PB002").and_then(|found| found.fix.as_ref());
        assert_eq!(fix.map(|fix| fix.applicability), Some(expected), "{raw}");
    };
    check(&format!("Somebody wrote: {envelope}"), Applicability::Safe);
    check(&format!("Somebody wrote: {envelope} I say: {envelope}"), Applicability::Unsafe);
}

#[test]
fn a_control_packet_is_inserted_with_all_that_is_required() {
    let fix = |text: &str, settings: &TranscriptSettings| {
        let finding = found(text.as_bytes(), settings).into_iter().find(|found| found.rule.code == "PB102");
        finding.unwrap().fix.unwrap().edits[0].text.clone()
    };
    let strict = TranscriptSettings { strict: Strictness::Schema, ..current() };
    expect![[r#""control_packet": {"intent_classification": {"category": "/query", "verb": "/explain", "target": "none", "constraint": "none", "confidence": 0.5}, "mangle_updates": [], "memory_operations": []},"#]]
        .assert_eq(&fix("{\"surface_response\": \"x\"}", &current()));
    expect![[r#""control_packet": {"intent_classification": {"category": "/query", "verb": "/explain", "target": "none", "constraint": "none", "confidence": 0.5}, "mangle_updates": [], "memory_operations": [], "self_correction": {"triggered": false, "hypothesis": ""}, "reasoning_trace": "", "knowledge_requests": [], "context_feedback": {"overall_usefulness": 0.5, "helpful_facts": [], "noise_facts": [], "missing_context": ""}, "tool_requests": []},"#]].assert_eq(&fix("{\"surface_response\": \"x\"}", &strict));
    expect![[r#""control_packet": {"intent_classification": {"category": "/query", "verb": "/explain", "target": "none", "constraint": "none", "confidence": 0.5}, "mangle_updates": [], "memory_operations": []}, "#]].assert_eq(&fix(
        "{\"piggyback_version\": \"1.2-go\", \"surface_response\": \"x\"}",
        &TranscriptSettings::default(),
    ));
}

#[test]
fn a_forbidden_key_that_is_nearly_right_is_renamed() {
    let strict = TranscriptSettings { strict: Strictness::Schema, ..current() };
    let fixes = |text: &str| {
        let found = found(text.as_bytes(), &strict).into_iter();
        let fixes =
            found.filter(|found| found.rule.code == "PB115").map(|found| found.fix.map(|fix| fix.title));
        fixes.collect::<Vec<_>>()
    };
    let with = |key: &str| format!("{{\"{key}\": {{}}, \"surface_response\": \"x\"}}");
    assert_eq!(fixes(&with("{control_packet")), [Some("Rename it to `control_packet`".into())]);
    assert_eq!(fixes(&with("control")), [Some("Rename it to `control_packet`".into())]);
    assert_eq!(fixes(&with("Surface_Response")), [None]);
    assert_eq!(fixes(&with("verdict")), [Some("Delete the member".into())]);
}

#[test]
fn a_state_that_is_no_atom_is_not_offered_as_an_update() {
    let has_fix = |raw: &str| {
        let found = found(raw.as_bytes(), &TranscriptSettings::default());
        found.iter().find(|finding| finding.rule.code == "PB153").map(|found| found.fix.is_some())
    };
    assert_eq!(has_fix(ENVELOPES[2]), Some(true));
    assert_eq!(has_fix(&ENVELOPES[2].replace("/y)", "y)")), Some(false));
}

/// What replies are made of.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"{\"control_packet\": {".to_vec()),
        Just(b"\"surface_response\": \"".to_vec()),
        Just(b"\"mangle_updates\": [".to_vec()),
        Just(b"\"tool_requests\": [{\"tool_args\": {".to_vec()),
        Just(b"\"memory_operations\": null, ".to_vec()),
        Just(b"\"reasoning_trace\": 5,".to_vec()),
        Just(b"```json\n".to_vec()),
        Just(b"\xff\\ud83d".to_vec()),
        prop::sample::select(b"{}[]\",:\\\n1a/.".as_slice()).prop_map(|byte| vec![byte]),
        prop::collection::vec(any::<u8>(), 0..4),
        prop::sample::select(&ENVELOPES[..]).prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// An envelope with some bytes lost, doubled or replaced.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let change =
        (any::<prop::sample::Index>(), 0usize..3, prop::sample::select(b"{}[]\",:\\\nx\xff".as_slice()));
    (prop::sample::select(&ENVELOPES[..]), prop::collection::vec(change, 1..4)).prop_map(|(text, changes)| {
        let mut raw = text.as_bytes().to_vec();
        for (at, kind, byte) in changes {
            let at = at.index(raw.len());
            match kind {
                0 => drop(raw.remove(at)),
                1 => raw.insert(at, byte),
                _ => raw[at] = byte,
            }
        }
        raw
    })
}

fn look(raw: &[u8]) {
    for settings in [TranscriptSettings::default(), current()] {
        for finding in found(raw, &settings) {
            let end = usize::from(finding.range.end());
            assert!(finding.range.start() <= finding.range.end() && end <= raw.len(), "{finding:?}");
            for edit in finding.fix.iter().flat_map(|fix| &fix.edits) {
                assert!(usize::from(edit.span.range.end()) <= raw.len(), "{finding:?}");
            }
        }
    }
}

/// The errors of an envelope by profile `1.1-bnf`: with these channels in this order.
fn errors_of_grammar(channels: [&str; 2]) -> Vec<&'static str> {
    let settings = TranscriptSettings { profile: Some(Profile::V1_1Bnf), ..TranscriptSettings::default() };
    let raw = format!("{{{}, {}}}", channels[0], channels[1]);
    let all = found(raw.as_bytes(), &settings).into_iter();
    all.filter(|finding| severity(finding) == Some(Severity::Error))
        .map(|finding| finding.rule.name)
        .collect()
}

#[test]
fn the_grammar_of_the_first_version_knows_one_order_and_no_empty_list() {
    let surface = r#""surface_response": "I look.""#;
    let packet = |lists: &str| format!(r#""control_packet": {{{lists}}}"#);
    let (one, none, memory) =
        (r#""mangle_updates": ["a(/b)"]"#, r#""mangle_updates": []"#, r#""memory_operations": []"#);
    let good = packet(&format!("{one}, {memory}"));
    assert_eq!(errors_of_grammar([surface, &good]), [""; 0]);
    assert_eq!(errors_of_grammar([&good, surface]), ["key-order"]);
    assert_eq!(errors_of_grammar([surface, &packet(&format!("{memory}, {one}"))]), ["key-order"]);
    assert_eq!(errors_of_grammar([surface, &packet(&format!("{none}, {memory}"))]), ["no-update"]);
    assert_eq!(
        errors_of_grammar([surface, &packet(&format!(r#""mangle_updates": null, {memory}"#))]),
        ["no-update"]
    );
    assert_eq!(errors_of_grammar([surface, &packet(memory)]), ["updates-missing"]);
}

#[test]
fn updates_without_full_stop_are_kept_where_the_version_takes_them() {
    let kept = |envelope: &str, settings: &TranscriptSettings| {
        let reply = Reply::new(envelope.as_bytes(), &settings.caps_of(None, None));
        reply.reading.unwrap().picked.unwrap().kept.updates.len()
    };
    let envelope = |rest: &str| {
        format!(
            r#"{{{rest}"control_packet": {{"mangle_updates": ["a(/b)", "c(/d)."]}}, "surface_response": "I look."}}"#
        )
    };
    let usual = TranscriptSettings::default();
    assert_eq!(kept(&envelope(""), &usual), 1);
    for (version, count) in
        [("1.1", 2), ("1.1-bnf", 2), ("1.2", 2), ("1.2-go", 2), ("current", 1), ("1.3-draft", 1)]
    {
        assert_eq!(
            kept(&envelope(&format!(r#""piggyback_version": "{version}", "#)), &usual),
            count,
            "{version}"
        );
        let profile = Profile::parse(version);
        assert_eq!(kept(&envelope(""), &TranscriptSettings { profile, ..usual.clone() }), count, "{version}");
        let given = TranscriptSettings { prescribed: profile, ..usual.clone() };
        assert_eq!(kept(&envelope(r#""piggyback_version": "1.2", "#), &given), count, "{version}");
    }
    for (word, count) in [(Period::Required, 1), (Period::Optional, 2), (Period::Forbidden, 2)] {
        let mut settings = usual.clone();
        settings.atoms.trailing_period = Some(word);
        assert_eq!(kept(&envelope(r#""piggyback_version": "1.1", "#), &settings), count, "{word:?}");
    }
    let audit = r#"{"control_packet": {"mangle_updates": ["a(/b)"], "safety_gates": {}}, "surface_response": "I look."}"#;
    assert_eq!(kept(audit, &usual), 1);
    // What else loses an update loses it in all versions.
    let others = r#"{"piggyback_version": "1.1", "control_packet": {"mangle_updates": ["a(/b;)", "a", " ", "a(/b)"]}, "surface_response": "x"}"#;
    assert_eq!(kept(others, &usual), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn nothing_panics_on_pieces(raw in pieces()) {
        look(&raw);
    }

    #[test]
    fn nothing_panics_on_mutations(raw in mutated()) {
        look(&raw);
    }
}

/// A number that fits no float loses the envelope; what is reported names it, wherever it stands.
#[test]
fn a_number_that_is_too_large_is_named() {
    let control = r#""mangle_updates": [], "memory_operations": []"#;
    let failure = |text: &str| {
        let reply = Reply::new(text.as_bytes(), &mangle_settings::Caps::default());
        let failed = reply.objects.first().and_then(|object| object.decoded.as_ref().err());
        failed.map(crate::envelope::runtime::failure_record).unwrap_or_default().to_string()
    };
    for number in ["1e999", "-1e400", "123456789e500"] {
        let intent = format!(
            r#"{{"control_packet": {{"intent_classification": {{"confidence": {number}}}, {control}}}, "surface_response": "ok"}}"#
        );
        let found = format!(r#""found":"number {number}""#);
        assert!(failure(&intent).contains(&found), "{}", failure(&intent));
        assert!(render(&intent, &TranscriptSettings::default()).contains(&format!("the number {number} at")));
        let args = format!(
            r#"{{"control_packet": {{{control}, "tool_requests": [{{"tool_args": {{"a": [1, {{"b": {number}}}]}}}}]}}, "surface_response": "ok"}}"#
        );
        assert!(failure(&args).contains(&found), "{}", failure(&args));
    }
    // A number where something else belongs is named by its kind alone.
    let other = format!(r#"{{"control_packet": {{{control}}}, "surface_response": 5}}"#);
    assert!(failure(&other).contains(r#""found":"number""#), "{}", failure(&other));
}

/// What is a word of another language to its author is a variable to the engine, and the filter lets it through.
#[test]
fn words_of_other_languages_pass_the_filter_as_variables() {
    use crate::envelope::runtime::ReadUpdate;
    let stored =
        |update: &str| ReadUpdate::new(update).fact().map(crate::envelope::runtime::RuntimeFact::stored);
    assert_eq!(stored("p(NULL).").as_deref(), Some(r#"p("?NULL")."#));
    assert_eq!(stored("p(None, /a)").as_deref(), Some(r#"p("?None", /a)."#));
    assert_eq!(stored("p([True, 1]).").as_deref(), Some(r#"p("fn:list(True,1)")."#));
    for refused in ["p(null).", "p(true).", "p(none, X).", "p(NULL"] {
        assert_eq!(stored(refused), None, "{refused}");
    }
    let settings = TranscriptSettings::default();
    let text = r#"{"control_packet": {"intent_classification": {"category": "/query", "verb": "/explain", "target": "a", "constraint": "none", "confidence": 1}, "mangle_updates": ["p(NULL)."], "memory_operations": []}, "surface_response": "ok"}"#;
    let found = render(text, &settings);
    assert!(found.contains("non-ground") && !found.contains("atom-syntax"), "{found}");
}
