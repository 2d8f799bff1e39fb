//! Distinction of replies from other envelopes in records of many services. Each reply is found
//! once with correct positions, and envelopes of other authors are not replies.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::*;
use crate::envelope::{Reply, ReplyContext};
use mangle_settings::{Caps, TranscriptSettings};
use mangle_syntax::text::{TextRange, size};

/// Creates an envelope with this surface.
fn envelope(surface: &str) -> String {
    envelope_value(surface).to_string()
}

fn envelope_value(surface: &str) -> Value {
    json!({
        "control_packet": {
            "intent_classification": {
                "category": "/query", "verb": "/debug", "target": "lock.rs", "constraint": "none", "confidence": 0.9,
            },
            "mangle_updates": ["task_status(\"t1\", /running)."],
            "memory_operations": [],
        },
        "surface_response": surface,
    })
}

fn pretty(surface: &str) -> String {
    serde_json::to_string_pretty(&envelope_value(surface)).unwrap()
}

/// Splits a text into short pieces.
fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(9).map(|chunk| chunk.iter().collect()).collect()
}

fn lines(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().map(|value| format!("{value}\n")).collect()
}

fn sse(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().map(|value| format!("data: {value}\n\n")).collect()
}

/// Returns the surfaces of the replies of a file and the codes of findings about its records.
/// Checks the position of each byte of a reply in both directions.
fn read(name: &str, file: &str) -> Vec<String> {
    let settings = TranscriptSettings::default();
    let options = TranscriptOptions { is_named: true, ..TranscriptOptions::new(&settings, name) };
    let (mut out, mut found) = (Vec::new(), Vec::new());
    let mut checker = Checker::new(ReplyContext::new(&settings), Limits::default());
    let mut reader = TranscriptReader::new(options.clone());
    let mut each = |record: &Record<'_>| {
        for turn in record.turns.iter().filter(|turn| turn.is_reply()) {
            out.push(surface(record, turn));
            check_places(record, turn);
        }
        checker.record(record, &mut found);
    };
    for chunk in file.as_bytes().chunks(4096) {
        reader.feed(chunk, &mut each);
    }
    let summary = reader.finish(&mut each);
    checker.finish(&summary, &mut found);
    let codes = ["PB040", "PB041", "PB045", "PB046", "PB049", "PB050"];
    for one in found.iter().filter(|one| codes.contains(&one.finding.rule.code)) {
        out.push(format!("{} {}", one.finding.rule.code, one.finding.message));
    }
    // An editor has the same answers.
    let whole = Transcript::parse(options, file.as_bytes());
    assert_eq!(whole.summary().answers, summary.answers, "{name}");
    out
}

/// Returns the surface of a reply that the runtime reads as one envelope, otherwise the text.
fn surface(record: &Record<'_>, turn: &Turn) -> String {
    let text = turn.text(record.bytes);
    let reply = Reply::new(text, &Caps::default());
    let stage = reply.reading.as_ref().map_or("error", |reading| reading.stage.method());
    match &reply.reading {
        Ok(reading) if reading.accepted.is_some() && stage == "json" => {
            String::from_utf8_lossy(&reading.surface).into_owned()
        }
        _ => format!("{stage} {}", String::from_utf8_lossy(text)),
    }
}

/// Maps each byte of a reply to the record and back.
fn check_places(record: &Record<'_>, turn: &Turn) {
    let text = turn.text(record.bytes).to_vec();
    for (at, byte) in text.iter().enumerate() {
        let place = turn.place(TextRange::at(size(at), size(1)));
        assert!(record.range().contains_range(place), "{place:?}");
        let back = turn.map.to_derived(place.start()).unwrap();
        assert!(
            usize::from(back) <= at && at - usize::from(back) < 4,
            "{at} is at {place:?}, which is {back:?}"
        );
        let raw = &record.bytes[usize::from(place.start())..usize::from(place.end())];
        let is_same = raw == [*byte] || raw.len() > 1;
        assert!(is_same, "{at}: {:?} is not {:?}", String::from_utf8_lossy(raw), *byte as char);
    }
}

#[track_caller]
fn check(name: &str, file: &str, expected: &[&str]) {
    assert_eq!(read(name, file), expected, "{name}: {file}");
}

const REASONING: &str = "PB049 envelope in the reasoning of the model is not a reply";
const TOOL: &str = "PB049 envelope in the result of a tool is not a reply";
const ATTACHED: &str = "PB049 envelope in an attached file is not a reply";
const QUOTED: &str = "PB049 envelope in a quotation or summary is not a reply";
const ARGUMENT: &str = "PB049 envelope in an argument of a tool is not a reply";

