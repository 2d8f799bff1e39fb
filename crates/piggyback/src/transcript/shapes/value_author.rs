//! Author and purpose of a value in a record, from the words of its key and the metadata of its
//! object.
//!
//! No list of formats is needed: `reasoning_content`, `thinkingBlocks` and `model_thoughts` contain
//! the same words in any service.

use super::finder::ValuePlace;
use super::message::role;
use super::table;
use super::value::ValueReader;
use crate::envelope::json::{Json, JsonKind as Node};
use crate::transcript::turn::{NonReplyPlace, TurnRole};
use crate::transcript::words::{REASONING, has_word as has, key_words as words, member, text};

/// Author and purpose of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueAuthor {
    /// Text of the model to its user.
    Model,
    /// Tool call of the model. Its arguments may be an answer.
    Call,
    /// Direct arguments of a tool call.
    Arguments,
    /// Text of another author, or reasoning of the model.
    Unsaid(NonReplyPlace),
    /// Prompt, schema or example. Envelopes are common there.
    Given,
    /// Partial value that another record contains in full.
    Partial,
}

const TOOL: &[&str] = &[
    "tool",
    "tools",
    "function",
    "command",
    "exec",
    "shell",
    "bash",
    "mcp",
    "computer",
    "browser",
    "interpreter",
];

const RESULT: &[&str] =
    &["result", "results", "output", "outputs", "response", "return", "returned", "observation"];

const RESULTS_ALONE: &[&str] = &["stdout", "stderr", "observation", "toolresult"];

const ATTACHMENT: &[&str] = &[
    "attachment",
    "attachments",
    "attached",
    "file",
    "files",
    "document",
    "documents",
    "upload",
    "uploads",
    "uploaded",
    "snippet",
    "snippets",
    "retrieved",
    "retrieval",
    "sources",
    "image",
    "images",
    "knowledge",
];

const QUOTE: &[&str] = &[
    "quote",
    "quotes",
    "quoted",
    "citation",
    "citations",
    "cited",
    "excerpt",
    "excerpts",
    "forwarded",
    "referenced",
    "reference",
    "references",
    "replied",
    "summary",
    "summaries",
    "compacted",
    "compaction",
];

/// Keys of inputs of the model and of descriptions of replies.
const GIVEN: &[&str] = &[
    "system",
    "system_prompt",
    "systemprompt",
    "system_instruction",
    "systeminstruction",
    "user",
    "user_prompt",
    "prompt",
    "prompts",
    "input",
    "inputs",
    "request",
    "instruction",
    "instructions",
    "schema",
    "json_schema",
    "response_format",
    "properties",
    "parameters",
    "tools",
    "functions",
    "definitions",
    "$defs",
    "example",
    "examples",
    "template",
    "description",
    "expected",
    "expected_output",
    "expectedoutput",
    "ideal",
    "golden",
    "ground_truth",
    "target",
    "targets",
    "question",
    "query",
    "rejected",
    "fewshot",
    "few_shot",
];

/// Members of a call that are its arguments.
const ARGUMENTS: &[&str] = &[
    "arguments",
    "args",
    "input",
    "parameters",
    "params",
    "arguments_json",
    "tool_input",
    "toolinput",
    "tool_args",
];

/// Members with the ID of the call that an object is part of.
const CALL_IDS: [&str; 4] = ["toolCallId", "tool_call_id", "toolUseId", "tool_use_id"];

fn is_call(words: &[String]) -> bool {
    has(words, TOOL) && has(words, &["call", "calls", "use", "uses", "invocation", "invocations"])
}

impl ValueAuthor {
    /// Returns the voice of a member of an object with this voice.
    pub(super) fn of_key(self, key: &str) -> Self {
        let lower = key.to_ascii_lowercase();
        let words = words(key);
        match self {
            Self::Unsaid(_) | Self::Given | Self::Partial => return self,
            Self::Call | Self::Arguments if ARGUMENTS.contains(&lower.as_str()) => return Self::Arguments,
            _ => {}
        }
        if has(&words, REASONING) {
            return Self::Unsaid(NonReplyPlace::Reasoning);
        }
        if is_call(&words) && !has(&words, RESULT) {
            return Self::Call;
        }
        if has(&words, RESULTS_ALONE) || has(&words, TOOL) && has(&words, RESULT) || lower == "tooluseresult"
        {
            return Self::Unsaid(NonReplyPlace::ToolResult);
        }
        if self == Self::Call {
            return match has(&words, RESULT) {
                true => Self::Unsaid(NonReplyPlace::ToolResult),
                false => Self::Call,
            };
        }
        if GIVEN.contains(&lower.as_str()) {
            return Self::Given;
        }
        if has(&words, ATTACHMENT) {
            return Self::Unsaid(NonReplyPlace::Attachment);
        }
        if has(&words, QUOTE)
            || words.len() > 1 && lower.starts_with("reply") && words.iter().any(|word| word == "to")
        {
            return Self::Unsaid(NonReplyPlace::Quotation);
        }
        self
    }

