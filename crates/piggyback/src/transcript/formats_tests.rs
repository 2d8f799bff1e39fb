//! Sessions in the formats of services, libraries and tools. Each reply is found with its atoms at
//! the right bytes, and a good session has no findings beyond those of its envelopes.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::properties::{decoded, said, strings};
use super::*;
use crate::envelope::{Reply, ReplyContext};
use mangle_settings::{Caps, TranscriptSettings};
use mangle_syntax::text::{TextRange, size};

/// Number of sessions per format.
const SESSIONS: u64 = 30;

/// Deterministic pseudo-random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn text(&mut self) -> String {
        let words = [
            "job",
            "\"lease\"",
            "C:\\tmp\\x",
            "naïve",
            "日本語",
            "🦀 crab",
            "a/b",
            "tab\there",
            "line\nbreak",
            "100 %",
            "<b>",
            "&",
            "\u{7f}",
            "it's",
        ];
        (0..=self.below(6)).map(|_| self.one(&words)).collect::<Vec<_>>().join(" ")
    }
}

/// A prompt and the envelope that answers it.
struct Exchange {
    prompt: String,
    reply: String,
}

fn session(seed: u64) -> Vec<Exchange> {
    let mut random = Random(seed * 7919 + 104_729);
    (0..=random.below(4)).map(|at| exchange(at, seed, &mut random)).collect()
}

fn exchange(at: usize, seed: u64, random: &mut Random) -> Exchange {
    let updates: Vec<_> = (0..random.below(4))
        .map(|number| {
            let text = random.text().replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let text = text.replace('`', "'").replace('\t', "\\t");
            format!("observation(\"s{seed} {at} {number}\", \"{text}\").")
        })
        .collect();
    let envelope = json!({
        "control_packet": {
            "intent_classification": {
                "category": "/query", "verb": "/explain", "target": "parser", "constraint": "none", "confidence": 0.9,
            },
            "mangle_updates": updates,
            "memory_operations": [],
        },
        "surface_response": format!("Turn {at} of session {seed}: {}", random.text()),
    });
    let reply = match random.below(2) {
        0 => envelope.to_string(),
        _ => serde_json::to_string_pretty(&envelope).unwrap(),
    };
    Exchange { prompt: format!("{at}: {}", random.text()), reply }
}

/// Formats a value on one line or on several lines.
fn written(value: &Value, random: &mut Random) -> String {
    match random.below(2) {
        0 => value.to_string(),
        _ => serde_json::to_string_pretty(value).unwrap(),
    }
}

fn lines(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().map(|value| format!("{value}\n")).collect()
}

/// Returns messages with the names that a format uses for roles and texts.
fn messages(session: &[Exchange], role: &str, text: &str, words: [&str; 2]) -> Vec<Value> {
    let one = |who: &str, what: &str| json!({ role: who, text: what });
    session.iter().flat_map(|turn| [one(words[0], &turn.prompt), one(words[1], &turn.reply)]).collect()
}

/// Returns the messages before an answer, as in a request.
fn history(session: &[Exchange], at: usize) -> Vec<Value> {
    let mut all = messages(&session[..=at], "role", "content", ["user", "assistant"]);
    all.pop();
    all
}

/// Wraps a value in the types of OTLP.
fn typed(value: &Value) -> Value {
    match value {
        Value::Array(values) => {
            json!({ "arrayValue": { "values": values.iter().map(typed).collect::<Vec<_>>() } })
        }
        Value::Object(members) => {
            let pair = |(key, value): (&String, &Value)| json!({ "key": key, "value": typed(value) });
            json!({ "kvlistValue": { "values": members.iter().map(pair).collect::<Vec<_>>() } })
        }
        Value::String(text) => json!({ "stringValue": text }),
        Value::Number(number) => json!({ "intValue": number.to_string() }),
        other => other.clone(),
    }
}

