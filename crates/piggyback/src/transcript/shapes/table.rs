//! Table of the record formats of services, libraries and tools: characteristic members, and paths
//! of the turns.

use super::finder::ValuePlace;
use super::value::{ValueReader, ValueRole};
use crate::transcript::turn::TurnRole;

/// A format. In paths, slashes separate keys. Records may also use keys with dots and typed values
/// as in OTLP.
struct Format {
    /// Name in messages.
    name: &'static str,
    /// Paths that a record must have.
    all: &'static [&'static str],
    /// Alternative paths: a record must have at least one of them, unless the list is empty.
    any: &'static [&'static str],
    /// Paths and the strings that a record must have there.
    says: &'static [(&'static str, &'static str)],
    /// Places of the turns, in order.
    parts: &'static [TurnPlace],
}

struct TurnPlace {
    /// Alternative paths; the first path that exists is used. Empty for the record itself.
    at: &'static [&'static str],
    how: ContentKind,
    /// True if the format repeats the same text elsewhere.
    repeats: bool,
}

/// Kind of content in a place.
#[derive(Debug, Clone, Copy)]
enum ContentKind {
    /// Input or output of the model.
    Value(ValueRole),
    /// Output of a step of the model or of a tool. The record names the kind of step.
    Output,
    /// Content of a message.
    Said(TurnRole),
    /// Arguments of a call.
    Call,
    /// List of records.
    Records,
    /// List of the events of a span.
    Events,
}

const fn part(at: &'static [&'static str], how: ContentKind) -> TurnPlace {
    TurnPlace { at, how, repeats: false }
}

/// Creates a part that the format repeats elsewhere.
const fn copy(at: &'static [&'static str], how: ContentKind) -> TurnPlace {
    TurnPlace { at, how, repeats: true }
}

const INPUT: ContentKind = ContentKind::Value(ValueRole::Input);
const ANSWER: ContentKind = ContentKind::Value(ValueRole::Output);
const TALK: ContentKind = ContentKind::Value(ValueRole::Conversation);

/// A format without conditions, as the base of other formats.
const EMPTY_FORMAT: Format = Format { name: "", all: &[], any: &[], says: &[], parts: &[] };