#[test]
fn reasoning_alone_in_a_record_is_not_a_reply() {
    let draft = format!("I could write {} but that would be a lie.", envelope("draft"));
    let claude = |block: Value| json!({ "type": "assistant", "uuid": "u", "sessionId": "s", "message": { "role": "assistant", "content": [block] } });
    let said = json!({ "role": "assistant", "content": envelope("said") });
    for record in [
        claude(json!({ "type": "thinking", "thinking": draft, "signature": "x" })),
        claude(json!({ "type": "redacted_thinking", "data": draft })),
        // DeepSeek, vLLM, OpenRouter.
        json!({ "role": "assistant", "content": "", "reasoning_content": draft }),
        json!({ "role": "assistant", "content": null, "reasoning": draft }),
        json!({ "choices": [{ "message": { "role": "assistant", "content": "", "reasoning_details": [{ "type": "reasoning.text", "text": draft }] } }] }),
        json!({ "choices": [{ "message": { "role": "assistant", "content": "", "reasoning_content": draft } }] }),
        // OpenAI Responses: an answer, an item, an event.
        json!({ "object": "response", "output": [{ "type": "reasoning", "summary": [{ "type": "summary_text", "text": draft }] }] }),
        json!({ "type": "reasoning", "id": "rs", "summary": [{ "type": "summary_text", "text": draft }] }),
        // Codex.
        json!({ "type": "response_item", "payload": { "type": "reasoning", "summary": [{ "type": "summary_text", "text": draft }], "content": null } }),
        json!({ "type": "event_msg", "payload": { "type": "agent_reasoning", "text": draft } }),
        // Gemini.
        json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": draft, "thought": true }] } }] }),
        json!({ "role": "model", "parts": [{ "text": draft, "thought": true }] }),
        // LangChain, AI SDK, Bedrock, Mistral, Cohere.
        json!({ "type": "ai", "content": "", "additional_kwargs": { "reasoning_content": draft } }),
        json!({ "role": "assistant", "parts": [{ "type": "reasoning", "text": draft }] }),
        json!({ "role": "assistant", "content": [{ "reasoningContent": { "reasoningText": { "text": draft } } }] }),
        json!({ "role": "assistant", "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": draft }] }] }),
        json!({ "role": "assistant", "tool_plan": "", "thoughts": draft, "content": [] }),
        // Logs of unknown programs.
        json!({ "event": "model_thought", "thought": draft }),
        json!({ "step": 1, "scratchpad": { "text": draft } }),
        json!({ "span": { "attributes": { "gen_ai.reasoning": draft } } }),
    ] {
        let found = read("a.jsonl", &lines([record.clone(), said.clone()]));
        let replies: Vec<_> = found.iter().filter(|one| !one.starts_with("PB046")).cloned().collect();
        assert_eq!(replies, ["said", REASONING], "{record}");
    }
    // Ollama.
    let record = json!({ "model": "m", "message": { "role": "assistant", "content": "", "thinking": draft }, "done": true });
    let found = read("a.jsonl", &lines([record.clone(), record]));
    assert!(
        found.iter().all(|one| one == REASONING || one.starts_with("PB046")) && found.len() > 1,
        "{found:?}"
    );
}