fn spans(spans: Vec<(Value, Vec<Value>)>) -> Value {
    let span = |(at, (attributes, events)): (usize, (Value, Vec<Value>))| {
        json!({
            "traceId": "5b8e", "spanId": at.to_string(), "name": "chat m", "startTimeUnixNano": "1794300000000000000",
            "attributes": typed(&attributes)["kvlistValue"]["values"], "events": events,
        })
    };
    let spans: Vec<_> = spans.into_iter().enumerate().map(span).collect();
    json!({ "resourceSpans": [{ "resource": { "attributes": [] }, "scopeSpans": [{ "scope": { "name": "x" }, "spans": spans }] }] })
}

/// A format: its name, a file name, and a function that writes a session.
type Format = (&'static str, &'static str, fn(&[Exchange], &mut Random) -> String);

fn each(session: &[Exchange], value: impl Fn(usize, &Exchange) -> Value) -> Vec<Value> {
    session.iter().enumerate().map(|(at, turn)| value(at, turn)).collect()
}

const FORMATS: &[Format] = &[
    ("envelopes", "a.json", |session, random| {
        written(&each(session, |_, turn| serde_json::from_str(&turn.reply).unwrap()).into(), random)
    }),
    ("chat lines", "a.jsonl", |session, _| {
        lines(messages(session, "role", "content", ["user", "assistant"]))
    }),
    ("chat array", "a.json", |session, random| {
        written(&messages(session, "role", "content", ["user", "assistant"]).into(), random)
    }),
    ("pretty chat values", "a.jsonl", |session, _| {
        let messages = messages(session, "role", "content", ["user", "assistant"]);
        messages
            .iter()
            .map(|message| format!("{}\n", serde_json::to_string_pretty(message).unwrap()))
            .collect()
    }),
    ("OpenAI batch", "a.jsonl", |session, _| {
        lines(each(session, |at, turn| {
            json!({
                "id": format!("batch_{at}"), "custom_id": format!("r{at}"), "error": null,
                "response": { "status_code": 200, "request_id": "q", "body": {
                    "object": "chat.completion", "choices": [{ "index": 0, "message": { "role": "assistant", "content": turn.reply } }],
                } },
            })
        }))
    }),
    ("OpenAI batch of responses", "a.json", |session, random| {
        written(&each(session, |at, turn| json!({
            "custom_id": format!("r{at}"),
            "response": { "status_code": 200, "body": { "object": "response", "output": [
                { "type": "reasoning", "summary": [] },
                { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": turn.reply }] },
            ] } },
        })).into(), random)
    }),
    ("Anthropic batch", "a.jsonl", |session, _| {
        lines(each(session, |at, turn| {
            json!({
                "custom_id": format!("r{at}"),
                "result": { "type": "succeeded", "message": {
                    "id": "m", "type": "message", "role": "assistant", "content": [{ "type": "text", "text": turn.reply }],
                } },
            })
        }))
    }),
    ("Gemini contents", "a.json", |session, random| {
        let contents: Vec<_> = session.iter().flat_map(|turn| [
            json!({ "role": "user", "parts": [{ "text": turn.prompt }] }),
            json!({ "role": "model", "parts": [{ "thought": true, "text": "hm" }, { "text": turn.reply }] }),
        ]).collect();
        written(
            &json!({ "systemInstruction": { "parts": [{ "text": "Answer." }] }, "contents": contents }),
            random,
        )
    }),
    ("Gemini batch", "a.jsonl", |session, _| {
        lines(each(session, |at, turn| {
            let contents: Vec<_> = history(session, at)
                .iter()
                .map(|message| {
                    let role = if message["role"] == "user" { "user" } else { "model" };
                    json!({ "role": role, "parts": [{ "text": message["content"] }] })
                })
                .collect();
            json!({
                "key": at, "request": { "contents": contents },
                "response": { "candidates": [{ "content": { "role": "model", "parts": [{ "text": turn.reply }] } }] },
            })
        }))
    }),
    ("Codex rollout", "a.jsonl", |session, _| {
        let mut all = vec![
            json!({ "timestamp": "t", "type": "session_meta", "payload": { "id": "s", "base_instructions": { "text": "Answer." } } }),
        ];
        for turn in session {
            let item = |role: &str, kind: &str, text: &str| {
                json!({
                    "timestamp": "t", "type": "response_item",
                    "payload": { "type": "message", "role": role, "content": [{ "type": kind, "text": text }] },
                })
            };
            all.push(item("user", "input_text", &turn.prompt));
            all.push(json!({ "timestamp": "t", "type": "event_msg", "payload": { "type": "user_message", "message": turn.prompt } }));
            all.push(json!({ "timestamp": "t", "type": "event_msg", "payload": { "type": "agent_message", "message": turn.reply } }));
            all.push(item("assistant", "output_text", &turn.reply));
            all.push(json!({ "timestamp": "t", "type": "event_msg", "payload": { "type": "token_count", "info": null } }));
            all.push(json!({ "timestamp": "t", "type": "event_msg", "payload": { "type": "task_complete", "last_agent_message": turn.reply } }));
        }
        lines(all)
    }),
    ("OTLP with JSON strings", "a.json", |session, random| {
        let all = session.iter().map(|turn| {
            let given = json!([{ "role": "user", "parts": [{ "type": "text", "content": turn.prompt }] }]);
            let said = json!([{ "role": "assistant", "parts": [{ "type": "text", "content": turn.reply }], "finish_reason": "stop" }]);
            (json!({
                "gen_ai.operation.name": "chat", "gen_ai.input.messages": given.to_string(), "gen_ai.output.messages": said.to_string(),
            }), Vec::new())
        });
        written(&spans(all.collect()), random)
    }),
    ("OTLP with structures", "a.jsonl", |session, _| {
        lines(session.iter().map(|turn| spans(vec![(json!({
            "gen_ai.operation.name": "chat",
            "gen_ai.output.messages": [{ "role": "assistant", "parts": [{ "type": "text", "content": turn.reply }] }],
        }), Vec::new())])))
    }),
    ("OTLP with completions", "a.json", |session, random| {
        let all = session.iter().enumerate().map(|(at, turn)| {
            let mut attributes =
                json!({ "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": turn.reply });
            for (number, message) in history(session, at).iter().enumerate() {
                attributes[format!("gen_ai.prompt.{number}.role")] = message["role"].clone();
                attributes[format!("gen_ai.prompt.{number}.content")] = message["content"].clone();
            }
            (attributes, Vec::new())
        });
        written(&spans(all.collect()), random)
    }),
    ("OTLP with events", "a.json", |session, random| {
        let event = |name: &str, key: &str, value: Value| json!({ "name": name, "attributes": [{ "key": key, "value": typed(&value) }] });
        let all = session.iter().map(|turn| {
            (
                json!({ "gen_ai.system": "x" }),
                vec![
                    event("gen_ai.user.message", "content", turn.prompt.as_str().into()),
                    event(
                        "gen_ai.choice",
                        "message",
                        json!({ "role": "assistant", "content": turn.reply }).to_string().into(),
                    ),
                ],
            )
        });
        written(&spans(all.collect()), random)
    }),
    ("Langfuse traces", "a.json", |session, random| {
        let all = each(session, |at, turn| {
            json!({
                "id": format!("t{at}"), "timestamp": "2026-01-01T00:00:00Z", "sessionId": "s", "input": turn.prompt, "output": turn.reply,
                "observations": [{
                    "id": "o", "type": "GENERATION", "input": history(session, at),
                    "output": { "role": "assistant", "content": turn.reply },
                }],
            })
        });
        written(&json!({ "data": all, "meta": { "page": 1 } }), random)
    }),
    ("Langfuse observations", "a.jsonl", |session, _| {
        lines(each(session, |at, turn| {
            json!({
                "id": format!("o{at}"), "trace_id": "t", "type": "GENERATION", "input": json!(history(session, at)).to_string(),
                "output": json!({ "role": "assistant", "content": turn.reply }).to_string(),
            })
        }))
    }),
    ("LangSmith runs", "a.json", |session, random| {
        let constructor = |name: &str, text: &str| {
            json!({
                "lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", name], "kwargs": { "content": text },
            })
        };
        written(&each(session, |at, turn| json!({
            "id": format!("r{at}"), "run_type": "llm", "trace_id": "t", "start_time": "2026-01-01T00:00:00Z",
            "inputs": { "messages": [[constructor("HumanMessage", &turn.prompt)]] },
            "outputs": { "generations": [[{
                "text": turn.reply, "type": "ChatGeneration", "message": constructor("AIMessage", &turn.reply),
            }]], "llm_output": {} },
        })).into(), random)
    }),
    ("LangSmith trees", "a.jsonl", |session, _| {
        lines(each(session, |at, turn| {
            json!({
                "id": format!("r{at}"), "run_type": "chain", "inputs": { "input": turn.prompt }, "outputs": { "output": turn.reply },
                "child_runs": [
                    { "run_type": "tool", "inputs": { "input": "ls" }, "outputs": { "output": "a b" } },
                    { "run_type": "llm", "inputs": { "messages": history(session, at) },
                      "outputs": { "choices": [{ "message": { "role": "assistant", "content": turn.reply } }] } },
                ],
            })
        }))
    }),
    ("ShareGPT", "a.json", |session, random| {
        written(
            &json!([{ "id": "c", "conversations": messages(session, "from", "value", ["human", "gpt"]) }]),
            random,
        )
    }),
    ("ShareGPT lines", "a.jsonl", |session, _| {
        lines(session.iter().map(|turn| json!({
            "system": "Answer.", "conversations": messages(std::slice::from_ref(turn), "from", "value", ["user", "assistant"]),
        })))
    }),
    ("OpenInference, flat", "a.jsonl", |session, _| {
        lines(each(session, |at, turn| {
            let mut attributes = json!({
                "openinference.span.kind": "LLM", "output.value": turn.reply, "input.value": turn.prompt,
                "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": turn.reply,
            });
            for (number, message) in history(session, at).iter().enumerate() {
                attributes[format!("llm.input_messages.{number}.message.role")] = message["role"].clone();
                attributes[format!("llm.input_messages.{number}.message.content")] =
                    message["content"].clone();
            }
            json!({ "name": "llm", "context": { "trace_id": "t" }, "start_time": "2026-01-01", "attributes": attributes })
        }))
    }),
    ("OpenInference, nested", "a.json", |session, random| {
        written(
            &each(session, |_, turn| {
                json!({
                    "attributes": { "llm": {
                        "input_messages": [{ "message": { "role": "user", "content": turn.prompt } }],
                        "output_messages": [{ "message": { "role": "assistant", "contents": [
                            { "message_content": { "type": "text", "text": turn.reply } },
                        ] } }],
                    } },
                })
            })
            .into(),
            random,
        )
    }),
    ("OpenInference columns", "a.jsonl", |session, _| {
        lines(session.iter().map(|turn| json!({
            "name": "llm", "span_kind": "LLM", "attributes.input.value": turn.prompt,
            "attributes.llm.output_messages": [{ "message.role": "assistant", "message.content": turn.reply }],
        })))
    }),
    ("UI messages", "a.json", |session, random| {
        let parts = |text: &str| json!([{ "type": "step-start" }, { "type": "reasoning", "text": "hm" }, { "type": "text", "text": text }]);
        let all: Vec<_> = session
            .iter()
            .flat_map(|turn| {
                [
                    json!({ "id": "u", "role": "user", "parts": parts(&turn.prompt) }),
                    json!({ "id": "a", "role": "assistant", "content": "", "parts": parts(&turn.reply) }),
                ]
            })
            .collect();
        match random.below(3) {
            0 => written(&all.into(), random),
            1 => written(&json!({ "id": "chat", "messages": all }), random),
            _ => written(&json!({ "chats": [{ "id": "chat", "messages": all }] }), random),
        }
    }),
    ("Inspect log", "a.json", |session, random| {
        let last = &session.last().unwrap().reply;
        written(
            &json!({
                "version": 2, "status": "success", "eval": { "task": "t", "model": "m" }, "plan": { "steps": [] }, "results": {},
                "samples": [{
                    "id": 1, "epoch": 1, "input": session[0].prompt, "target": "x",
                    "messages": messages(session, "role", "content", ["user", "assistant"]),
                    "output": { "model": "m", "choices": [{ "message": { "role": "assistant", "content": last }, "stop_reason": "stop" }] },
                    "scores": {}, "events": [],
                }],
            }),
            random,
        )
    }),
    ("SWE-agent trajectory", "a.traj", |session, random| {
        written(
            &json!({
                "environment": "e",
                "trajectory": each(session, |_, turn| json!({
                    "action": "ls", "observation": turn.prompt, "response": turn.reply, "thought": "t", "state": "{}",
                })),
                "history": messages(session, "role", "content", ["user", "assistant"]), "info": { "exit_status": "submitted" },
            }),
            random,
        )
    }),
    ("SWE-agent steps", "a.traj", |session, random| {
        written(
            &json!({ "trajectory": each(session, |_, turn| json!({
            "action": "ls", "observation": turn.prompt, "response": turn.reply, "thought": "t",
        })) }),
            random,
        )
    }),
    ("llama.cpp stream", "a.sse", |session, _| {
        pieces(
            session,
            |piece| format!("data: {}\n\n", json!({ "index": 0, "content": piece, "stop": false })),
            &format!("data: {}\n\n", json!({ "content": "", "stop": true, "tokens_predicted": 7 })),
        )
    }),
    ("Ollama chat", "a.jsonl", |session, _| {
        pieces(
            session,
            |piece| {
                format!(
                    "{}\n",
                    json!({ "model": "m", "message": { "role": "assistant", "content": piece }, "done": false })
                )
            },
            &format!(
                "{}\n",
                json!({ "model": "m", "message": { "role": "assistant", "content": "" }, "done": true })
            ),
        )
    }),
    ("Ollama generate", "a.jsonl", |session, _| {
        pieces(
            session,
            |piece| format!("{}\n", json!({ "model": "m", "response": piece, "done": false })),
            &format!("{}\n", json!({ "model": "m", "response": "", "done": true })),
        )
    }),
    ("Ollama, whole answers", "a.jsonl", |session, _| {
        lines(session.iter().map(|turn| json!({ "model": "m", "message": { "role": "assistant", "content": turn.reply }, "done": true })))
    }),
    ("prompts and completions", "a.jsonl", |session, _| {
        lines(session.iter().map(|turn| json!({ "prompt": turn.prompt, "completion": turn.reply })))
    }),
];

