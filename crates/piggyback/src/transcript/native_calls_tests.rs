//! Native tool calls are attributed to their answer, in every container.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::*;
use crate::envelope::{Reply, ReplyContext};
use mangle_settings::{Runtime, TranscriptSettings};

const ENVELOPE: &str = r#"{"control_packet":{"mangle_updates":[]},"surface_response":"Done."}"#;

/// Returns true for each answer of a file that has native calls.
fn answers(name: &str, text: &str) -> Vec<bool> {
    let mut seen = Vec::new();
    let mut reader = TranscriptReader::new(TranscriptOptions { name: name.into(), ..Default::default() });
    let mut each = |record: &Record<'_>| {
        let replies = record.turns.iter().filter(|turn| turn.is_reply());
        seen.extend(replies.map(|turn| turn.has_native_calls));
    };
    reader.feed(text.as_bytes(), &mut each);
    reader.finish(&mut each);
    seen
}

#[track_caller]
fn check(record: &Value, expected: &[bool]) {
    assert_eq!(answers("a.jsonl", &format!("{record}\n")), expected, "{record}");
}

/// Creates an OpenAI message with calls.
fn message(calls: &Value) -> Value {
    json!({ "role": "assistant", "content": ENVELOPE, "tool_calls": calls })
}

fn openai_call() -> Value {
    json!({ "id": "c1", "type": "function", "function": { "name": "read_file", "arguments": "{\"path\":\"a\"}" } })
}

#[test]
fn calls_beside_the_text_of_an_answer_are_noted() {
    let openai = message(&json!([openai_call()]));
    check(&openai, &[true]);
    check(&json!({ "choices": [{ "message": openai, "finish_reason": "stop" }] }), &[true]);
    check(
        &json!({ "request": { "body": {} }, "response": { "body": { "choices": [{ "message": openai }] } } }),
        &[true],
    );
    let use_block = json!({ "type": "tool_use", "id": "t", "name": "read_file", "input": { "path": "a" } });
    let anthropic =
        json!({ "role": "assistant", "content": [{ "type": "text", "text": ENVELOPE }, use_block] });
    check(&anthropic, &[true]);
    check(&json!({ "type": "assistant", "sessionId": "s", "message": anthropic }), &[true]);
    let parts =
        json!([{ "text": ENVELOPE }, { "functionCall": { "name": "read_file", "args": { "path": "a" } } }]);
    check(&json!({ "candidates": [{ "content": { "role": "model", "parts": parts } }] }), &[true]);
    let ollama = json!([{ "function": { "name": "read_file", "arguments": { "path": "a" } } }]);
    check(&json!({ "model": "m", "message": message(&ollama), "done": true }), &[true]);
    let bedrock =
        json!([{ "text": ENVELOPE }, { "toolUse": { "name": "read_file", "toolUseId": "t", "input": {} } }]);
    check(&json!({ "output": { "message": { "role": "assistant", "content": bedrock } } }), &[true]);
    let item = json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": ENVELOPE }] });
    let call = json!({ "type": "function_call", "call_id": "c", "name": "read_file", "arguments": "{}" });
    check(&json!({ "object": "response", "output": [item, call] }), &[true]);
    check(&json!({ "object": "response", "output": [call, item] }), &[true]);
    let langchain = json!({ "content": ENVELOPE, "additional_kwargs": { "tool_calls": [openai_call()] } });
    check(&json!({ "lc": 1, "id": ["langchain", "AIMessage"], "kwargs": langchain }), &[true]);
}

#[test]
fn calls_of_flat_attributes_are_noted() {
    let prefix = "llm.output_messages.0.message";
    let call = format!("{prefix}.tool_calls.0.tool_call.function.name");
    let (role, content) = (format!("{prefix}.role"), format!("{prefix}.content"));
    let flat =
        json!({ (role.as_str()): "assistant", (content.as_str()): ENVELOPE, (call.as_str()): "read_file" });
    check(&json!({ "attributes": flat }), &[true]);
    let pair = |key: &str, value: &str| json!({ "key": key, "value": { "stringValue": value } });
    let pairs = json!([pair(&role, "assistant"), pair(&content, ENVELOPE), pair(&call, "read_file")]);
    check(&json!({ "name": "llm", "attributes": pairs }), &[true]);
    let other =
        json!([pair(&role, "assistant"), pair(&content, ENVELOPE), pair("llm.tools.0.name", "read_file")]);
    check(&json!({ "name": "llm", "attributes": other }), &[false]);
}

#[test]
fn a_reason_that_names_calls_is_enough() {
    let content = json!([{ "type": "text", "text": ENVELOPE }]);
    let line = json!({ "role": "assistant", "content": content, "stop_reason": "tool_use" });
    check(&line, &[true]);
    check(&json!({ "type": "assistant", "message": line }), &[true]);
    let done = json!({ "role": "assistant", "content": content, "stop_reason": "end_turn" });
    check(&done, &[false]);
}

