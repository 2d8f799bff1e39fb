//! Reports about files that are not understood: files without a reply, empty replies, files that
//! are not text, and unknown formats. Also tests the shapes from the settings.
#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};

use super::tests::words_of;
use super::*;
use crate::envelope::ReplyContext;
use mangle_settings::{TranscriptSettings, Vocabulary};

/// Checks the replies of a file and the findings about the file as a whole.
#[track_caller]
fn check(name: &str, text: impl AsRef<[u8]>, expected: Expect) {
    check_with("", name, text, expected);
}

#[track_caller]
fn check_with(configuration: &str, name: &str, text: impl AsRef<[u8]>, expected: Expect) {
    let parsed = mangle_settings::parse(configuration, Vocabulary { rules: &[] });
    assert!(parsed.findings.is_empty(), "{:?}", parsed.findings);
    expected.assert_eq(&shown(&parsed.settings.transcripts, name, text.as_ref()));
}

fn shown(settings: &TranscriptSettings, name: &str, text: &[u8]) -> String {
    let options = TranscriptOptions {
        is_named: !name.starts_with('~'),
        ..TranscriptOptions::new(settings, name.trim_start_matches('~'))
    };
    let (mut out, mut found) = (String::new(), Vec::new());
    let mut checker = Checker::new(ReplyContext::new(settings), Limits::default());
    let mut reader = TranscriptReader::new(options.clone());
    let mut each = |record: &Record<'_>| {
        for turn in record.turns.iter().filter(|turn| turn.role != TurnRole::Other) {
            let text = String::from_utf8_lossy(turn.text(record.bytes));
            let text: String = text.chars().take(24).collect();
            let details = turn.details.as_deref().cloned().unwrap_or_default();
            let beside: String = [details.session, details.timestamp]
                .into_iter()
                .flatten()
                .map(|word| format!(" {word}"))
                .collect();
            out += &format!(
                "{} {:?} {} {text:?}{beside}\n",
                turn.role.as_str(),
                turn.kind,
                turn.path.join(" ▸ ")
            );
        }
        checker.record(record, &mut found);
    };
    reader.feed(text, &mut each);
    let summary = reader.finish(&mut each);
    checker.finish(&summary, &mut found);
    let of_files =
        found.iter().filter(|found| matches!(found.finding.rule.code, "PB041" | "PB045" | "PB046" | "PB047"));
    for TranscriptFinding { record, finding, .. } in of_files {
        let severity = finding.severity.or(finding.rule.severity).unwrap();
        out += &format!("{} {record} {severity:?}: {}\n", finding.rule.code, words_of(finding));
    }
    // An editor, which has the whole file, gives the same result.
    let text = String::from_utf8_lossy(text);
    if text.len() < 1000 {
        let whole = Transcript::parse(options, text.as_bytes());
        assert_eq!(whole.summary().answers, summary.answers);
    }
    out
}

const ENVELOPE: &str = r#"{\"control_packet\":{},\"surface_response\":\"ok\"}"#;

fn with_envelope(text: &str) -> String {
    text.replace('E', ENVELOPE)
}