/// Splits the replies of a session into short pieces, with an end marker per reply.
fn pieces(session: &[Exchange], piece: impl Fn(&str) -> String, end: &str) -> String {
    let mut out = String::new();
    for turn in session {
        let chars: Vec<_> = turn.reply.chars().collect();
        for part in chars.chunks(9) {
            out.push_str(&piece(&part.iter().collect::<String>()));
        }
        out.push_str(end);
    }
    out
}

/// Returns the replies of a file and the codes of its findings.
fn read(name: &str, bytes: &[u8]) -> (Vec<(Vec<u8>, Turn)>, BTreeSet<String>) {
    let settings = TranscriptSettings::default();
    let (mut replies, mut found) = (Vec::new(), Vec::new());
    let mut checker = Checker::new(ReplyContext::new(&settings), Limits::default());
    let mut reader =
        TranscriptReader::new(TranscriptOptions { name: name.into(), ..TranscriptOptions::default() });
    let mut each = |record: &Record<'_>| {
        let start = usize::try_from(record.start).unwrap();
        assert_eq!(record.bytes, &bytes[start..start + record.bytes.len()]);
        let turns = record.turns.iter().filter(|turn| turn.is_reply());
        replies.extend(turns.map(|turn| (record.bytes.to_vec(), turn.clone())));
        checker.record(record, &mut found);
    };
    for chunk in bytes.chunks(1000) {
        reader.feed(chunk, &mut each);
    }
    let summary = reader.finish(&mut each);
    checker.finish(&summary, &mut found);
    let told = |found: &TranscriptFinding| format!("{} {}", found.finding.rule.code, found.finding.rule.name);
    (replies, found.iter().map(told).collect())
}

