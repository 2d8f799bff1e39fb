//! Tool.

use serde_json::{Value, json};

use super::{ANYWAY, ENGINE, PATHS, RUNTIME, Tool, ToolCommand, document, page};
use crate::mcp::arguments::{Argument, Arguments, CURSOR, Kind, optional, required};
use crate::mcp::folders::Folders;

/// `query`: derived facts with proofs, and explanations of missing facts. Runs
/// `mangle-ls query --format json`.
pub(super) static QUERY: Tool = Tool {
    name: "query",
    title: "Query a program",
    description: "Evaluates the programs and returns the facts that match an atom. With `why`, each fact has a proof. With \
        `why_not`, the answer lists the missing premises of each rule if no fact matches. If the evaluation reaches a limit, \
        the answer has `stopped`.",
    arguments: QUERY_ARGUMENTS,
    command: query_command,
    answer: query_answer,
};

const QUERY_ARGUMENTS: &[Argument] = &[
    required(
        "atom",
        Kind::Word,
        "The atom, for example `permitted(/deploy, X, _)`. Variables begin with a capital letter. Variables and `_` match \
         every value.",
    ),
    PATHS,
    optional(
        "facts",
        Kind::Words,
        "Files with additional facts: `.mg`, `.gl`, `.csv`, `.jsonl` or `.ndjson`.",
    ),
    optional("why", Kind::Flag, "Add a proof to each fact."),
    optional("why_not", Kind::Flag, "If no fact matches, list the missing premises of each rule."),
    optional(
        "depth",
        Kind::Number(1, 20),
        "With `why_not`, the number of levels of rules to explain. Default: 5.",
    ),
    optional(
        "reading",
        Kind::Choice(&["engine", "intended", "both"]),
        "`engine` (default): evaluate the program as the engine does, including the parts that it ignores. `intended`: \
         evaluate every negation, as the author intended. `both`: evaluate both, one after the other.",
    ),
    optional("now", Kind::Word, "The time of the evaluation, for example `2026-01-31T12:00:00Z`."),
    ENGINE,
    RUNTIME,
    ANYWAY,
    CURSOR,
];

fn query_command(arguments: &Arguments, folders: &Folders) -> Result<ToolCommand, String> {
    let mut command = ToolCommand::new(&["query", "--format=json"])
        .versions(arguments)
        .flag("anyway", arguments.flag("anyway"))
        .flag("why", arguments.flag("why"))
        .flag("why-not", arguments.flag("why_not"))
        .option("depth", arguments.number("depth"))
        .option("reading", arguments.text("reading"))
        .option("now", arguments.text("now"));
    for file in arguments.texts("facts") {
        command = command.file("facts", Some(file), folders)?;
    }
    let atom = arguments.text("atom").unwrap_or_default();
    command.values().word(atom).paths(arguments.texts("paths"), folders)
}

fn query_answer(output: &str, arguments: &Arguments) -> Result<Value, String> {
    page(json!({ "answers": document(output)? }), "answers/*/facts|proofs|others", arguments)
}
