//! `test`: runs policy tests. Runs `mangle-ls test --format json`.

use serde_json::Value;

use super::{ANYWAY, ENGINE, PATHS, READING, RUNTIME, Tool, ToolCommand, document, page};
use crate::mcp::arguments::{Argument, Arguments, CURSOR, Kind, optional};
use crate::mcp::folders::Folders;

pub(super) static TOOL: Tool = Tool {
    name: "test",
    title: "Run policy tests",
    description: "Runs the cases of test files (`*_test.mg`) and says which fail, and why.",
    arguments: ARGUMENTS,
    command,
    answer,
};

const ARGUMENTS: &[Argument] = &[
    PATHS,
    optional("filter", Kind::Word, "Only cases whose name or file contains this text."),
    optional("coverage", Kind::Flag, "Also say which rules fired in no case."),
    READING,
    ENGINE,
    RUNTIME,
    ANYWAY,
    CURSOR,
];

fn command(arguments: &Arguments, folders: &Folders) -> Result<ToolCommand, String> {
    let twin = ToolCommand::new(&["test", "--format=json"])
        .versions(arguments)
        .flag("anyway", arguments.flag("anyway"))
        .option("filter", arguments.text("filter"))
        .flag("coverage", arguments.flag("coverage"))
        .option("reading", arguments.text("reading"));
    twin.values().paths(arguments.texts("paths"), folders)
}

fn answer(output: &str, arguments: &Arguments) -> Result<Value, String> {
    page(document(output)?, "suites/*/cases", arguments)
}