/// Checks that each character of each string of a reply maps to the bytes that produce it.
fn check_places(name: &str, record: &[u8], turn: &Turn) {
    let reply = Reply::new(turn.text(record), &Caps::default());
    let object = reply.picked_object().unwrap();
    for node in strings(&object.json) {
        let (value, map) = object.json.string_with_map(node).unwrap();
        for (at, char) in value.char_indices() {
            let inner = map.to_source(TextRange::at(size(at), size(char.len_utf8())));
            let found: String = turn.places(inner).iter().map(|place| said(record, *place, turn)).collect();
            assert_eq!(decoded(found.as_bytes()), char.to_string(), "{name}: {value}");
        }
    }
}

fn compact(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap_or_else(|_| String::from_utf8_lossy(text).into_owned().into())
}

#[test]
fn every_format_gives_the_replies_of_its_session() {
    for (format, name, write) in FORMATS {
        for seed in 0..SESSIONS {
            let session = session(seed);
            let file = write(&session, &mut Random(seed + 1));
            let (replies, _) = read(name, file.as_bytes());
            let found: Vec<_> = replies.iter().map(|(record, turn)| compact(turn.text(record))).collect();
            let expected: Vec<_> = session.iter().map(|turn| compact(turn.reply.as_bytes())).collect();
            assert_eq!(found, expected, "{format}: {file}");
            for (record, turn) in &replies {
                check_places(format, record, turn);
            }
        }
    }
}