/// Formats that cannot be confused with each other.
#[rustfmt::skip] // One part per line.
const UNAMBIGUOUS: &[Format] = &[
    Format { name: "OpenAI batch output", all: &["custom_id", "response"], parts: &[part(&["response/body"], ANSWER)], ..EMPTY_FORMAT },
    Format { name: "Anthropic batch results", all: &["custom_id", "result"], parts: &[part(&["result/message"], ANSWER)], ..EMPTY_FORMAT },
    Format { name: "batch requests", all: &["custom_id"], any: &["body", "params"], parts: &[part(&["body", "params"], INPUT)], ..EMPTY_FORMAT },
    Format { name: "requests with responses", all: &["request", "response"], parts: &[
        part(&["request/body", "request"], INPUT),
        part(&["response/body", "response"], ANSWER),
    ], ..EMPTY_FORMAT },
    Format { name: "Gemini contents", all: &["contents"], parts: &[
        part(&["systemInstruction", "system_instruction", "config/system_instruction"], ContentKind::Said(TurnRole::System)),
        part(&["contents"], TALK),
        part(&["candidates"], ANSWER),
    ], ..EMPTY_FORMAT },
    Format { name: "Codex rollout", all: &["payload"], says: &[("payload/type", "message")], parts: &[part(&["payload"], TALK)], ..EMPTY_FORMAT },
    Format { name: "Codex rollout", all: &["payload/message"], says: &[("payload/type", "agent_message")], parts: &[
        copy(&["payload/message"], ContentKind::Said(TurnRole::Assistant)),
    ], ..EMPTY_FORMAT },
    Format { name: "Codex rollout", all: &["payload/message"], says: &[("payload/type", "user_message")], parts: &[
        copy(&["payload/message"], ContentKind::Said(TurnRole::User)),
    ], ..EMPTY_FORMAT },
    Format { name: "Codex rollout", all: &["payload/last_agent_message"], says: &[("payload/type", "task_complete")], parts: &[
        copy(&["payload/last_agent_message"], ContentKind::Said(TurnRole::Assistant)),
    ], ..EMPTY_FORMAT },
    Format { name: "Codex rollout", says: &[("payload/type", "item_completed"), ("payload/item/type", "AgentMessage")], parts: &[
        copy(&["payload/item/content", "payload/item/text"], ContentKind::Said(TurnRole::Assistant)),
    ], ..EMPTY_FORMAT },
    Format { name: "Codex rollout", says: &[("payload/type", "item_completed"), ("payload/item/type", "UserMessage")], parts: &[
        copy(&["payload/item/content", "payload/item/text"], ContentKind::Said(TurnRole::User)),
    ], ..EMPTY_FORMAT },
    Format { name: "Codex rollout", any: &["payload/output"], all: &["payload/call_id"], parts: &[
        part(&["payload/output/content", "payload/output"], ContentKind::Said(TurnRole::Tool)),
    ], ..EMPTY_FORMAT },
    Format { name: "Codex rollout", all: &["payload/arguments", "payload/call_id"], parts: &[part(&["payload"], ContentKind::Call)], ..EMPTY_FORMAT },
    Format { name: "Codex rollout", says: &[("type", "session_meta")], all: &["payload"], parts: &[
        part(&["payload/base_instructions/text", "payload/base_instructions", "payload/instructions"], ContentKind::Said(TurnRole::System)),
    ], ..EMPTY_FORMAT },
    Format { name: "OTLP spans", any: &["resourceSpans", "resource_spans"], parts: &[part(&["resourceSpans", "resource_spans"], ContentKind::Records)], ..EMPTY_FORMAT },
    Format { name: "OTLP spans", any: &["scopeSpans", "scope_spans", "instrumentationLibrarySpans"], parts: &[
        part(&["scopeSpans", "scope_spans", "instrumentationLibrarySpans"], ContentKind::Records),
    ], ..EMPTY_FORMAT },
    Format { name: "OTLP logs", any: &["resourceLogs", "resource_logs"], parts: &[part(&["resourceLogs", "resource_logs"], ContentKind::Records)], ..EMPTY_FORMAT },
    Format { name: "OTLP logs", any: &["scopeLogs", "scope_logs"], parts: &[part(&["scopeLogs", "scope_logs"], ContentKind::Records)], ..EMPTY_FORMAT },
    Format { name: "OTLP logs", any: &["logRecords", "log_records"], parts: &[part(&["logRecords", "log_records"], ContentKind::Events)], ..EMPTY_FORMAT },
    Format { name: "ShareGPT", any: &["conversations", "conversation"], parts: &[
        part(&["system"], ContentKind::Said(TurnRole::System)),
        part(&["conversations", "conversation"], TALK),
    ], ..EMPTY_FORMAT },
    Format { name: "SWE-agent trajectory", all: &["trajectory"], parts: &[
        part(&["history", "messages"], TALK),
        copy(&["trajectory"], ContentKind::Records),
    ], ..EMPTY_FORMAT },
    Format { name: "SWE-agent trajectory", all: &["response"], any: &["observation", "thought", "action"], parts: &[
        part(&["response"], ContentKind::Said(TurnRole::Assistant)),
        // Observations also follow the last answer, where they are not a request.
        part(&["observation"], ContentKind::Said(TurnRole::Other)),
    ], ..EMPTY_FORMAT },
    Format { name: "Inspect log", all: &["samples"], parts: &[part(&["samples"], ContentKind::Records)], ..EMPTY_FORMAT },
];

/// Paths of the attributes of a span.
const ATTRIBUTES: [&str; 6] =
    ["attributes", "span_attributes", "SpanAttributes", "spanAttributes", "data/attributes", ""];