#[test]
fn reasoning_in_pieces_is_not_a_reply() {
    let draft = format!("Maybe {}?", envelope("draft"));
    let both = |thought: &dyn Fn(&str) -> Value, said: &dyn Fn(&str) -> Value| -> Vec<Value> {
        let thoughts = pieces(&draft).into_iter().map(|piece| thought(&piece));
        thoughts.chain(pieces(&envelope("said")).into_iter().map(|piece| said(&piece))).collect()
    };
    let block =
        |index: u64, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let choice = |delta: Value| json!({ "id": "c", "choices": [{ "index": 0, "delta": delta }] });
    for stream in [
        both(&|text| block(0, json!({ "type": "thinking_delta", "thinking": text })), &|text| {
            block(1, json!({ "type": "text_delta", "text": text }))
        }),
        both(&|text| choice(json!({ "reasoning_content": text })), &|text| {
            choice(json!({ "content": text }))
        }),
        both(&|text| choice(json!({ "reasoning": text, "content": "" })), &|text| {
            choice(json!({ "content": text }))
        }),
        both(
            &|text| json!({ "type": "response.reasoning_summary_text.delta", "item_id": "r", "delta": text }),
            &|text| json!({ "type": "response.output_text.delta", "item_id": "m", "delta": text }),
        ),
        both(
            &|text| json!({ "candidates": [{ "content": { "parts": [{ "text": text, "thought": true }] } }] }),
            &|text| json!({ "candidates": [{ "content": { "parts": [{ "text": text }] } }] }),
        ),
        both(
            &|text| json!({ "contentBlockDelta": { "contentBlockIndex": 0, "delta": { "reasoningContent": { "text": text } } } }),
            &|text| json!({ "contentBlockDelta": { "contentBlockIndex": 1, "delta": { "text": text } } }),
        ),
        both(
            &|text| json!({ "type": "content-delta", "index": 0, "delta": { "message": { "content": { "thinking": text } } } }),
            &|text| json!({ "type": "content-delta", "index": 1, "delta": { "message": { "content": { "text": text } } } }),
        ),
    ] {
        check("a.sse", &sse(stream), &["said", REASONING]);
    }
    let ollama = both(
        &|text| json!({ "model": "m", "message": { "role": "assistant", "content": "", "thinking": text }, "done": false }),
        &|text| json!({ "model": "m", "message": { "role": "assistant", "content": text }, "done": false }),
    );
    check("a.jsonl", &lines(ollama), &["said", REASONING]);
}

#[test]
fn what_tools_files_and_people_say_is_not_a_reply() {
    let said = json!({ "role": "assistant", "content": envelope("said") });
    let foreign = envelope("foreign");
    for (record, expected) in [
        (
            json!({ "type": "user", "message": { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t", "content": foreign }] }, "toolUseResult": { "stdout": foreign } }),
            Some(TOOL),
        ),
        (json!({ "role": "tool", "tool_call_id": "t", "content": foreign }), Some(TOOL)),
        (json!({ "type": "function_call_output", "call_id": "c", "output": foreign }), Some(TOOL)),
        (
            json!({ "type": "item.completed", "item": { "type": "command_execution", "command": "cat a", "aggregated_output": foreign } }),
            Some(TOOL),
        ),
        (
            json!({ "type": "attachment", "attachment": { "type": "file", "content": foreign } }),
            Some(ATTACHED),
        ),
        (json!({ "kind": "upload", "files": [{ "name": "a.json", "body": foreign }] }), Some(ATTACHED)),
        (
            json!({ "type": "summary", "summary": format!("It said {foreign}"), "leafUuid": "x" }),
            Some(QUOTED),
        ),
        (json!({ "event": "reply", "quoted_message": { "text": foreign } }), Some(QUOTED)),
        (
            json!({ "tool_calls": [{ "name": "write", "args": { "path": "a", "content": foreign } }] }),
            Some(ARGUMENT),
        ),
        (
            json!({ "choices": [{ "message": { "role": "assistant", "content": "", "tool_calls": [{ "function": { "name": "write", "arguments": json!({ "path": "a", "content": foreign }).to_string() } }] } }] }),
            Some(ARGUMENT),
        ),
        (
            json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": "t", "name": "Bash", "input": { "command": format!("echo '{foreign}'") } }] }),
            Some(ARGUMENT),
        ),
        (
            json!({ "type": "response_item", "payload": { "type": "custom_tool_call", "call_id": "c", "name": "apply_patch", "input": format!("*** Begin Patch\n+{foreign}") } }),
            Some(ARGUMENT),
        ),
        (json!({ "role": "user", "content": foreign }), None),
        (json!({ "event": "asked", "body": { "author": "user", "lines": [foreign] } }), None),
        (json!({ "event": "asked", "dump": json!({ "role": "user", "text": foreign }).to_string() }), None),
    ] {
        let found = read("a.jsonl", &lines([record.clone(), said.clone()]));
        let wanted: Vec<_> = std::iter::once("said").chain(expected).collect();
        assert_eq!(found, wanted, "{record}");
    }
}

#[test]
fn arguments_of_a_call_are_a_reply_if_they_are_an_envelope() {
    let object = envelope_value("called");
    let text = envelope("called");
    for record in [
        json!({ "model": "m", "message": { "role": "assistant", "content": "", "tool_calls": [{ "function": { "name": "respond", "arguments": object } }] }, "done": true }),
        json!({ "role": "assistant", "content": [{ "toolUse": { "toolUseId": "t", "name": "respond", "input": object } }] }),
        json!({ "output": { "message": { "role": "assistant", "content": [{ "toolUse": { "toolUseId": "t", "name": "respond", "input": object } }] } }, "stopReason": "tool_use" }),
        json!({ "choices": [{ "message": { "role": "assistant", "content": "", "tool_calls": [{ "id": "c", "function": { "name": "respond", "arguments": text } }] } }] }),
        json!({ "choices": [{ "message": { "role": "assistant", "content": "", "tool_calls": [{ "id": "c", "function": { "name": "respond", "arguments": object } }] } }] }),
        json!({ "object": "response", "output": [{ "type": "function_call", "call_id": "c", "name": "respond", "arguments": text }] }),
        json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "functionCall": { "name": "respond", "args": object } }] } }] }),
        json!({ "type": "ai", "content": "", "tool_calls": [{ "name": "respond", "args": { "reply": object }, "id": "c" }] }),
        json!({ "role": "assistant", "parts": [{ "type": "tool-respond", "toolCallId": "c", "input": object, "state": "input-available" }] }),
        json!({ "message": { "role": "assistant", "tool_calls": [{ "function": { "name": "respond", "parameters": object } }] } }),
        json!({ "generations": [{ "function_call": { "name": "respond", "arguments": text } }] }),
    ] {
        check("a.jsonl", &lines([record]), &["called"]);
    }
}

