//! `verify`: checks properties in every small world, and finds rules that change nothing. Runs
//! `mangle-ls verify --format json`.

use serde_json::Value;

use super::{ANYWAY, ENGINE, PATHS, READING, RUNTIME, Tool, ToolCommand, document, page};
use crate::mcp::arguments::{Argument, Arguments, CURSOR, Kind, optional};
use crate::mcp::folders::Folders;

pub(super) static TOOL: Tool = Tool {
    name: "verify",
    title: "Verify properties",
    description: "Checks properties of policies in every small world of facts: those of test files, or `property`. A violation \
        comes with the smallest world that shows it. With `rules`: looks for rules and negations that change nothing.",
    arguments: ARGUMENTS,
    command,
    answer,
};

const ARGUMENTS: &[Argument] = &[
    PATHS,
    optional(
        "property",
        Kind::Word,
        "A property in place of those of test files: `never BODY`, `always BODY then HEAD` or `possible BODY`.",
    ),
    optional("rules", Kind::Flag, "Look for rules that change nothing, in place of properties."),
    optional("scope", Kind::Number(0, 12), "The most facts of a world; 5 if left out and not configured."),
    optional(
        "time",
        Kind::Number(1, 15),
        "The most seconds for a property; 10 if left out and not configured.",
    ),
    READING,
    ENGINE,
    RUNTIME,
    ANYWAY,
    CURSOR,
];

fn command(arguments: &Arguments, folders: &Folders) -> Result<ToolCommand, String> {
    let twin = ToolCommand::new(&["verify", "--format=json"])
        .versions(arguments)
        .flag("anyway", arguments.flag("anyway"))
        .option("property", arguments.text("property"))
        .flag("rules", arguments.flag("rules"))
        .option("scope", arguments.number("scope"))
        .option("time", arguments.number("time"))
        .option("reading", arguments.text("reading"));
    twin.values().paths(arguments.texts("paths"), folders)
}

fn answer(output: &str, arguments: &Arguments) -> Result<Value, String> {
    let list = if arguments.flag("rules") { "rules" } else { "properties" };
    page(document(output)?, list, arguments)
}