/// Formats that are recognized by attributes of a span.
#[rustfmt::skip] // One part per line.
const SPANS: &[Format] = &[
    Format { name: "GenAI spans", any: &[
        "gen_ai/output/messages", "gen_ai/input/messages", "gen_ai/completion", "gen_ai/prompt", "gen_ai/output", "gen_ai/response/text",
    ], parts: &[
        part(&["gen_ai/system_instructions"], ContentKind::Value(ValueRole::System)),
        part(&["gen_ai/input/messages", "gen_ai/prompt"], INPUT),
        part(&["gen_ai/output/messages", "gen_ai/completion", "gen_ai/output", "gen_ai/response/text"], ContentKind::Output),
    ], ..EMPTY_FORMAT },
    Format { name: "OpenInference spans", any: &["llm/output_messages", "llm/input_messages"], parts: &[
        part(&["llm/input_messages"], INPUT),
        part(&["llm/output_messages", "output/value"], ContentKind::Output),
    ], ..EMPTY_FORMAT },
    Format { name: "OpenInference spans", all: &["output/value"], parts: &[
        part(&["input/value"], INPUT),
        part(&["output/value"], ContentKind::Output),
    ], ..EMPTY_FORMAT },
    Format { name: "AI SDK spans", any: &["ai/response/text", "ai/response/object"], parts: &[
        part(&["ai/prompt/messages", "ai/prompt"], INPUT),
        part(&["ai/response/text", "ai/response/object"], ANSWER),
    ], ..EMPTY_FORMAT },
    Format { name: "Langfuse spans", any: &["langfuse/observation/output", "langfuse/trace/output"], parts: &[
        part(&["langfuse/observation/input", "langfuse/trace/input"], INPUT),
        part(&["langfuse/observation/output", "langfuse/trace/output"], ContentKind::Output),
    ], ..EMPTY_FORMAT },
    Format { name: "Traceloop spans", all: &["traceloop/entity/output"], parts: &[
        part(&["traceloop/entity/input"], INPUT),
        copy(&["traceloop/entity/output"], ContentKind::Output),
    ], ..EMPTY_FORMAT },
];

/// Formats that are only recognized by names for an input and an output.
#[rustfmt::skip] // One part per line.
const HEURISTIC: &[Format] = &[
    Format { name: "traces (Langfuse, LangSmith)", any: &["output", "outputs"], parts: &[
        part(&["system", "system_prompt", "instruction"], ContentKind::Said(TurnRole::System)),
        part(&["inputs", "input"], INPUT),
        part(&["observations"], ContentKind::Records),
        part(&["child_runs", "children", "spans"], ContentKind::Records),
        copy(&["outputs", "output"], ContentKind::Output),
    ], ..EMPTY_FORMAT },
    Format { name: "prompts with completions", any: &["completion", "response", "generated_text", "output_text", "reply", "answer", "completions", "responses"], parts: &[
        part(&["system", "system_prompt"], ContentKind::Said(TurnRole::System)),
        part(&["messages", "prompt", "prompts", "input", "question", "query", "instruction"], INPUT),
        part(&["completion", "response", "generated_text", "output_text", "reply", "answer", "completions", "responses"], ANSWER),
    ], ..EMPTY_FORMAT },
];

/// Keys that exports use around a record or a list of records.
const WRAPPERS: [&str; 28] = [
    "data",
    "records",
    "items",
    "results",
    "rows",
    "traces",
    "trace",
    "observations",
    "spans",
    "runs",
    "child_runs",
    "samples",
    "sessions",
    "session",
    "chats",
    "threads",
    "entries",
    "events",
    "logs",
    "batch",
    "turns",
    "transcript",
    "transcripts",
    "payload",
    "body",
    "export",
    "message",
    "value",
];

/// Kinds of steps that are calls of the model.
const OF_MODEL: [&str; 12] = [
    "llm",
    "generation",
    "chat",
    "chat_model",
    "completion",
    "text_completion",
    "generate_content",
    "generation-create",
    "generation-update",
    "model",
    "response",
    "inference",
];

/// Kinds of steps whose output comes from a tool.
const OF_TOOL: [&str; 10] = [
    "tool",
    "retriever",
    "embedding",
    "embeddings",
    "reranker",
    "evaluator",
    "guardrail",
    "execute_tool",
    "prompt",
    "parser",
];

/// Paths of the kind of a step.
const KINDS: [&str; 8] = [
    "attributes/openinference/span/kind",
    "attributes/gen_ai/operation/name",
    "attributes/langfuse/observation/type",
    "openinference/span/kind",
    "gen_ai/operation/name",
    "run_type",
    "span_kind",
    "type",
];