#[test]
fn all_replies_of_a_record_are_read() {
    let [one, two, three] = ["one", "two", "three"].map(envelope);
    for (record, expected) in [
        // The answer of the record is also the answer of its last step.
        (
            json!({ "request": "x", "response": three, "spans": [{ "name": "s", "outputs": one }, { "name": "s", "outputs": two }, { "name": "s", "outputs": three }] }),
            &["one", "two", "three"][..],
        ),
        (
            json!({ "data": { "request": "x", "response": three, "spans": [{ "attributes": { "mlflow.spanOutputs": one } }, { "attributes": { "mlflow.spanOutputs": two } }] } }),
            &["one", "two", "three"],
        ),
        (
            json!({ "attempts": [{ "raw": one }, { "raw": two }], "response": three }),
            &["one", "two", "three"],
        ),
        (
            json!({ "prompt": "x", "completion": one, "samples": [{ "reply": one }, { "reply": two }] }),
            &["one", "two"],
        ),
        (
            json!({ "messages": [{ "role": "user", "content": "x" }, { "role": "assistant", "content": one }], "retries": { "first": two } }),
            &["one", "two"],
        ),
        (
            json!({ "choices": [{ "message": { "role": "assistant", "content": one, "parsed": envelope_value("one") } }] }),
            &["one"],
        ),
        (
            json!({ "id": 1, "outputs": [{ "steps": [{ "agent": { "said": one } }, { "agent": { "said": two } }] }] }),
            &["one", "two"],
        ),
    ] {
        check("a.json", &record.to_string(), expected);
        check("a.json", &serde_json::to_string_pretty(&record).unwrap(), expected);
    }
}

#[test]
fn references_to_attachments_are_resolved_in_their_record() {
    let message = |hash: &str| json!({ "role": "assistant", "content": format!("attachment://{hash}") });
    let event = |hash: &str| json!({ "event": "model", "input": [], "output": { "choices": [{ "message": message(hash) }] } });
    let sample = |surface: &str| json!({ "id": surface, "input": "x", "messages": [message("h0")], "events": [], "attachments": { "h0": envelope(surface) } });
    let one = json!({
        "version": 2,
        "samples": [{ "id": 1, "input": "x", "messages": [], "events": [event("h0"), event("h1")], "attachments": { "h0": envelope("one"), "h1": envelope("two") } }],
    });
    check("a.json", &one.to_string(), &["one", "two"]);
    // Names are local to their sample.
    let two = json!({ "version": 2, "samples": [sample("one"), sample("two")] });
    check("a.json", &two.to_string(), &["one", "two"]);
    let lost =
        json!({ "version": 2, "samples": [{ "id": 1, "messages": [message("h9")], "attachments": {} }] });
    check("a.json", &lost.to_string(), &["PB050 reply is a reference to an attachment that is missing"]);
}

