//! Tests of the turns that are found in each container, and of their positions.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;

use expect_test::{Expect, expect};

use super::*;
use mangle_syntax::lint::Finding;

/// Reads the files of a folder of the repository.
pub(super) fn files_of(folder: &str) -> Vec<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let files = std::fs::read_dir(folder).unwrap();
    files.map(|entry| std::fs::read(entry.unwrap().path()).unwrap()).collect()
}

/// Formats the turns of a file. Feeds the file in chunks of several sizes.
fn shown(name: &str, bytes: &[u8]) -> String {
    let read = |step: usize| {
        let mut out = String::new();
        let mut each = |record: &Record<'_>| show(record, bytes, &mut out);
        let head = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut reader =
            TranscriptReader::new(TranscriptOptions { name: name.into(), ..TranscriptOptions::default() });
        if step < bytes.len() {
            // Otherwise the reader would determine the format only after some thousand bytes.
            reader = reader.with_format(head, true);
        }
        for chunk in bytes.chunks(step) {
            reader.feed(chunk, &mut each);
        }
        let summary = reader.finish(&mut each);
        let container = summary.container.map_or("nothing", Container::as_str);
        for finding in summary.findings() {
            writeln!(out, "{}: {}", finding.rule.code, words_of(&finding)).unwrap();
        }
        format!("{container}\n{out}")
    };
    let whole = read(bytes.len().max(1));
    for step in [1, 7, 64] {
        assert_eq!(whole, read(step), "in pieces of {step}");
    }
    whole
}

fn show(record: &Record<'_>, file: &[u8], out: &mut String) {
    let start = usize::try_from(record.start).unwrap();
    assert_eq!(record.bytes, &file[start..start + record.bytes.len()]);
    for turn in &record.turns {
        let text = String::from_utf8_lossy(turn.text(record.bytes)).into_owned();
        let places =
            turn.places(mangle_syntax::text::TextRange::up_to(mangle_syntax::text::size(turn.len())));
        let places: Vec<_> = places
            .iter()
            .map(|place| {
                format!("{}..{}", start + usize::from(place.start()), start + usize::from(place.end()))
            })
            .collect();
        let path = turn.path.join(" > ");
        writeln!(
            out,
            "{} {} {:?} {path} [{}] {text:?}",
            record.number,
            turn.role.as_str(),
            turn.kind,
            places.join(" ")
        )
        .unwrap();
    }
    for finding in &record.findings {
        let range = start + usize::from(finding.range.start())..start + usize::from(finding.range.end());
        writeln!(out, "{} {} {range:?}: {}", record.number, finding.rule.code, words_of(finding)).unwrap();
    }
}

#[track_caller]
fn check(name: &str, text: &str, expected: Expect) {
    expected.assert_eq(&shown(name, text.as_bytes()));
}

const E: &str = r#"{"control_packet":{},"surface_response":"ok"}"#;