#[test]
fn good_sessions_have_no_finding_of_their_format() {
    for (format, name, write) in FORMATS {
        for seed in 0..SESSIONS {
            let session = session(seed);
            // Findings about the replies, and about their tokens relative to the prompts.
            let alone = lines(session.iter().map(|turn| compact(turn.reply.as_bytes())));
            let chat = lines(messages(&session, "role", "content", ["user", "assistant"]));
            let expected: BTreeSet<_> =
                [alone, chat].iter().flat_map(|file| read("a.jsonl", file.as_bytes()).1).collect();
            let file = write(&session, &mut Random(seed + 1));
            let (_, found) = read(name, file.as_bytes());
            let of_format: Vec<_> = found.difference(&expected).collect();
            assert!(of_format.is_empty(), "{format}: {of_format:?} in {file}");
        }
    }
}

#[test]
fn roles_sessions_and_times_are_told() {
    let file = r#"{"sessionId":"s1","timestamp":"2026-01-01T00:00:00Z","conversations":[{"from":"human","value":"hi"},{"from":"gpt","value":"ho"}]}"#;
    let mut seen = Vec::new();
    let mut reader =
        TranscriptReader::new(TranscriptOptions { name: "a.jsonl".into(), ..TranscriptOptions::default() });
    let mut each = |record: &Record<'_>| {
        for turn in &record.turns {
            let details = turn.details.as_deref().cloned().unwrap_or_default();
            seen.push((turn.role, turn.kind, details.session.unwrap(), details.timestamp.unwrap()));
        }
    };
    reader.feed(file.as_bytes(), &mut each);
    reader.finish(&mut each);
    let row = |role, kind| (role, kind, "s1".to_owned(), "2026-01-01T00:00:00Z".to_owned());
    assert_eq!(seen, [row(TurnRole::User, TextKind::Prompt), row(TurnRole::Assistant, TextKind::Reply)]);
}