#[test]
fn a_conversation_that_is_written_again_is_one() {
    let message = |at: usize| match at % 2 {
        0 => json!({ "role": "user", "content": format!("ask {at}") }),
        _ => json!({ "role": "assistant", "content": envelope(&format!("answer {at}")) }),
    };
    let snapshot = |count: usize| (0..count).map(message).collect::<Vec<_>>();
    let all = ["answer 1", "answer 3", "answer 5"];
    let named = |count| json!({ "session_id": "s", "messages": snapshot(count) });
    check("a.jsonl", &lines([named(2), named(4), named(6)]), &all);
    check("a.jsonl", &lines([named(2), named(2), named(4), named(6)]), &all);
    check("a.json", &json!([named(2), named(4), named(6)]).to_string(), &all);
    let bare = |count: usize| json!({ "messages": snapshot(count) });
    check("a.jsonl", &lines([bare(2), bare(4), bare(6)]), &all);
    let list = |count: usize| Value::from(snapshot(count));
    check("a.jsonl", &lines([list(2), list(4), list(6)]), &all);
    let shared = |count: usize| {
        let one = |at: usize| json!({ "from": if at.is_multiple_of(2) { "human" } else { "gpt" }, "value": message(at)["content"] });
        json!({ "conversations": (0..count).map(one).collect::<Vec<_>>() })
    };
    check("a.jsonl", &lines([shared(2), shared(4), shared(6)]), &all);
    let gemini = |count: usize| {
        let one = |at: usize| json!({ "role": if at.is_multiple_of(2) { "user" } else { "model" }, "parts": [{ "text": message(at)["content"] }] });
        json!({ "contents": (0..count).map(one).collect::<Vec<_>>() })
    };
    check("a.jsonl", &lines([gemini(2), gemini(4), gemini(6)]), &all);
    // Two sessions with the same beginning are separate sessions.
    let other = json!({ "session_id": "t", "messages": snapshot(4) });
    check("a.jsonl", &lines([named(2), other]), &["answer 1", "answer 1", "answer 3"]);
}

#[test]
fn an_answer_continues_the_last_message_of_its_request() {
    let whole = envelope("said");
    let (start, rest) = whole.split_at(1);
    let (long, other) = whole.split_at(40);
    let messages =
        |start: &str| json!([{ "role": "user", "content": "x" }, { "role": "assistant", "content": start }]);
    for record in [
        json!({ "request": { "messages": messages(start) }, "response": { "role": "assistant", "content": [{ "type": "text", "text": rest }] } }),
        json!({ "request": { "messages": messages(long) }, "response": { "role": "assistant", "content": [{ "type": "text", "text": other }] } }),
        json!({ "request": { "body": { "messages": messages(start) } }, "response": { "body": { "choices": [{ "message": { "role": "assistant", "content": rest } }] } } }),
        json!({ "messages": messages(start), "completion": rest }),
        json!({ "input": { "messages": messages(start) }, "output": { "message": { "role": "assistant", "content": [{ "text": rest }] } } }),
        json!({ "messages": [{ "role": "user", "content": "x" }, { "role": "assistant", "content": start }, { "role": "assistant", "content": rest }] }),
        // A server that repeats the beginning of the answer.
        json!({ "request": { "messages": messages(start) }, "response": { "role": "assistant", "content": [{ "type": "text", "text": whole }] } }),
    ] {
        check("a.jsonl", &lines([record]), &["said"]);
    }
}

#[test]
fn json_lines_are_found_by_their_content() {
    let record = |at: usize| json!({ "log": format!("{}\n", envelope(&format!("a{at}"))), "stream": "stdout", "time": "2026-03-01T10:00:00Z" });
    let zap = |at: usize| json!({ "level": "info", "ts": 1.5, "logger": "agent", "msg": "reply", "text": envelope(&format!("a{at}")) });
    let chat = |at: usize| json!({ "role": "assistant", "content": envelope(&format!("a{at}")) });
    for name in ["a.log", "a.txt", "a.out", "a", "a.jsonl", "a.json"] {
        check(name, &lines([record(1), record(2)]), &["a1", "a2"]);
        check(name, &lines([zap(1), zap(2)]), &["a1", "a2"]);
        check(name, &lines([chat(1), chat(2)]), &["a1", "a2"]);
    }
}

