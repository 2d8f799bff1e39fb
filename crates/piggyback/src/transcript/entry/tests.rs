//! Tests of logs in the formats of many programs: each envelope is found after any prefix.
#![allow(clippy::unwrap_used)]

use crate::transcript::{Record, TextKind, TranscriptOptions, TranscriptReader};
use mangle_settings::Container;

/// Creates a reply with the surface `word`, on one line.
fn reply(word: &str) -> String {
    format!(r#"{{"control_packet":{{"mangle_updates":["a(/b)."]}},"surface_response":"{word}"}}"#)
}

/// Creates the same reply on several lines.
fn pretty(word: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(&reply(word)).unwrap();
    serde_json::to_string_pretty(&value).unwrap()
}

/// Returns the kinds and texts of the turns of a file. Feeds the file in chunks of several sizes.
fn turns(options: &TranscriptOptions, text: &str) -> Vec<(TextKind, String)> {
    let read = |step: usize| {
        let mut out = Vec::new();
        let mut each = |record: &Record<'_>| {
            for turn in &record.turns {
                out.push((turn.kind, String::from_utf8(turn.text(record.bytes).to_vec()).unwrap()));
            }
            assert!(record.findings.is_empty(), "{:?}", record.findings);
        };
        let mut reader = TranscriptReader::new(options.clone()).with_format(text.as_bytes(), true);
        text.as_bytes().chunks(step).for_each(|chunk| reader.feed(chunk, &mut each));
        reader.finish(&mut each);
        out
    };
    let whole = read(text.len());
    assert_eq!(whole, read(7), "in pieces");
    whole
}

fn log() -> TranscriptOptions {
    TranscriptOptions { name: "console.log".to_owned(), ..TranscriptOptions::default() }
}

/// Prefixes of log lines; `%` stands for the second.
const PREFIXES: &[&str] = &[
    "2026-03-01T12:00:0%Z ",
    "2026-03-01T12:00:0%.123456789Z ",
    "2026-03-01T12:00:0%+01:00 INFO ",
    "2026-03-01 12:00:0%,123 INFO agent ",
    "2026-03-01 12:00:0%,123 - agent.llm - INFO - ",
    "2026-03-01 12:00:0%,123 [main] INFO  com.acme.Agent - ",
    "2026-03-01 12:00:0%.123 | INFO     | agent.llm:reply:42 - ",
    "2026-03-01 12:00:0%.123  INFO 4711 --- [main] c.acme.Agent             : ",
    "[2026-03-01 12:00:0%] ",
    "[2026-03-01T12:00:0%Z INFO  agent::llm] ",
    "[2026-03-01 12:00:0%] [info] ",
    "[12:00:0%.123] INFO (4711): ",
    "12:00:0% ",
    "12:00:0%.123 [main] DEBUG c.a.Agent -- ",
    "2026-03-01T12:00:0%.000000Z  INFO agent::llm: ",
    "2026/03/01 12:00:0% ",
    "2026/03/01 12:00:0% main.go:42: ",
    "Mar  1 12:00:0% host agent[123]: ",
    "Mar 01 12:00:0% host agent: ",
    "<165>1 2026-03-01T12:00:0%Z host agent 123 ID47 - ",
    "Sun Mar  1 12:00:0% 2026 ",
    "01/Mar/2026:12:00:0% +0000 ",
    "[01/Mar/2026:12:00:0% +0000] ",
    "01.03.2026 12:00:0% ",
    "03/01/2026 12:00:0% PM ",
    "20260301T12000%Z ",
    "1772366400.12% ",
    "177236640% INFO ",
    "177236640%123 ",
    "I0301 12:00:0%.000000   12345 agent.go:12] ",
    "INFO:agent.llm:",
    "[INFO] ",
    "[info] agent: ",
    "INFO  agent - ",
    "INFO[000%] ",
    "level=info ",
    "time=2026-03-01T12:00:0%Z level=INFO ",
    "ts=2026-03-01T12:00:0%.000Z level=info component=llm ",
    "2026-03-01T12:00:0%.000Z\tINFO\tagent/llm.go:12\t",
    "12:00PM INF ",
    "agent-1  | ",
    "agent-1  | 2026-03-01T12:00:0%Z INFO ",
    "[pod/agent-6f9c/agent] 2026-03-01T12:00:0%Z ",
    "2026-03-01T12:00:0%.123456789Z stdout F ",
    "\x1b[2m2026-03-01T12:00:0%Z\x1b[0m \x1b[32m INFO\x1b[0m \x1b[2magent\x1b[0m: ",
    "--- 2026-03-01T12:00:0%Z ",
];