    /// Returns the voice of an object from its role, type and flags.
    pub(super) fn of_object(self, reading: &ValueReader<'_, '_>, place: &ValuePlace) -> Self {
        let json = reading.json();
        if matches!(self, Self::Unsaid(_) | Self::Given | Self::Partial)
            || json.kind(place.node) != Node::Object
        {
            return self;
        }
        match role(&reading.finder, place) {
            Some(TurnRole::User | TurnRole::System) => return Self::Given,
            Some(TurnRole::Tool) => return Self::Unsaid(NonReplyPlace::ToolResult),
            _ => {}
        }
        let is_set = |name: &str| {
            member(json, place.node, name).is_some_and(|flag| json.kind(flag) == Node::Bool(true))
        };
        let is_channel = text(json, place.node, "channel").is_some_and(|word| word == "analysis");
        if is_set("thought") || is_channel {
            return Self::Unsaid(NonReplyPlace::Reasoning);
        }
        let kind =
            ["type", "run_type", "span_kind", "event"].iter().find_map(|name| text(json, place.node, name));
        let of_kind = kind.map_or(self, |word| self.of_type(&word));
        match of_kind {
            Self::Model if CALL_IDS.iter().any(|name| member(json, place.node, name).is_some()) => Self::Call,
            voice => voice,
        }
    }

    /// Returns the voice of an object from its type.
    fn of_type(self, word: &str) -> Self {
        let words = words(word);
        let last = words.last().map(String::as_str).unwrap_or_default();
        if has(&words, REASONING) {
            return Self::Unsaid(NonReplyPlace::Reasoning);
        }
        if is_call(&words) && !has(&words, RESULT) || word == "function" {
            return Self::Call;
        }
        if has(&words, TOOL)
            || matches!(word, "retriever" | "embedding" | "reranker" | "evaluator" | "guardrail")
        {
            return Self::Unsaid(NonReplyPlace::ToolResult);
        }
        if has(&words, ATTACHMENT) || word == "web_search" {
            return Self::Unsaid(NonReplyPlace::Attachment);
        }
        if has(&words, QUOTE) {
            return Self::Unsaid(NonReplyPlace::Quotation);
        }
        // The completed event of the same item contains the full value.
        if words.len() > 1 && word.starts_with("item") && matches!(last, "started" | "updated") {
            return Self::Partial;
        }
        self
    }
}

/// True if an object marks its content as not a reply. Tool steps of a trace are read as tool
/// results instead.
pub(super) fn is_unsaid(reading: &ValueReader<'_, '_>, place: &ValuePlace) -> bool {
    place.is_value()
        && !table::is_of_tool(reading, place)
        && matches!(
            ValueAuthor::Model.of_object(reading, place),
            ValueAuthor::Unsaid(_) | ValueAuthor::Partial
        )
        && !super::message::is_message(&reading.finder, place)
}

/// True if an object with envelope keys is a JSON schema: it has a `properties` member.
pub(super) fn is_schema(json: &Json<'_>, place: &ValuePlace) -> bool {
    member(json, place.node, "properties").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_understood_by_their_words() {
        let voice = |key: &str| ValueAuthor::Model.of_key(key);
        for key in ["thinking", "reasoningContent", "reasoning_details", "model_thoughts", "redactedThinking"]
        {
            assert_eq!(voice(key), ValueAuthor::Unsaid(NonReplyPlace::Reasoning), "{key}");
        }
        for key in ["tool_result", "toolUseResult", "function_call_output", "commandOutput", "stdout"] {
            assert_eq!(voice(key), ValueAuthor::Unsaid(NonReplyPlace::ToolResult), "{key}");
        }
        for key in ["attachments", "attachedFiles", "retrieved_documents"] {
            assert_eq!(voice(key), ValueAuthor::Unsaid(NonReplyPlace::Attachment), "{key}");
        }
        for key in ["quoted_message", "reply_to_message", "citations", "summary"] {
            assert_eq!(voice(key), ValueAuthor::Unsaid(NonReplyPlace::Quotation), "{key}");
        }
        for key in ["tool_calls", "toolUse", "function_call", "functionCall"] {
            assert_eq!(voice(key), ValueAuthor::Call, "{key}");
        }
        for key in ["outputs", "response", "log", "message", "result", "attempts", "observations", "reply"] {
            assert_eq!(voice(key), ValueAuthor::Model, "{key}");
        }
        assert_eq!(voice("tools"), ValueAuthor::Given);
        assert_eq!(ValueAuthor::Call.of_key("input"), ValueAuthor::Arguments);
        assert_eq!(ValueAuthor::Call.of_key("output"), ValueAuthor::Unsaid(NonReplyPlace::ToolResult));
    }
}