#[test]
fn pieces_of_a_stream_are_one_reply() {
    let whole = envelope("said");
    let each =
        |value: &dyn Fn(&str) -> Value| pieces(&whole).iter().map(|piece| value(piece)).collect::<Vec<_>>();
    let candidates = each(
        &|text| json!({ "candidates": [{ "content": { "role": "model", "parts": [{ "text": text }] }, "index": 0 }], "modelVersion": "g" }),
    );
    check("a.json", &Value::from(candidates.clone()).to_string(), &["said"]);
    check("a.jsonl", &lines(candidates.clone()), &["said"]);
    check("a.sse", &sse(candidates), &["said"]);

    let cohere = each(
        &|text| json!({ "type": "content-delta", "index": 0, "delta": { "message": { "content": { "text": text } } } }),
    );
    check(
        "a.txt",
        &format!(
            "event: message-start\ndata: {{\"type\":\"message-start\",\"id\":\"c\"}}\n\n{}",
            sse(cohere)
        ),
        &["said"],
    );
    let tgi = each(
        &|text| json!({ "index": 1, "token": { "id": 1, "text": text, "logprob": -0.1, "special": false }, "generated_text": null }),
    );
    let last =
        json!({ "index": 2, "token": { "id": 2, "text": "</s>", "special": true }, "generated_text": whole });
    check("a.txt", &sse(tgi.into_iter().chain([last])), &["said"]);
    let chunks =
        each(&|text| json!({ "contentBlockDelta": { "delta": { "text": text }, "contentBlockIndex": 0 } }));
    let frame = |name: &str| json!({ name: { "role": "assistant" } });
    let converse: Vec<_> =
        [frame("messageStart")].into_iter().chain(chunks).chain([frame("messageStop")]).collect();
    check("a.jsonl", &lines(converse.clone()), &["said"]);
    check("a.json", &Value::from(converse.clone()).to_string(), &["said"]);
    let blocks = each(
        &|text| json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } }),
    );
    for body in [blocks.clone(), converse] {
        let log = json!({ "schemaType": "ModelInvocationLog", "input": { "inputBodyJson": {} }, "output": { "outputBodyJson": body } });
        check("a.json", &log.to_string(), &["said"]);
    }
    let realtime = each(
        &|text| json!({ "type": "response.text.delta", "item_id": "i", "content_index": 0, "delta": text }),
    );
    let done = json!({ "type": "response.done", "response": { "object": "response", "output": [{ "type": "message", "role": "assistant", "content": [{ "type": "text", "text": whole }] }] } });
    check("a.jsonl", &lines(realtime.into_iter().chain([done.clone()])), &["said"]);
    // Only the end of a stream was kept.
    check("a.jsonl", &lines([done]), &["said"]);
    let completion = each(
        &|text| json!({ "id": "c", "object": "text_completion", "choices": [{ "text": text, "index": 0, "finish_reason": null }] }),
    );
    check("a.sse", &sse(completion), &["said"]);
    let assistants = each(
        &|text| json!({ "id": "m", "object": "thread.message.delta", "delta": { "content": [{ "index": 0, "type": "text", "text": { "value": text } }] } }),
    );
    check("a.sse", &sse(assistants), &["said"]);
}

#[test]
fn streams_of_an_unknown_form_are_known_by_what_grows() {
    let whole = envelope("said");
    let each = |value: &dyn Fn(usize, &str) -> Value| {
        pieces(&whole).iter().enumerate().map(|(at, piece)| value(at, piece)).collect::<Vec<_>>()
    };
    for stream in [
        each(&|at, text| json!({ "seq": at, "chunk": text, "at": "2026-03-01T10:00:00Z" })),
        each(&|_, text| json!({ "event": "message", "task_id": "t", "answer": text })),
        each(&|at, text| json!({ "run": "r", "data": { "n": at, "piece": { "body": text } } })),
        each(&|_, text| json!({ "type": "AIMessageChunk", "content": text, "id": "run-1" })),
        each(&|_, text| json!({ "role": "assistant", "content": text })),
    ] {
        check("a.jsonl", &lines(stream.clone()), &["said"]);
        check("a.json", &Value::from(stream.clone()).to_string(), &["said"]);
        check("a.txt", &sse(stream), &["said"]);
    }
    // The data of an event is the text itself.
    let raw: String = pieces(&pretty("said"))
        .iter()
        .map(|piece| {
            format!(
                "event: output\n{}\n",
                piece.split('\n').map(|line| format!("data: {line}\n")).collect::<String>()
            )
        })
        .collect();
    check("a.sse", &format!("{raw}event: done\ndata: {{}}\n\n"), &["said"]);
}

#[test]
fn a_recorded_body_in_a_string_is_a_stream() {
    let chunk = |text: &str| json!({ "id": "c", "choices": [{ "index": 0, "delta": { "content": text } }] });
    let body = sse(pieces(&envelope("said")).iter().map(|piece| chunk(piece)));
    let record = json!({ "request": { "messages": [{ "role": "user", "content": "x" }] }, "response": { "status": 200, "body": body } });
    check("a.jsonl", &lines([record]), &["said"]);
}

