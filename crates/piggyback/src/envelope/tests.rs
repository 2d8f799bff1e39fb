//! Tests of findings about replies: messages, replies cut off at every byte, and random replies.

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

/// Returns the quote and brackets that close a truncated envelope, innermost first.
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
            let missing = cut[0].notes[0].strip_prefix("missing: ").unwrap();
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
            "control_packet" error control-leak: control packet is visible to the user
              note: no envelope can be read, so the runtime shows the whole text
            "(" error truncated: reply truncated inside the text `/control_packet/mangle_updates/1`
              note: missing: the closing quote, `]}}`, the value of `surface_response`
              note: the runtime reads nothing of the object
        "#]],
    );
    cut(
        "{\"control_packet\": {\"mangle_up",
        expect![[r#"
            "control_packet" error control-leak: control packet is visible to the user
              note: no envelope can be read, so the runtime shows the whole text
            "p" error truncated: reply truncated inside a key of `/control_packet`
              note: missing: the closing quote, `}}`, the value of `surface_response`
              note: the runtime reads nothing of the object
        "#]],
    );
    cut(
        "{\"control_packet\": {\"mangle_updates\"",
        expect![[r#"
            "control_packet" error control-leak: control packet is visible to the user
              note: no envelope can be read, so the runtime shows the whole text
            "\"" error truncated: reply truncated before the value `/control_packet/mangle_updates`
              note: missing: `}}`, the value of `surface_response`
              note: the runtime reads nothing of the object
        "#]],
    );
    cut(
        "{\"surface_response\": \"ok\"",
        expect![[r#"
            "\"ok\"" error premature-articulation: reply truncated after the user-visible text
              note: the user reads a promise, but the control packet is lost
            "\"" error truncated: reply truncated after the value `/surface_response`
              note: missing: `}`, the value of `control_packet`
              note: the runtime reads nothing of the object
        "#]],
    );
    cut(
        "{",
        expect![[r#"
            "{" error truncated: reply truncated at the start of the outermost object
              note: missing: `}`, the value of `control_packet`, the value of `surface_response`
              note: the runtime reads nothing of the object
        "#]],
    );
}

#[test]
fn slips_of_syntax() {
    check(
        "{'surface_response': 'it\"s',\n // why\n control_packet: {\"mangle_updates\": [] \"memory_operations\": [01, True,]}}",
        expect![[r#"
            "{'surface_response': 'it\"s'," error fallback: reply has no readable envelope
              note: the runtime shows the raw text to the user (confidence 0.5) and ignores the control packet
            "'surface_response'" error json-syntax: 2 JSON strings are in single quotes
              note: the runtime reads nothing of an object with a syntax error
            "// why" error json-syntax: JSON has no comments
              note: the runtime reads nothing of an object with a syntax error
              fix: delete the comment
            "control_packet" error json-syntax: `control_packet` is not JSON
              note: the runtime reads nothing of an object with a syntax error
              note: keys and strings need double quotes; the only words are `true`, `false` and `null`
              fix: put the key in quotes
            "mangle_updates" error control-leak: control packet is visible to the user
              note: no envelope can be read, so the runtime shows the whole text
            "]" error json-syntax: missing comma
              note: the runtime reads nothing of an object with a syntax error
            "01" error json-syntax: `01` is not a JSON number
              note: the runtime reads nothing of an object with a syntax error
              fix: write the number as JSON does
            "True" error json-syntax: `True` is not JSON
              note: the runtime reads nothing of an object with a syntax error
              note: keys and strings need double quotes; the only words are `true`, `false` and `null`
              fix: write `true`
            "," error json-syntax: unexpected comma
              note: the runtime reads nothing of an object with a syntax error
              fix: delete the comma
        "#]],
    );
    check(
        "{\"control_packet\": {\"mangle_updates\": [], \"memory_operations\": []}, \"surface_response\": \"a\nb\n\\'\"}",
        expect![[r#"
            "{\"control_packet\": {\"mangle_up" error fallback: reply has no readable envelope
              note: the runtime shows the raw text to the user (confidence 0.5) and ignores the control packet
            "control_packet" error control-leak: control packet is visible to the user
              note: no envelope can be read, so the runtime shows the whole text
            "\n" error json-syntax: string contains raw line breaks (2 control characters)
              note: the runtime reads nothing of an object with a syntax error
              fix: escape them
            "\\'" error json-syntax: `\'` is not a JSON escape
              note: the runtime reads nothing of an object with a syntax error
              fix: delete the backslash
        "#]],
    );
}

#[test]
fn members_and_kinds() {
    check(
        r#"{"surface": "ok", "control_packet": {"mangleUpdates": "a(1).", "memory_operations": {}, "tool_requests": [{"required": "true"}]}}"#,
        expect![[r#"
            "{" information profile-inferred: checked as `current`: has `tool_requests`
              help: set `[transcripts] profile`
              fix: insert `piggyback_version` with `current`
            "\"surface\"" error abbreviated-keys: `surface` is not a key of the protocol
              note: the runtime ignores its value
              help: did you mean `surface_response`?
              fix: rename it to `surface_response`
            "\"control_packet\"" error intent-missing: control packet has no `intent_classification`
              note: the schema of the runtime requires it
              fix: insert `intent_classification`
            "\"control_packet\"" hint trace-missing: packet with changes has no reasoning trace
              note: codeNERD expects one, so that an audit can tell the reason for the changes
            "control_packet" error control-leak: control packet is visible to the user
              note: no envelope can be read, so the runtime shows the whole text
            "\"mangleUpdates\"" warning near-miss: unknown key `mangleUpdates`
              note: the runtime ignores its value
              help: did you mean `mangle_updates`?
              fix: rename it to `mangle_updates`
            "{" error wrong-kind: expected list at `/control_packet/memory_operations`, found object
              note: the runtime rejects the whole envelope
              fix: put it in a list
            "{" warning tool-id: tool request has no id
              note: its result cannot be distinguished from others
              fix: set the id to `req_1`
            "{" error tool-name-empty: tool request names no tool
              note: the runtime silently ignores it, and its result never comes
            "{" warning args-null: tool request has no object of arguments
              note: the tool receives no arguments, and the safety gate checks the payload `null`
              help: write `{}`
              fix: write `{}`
            "\"true\"" error wrong-kind: expected boolean at `/control_packet/tool_requests/0/required`, found string
              note: the runtime rejects the whole envelope
              fix: write it without quotes
        "#]],
    );
    check(
        r#"{"control_packet": null, "surface_response": "", "piggyback_version": 3}"#,
        expect![[r#"
            "{\"control_packet\": null, \"surf" error fallback: reply has no readable envelope
              note: the runtime shows the raw text to the user (confidence 0.5) and ignores the control packet
            "control_packet" error control-leak: control packet is visible to the user
              note: no envelope can be read, so the runtime shows the whole text
            "null" warning null-member: control packet is `null`
              note: the runtime accepts the envelope, but asserts nothing
              fix: write an empty packet
            "\"\"" warning surface-missing: surface response is empty
              note: the runtime rejects the envelope, and its control packet is lost
            "3" information newer-version: protocol version 3 is newer than this version of mangle-ls
              note: the envelope is checked as `1.3-draft`, with milder severities
        "#]],
    );
    check(
        r#"{"control_packet": {"mangle_updates": [], "mangle_updates": null, "reasoning_trace": null}, "surface_response": "a", "verdict": 1}"#,
        expect![[r#"
            "\"control_packet\"" error intent-missing: control packet has no `intent_classification`
              note: the schema of the runtime requires it
              fix: insert `intent_classification`
            "\"control_packet\"" warning memory-missing: control packet has no `memory_operations`
              note: the runtime assumes an empty list; `[]` states that nothing is to be remembered
              fix: insert `memory_operations`
            "\"mangle_updates\"" error duplicate-member: duplicate field `mangle_updates`
              note: the runtime writes the second list over the first, so parts of both remain
            "null" information null-member: runtime reads this `null` as an empty list
              fix: write an empty list
            "null" information null-member: runtime reads this `null` as an empty text
              fix: write an empty text
            "\"verdict\"" information unknown-field: unknown field `verdict` in profile `current`
              note: the runtime ignores it
              help: begin the key of a private field with `x_`
        "#]],
    );
}

#[test]
fn intents() {
    check(
        r#"{"piggyback_version": "1.2-go", "control_packet": {"intent_classification": {"category": "query", "verb": "fixx", "target": "/etc/passwd", "confidence": 85}, "mangle_updates": [], "memory_operations": []}, "surface_response": "ok"}"#,
        expect![[r#"
            "\"intent_classification\"" warning intent-member: intent has no `constraint`
              note: the runtime reads a missing field as an empty text or 0
              fix: insert `constraint`
            "\"query\"" hint bare-category: category `query` is not a name constant
              note: a rule that matches `/query` does not match the text `query`
              fix: add the slash
            "\"fixx\"" information unknown-verb: verb `fixx` is not in the taxonomy
              note: no shard is responsible for it
              fix: write `/fix`
            "\"/etc/passwd\"" information target-escape: target is outside the workspace
              note: rules about paths usually match paths relative to the workspace
            "85" error unit-range: confidence 85 is not between 0 and 1
              note: the strict schema rejects it, and the runtime compares it with thresholds from 0 to 1
              fix: divide it by 100: 0.85
        "#]],
    );
}

#[test]
fn numbers_out_of_range_are_shown_as_they_are_in_the_reply() {
    let long = "9".repeat(50);
    let cut = format!("{}…{}", "9".repeat(24), "9".repeat(15));
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
        let of_range: Vec<_> =
            messages.filter(|message| message.contains("is not between 0 and 1")).collect();
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
            ">" warning leading-text: 1 byte of text before the envelope
              note: the user never sees this text, and a brace in it would hide the envelope
              fix: delete the text
            "{" warning echoed-envelope: envelope in a quotation looks like echoed input
              note: the runtime does not distinguish it from an envelope of the model
            "\"control_packet\"" error intent-missing: control packet has no `intent_classification`
              note: the schema of the runtime requires it
              fix: insert `intent_classification`
            "\"control_packet\"" warning memory-missing: control packet has no `memory_operations`
              note: the runtime assumes an empty list; `[]` states that nothing is to be remembered
              fix: insert `memory_operations`
            "No." warning trailing-text: 3 bytes of text after the envelope
              note: the runtime ignores this text, and the user never sees it
              fix: delete the text
        "#]],
    );
    check(
        "[{\"control_packet\": {}, \"surface_response\": \"x\"}, {\"control_packet\": {}, \"surface_response\": \"y\"}]",
        expect![[r#"
            "[" warning array-wrapped: envelope is in an array of 2 elements
              note: the runtime uses the first object and ignores the rest
            "{" warning multiple-envelopes: reply contains 2 envelopes
              note: the runtime uses one of them and ignores the others
            "{" error decoy-accepted: earlier envelope is used instead of the last one
              note: the runtime asserts its updates and ignores the last envelope
            "\"control_packet\"" warning updates-missing: control packet has no `mangle_updates`
              note: the runtime assumes an empty list; `[]` states that nothing changed
              fix: insert `mangle_updates`
            "\"control_packet\"" error intent-missing: control packet has no `intent_classification`
              note: the schema of the runtime requires it
              fix: insert `intent_classification`
            "\"control_packet\"" warning memory-missing: control packet has no `memory_operations`
              note: the runtime assumes an empty list; `[]` states that nothing is to be remembered
              fix: insert `memory_operations`
            "\"control_packet\"" warning updates-missing: control packet has no `mangle_updates`
              note: the runtime assumes an empty list; `[]` states that nothing changed
              fix: insert `mangle_updates`
            "\"control_packet\"" error intent-missing: control packet has no `intent_classification`
              note: the schema of the runtime requires it
              fix: insert `intent_classification`
            "\"control_packet\"" warning memory-missing: control packet has no `memory_operations`
              note: the runtime assumes an empty list; `[]` states that nothing is to be remembered
              fix: insert `memory_operations`
        "#]],
    );
    check(
        "{\"result\": {\"control_packet\": {}, \"surface_response\": \"x\"}}",
        expect![[r#"
            "{\"result\": {\"control_packet\": " error fallback: reply has no readable envelope
              note: the runtime shows the raw text to the user (confidence 0.5) and ignores the control packet
            "{" warning nested-envelope: envelope is inside another object
              note: the runtime ignores it: an envelope must be an object of its own
              fix: take the envelope out of the object around it
            "control_packet" error control-leak: control packet is visible to the user
              note: no envelope can be read, so the runtime shows the whole text
        "#]],
    );
    check(
        "{\"a\": 1}",
        expect![[r#"
            "{" error surface-missing: object has neither `surface_response` nor `control_packet`
              note: it is not an envelope, and the runtime rejects it
            "{\"a\": 1}" error fallback: reply has no readable envelope
              note: the runtime shows the raw text to the user (confidence 0.5) and ignores the control packet
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
    assert_eq!(fixes(&with("{control_packet")), [Some("rename it to `control_packet`".into())]);
    assert_eq!(fixes(&with("control")), [Some("rename it to `control_packet`".into())]);
    assert_eq!(fixes(&with("Surface_Response")), [None]);
    assert_eq!(fixes(&with("verdict")), [Some("delete the field".into())]);
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

/// Generates fragments of replies.
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

/// Generates an envelope with some bytes deleted, duplicated or replaced.
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

/// Returns the errors of an envelope with these channels in this order, in profile `1.1-bnf`.
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
        let reply = Reply::new(envelope.as_bytes(), &settings.limits_for(None, None));
        reply.reading.unwrap().accepted.unwrap().kept.updates.len()
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
    // Other reasons for dropping an update apply to all versions.
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
        assert!(render(&intent, &TranscriptSettings::default()).contains(&format!("number `{number}` at")));
        let args = format!(
            r#"{{"control_packet": {{{control}, "tool_requests": [{{"tool_args": {{"a": [1, {{"b": {number}}}]}}}}]}}, "surface_response": "ok"}}"#
        );
        assert!(failure(&args).contains(&found), "{}", failure(&args));
    }
    // A number of the wrong kind is reported only by its kind.
    let other = format!(r#"{{"control_packet": {{{control}}}, "surface_response": 5}}"#);
    assert!(failure(&other).contains(r#""found":"number""#), "{}", failure(&other));
}

/// The engine parses words such as `None` as variables, so the filter accepts them.
#[test]
fn words_of_other_languages_pass_the_filter_as_variables() {
    use crate::envelope::runtime::ReadUpdate;
    let stored = |update: &str| {
        ReadUpdate::new(update, mangle_settings::Runtime::default())
            .fact()
            .map(crate::envelope::runtime::RuntimeFact::runtime_text)
    };
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