#[test]
fn a_bare_envelope() {
    check(
        "a.json",
        E,
        expect![[r#"
        envelope
        1 assistant Reply  [0..45] "{\"control_packet\":{},\"surface_response\":\"ok\"}"
    "#]],
    );
    check(
        "a.json",
        "\u{feff}\n{\"surface_response\": \"cut",
        expect![[r#"
        envelope
        1 assistant Reply  [3..29] "\n{\"surface_response\": \"cut"
    "#]],
    );
    check(
        "",
        &format!("{E}\r\n"),
        expect![[r#"
        envelope
        1 assistant Reply  [0..47] "{\"control_packet\":{},\"surface_response\":\"ok\"}\r\n"
    "#]],
    );
}

#[test]
fn an_array() {
    check(
        "a.json",
        &format!("[{E},\n {{\"role\":\"assistant\",\"content\":\"a\\u0022\"}}, 3, {{\"a\":]"),
        expect![[r#"
            array
            1 assistant Reply /0 [1..46] "{\"control_packet\":{},\"surface_response\":\"ok\"}"
            2 assistant Reply /1/content [80..87] "a\""
            3 PB041 91..92: record is not a JSON object | its turns are not checked; reading continues after it
            4 PB041 94..100: record is not valid JSON: an unmatched bracket [at byte 5] | its turns are not checked; reading continues after it
            PB042: file mixes envelopes and chat records | each record is read by its own format
        "#]],
    );
}

#[test]
fn envelope_lines() {
    check(
        "a.jsonl",
        &format!("{E}\r\n\n{{\"note\":1}}\n[1]\n{{\"a\"\n{E}"),
        expect![[r#"
            envelope-lines
            1 assistant Reply  [0..45] "{\"control_packet\":{},\"surface_response\":\"ok\"}"
            3 assistant Reply  [48..58] "{\"note\":1}"
            4 PB041 59..62: record is not a JSON object | its turns are not checked; reading continues after it
            5 assistant Reply  [63..67] "{\"a\""
            6 assistant Reply  [68..113] "{\"control_packet\":{},\"surface_response\":\"ok\"}"
        "#]],
    );
}

#[test]
fn chat_lines() {
    let text = r#"{"role":"user","content":"go","timestamp":"2026-03-01T00:00:00Z"}
{"role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"text","text":"a"},{"type":"text","text":"b\n"},{"type":"tool_use","input":{"surface_response":"x"}}]}
{"messages":[{"role":"system","content":"s"},{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":"{\"surface_response\":1}"}}]}]}
{"role":"perception","content":"{}"}
{"type":"assistant","message":{"role":"assistant","content":"m"}}
{"role":"assistant","content":"cut"#;
    check(
        "a.jsonl",
        text,
        expect![[r#"
            chat-lines
            1 user Prompt /content [26..28] "go"
            2 assistant Reply /content/1/text [155..156 182..185] "ab\n"
            2 assistant Object /content/3/input [215..239] "{\"surface_response\":\"x\"}"
            3 system Prompt /messages/0/content [284..285] "s"
            3 assistant Reply /messages/1/tool_calls/0/function/arguments [374..398] "{\"surface_response\":1}"
            4 other Skipped(OtherRole) /content [438..440] "{}"
            5 assistant Reply /message/content [504..505] "m"
            6 PB041 509..543: record is not valid JSON: a value is never closed [at byte 30] | its turns are not checked; reading continues after it
        "#]],
    );
}

#[test]
fn answers_of_models() {
    let openai = r#"{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"a"}},{"message":{"content":[{"type":"text","text":"b"}]}}]}"#;
    check(
        "a.json",
        openai,
        expect![[r#"
        response
        1 assistant Reply /choices/0/message/content [73..74] "a"
        1 assistant Reply /choices/1/message/content/0/text [124..125] "b"
    "#]],
    );
    let responses = r#"{"output":[{"type":"reasoning","content":[{"text":"no"}]},{"type":"message","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]}]}"#;
    check(
        "a.json",
        responses,
        expect![[r#"
        response
        1 assistant Reply /output/1/content/0/text [117..118 151..152] "ab"
    "#]],
    );
    let anthropic = r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"a"},{"type":"tool_use","input":{"control_packet":{}}}]}"#;
    check(
        "a.json",
        anthropic,
        expect![[r#"
        response
        1 assistant Reply /content/0/text [71..72] "a"
        1 assistant Object /content/1/input [102..123] "{\"control_packet\":{}}"
    "#]],
    );
    let gemini =
        r#"{"candidates":[{"content":{"parts":[{"text":"a","thought":true},{"text":"b"},{"text":"c"}]}}]}"#;
    check(
        "a.json",
        gemini,
        expect![[r#"
        response
        1 assistant Reply /candidates/0/content/parts/1/text [73..74 86..87] "bc"
    "#]],
    );
    let claude = r#"{"type":"result","result":"a"}
{"type":"result","structured_output":{"surface_response":"b"},"result":"x"}
{"type":"result","result":{"content":[{"type":"text","text":"c"}]}}
"#;
    check(
        "a.jsonl",
        claude,
        expect![[r#"
        chat-lines
        1 assistant Reply /result [27..28] "a"
        2 assistant Object /structured_output [68..92] "{\"surface_response\":\"b\"}"
        3 assistant Reply /result/content/0/text [168..169] "c"
    "#]],
    );
    let codex = r#"{"type":"thread.started"}
{"type":"turn.started"}
{"type":"item.completed","item":{"type":"agent_message","text":"on it"}}
{"type":"item.completed","item":{"type":"agent_message","text":"done"}}
{"type":"turn.completed"}
"#;
    check(
        "a.jsonl",
        codex,
        expect![[r#"
        chat-lines
        2 assistant Skipped(Intermediate) /item/text [114..119] "on it"
        2 assistant Reply /item/text [187..191] "done"
    "#]],
    );
}

#[test]
fn streams() {
    let openai = "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"{\\\"a\"}}]}\n\ndata: \
                  {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\\\":1}\"}}]}\n\ndata: \
                  [DONE]\n\ndata: {oops\n";
    check(
        "a.txt",
        openai,
        expect![[r#"
            stream
            1 assistant Reply /choices/0/delta/content [58..62 127..132] "{\"a\":1}"
            2 PB041 159..164: piece of the stream is not valid JSON: an unknown word [at byte 8] | its turns are not checked; reading continues after it
        "#]],
    );
    let anthropic = "event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\
                     \"content\":[]}}\r\n\r\nevent: content_block_delta\r\ndata: {\"type\":\
                     \"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\r\n\
                     data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\
                     \"text\":\"b\\n\"}}\r\ndata: {\"type\":\"message_stop\"}\r\n";
    check(
        "a.sse",
        anthropic,
        expect![[r#"
        stream
        1 assistant Reply /delta/text [211..212 300..303] "ab\n"
    "#]],
    );
    check(
        "a.jsonl",
        "{\"delta\":{\"text\":\"a\"}}\n{\"delta\":{\"text\":\"b\"}}\n",
        expect![[r#"
        stream
        1 assistant Reply /delta/text [18..19 41..42] "ab"
    "#]],
    );
}

#[test]
fn sessions_and_traces() {
    let session = r#"{"session_id":"s","messages":[{"role":"user","content":"hi","time":"t"},
 {"role":"assistant","content":"hello"},{"role":"assistant","content":"{\"mangle_updates\":[]}"}]}"#;
    check(
        "s.json",
        session,
        expect![[r#"
        session
        1 user Prompt /messages/0/content [56..58] "hi"
        2 assistant Surface /messages/1/content [105..110] "hello"
        3 assistant Reply /messages/2/content [144..167] "{\"mangle_updates\":[]}"
    "#]],
    );
    let row =
        r#"{"shard_type":"coder","system_prompt":"s","user_prompt":"u","response":"r","tokens_used":7}"#;
    check(
        "a.json",
        &format!("[{row}, {row}]"),
        expect![[r#"
        traces
        1 system Prompt /0/system_prompt [40..41] "s"
        1 user Prompt /0/user_prompt [58..59] "u"
        1 assistant Reply /0/response [73..74] "r"
        2 system Prompt /1/system_prompt [133..134] "s"
        2 user Prompt /1/user_prompt [151..152] "u"
        2 assistant Reply /1/response [166..167] "r"
    "#]],
    );
    check(
        "a.jsonl",
        row,
        expect![[r#"
        traces
        1 system Prompt /system_prompt [39..40] "s"
        1 user Prompt /user_prompt [57..58] "u"
        1 assistant Reply /response [72..73] "r"
    "#]],
    );
}

#[test]
fn logs() {
    let log = "banner\n2026/03/01 12:00:00.000001 [INFO] start\n2026/03/01 12:00:00.000002 [DEBUG] Raw LLM Response: \
               {\n  \"a\": 1\n}\n2026/03/01 12:00:00.000003 [DEBUG] Raw response preview: {\"a...\n\
               2026/03/01 12:00:00.000004 {\"ts\":1,\"lvl\":\"debug\",\"msg\":\"Raw LLM Response: \\\"x\\\"\"}\n\
               2026/03/01 12:00:00.000005 {\"ts\":1,\"lvl\":\"info\",\"msg\":\"m\",\"fields\":{\"response\":\"{}\"}}\n";
    check(
        "2026-03-01_perception.log",
        log,
        expect![[r#"
            log
            3 assistant Reply  [100..112] "{\n  \"a\": 1\n}"
            4 assistant Skipped(Preview)  [170..176] "{\"a..."
            4 PB040 170..176: only the beginning of a reply was logged | the entry is not checked, because its reply is cut off | help: log the whole reply
            5 assistant Reply /msg [251..256] "\"x\""
            6 assistant Reply /fields/response [339..341] "{}"
        "#]],
    );
    let audit = "{\"ts\":1,\"event\":\"e\",\"mangle\":\"p(\\\"a\\\").\"}\n{\"ts\":2,\"event\":\"e\",\"mangle\":\"\"}\n";
    check(
        "2026-03-01_audit.log",
        audit,
        expect![[r#"
        log
        1 other Atom /mangle [30..39] "p(\"a\")."
    "#]],
    );
}

#[test]
fn the_tracer_of_the_harness() {
    let text = "═══\nSession\n═══\n\n═══\nPIGGYBACK PROTOCOL - TURN 1 (assistant)\n═══\nTimestamp: x\n\nSURFACE \
                (visible to user):\n───\n  one\n  two\n\nCONTROL PACKET (hidden from user):\n───\nMangle Updates:\n  \
                p(1).\n  - q(/a).\n\nNext Phase: x\n═══\n\n═══\nPIGGYBACK PROTOCOL - TURN 2 (assistant)\n═══\n\
                SURFACE (visible to user):\n  b\n";
    check(
        "trace.log",
        text,
        expect![[r#"
        harness
        2 assistant Surface  [142..151] "one\n  two"
        2 assistant Atom  [216..221] "p(1)."
        2 assistant Atom  [226..232] "q(/a)."
        3 assistant Surface  [348..349] "b"
    "#]],
    );
}

#[test]
fn raw_text() {
    check(
        "a.txt",
        &format!("Here: {E} Bye"),
        expect![[r#"
        raw
        1 assistant Reply  [0..55] "Here: {\"control_packet\":{},\"surface_response\":\"ok\"} Bye"
    "#]],
    );
    check(
        "a.txt",
        &format!("User: go\nAssistant: {E}\n"),
        expect![[r#"
        raw
        1 user Prompt  [5..9] " go\n"
        2 assistant Reply  [19..66] " {\"control_packet\":{},\"surface_response\":\"ok\"}\n"
    "#]],
    );
    check(
        "a.txt",
        "",
        expect![[r#"
            nothing
            PB046: transcript is empty | it has no reply that can be checked
        "#]],
    );
}

#[test]
fn markdown_fences() {
    let text = format!(
        "# A\n\n```json\n{E}\n```\n\n- item\n  ```\n  {{\"surface_response\":\n  \"x\"}}\n  ```\n\n<!-- mangle-ls: \
         ignore-fence -->\n```json\n{E}\n```\n```json\n{{}}\n```\n~~~jsonc\n{E}\n"
    );
    check(
        "a.md",
        &text,
        expect![[r#"
            markdown
            1 assistant Reply  [13..59] "{\"control_packet\":{},\"surface_response\":\"ok\"}\n"
            2 assistant Reply  [79..107] "{\"surface_response\":\n\"x\"}\n"
            3 assistant Skipped(Ignored)  [155..201] "{\"control_packet\":{},\"surface_response\":\"ok\"}\n"
            4 assistant Reply  [229..275] "{\"control_packet\":{},\"surface_response\":\"ok\"}\n"
            4 PB043 220..228: fence is never closed | all text after it is read as part of the reply
        "#]],
    );
    check(
        "a.md",
        "```\nIntent{Verb} -> control_packet (for the kernel)\n```\n",
        expect![[r#"
        markdown
    "#]],
    );
    check(
        "a.md",
        &format!("```json\n{E}\n```\n```json piggyback\n{E}\n```\n"),
        expect![[r#"
        markdown
        1 assistant Reply  [76..122] "{\"control_packet\":{},\"surface_response\":\"ok\"}\n"
    "#]],
    );
    check(
        "a.md",
        &format!("---\npiggyback: {{profile: \"1.1\", mode: response}}\n---\n{E}\n"),
        expect![[r#"
            markdown
            1 assistant Reply  [52..98] "{\"control_packet\":{},\"surface_response\":\"ok\"}\n"
        "#]],
    );
    check(
        "a.md",
        &format!("---\npiggyback:\n  mode: ignore\n---\n```json\n{E}\n```\n"),
        expect![[r#"
        markdown
    "#]],
    );
}

#[test]
fn what_is_no_text_is_told() {
    let bytes = b"{\"role\":\"assistant\",\"content\":\"a\xffb\xe2\x82\"}\n";
    expect![[r#"
        chat-lines
        1 assistant Reply /content [31..36] "a�b��"
        1 PB044 32..33: 3 bytes of the record are not UTF-8 [first at byte 32] | the runtime reads each such byte as U+FFFD
    "#]]
    .assert_eq(&shown("a.jsonl", bytes));
}

#[test]
fn what_is_too_long_is_passed_over() {
    let text = format!("{E}\n{{\"role\":\"{}\"}}\n{E}\n", "x".repeat(500));
    let mut out = Vec::new();
    let mut each = |record: &Record<'_>| {
        out.push((record.number, record.start, record.turns.len(), record.findings.len()))
    };
    let mut reader =
        TranscriptReader::new(TranscriptOptions { name: "a.jsonl".into(), ..TranscriptOptions::default() })
            .with_limit(100)
            .with_format(text.as_bytes(), true);
    for chunk in text.as_bytes().chunks(30) {
        reader.feed(chunk, &mut each);
        assert!(reader.buffered_len() <= 130);
    }
    let summary = reader.finish(&mut each);
    assert_eq!(out, [(1, 0, 1, 0), (2, 46, 0, 1), (3, 558, 1, 0)]);
    assert_eq!(summary.records, 3);
}

/// Returns the findings of some rules in a file.
fn findings(name: &str, bytes: &[u8], codes: &[&str]) -> Vec<(String, String, Option<String>)> {
    let settings = mangle_settings::TranscriptSettings::default();
    let mut out = Vec::new();
    let mut checker = Checker::new(crate::envelope::ReplyContext::new(&settings), Limits::default());
    let mut reader =
        TranscriptReader::new(TranscriptOptions { name: name.into(), ..TranscriptOptions::default() });
    let mut each = |record: &Record<'_>| checker.record(record, &mut out);
    reader.feed(bytes, &mut each);
    let summary = reader.finish(&mut each);
    checker.finish(&summary, &mut out);
    out.retain(|found| codes.contains(&found.finding.rule.code));
    let shown = |found: &TranscriptFinding| {
        let at = |range: mangle_syntax::text::TextRange| {
            let start = usize::try_from(found.start).unwrap();
            String::from_utf8_lossy(
                &bytes[start + usize::from(range.start())..start + usize::from(range.end())],
            )
            .into_owned()
        };
        let fix = found.finding.fix.as_ref().map(|fix| {
            let edits = fix.edits.iter().map(|edit| format!("{}->{}", at(edit.span.range), edit.text));
            edits.collect::<Vec<_>>().join(" ")
        });
        (found.finding.rule.name.to_owned(), at(found.finding.range), fix)
    };
    out.iter().map(shown).collect()
}

#[test]
fn updates_of_logs_and_tracers_are_judged() {
    let audit = r#"{"ts":1,"event":"e","mangle":"p(\u0022a\u0022, done)."}"#;
    let found = findings("x_audit.log", audit.as_bytes(), &["PB202"]);
    let fix = Some("done->/done".to_owned());
    assert_eq!(found, [("atom-syntax".to_owned(), "done".to_owned(), fix.clone())]);
    let traced = "═══\nPIGGYBACK PROTOCOL - TURN 1 (assistant)\n═══\nCONTROL PACKET (hidden from user):\nMangle \
                  Updates:\n  - p(\"a\", done).\n";
    let found = findings("x.log", traced.as_bytes(), &["PB202"]);
    assert_eq!(found, [("atom-syntax".to_owned(), "done".to_owned(), fix)]);
}

#[test]
fn a_packet_in_a_session_was_shown() {
    let session = |text: &str| {
        let text = serde_json::to_string(text).unwrap();
        format!("{{\"session_id\":\"s\",\"messages\":[{{\"role\":\"assistant\",\"content\":{text}}}]}}")
    };
    let found = findings("s.json", session(E).as_bytes(), &["PB110"]);
    assert_eq!(found, [("control-leak".to_owned(), "control_packet".to_owned(), None)]);
    // Reported once, although two checks detect it.
    assert_eq!(findings("s.json", session("so {\"mangle_updates\": [").as_bytes(), &["PB110"]).len(), 1);
    assert_eq!(findings("s.json", session("all is well").as_bytes(), &["PB110"]), []);
}

/// Inputs that cost a naive reader quadratic time or space, scaled down.
#[test]
fn floods_are_read_in_one_pass() {
    let nested = format!("{{\"control_packet\":{}{}}}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    let keys: String = (0..20_000).map(|at| format!("\"k{at}\":{at},")).collect();
    let keys = format!("{{{keys}\"surface_response\":\"x\"}}");
    let line = format!("{{\"role\":\"assistant\",\"content\":\"{}\"}}", "{\\\"".repeat(200_000));
    let roles = format!("{{\"messages\":[{}]}}", "{\"role\":\"user\",\"content\":\"x\"},".repeat(20_000));
    let deltas = "data: {\"delta\":{\"text\":\"{\"}}\n".repeat(20_000);
    let keyed: String =
        (0..20_000).map(|at| format!("data: {{\"id\":\"{at}\",\"delta\":{{\"text\":\"x\"}}}}\n")).collect();
    let fences = "```json\n{\"surface_response\":\"x\"}\n```\n".repeat(5_000);
    let stamps = "2026/03/01 12:00:00.000001 [DEBUG] Raw LLM Response: {\"\n".repeat(10_000);
    let labels = "Assistant: x\n".repeat(20_000);
    let quotes = "{\"".repeat(100_000);
    let files = [
        ("a.json", nested),
        ("a.json", keys),
        ("a.jsonl", line),
        ("a.jsonl", roles),
        ("a.sse", deltas),
        ("a.sse", keyed),
        ("a.md", fences),
        ("a.log", stamps),
        ("a.txt", labels),
        ("a.txt", quotes),
    ];
    for (name, text) in files {
        assert!(
            !findings(
                name,
                text.as_bytes(),
                &["PB001", "PB006", "PB010", "PB026", "PB027", "PB041", "PB102", "PB111", "PB612"]
            )
            .is_empty()
                || name == "a.sse",
            "{name}: {}",
            &text[..40]
        );
    }
}

/// Formats a finding: headline, label, notes and help.
pub(super) fn words_of(finding: &Finding) -> String {
    let label = finding.label.iter().map(|label| format!(" [{label}]"));
    let notes = finding.notes.iter().map(|note| format!(" | {note}"));
    let help = finding.help.iter().map(|help| format!(" | help: {help}"));
    std::iter::once(finding.message.to_string()).chain(label).chain(notes).chain(help).collect()
}