#[test]
fn several_streams_in_one_file_are_several_replies() {
    let stream = |surface: &str| -> Vec<Value> {
        let last = pieces(&envelope(surface)).len() - 1;
        let piece = |(at, text): (usize, &String)| {
            let mut candidate = json!({ "content": { "parts": [{ "text": text }] }, "index": 0 });
            if at == last {
                candidate["finishReason"] = "STOP".into();
            }
            json!({ "candidates": [candidate] })
        };
        pieces(&envelope(surface)).iter().enumerate().map(piece).collect()
    };
    let both: Vec<_> = stream("one").into_iter().chain(stream("two")).collect();
    check("a.sse", &sse(both.clone()), &["one", "two"]);
    check("a.jsonl", &lines(both), &["one", "two"]);
}

/// Formats a text like Python's `repr`.
fn repr(text: &str) -> String {
    let mut out = String::from("'");
    for char in text.chars() {
        match char {
            '\\' => out.push_str("\\\\"),
            '\'' => out.push_str("\\'"),
            '\n' => out.push_str("\\n"),
            '\u{a0}' => out.push_str("\\xa0"),
            char => out.push(char),
        }
    }
    out + "'"
}

/// Formats a text like Node's `util.inspect`, with one literal per line.
fn inspect(text: &str) -> String {
    let lines: Vec<_> = text.split_inclusive('\n').map(repr).collect();
    lines.join(" +\n    ")
}

#[test]
fn literals_of_python_and_node_are_decoded() {
    let texts = [envelope("it's \"said\" \u{a0}\\d é"), pretty("said\nso")];
    for text in texts {
        let surface = match text.contains("it's") {
            true => "it's \"said\" \u{a0}\\d é",
            false => "said\nso",
        };
        let bytes: String = repr(&text)
            .replace("\\xa0", "\\xc2\\xa0")
            .chars()
            .map(|char| match char {
                char if char.is_ascii() => char.to_string(),
                char => char.to_string().bytes().map(|byte| format!("\\x{byte:02x}")).collect(),
            })
            .collect();
        for entry in [
            format!("output: {}, output_token_ids: [1, 2], finish_reason: stop", repr(&text)),
            format!("ChatCompletionMessage(content={}, refusal=None, role='assistant')", repr(&text)),
            format!("reply={{'role': 'assistant', 'content': {}}}", repr(&text)),
            format!("raw=b{bytes}"),
            format!("('Sure: {}',)", &repr(&text)[1..repr(&text).len() - 1]),
        ] {
            let log = format!(
                "INFO 03-05 19:47:30 [logger.py:61] {entry}\nINFO 03-05 19:47:31 [logger.py:61] done\n"
            );
            check("a.log", &log, &[surface]);
            check("a.txt", &log, &[surface]);
        }
        let node = format!("{{\n  role: 'assistant',\n  content: {},\n  refusal: null\n}}\n", inspect(&text));
        check("a.txt", &node, &[surface]);
        check("a.log", &format!("2026-03-01T10:00:00Z INFO reply {node}"), &[surface]);
    }
}

#[test]
fn literals_of_others_are_not_replies() {
    let log = format!(
        "INFO 03-05 19:47:30 [a.py:1] message(reasoning_content={}, content={})\nINFO 03-05 19:47:31 [a.py:1] [{{'role': 'user', 'content': {}}}]\n",
        repr(&envelope("draft \"x\"")),
        repr(&envelope("said \"x\"")),
        repr(&envelope("asked \"x\"")),
    );
    check("a.log", &log, &["said \"x\"", REASONING]);
}

#[test]
fn a_text_in_quotes_that_is_json_as_it_is_stays_so() {
    let log = format!(
        "2026-03-01T10:00:00Z INFO reply='{}'\n2026-03-01T10:00:01Z INFO done\n",
        envelope("said \"x\" C:\\dir")
    );
    check("a.log", &log, &["said \"x\" C:\\dir"]);
}