/// Text between the prefix and the reply.
const LABELS: &[&str] =
    &["", "assistant: ", "Assistant> ", "role=assistant ", "<- model ", "[assistant] ", "reply: ", "model: "];

fn prefix(prefix: &str, second: usize) -> String {
    prefix.replace('%', &second.to_string())
}

#[test]
fn each_spelling_of_a_prefix_is_recognised() {
    for before in PREFIXES {
        for label in LABELS {
            let lines: Vec<_> = (1..8)
                .map(|at| format!("{}{label}{}\n", prefix(before, at), reply(&at.to_string())))
                .collect();
            let expected: Vec<_> = (1..8).map(|at| (TextKind::Reply, reply(&at.to_string()))).collect();
            assert_eq!(turns(&log(), &lines.concat()), expected, "{before}{label}");
        }
    }
}

#[test]
fn prompts_and_words_of_the_program_are_no_replies() {
    for before in PREFIXES {
        let line = |at: usize, text: &str| format!("{}{text}\n", prefix(before, at));
        let text = [
            line(1, "started in 3s"),
            line(2, "user: fix the login, please"),
            line(3, &format!("assistant: {}", reply("1"))),
            line(4, "connection lost"),
            line(5, &format!("assistant: {}", reply("2"))),
        ];
        let expected = [
            (TextKind::Prompt, "fix the login, please".to_owned()),
            (TextKind::Reply, reply("1")),
            (TextKind::Reply, reply("2")),
        ];
        assert_eq!(turns(&log(), &text.concat()), expected, "{before}");
    }
}

#[test]
fn envelopes_of_several_lines_are_one_turn() {
    for before in PREFIXES {
        for gap in ["assistant: ", "assistant:\n", ""] {
            let text: String = (1..5)
                .map(|at| format!("{}{gap}{}\n", prefix(before, at), pretty(&at.to_string())))
                .collect();
            let expected: Vec<_> = (1..5).map(|at| (TextKind::Reply, pretty(&at.to_string()))).collect();
            let found: Vec<_> =
                turns(&log(), &text).into_iter().map(|(kind, text)| (kind, text.trim().to_owned())).collect();
            assert_eq!(found, expected, "{before}{gap}");
        }
    }
}

#[test]
fn a_prefix_before_each_line_of_an_envelope_is_left_out() {
    for before in PREFIXES {
        let line = |line: String| format!("{}{line}\n", prefix(before, 1));
        let text: String = ["1", "2", "3"]
            .iter()
            .flat_map(|word| pretty(word).lines().map(str::to_owned).map(line).collect::<Vec<_>>())
            .collect();
        let found = turns(&log(), &text);
        let parse = |text: &str| {
            serde_json::from_str::<serde_json::Value>(text).map_err(|error| format!("{error}: {text}"))
        };
        let found: Vec<_> = found.iter().map(|(_, text)| parse(text)).collect();
        let expected: Vec<_> = ["1", "2", "3"].iter().map(|word| parse(&reply(word))).collect();
        assert_eq!(found, expected, "{before}");
    }
}

#[test]
fn damage_ends_where_the_next_entry_begins() {
    let whole = reply("whole");
    let cuts = [3, 10, 20, 40, whole.find("surface").unwrap(), whole.len() - 4, whole.len() - 1];
    for before in PREFIXES {
        for cut in cuts {
            let damaged = &whole[..cut];
            let line = |at: usize, text: &str| format!("{}assistant: {text}\n", prefix(before, at));
            let text = [line(1, &whole), line(2, damaged), line(3, &whole), line(4, &whole)].concat();
            let expected = [&whole, damaged, &whole, &whole].map(|text| (TextKind::Reply, text.to_owned()));
            assert_eq!(turns(&log(), &text), expected, "{before}{damaged}");
        }
    }
}

