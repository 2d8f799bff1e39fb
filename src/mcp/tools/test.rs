//! Tool.

use serde_json::Value;

use super::{ANYWAY, ENGINE, PATHS, READING, RUNTIME, Tool, ToolCommand, document, page};
use crate::mcp::arguments::{Argument, Arguments, CURSOR, Kind, optional};
use crate::mcp::folders::Folders;

/// `test`: runs policy tests. Runs `mangle-ls test --format json`.
pub(super) static TEST: Tool = Tool {
    name: "test",
    title: "Run policy tests",
    description: "Runs the cases of test files (`*_test.mg`) and reports failed cases with the reason.",
    arguments: TEST_ARGUMENTS,
    command: test_command,
    answer: test_answer,
};

const TEST_ARGUMENTS: &[Argument] = &[
    PATHS,
    optional("filter", Kind::Word, "Run only cases with this text in their name or file."),
    optional("coverage", Kind::Flag, "Also list the rules that fired in no case."),
    READING,
    ENGINE,
    RUNTIME,
    ANYWAY,
    CURSOR,
];

fn test_command(arguments: &Arguments, folders: &Folders) -> Result<ToolCommand, String> {
    let command = ToolCommand::new(&["test", "--format=json"])
        .versions(arguments)
        .flag("anyway", arguments.flag("anyway"))
        .option("filter", arguments.text("filter"))
        .flag("coverage", arguments.flag("coverage"))
        .option("reading", arguments.text("reading"));
    command.values().paths(arguments.texts("paths"), folders)
}

fn test_answer(output: &str, arguments: &Arguments) -> Result<Value, String> {
    page(document(output)?, "suites/*/cases", arguments)
}