#[test]
fn a_file_without_a_reply_says_what_it_looks_like() {
    check(
        "a.json",
        r#"{"event":"done","token":"x","n":[1,2]}"#,
        expect![[r#"
            PB045 0 Warning: no reply found in this transcript | the first record is an object with the keys `event`, `token`, `n` | known formats: envelopes, chat messages, answers of model APIs, streams, OpenAI batch output, Anthropic batch results, batch requests, requests with responses, Gemini contents, Codex rollout, OTLP spans, OTLP logs, ShareGPT, SWE-agent trajectory, Inspect log, GenAI spans, OpenInference spans, AI SDK spans, Langfuse spans, Traceloop spans, traces (Langfuse, LangSmith), prompts with completions | help: name the format with `--container`, or describe it with `[[transcripts.shape]]`
        "#]],
    );
    check(
        "a.jsonl",
        "{\"level\":\"info\",\"msg\":\"started\"}\n{\"level\":\"info\"}\n",
        expect![[r#"
            PB045 0 Warning: no reply found in this transcript | the first record is an object with the keys `level`, `msg` | known formats: envelopes, chat messages, answers of model APIs, streams, OpenAI batch output, Anthropic batch results, batch requests, requests with responses, Gemini contents, Codex rollout, OTLP spans, OTLP logs, ShareGPT, SWE-agent trajectory, Inspect log, GenAI spans, OpenInference spans, AI SDK spans, Langfuse spans, Traceloop spans, traces (Langfuse, LangSmith), prompts with completions | help: name the format with `--container`, or describe it with `[[transcripts.shape]]`
        "#]],
    );
    check(
        "a.json",
        "[]",
        expect![[r#"
            PB045 0 Warning: no reply found in this transcript | the first record is an empty list | known formats: envelopes, chat messages, answers of model APIs, streams, OpenAI batch output, Anthropic batch results, batch requests, requests with responses, Gemini contents, Codex rollout, OTLP spans, OTLP logs, ShareGPT, SWE-agent trajectory, Inspect log, GenAI spans, OpenInference spans, AI SDK spans, Langfuse spans, Traceloop spans, traces (Langfuse, LangSmith), prompts with completions | help: name the format with `--container`, or describe it with `[[transcripts.shape]]`
        "#]],
    );
    check(
        "a.json",
        r#"[{"id":1},{"id":2}]"#,
        expect![[r#"
            PB045 0 Warning: no reply found in this transcript | the first record is an object with the key `id` | known formats: envelopes, chat messages, answers of model APIs, streams, OpenAI batch output, Anthropic batch results, batch requests, requests with responses, Gemini contents, Codex rollout, OTLP spans, OTLP logs, ShareGPT, SWE-agent trajectory, Inspect log, GenAI spans, OpenInference spans, AI SDK spans, Langfuse spans, Traceloop spans, traces (Langfuse, LangSmith), prompts with completions | help: name the format with `--container`, or describe it with `[[transcripts.shape]]`
        "#]],
    );
    check(
        "a.md",
        "# Notes\n\nNothing here.\n",
        expect![[r#"
            PB045 0 Warning: no reply found in this transcript | the first record is the line `# Notes` | known formats: envelopes, chat messages, answers of model APIs, streams, OpenAI batch output, Anthropic batch results, batch requests, requests with responses, Gemini contents, Codex rollout, OTLP spans, OTLP logs, ShareGPT, SWE-agent trajectory, Inspect log, GenAI spans, OpenInference spans, AI SDK spans, Langfuse spans, Traceloop spans, traces (Langfuse, LangSmith), prompts with completions | help: name the format with `--container`, or describe it with `[[transcripts.shape]]`
        "#]],
    );
    check("~a.md", "# Notes\n\nNothing here.\n", expect![[r#""#]]);
    check(
        "a.log",
        "2026/03/01 12:00:00.000000 [INFO] started\n",
        expect![[r#"
            PB045 0 Warning: no reply found in this transcript | the first record is the line `2026/03/01 12:00:00.000000 [INFO] started` | known formats: envelopes, chat messages, answers of model APIs, streams, OpenAI batch output, Anthropic batch results, batch requests, requests with responses, Gemini contents, Codex rollout, OTLP spans, OTLP logs, ShareGPT, SWE-agent trajectory, Inspect log, GenAI spans, OpenInference spans, AI SDK spans, Langfuse spans, Traceloop spans, traces (Langfuse, LangSmith), prompts with completions | help: name the format with `--container`, or describe it with `[[transcripts.shape]]`
        "#]],
    );
}

#[test]
fn prompts_alone_are_said_to_be_prompts() {
    check(
        "a.jsonl",
        "{\"role\":\"user\",\"content\":\"hi\"}\n",
        expect![[r#"
            user Prompt /content "hi"
            PB045 0 Warning: transcript has 1 prompt and no reply | only replies are checked
        "#]],
    );
    check(
        "~a.json",
        r#"{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"user","parts":[{"text":"b"}]}]}"#,
        expect![[r#"
            user Prompt /contents/0/parts/0/text "a"
            user Prompt /contents/1/parts/0/text "b"
            PB045 0 Information: transcript has 2 prompts and no reply | only replies are checked
        "#]],
    );
}

#[test]
fn secrets_and_control_characters_are_not_shown() {
    let key = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    let text = format!(r#"{{"{key}":1,"\u001b[31m":2,"a\u202eb":3}}"#);
    let out = shown(&TranscriptSettings::default(), "a.json", text.as_bytes());
    assert!(out.contains("PB045") && !out.contains(&key) && !out.contains(['\u{1b}', '\u{202e}']), "{out}");
}

#[test]
fn empty_replies_are_found() {
    check(
        "a.jsonl",
        "",
        expect![[r#"
            PB046 0 Warning: transcript is empty | it has no reply that can be checked
        "#]],
    );
    check(
        "a.txt",
        " \n",
        expect![[r#"
            assistant Skipped(Empty)  " \n"
            PB046 1 Warning: reply is empty | the runtime shows nothing and stores nothing
        "#]],
    );
    check(
        "a.json",
        r#"[{"role":"user","content":""},{"role":"assistant","content":""}]"#,
        expect![[r#"
            assistant Skipped(Empty) /1/content "\"\""
            PB046 2 Warning: reply is empty | the runtime shows nothing and stores nothing
        "#]],
    );
    check(
        "a.jsonl",
        "{\"role\":\"assistant\",\"content\":null}\n{\"role\":\"assistant\",\"content\":[]}\n",
        expect![[r#"
            assistant Skipped(Empty) /content "null"
            assistant Skipped(Empty) /content "[]"
            PB046 1 Warning: reply is empty | the runtime shows nothing and stores nothing
            PB046 2 Warning: reply is empty | the runtime shows nothing and stores nothing
        "#]],
    );
    check(
        "a.json",
        r#"{"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}"#,
        expect![[r#"
            PB045 0 Warning: no reply found in this transcript | the first record is an object with the keys `role`, `content`, `tool_calls` | known formats: envelopes, chat messages, answers of model APIs, streams, OpenAI batch output, Anthropic batch results, batch requests, requests with responses, Gemini contents, Codex rollout, OTLP spans, OTLP logs, ShareGPT, SWE-agent trajectory, Inspect log, GenAI spans, OpenInference spans, AI SDK spans, Langfuse spans, Traceloop spans, traces (Langfuse, LangSmith), prompts with completions | help: name the format with `--container`, or describe it with `[[transcripts.shape]]`
        "#]],
    );
    check(
        "a.json",
        r#"{"choices":[{"message":{"content":null}}]}"#,
        expect![[r#"
            assistant Skipped(Empty) /choices/0/message/content "null"
            PB046 1 Warning: reply is empty | the runtime shows nothing and stores nothing
        "#]],
    );
    check(
        "a.json",
        r#"{"conversations":[{"from":"human","value":"a"},{"from":"gpt","value":""}]}"#,
        expect![[r#"
            user Prompt /conversations/0/value "a"
            assistant Skipped(Empty) /conversations/1/value "\"\""
            PB046 1 Warning: reply is empty | the runtime shows nothing and stores nothing
        "#]],
    );
    check(
        "a.jsonl",
        r#"{"model":"m","message":{"role":"assistant","content":""},"done":true}"#,
        expect![[r#"
            assistant Skipped(Empty)  "\"\""
            PB046 1 Warning: reply is empty | the runtime shows nothing and stores nothing
        "#]],
    );
    check(
        "a.jsonl",
        r#"{"type":"GENERATION","input":"a","output":""}"#,
        expect![[r#"
            user Prompt /input "a"
            assistant Skipped(Empty) /output "\"\""
            PB046 1 Warning: reply is empty | the runtime shows nothing and stores nothing
        "#]],
    );
}

#[test]
fn what_is_not_text_is_refused() {
    check(
        "a.json",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        expect![[r#"
            PB041 1 Error: file is a PNG image, not a transcript | nothing of it is checked
        "#]],
    );
    check(
        "a.jsonl",
        b"SQLite format 3\0\x10\0\x01\x01\0@  \0\0",
        expect![[r#"
            PB041 1 Error: file is an SQLite database, not a transcript | nothing of it is checked
        "#]],
    );
    check(
        "a.txt",
        b"{\0\"\0a\0\"\0:\0",
        expect![[r#"
            PB041 1 Error: file is binary data, not a transcript | nothing of it is checked
        "#]],
    );
    check(
        "a.txt",
        b"\xff\xfe{\0\"\0a\0",
        expect![[r#"
            PB041 1 Error: file is text in UTF-16, not a transcript | nothing of it is checked | help: save it as UTF-8
        "#]],
    );
}

#[test]
fn replies_are_found_in_unknown_formats() {
    check(
        "a.json",
        with_envelope(r#"{"when":1,"what":{"raw":"E"},"prompt":"E"}"#),
        expect![[r#"
            assistant Reply /what/raw "{\"control_packet\":{},\"su"
            PB047 0 Information: 1 record has an unknown format | the first reply is at `/what/raw` | only replies with the keys of an envelope are found | help: describe the format with `[[transcripts.shape]]`
        "#]],
    );
    check(
        "a.jsonl",
        with_envelope("{\"x\":{\"y\":[\"E\"]}}\n{\"x\":{\"role\":\"user\",\"z\":\"E\"}}\n"),
        expect![[r#"
            assistant Reply /x/y/0 "{\"control_packet\":{},\"su"
            PB047 0 Information: 1 record has an unknown format | the first reply is at `/x/y/0` | only replies with the keys of an envelope are found | help: describe the format with `[[transcripts.shape]]`
        "#]],
    );
    check(
        "a.json",
        r#"{"x":{"schema":{"properties":{"control_packet":{"type":"object"}}}}}"#,
        expect![[r#"
            PB045 0 Warning: no reply found in this transcript | the first record is an object with the key `x` | known formats: envelopes, chat messages, answers of model APIs, streams, OpenAI batch output, Anthropic batch results, batch requests, requests with responses, Gemini contents, Codex rollout, OTLP spans, OTLP logs, ShareGPT, SWE-agent trajectory, Inspect log, GenAI spans, OpenInference spans, AI SDK spans, Langfuse spans, Traceloop spans, traces (Langfuse, LangSmith), prompts with completions | help: name the format with `--container`, or describe it with `[[transcripts.shape]]`
        "#]],
    );
}

#[test]
fn pointers_of_the_settings_are_followed() {
    let shape = "[[transcripts.shape]]\nname = 'x'\nrecords = '/log/*'\nrole = '/who'\ntext = ['/said/body', '/note']\n\
                 session = '/sid'\ntime = '/at'\nassistant = ['hal']\n";
    check_with(
        shape,
        "a.json",
        with_envelope(
            r#"{"log":[{"who":"hal","said":{"body":"E"},"sid":"s","at":7},{"who":"user","note":"go"},{"who":"door","note":"x"}]}"#,
        ),
        expect![[r#"
        assistant Reply /log/0/said/body "{\"control_packet\":{},\"su" s 7
        user Prompt /log/1/note "go"
    "#]],
    );
    check_with(
        shape,
        "a.jsonl",
        with_envelope("{\"log\":[{\"who\":\"hal\",\"note\":\"E\"}]}\n"),
        expect![[r#"
        assistant Reply /log/0/note "{\"control_packet\":{},\"su"
    "#]],
    );
    let elements = "[[transcripts.shape]]\nrecords = '/*'\ntext = '/out.text'\n";
    check_with(
        elements,
        "a.json",
        with_envelope(r#"[{"out":{"text":"E"}},{"out.text":"E"},{"out":"\"x\""}]"#),
        expect![[r#"
        assistant Reply /0/out/text "{\"control_packet\":{},\"su"
        assistant Reply /1/out.text "{\"control_packet\":{},\"su"
    "#]],
    );
    let pieces = "[[transcripts.shape]]\ntext = '/tokens/*'\n";
    check_with(
        pieces,
        "a.json",
        with_envelope(r#"{"tokens":["{\"control_packet\":","{}}"]}"#),
        expect![[r#"
        assistant Reply /tokens/0 "{\"control_packet\":{}}"
    "#]],
    );
    let nested = "[[transcripts.shape]]\nrecords = '/json'\nrole = '/r'\ntext = '/t'\n";
    check_with(
        nested,
        "a.json",
        r#"{"json":"{\"r\":\"bot\",\"t\":\"{\\\"control_packet\\\":{}}\"}"}"#,
        expect![[r#"
        assistant Reply /json ▸ /t "{\"control_packet\":{}}"
    "#]],
    );
}

#[test]
fn patterns_of_the_settings_begin_turns() {
    let shape = "[[transcripts.shape]]\npattern = '^(?<time>\\d\\d:\\d\\d) <(?<role>\\w+)#(?<session>\\d+)> (?<text>.*)$'\n\
                 assistant = ['hal']\n";
    let text = "a banner\n10:00 <user#7> go\non\n10:01 <hal#7> {\"control_packet\":{},\n \"surface_response\":\"ok\"}\n10:02 <hal#7> \n\
                10:03 <hal#7> {\"choices\":[{\"message\":{\"content\":\"{}\"}}]}\n";
    check_with(
        shape,
        "a.log",
        text,
        expect![[r#"
            user Prompt  "go\non" 7 10:00
            assistant Reply  "{\"control_packet\":{},\n \"" 7 10:01
            assistant Skipped(Empty)  "" 7 10:02
            assistant Reply /choices/0/message/content "{}" 7 10:03
            PB046 3 Warning: reply is empty | the runtime shows nothing and stores nothing
        "#]],
    );
    let quoted = "[[transcripts.shape]]\npattern = 'reply=(?<text>\".*\") ms='\n";
    check_with(
        quoted,
        "a.log",
        with_envelope("INFO reply=\"E\" ms=3\nINFO other\n"),
        expect![[r#"
        assistant Reply  "{\"control_packet\":{},\"su"
    "#]],
    );
}