#[test]
fn calls_belong_to_their_own_message() {
    let plain = json!({ "role": "assistant", "content": ENVELOPE });
    let calling = message(&json!([openai_call()]));
    let user = json!({ "role": "user", "content": "Go on." });
    let result = json!({ "role": "tool", "tool_call_id": "c1", "content": "text" });
    let silent = json!({ "role": "assistant", "content": null, "tool_calls": [openai_call()] });
    check(&json!({ "messages": [user, plain, user, calling, result, plain] }), &[false, true, false]);
    check(&json!({ "messages": [user, silent, result, plain] }), &[false]);
    check(
        &json!({ "request": { "messages": [user, silent, result] }, "response": { "choices": [{ "message": plain }] } }),
        &[false],
    );
    let item = json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": ENVELOPE }] });
    let call = json!({ "type": "function_call", "call_id": "c", "name": "read_file", "arguments": "{}" });
    let output = json!({ "type": "function_call_output", "call_id": "c", "output": "text" });
    check(&json!({ "object": "response", "output": [call, output, item] }), &[false]);
}

#[test]
fn empty_calls_and_results_are_no_calls() {
    check(&message(&json!([])), &[false]);
    check(&message(&Value::Null), &[false]);
}

#[test]
fn an_answer_that_is_the_arguments_of_a_call_has_none() {
    let call =
        json!({ "id": "c1", "type": "function", "function": { "name": "reply", "arguments": ENVELOPE } });
    check(
        &json!({ "choices": [{ "message": { "role": "assistant", "content": null, "tool_calls": [call] }, "finish_reason": "tool_calls" }] }),
        &[false],
    );
    let input: Value = serde_json::from_str(ENVELOPE).unwrap();
    let block = json!({ "type": "tool_use", "id": "t", "name": "reply", "input": input });
    check(&json!({ "role": "assistant", "content": [block], "stop_reason": "tool_use" }), &[false]);
}

#[test]
fn calls_of_streams_and_recorded_bodies_are_noted() {
    let delta = |delta: &Value| json!({ "id": "1", "choices": [{ "index": 0, "delta": delta }] });
    let (head, tail) = ENVELOPE.split_at(20);
    let text = [delta(&json!({ "content": head })), delta(&json!({ "content": tail }))];
    let call = delta(
        &json!({ "tool_calls": [{ "index": 0, "id": "c", "function": { "name": "read_file", "arguments": "{}" } }] }),
    );
    let file = |events: &[Value]| events.iter().map(|event| format!("data: {event}\n\n")).collect::<String>();
    assert_eq!(answers("a.sse", &file(&text)), [false]);
    assert_eq!(answers("a.sse", &file(&[&text[..], &[call]].concat())), [true]);
    let events = [
        json!({ "type": "message_start", "message": { "role": "assistant", "content": [] } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": ENVELOPE } }),
        json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "tool_use", "id": "t", "name": "ping", "input": {} } }),
        json!({ "type": "message_stop" }),
    ];
    assert_eq!(answers("a.sse", &file(&events)), [true]);
    let body = message(&json!([openai_call()])).to_string();
    check(&json!({ "type": "GENERATION", "input": "hi", "output": body }), &[true]);
}

#[test]
fn hostile_nesting_ends() {
    let deep = format!("{}{}", "{\"tool_calls\":[],\"a\":".repeat(400), "1");
    let text = format!(
        "{{\"role\":\"assistant\",\"content\":{},\"x\":{deep}{}}}\n",
        json!(ENVELOPE),
        "}".repeat(400)
    );
    assert_eq!(answers("a.jsonl", &text), [false]);
}

#[test]
fn forget_beside_native_calls_is_not_reported() {
    let rules = |has_path: bool, calls: &Value| {
        let mut settings = TranscriptSettings::default();
        settings.caps.runtime =
            Runtime::all().find(|one| one.update_filters && one.native_path == has_path).unwrap();
        let envelope = r#"{"control_packet":{"memory_operations":[{"op":"forget","key":"permitted","value":""}]},"surface_response":"Done."}"#;
        let line = json!({ "role": "assistant", "content": envelope, "tool_calls": calls }).to_string();
        let mut rules = Vec::new();
        let mut each = |record: &Record<'_>| {
            for turn in record.turns.iter().filter(|turn| turn.is_reply()) {
                let reply: Reply<'_> = turn.reply(record.bytes, &settings);
                let mut found = Vec::new();
                check_reply(record, turn, &reply, &ReplyContext::new(&settings), &mut found);
                rules.extend(found.iter().map(|one| one.finding.rule.name));
            }
        };
        let mut reader =
            TranscriptReader::new(TranscriptOptions { name: "a.jsonl".into(), ..Default::default() });
        reader.feed(line.as_bytes(), &mut each);
        reader.finish(&mut each);
        rules.contains(&"broad-forget")
    };
    let calls = json!([openai_call()]);
    assert!(rules(true, &json!([])) && rules(false, &calls) && !rules(true, &calls));
}
