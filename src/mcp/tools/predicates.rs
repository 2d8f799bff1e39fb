//! Tool.

use serde_json::Value;

use super::{ANYWAY, PATHS, Tool, ToolCommand, document, page};
use crate::mcp::arguments::{Argument, Arguments, CURSOR, Kind, optional};
use crate::mcp::folders::Folders;

/// `predicates`: the declarations and definitions of a program. Runs
/// `mangle-ls graph --format json`, without its edges.
pub(super) static PREDICATES: Tool = Tool {
    name: "predicates",
    title: "List predicates",
    description: "Lists the predicates of the programs: the declaration with its documentation and bounds, and the number \
        and positions of facts and rules. Call it before you write a rule.",
    arguments: PREDICATES_ARGUMENTS,
    command: predicates_command,
    answer: predicates_answer,
};

const PREDICATES_ARGUMENTS: &[Argument] = &[
    PATHS,
    optional(
        "of",
        Kind::Word,
        "A predicate, `name` or `name/arity`. Limits the list to this predicate, its dependencies and its dependents.",
    ),
    ANYWAY,
    CURSOR,
];

fn predicates_command(arguments: &Arguments, folders: &Folders) -> Result<ToolCommand, String> {
    let command = ToolCommand::new(&["graph", "--format=json"])
        .flag("anyway", arguments.flag("anyway"))
        .option("of", arguments.text("of"));
    command.values().paths(arguments.texts("paths"), folders)
}

fn predicates_answer(output: &str, arguments: &Arguments) -> Result<Value, String> {
    let mut answer = document(output)?;
    for program in answer["programs"].as_array_mut().into_iter().flatten() {
        if let Value::Object(members) = program {
            members.retain(|name, _| matches!(name.as_str(), "name" | "predicates"));
        }
    }
    page(answer, "programs/*/predicates", arguments)
}