/// Returns the distinct names of the formats.
pub(super) fn names() -> Vec<&'static str> {
    let mut names: Vec<_> =
        [UNAMBIGUOUS, SPANS, HEURISTIC].into_iter().flatten().map(|format| format.name).collect();
    names.dedup();
    names
}

/// Reads a record of one of the formats. Returns true if the format is known, even if the record
/// has no turn.
pub(super) fn read(reading: &mut ValueReader<'_, '_>, place: &ValuePlace) -> bool {
    certain(reading, place) || span(reading, place) || likely(reading, place)
}

/// Like [`read`], for unambiguous formats only.
pub(super) fn certain(reading: &mut ValueReader<'_, '_>, place: &ValuePlace) -> bool {
    match UNAMBIGUOUS.iter().find(|format| format.matches(reading, place)) {
        Some(format) => {
            format.read(reading, place, place);
            true
        }
        None => false,
    }
}

/// Reads a span. Returns false if the record is not a known span.
pub(super) fn span(reading: &mut ValueReader<'_, '_>, place: &ValuePlace) -> bool {
    let before = reading.turns.len();
    let mut is_span = false;
    for path in ATTRIBUTES {
        let Some(attributes) = attributes(reading, place, path) else { continue };
        if let Some(format) = SPANS.iter().find(|format| format.matches(reading, &attributes)) {
            is_span = true;
            format.read(reading, &attributes, place);
            break;
        }
    }
    let is_read = reading.turns.iter().skip(before).any(super::Turn::is_reply);
    if let Some(events) = reading.finder.get(place, "events").filter(|_| !is_read) {
        is_span |= read_events(reading, &events);
    }
    is_span
}

fn attributes(reading: &ValueReader<'_, '_>, place: &ValuePlace, path: &str) -> Option<ValuePlace> {
    match path.is_empty() {
        true => Some(place.clone()),
        false => reading.finder.get(place, path),
    }
}

/// Reads a record with an input and an output. Returns false if no format matches.
pub(super) fn likely(reading: &mut ValueReader<'_, '_>, place: &ValuePlace) -> bool {
    match HEURISTIC.iter().find(|format| format.matches(reading, place)) {
        Some(format) => {
            format.read(reading, place, place);
            true
        }
        None => false,
    }
}

/// Reads the records behind the usual keys of exports. Returns true if they have turns.
pub(super) fn wrapped(reading: &mut ValueReader<'_, '_>, place: &ValuePlace) -> bool {
    let before = reading.turns.len();
    for key in WRAPPERS {
        if let Some(inner) = reading.finder.get(place, key) {
            reading.deeper(|reading| records(reading, &inner));
        }
    }
    reading.turns.len() > before
}

/// Reads a record or a list of records, possibly as JSON in a string.
fn records(reading: &mut ValueReader<'_, '_>, place: &ValuePlace) {
    let elements = reading.finder.each(place);
    let of_string = || reading.inside(place, records);
    if reading.finder.is_string(place) {
        let turns = of_string();
        reading.turns.extend(turns.into_iter().flatten());
    } else if elements.is_empty() {
        reading.deeper(|reading| super::record(reading, place));
    } else {
        for element in &elements {
            reading.deeper(|reading| super::record(reading, element));
        }
    }
}

/// Reads the events of a span or the records of a log. Returns true if one of them is about a
/// model.
fn read_events(reading: &mut ValueReader<'_, '_>, events: &ValuePlace) -> bool {
    let mut is_known = false;
    for event in reading.finder.each(events) {
        is_known |= read_event(reading, &event);
    }
    is_known
}

