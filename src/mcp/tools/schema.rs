//! Tool.

use serde_json::Value;

use super::{ANYWAY, PATHS, RUNTIME, Tool, ToolCommand};
use crate::mcp::arguments::{Argument, Arguments, CURSOR, Kind, optional};
use crate::mcp::folders::Folders;
use crate::mcp::pages;

/// `schema`: a grammar or schema of valid JSON replies (envelopes), for an inference engine. Runs
/// `mangle-ls grammar`.
pub(super) static SCHEMA: Tool = Tool {
    name: "schema",
    title: "Write a schema of replies",
    description: "Generates a JSON Schema or a grammar, as text, that limits an inference engine to valid replies. A long \
        text is split into parts: join them in order. `problems` lists constraints that the schema cannot express.",
    arguments: SCHEMA_ARGUMENTS,
    command: schema_command,
    answer: schema_answer,
};

const SCHEMA_ARGUMENTS: &[Argument] = &[
    PATHS,
    optional(
        "target",
        Kind::Choice(&["json-schema", "openai", "anthropic", "gemini", "gbnf", "ebnf", "lark", "regex"]),
        "The inference engine or provider. Default: `json-schema`.",
    ),
    optional("profile", Kind::Word, "The version of the protocol. Default: the configured version."),
    optional(
        "consumer",
        Kind::Word,
        "The part of the agent that receives the updates. Default: the configured consumer.",
    ),
    RUNTIME,
    ANYWAY,
    CURSOR,
];

fn schema_command(arguments: &Arguments, folders: &Folders) -> Result<ToolCommand, String> {
    let target = arguments.text("target").unwrap_or("json-schema");
    let command = ToolCommand::new(&["grammar"])
        .option("target", Some(target))
        .versions(arguments)
        .flag("anyway", arguments.flag("anyway"))
        .option("profile", arguments.text("profile"))
        .option("consumer", arguments.text("consumer"));
    command.values().paths(arguments.texts("paths"), folders)
}

fn schema_answer(output: &str, arguments: &Arguments) -> Result<Value, String> {
    pages::text_part("schema", output, arguments.text("cursor"))
}