#[test]
fn a_line_with_an_envelope_ends_one_that_is_damaged() {
    let (whole, damaged) = (reply("whole"), &reply("damaged")[..40]);
    let text = format!(
        "2026-03-01T12:00:01Z INFO reply\n{damaged}\n{whole}\n2026-03-01T12:00:02Z INFO reply\n{whole}\n"
    );
    let found: Vec<_> = turns(&log(), &text).into_iter().map(|(_, text)| text.trim().to_owned()).collect();
    assert_eq!(found, [damaged.to_owned(), whole.clone(), whole]);
}

#[test]
fn several_envelopes_of_one_entry_are_one_reply() {
    let both = format!("{}\n{}", reply("decoy"), reply("real"));
    let text = format!(
        "2026-03-01T12:00:01Z assistant: {both}\n2026-03-01T12:00:02Z assistant: {}\n",
        reply("next")
    );
    assert_eq!(turns(&log(), &text), [(TextKind::Reply, both), (TextKind::Reply, reply("next"))]);
}

#[test]
fn envelopes_in_strings_are_read() {
    let quoted = serde_json::to_string(&reply("1")).unwrap();
    for before in
        ["time=2026-03-01T12:00:01Z level=info ", "ts=2026-03-01T12:00:01Z ", "2026-03-01 12:00:01 INFO "]
    {
        for key in ["msg=", "message=", "reply: ", "got answer ", "response="] {
            let text = format!("{before}{key}{quoted} tokens=40\n").repeat(3);
            let expected = vec![(TextKind::Reply, reply("1")); 3];
            assert_eq!(turns(&log(), &text), expected, "{before}{key}");
        }
    }
}

#[test]
fn what_a_program_adds_is_not_of_the_model() {
    for behind in [" (took 3s)", " duration=3s tokens=40", "'", " [340ms]"] {
        let text = format!("2026-03-01 12:00:01 INFO reply={}{behind}\n", reply("1")).repeat(2);
        assert_eq!(turns(&log(), &text), vec![(TextKind::Reply, reply("1")); 2], "{behind}");
    }
}

#[test]
fn a_prompt_that_shows_an_envelope_is_a_prompt() {
    for before in ["system prompt: answer as ", "prompt=answer as ", "user: ", "tool result: "] {
        let text = format!("2026-03-01 12:00:01 INFO {before}{}\n", reply("1")).repeat(2);
        assert!(turns(&log(), &text).iter().all(|(kind, _)| *kind == TextKind::Prompt), "{before}");
    }
}

#[test]
fn a_separator_may_have_the_envelope_on_its_line() {
    let separator = Some("^[0-9]{4}-".to_owned());
    for container in [None, Some(Container::Raw)] {
        let options = TranscriptOptions {
            name: "a.txt".into(),
            container,
            separator: separator.clone(),
            ..TranscriptOptions::default()
        };
        let text: String =
            (1..6).map(|at| format!("2026-03-01T12:00:0{at}Z INFO {}\n", reply(&at.to_string()))).collect();
        let found: Vec<_> =
            turns(&options, &text).into_iter().map(|(_, text)| text.trim().to_owned()).collect();
        assert_eq!(found, (1..6).map(|at| reply(&at.to_string())).collect::<Vec<_>>());
    }
}

#[test]
fn prose_and_json_are_no_logs() {
    let texts = [
        format!("2026-03-01: I looked at the login.\n{}\n", reply("1")),
        format!("Error: I cannot say more.\n{}\n", reply("1")),
        format!("Note:\n{}\n", reply("1")),
        pretty("1"),
    ];
    for text in texts {
        assert_eq!(
            turns(&TranscriptOptions { name: "a.txt".into(), ..TranscriptOptions::default() }, &text),
            [(TextKind::Reply, text)]
        );
    }
}