fn read_event(reading: &mut ValueReader<'_, '_>, event: &ValuePlace) -> bool {
    let names = ["name", "eventName", "event_name", "attributes/event/name", "attributes/event.name"];
    let Some(name) = reading.finder.text(event, &names).filter(|name| name.starts_with("gen_ai.")) else {
        return false;
    };
    let side = match &*name {
        _ if name.contains("choice") || name.contains("completion") => ValueRole::Output,
        _ if name.contains("system") => ValueRole::System,
        _ if name.contains("tool") => ValueRole::Tool,
        _ if name.contains("inference") || name.contains("operation.details") => ValueRole::Conversation,
        _ => ValueRole::Input,
    };
    let is_history = name.contains("assistant");
    let before = reading.turns.len();
    for path in ["attributes", "body"] {
        let Some(inner) = reading.finder.get(event, path) else { continue };
        if !span(reading, &inner) {
            let said = ["message", "content", "gen_ai/event/content"]
                .iter()
                .find_map(|key| reading.finder.get(&inner, key));
            let side = if is_history { ValueRole::Output } else { side };
            reading.deeper(|reading| reading.value(&said.unwrap_or(inner), side));
        }
        if reading.turns.len() > before {
            break;
        }
    }
    for turn in reading.turns.iter_mut().skip(before) {
        turn.may_repeat |= is_history;
    }
    true
}

impl Format {
    /// True if a value is a record of the format.
    fn matches(&self, reading: &ValueReader<'_, '_>, place: &ValuePlace) -> bool {
        let has = |path: &&str| {
            let found = reading.finder.get(place, path);
            found.is_some_and(|found| {
                !matches!(reading.finder.kind(&found), crate::envelope::json::JsonKind::Null)
            })
        };
        // The response of a failed request can be `null`.
        let is_there = |path: &&str| reading.finder.get(place, path).is_some();
        self.all.iter().all(is_there)
            && (self.any.is_empty() || self.any.iter().any(has))
            && self.says.iter().all(|(path, word)| reading.finder.says(place, path, word))
    }

    /// Reads the turns of a record. `step` is the place that names the kind of step.
    fn read(&self, reading: &mut ValueReader<'_, '_>, place: &ValuePlace, step: &ValuePlace) {
        let start = reading.turns.len();
        for part in self.parts {
            // A copy of a conversation has its observations in a different order.
            let is_read = || reading.turns.iter().skip(start).any(super::Turn::is_answer);
            if part.repeats && matches!(part.how, ContentKind::Records) && is_read() {
                continue;
            }
            let Some(found) = part.at.iter().find_map(|path| reading.finder.get(place, path)) else {
                continue;
            };
            let before = reading.turns.len();
            reading.deeper(|reading| part.read(reading, &found, step));
            for turn in reading.turns.iter_mut().skip(before) {
                turn.may_repeat |=
                    part.repeats && !is_of(reading.finder.text(step, &KINDS).as_deref(), &OF_MODEL);
            }
        }
    }
}

impl TurnPlace {
    fn read(&self, reading: &mut ValueReader<'_, '_>, found: &ValuePlace, step: &ValuePlace) {
        match self.how {
            ContentKind::Value(side) => reading.value(found, side),
            ContentKind::Output => output(reading, found, step),
            ContentKind::Said(role) if role == TurnRole::Assistant && reading.is_blank(found) => {
                reading.empty(found)
            }
            ContentKind::Said(role) => reading.content(found, role),
            ContentKind::Call => reading.call(found),
            ContentKind::Records => records(reading, found),
            ContentKind::Events => drop(read_events(reading, found)),
        }
    }
}

fn output(reading: &mut ValueReader<'_, '_>, found: &ValuePlace, step: &ValuePlace) {
    let before = reading.turns.len();
    let kind = reading.finder.text(step, &KINDS);
    if is_of(kind.as_deref(), &OF_TOOL) {
        return reading.value(found, ValueRole::Tool);
    }
    reading.value(found, ValueRole::Output);
    let is_of_model = is_of(kind.as_deref(), &OF_MODEL);
    for turn in reading.turns.iter_mut().skip(before).filter(|_| !is_of_model) {
        turn.may_repeat = true;
    }
}

/// True if a step is a step of a tool.
pub(super) fn is_of_tool(reading: &ValueReader<'_, '_>, place: &ValuePlace) -> bool {
    is_of(reading.finder.text(place, &KINDS).as_deref(), &OF_TOOL)
}

fn is_of(kind: Option<&str>, words: &[&str]) -> bool {
    kind.is_some_and(|kind| words.contains(&kind.to_ascii_lowercase().as_str()))
}
