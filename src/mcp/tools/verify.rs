//! Tool.

use serde_json::Value;

use super::{ANYWAY, ENGINE, PATHS, READING, RUNTIME, Tool, ToolCommand, document, page};
use crate::mcp::arguments::{Argument, Arguments, CURSOR, Kind, optional};
use crate::mcp::folders::Folders;

/// `verify`: checks properties in every small world, and finds rules that change nothing. Runs
/// `mangle-ls verify --format json`.
pub(super) static VERIFY: Tool = Tool {
    name: "verify",
    title: "Verify properties",
    description: "Checks properties of policies in every small world, a set of input facts. The properties come from test \
        files or from `property`. A violation is reported with the smallest world that causes it. With `rules`, finds rules \
        and negations without effect.",
    arguments: VERIFY_ARGUMENTS,
    command: verify_command,
    answer: verify_answer,
};

const VERIFY_ARGUMENTS: &[Argument] = &[
    PATHS,
    optional(
        "property",
        Kind::Word,
        "A property to check instead of the properties in test files: `never BODY`, `always BODY then HEAD` or `possible \
         BODY`.",
    ),
    optional("rules", Kind::Flag, "Find rules without effect instead of checking properties."),
    optional(
        "scope",
        Kind::Number(0, 12),
        "The maximum number of facts in a world. Default: the configured number, or 5.",
    ),
    optional(
        "time",
        Kind::Number(1, 15),
        "The maximum number of seconds per property. Default: the configured number, or 10.",
    ),
    READING,
    ENGINE,
    RUNTIME,
    ANYWAY,
    CURSOR,
];

fn verify_command(arguments: &Arguments, folders: &Folders) -> Result<ToolCommand, String> {
    let command = ToolCommand::new(&["verify", "--format=json"])
        .versions(arguments)
        .flag("anyway", arguments.flag("anyway"))
        .option("property", arguments.text("property"))
        .flag("rules", arguments.flag("rules"))
        .option("scope", arguments.number("scope"))
        .option("time", arguments.number("time"))
        .option("reading", arguments.text("reading"));
    command.values().paths(arguments.texts("paths"), folders)
}

fn verify_answer(output: &str, arguments: &Arguments) -> Result<Value, String> {
    let list = if arguments.flag("rules") { "rules" } else { "properties" };
    page(document(output)?, list, arguments)
}