#[test]
fn pieces_of_a_line_are_put_together() {
    let whole = envelope("said");
    for cut in [1, 30, 44, 150] {
        let (start, end) = whole.split_at(cut);
        let cri = format!(
            "2026-03-01T10:00:00.000000000Z stdout P {start}\n2026-03-01T10:00:00.000000001Z stdout F {end}\n2026-03-01T10:00:01.000000001Z stdout F done\n"
        );
        check("pod.log", &format!("{cri}{cri}"), &["said", "said"]);
        let log = |text: &str| json!({ "log": text, "stream": "stdout", "time": "2026-03-01T10:00:00Z" });
        let docker = [log(start), log(&format!("{end}\n")), log("done\n")];
        check("c-json.log", &lines(docker.clone().into_iter().chain(docker)), &["said", "said"]);
        let fluentd = |text: &str, partial: &str| json!({ "log": text, "container_id": "c", "partial_message": partial, "source": "stdout" });
        if start.len() > 1 {
            let records = [fluentd("starting", "false"), fluentd(start, "true"), fluentd(end, "false")];
            check("a.jsonl", &lines(records), &["said"]);
        }
    }
    // Each line of a printed envelope is a separate record.
    let log = |text: &str| json!({ "log": text, "stream": "stdout", "time": "2026-03-01T10:00:00Z" });
    let printed = pretty("said");
    let docker = printed.split_inclusive('\n').map(log).chain([log("\n"), log("done\n")]);
    check("c-json.log", &lines(docker), &["said"]);
    let bare = |text: &str| json!({ "message": text, "@timestamp": "2026-03-01T10:00:00Z" });
    let elastic = printed.lines().map(bare).chain([bare("done")]);
    check("a.log", &lines(elastic), &["said"]);
}

#[test]
fn a_piece_that_is_cut_off_does_not_swallow_what_follows() {
    let whole = envelope("said");
    let log = |text: &str| json!({ "log": text, "stream": "stdout", "time": "2026-03-01T10:00:00Z" });
    let file = lines([log(&whole[..50]), log(&format!("{whole}\n"))]);
    let found = read("c-json.log", &file);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[1], "said");
}

#[test]
fn a_prefix_that_all_lines_share_is_left_out() {
    for mark in ["ASSISTANT ", "| ", "> ", "[pod-7f] ", "llm.reply: ", "agent.py:12: ", "  >> "] {
        let text =
            |surface: &str| pretty(surface).lines().map(|line| format!("{mark}{line}\n")).collect::<String>();
        let file = format!("TO LLM 2026-03-01T10:00:00\n-------\n{}-------\n{}", text("one"), text("two"));
        check("h.txt", &file, &["one", "two"]);
        check("h.log", &file, &["one", "two"]);
    }
    let numbered = |text: String| {
        text.lines().zip(8..).map(|(line, at)| format!("{at:>4}\t{line}\n")).collect::<String>()
    };
    check("h.txt", &numbered(pretty("one")), &["one"]);
    let asked: String = pretty("asked").lines().map(|line| format!("USER {line}\n")).collect();
    let said: String = pretty("said").lines().map(|line| format!("ASSISTANT {line}\n")).collect();
    check("h.txt", &format!("{asked}{said}"), &["said"]);
}

/// Returns a file name and a log with the reply, in the notation of one of several programs.
fn logged(kind: usize, reply: &str, cut: usize) -> (&'static str, String) {
    let log = |text: &str| json!({ "log": text, "stream": "stdout", "time": "2026-03-01T10:00:00Z" });
    let at = reply.char_indices().map(|(at, _)| at).nth(1 + cut % (reply.chars().count() - 1)).unwrap();
    let (start, end) = reply.split_at(at);
    match kind {
        0 => (
            "a.log",
            format!(
                "INFO 03-05 19:47:30 [a.py:1] output: {}, tokens: [1]\nINFO 03-05 19:47:31 [a.py:1] done\n",
                repr(reply)
            ),
        ),
        1 => ("a.txt", format!("{{\n  role: 'assistant',\n  content: {}\n}}\n", inspect(reply))),
        2 => (
            "a.log",
            format!(
                "2026-03-01T10:00:00.0Z stdout P {start}\n2026-03-01T10:00:00.1Z stdout F {end}\n2026-03-01T10:00:01.0Z stdout F done\n"
            ),
        ),
        3 => ("a.log", lines([log(start), log(&format!("{end}\n")), log("done\n")])),
        _ => {
            let pretty =
                serde_json::to_string_pretty(&serde_json::from_str::<Value>(reply).unwrap()).unwrap();
            ("a.txt", pretty.lines().map(|line| format!("ASSISTANT {line}\n")).collect())
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 200, ..Default::default() })]

    /// Each byte of a reply maps to the bytes that produce it, and back.
    #[test]
    fn places_hold_in_every_log(kind in 0..5usize, surface in r#"[a\\"'/é🦀\n\t{}, `$]{1,12}"#, cut in 0..400usize) {
        let surface = format!("x{surface}");
        let (name, file) = logged(kind, &envelope(&surface), cut);
        proptest::prop_assert_eq!(read(name, &file), vec![surface], "{}: {}", name, file);
    }
}
