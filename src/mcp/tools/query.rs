//! `query`: derived facts with proofs, and explanations of missing facts. Runs
//! `mangle-ls query --format json`.

use serde_json::{Value, json};

use super::{ANYWAY, ENGINE, PATHS, RUNTIME, Tool, ToolCommand, document, page};
use crate::mcp::arguments::{Argument, Arguments, CURSOR, Kind, optional, required};
use crate::mcp::folders::Folders;

pub(super) static TOOL: Tool = Tool {
    name: "query",
    title: "Query a program",
    description: "Evaluates the programs and gives the facts that match an atom. With `why`: a proof of each. With `why_not`: \
        where no fact matches, what each rule lacks. Evaluation has limits; where one is reached, `stopped` says so.",
    arguments: ARGUMENTS,
    command: twin,
    answer,
};

const ARGUMENTS: &[Argument] = &[
    required(
        "atom",
        Kind::Word,
        "The atom, as `permitted(/deploy, X, _)`. Variables begin with a capital letter; they and `_` match anything.",
    ),
    PATHS,
    optional("facts", Kind::Words, "Files with further facts: `.mg`, `.gl`, `.csv`, `.jsonl` or `.ndjson`."),
    optional("why", Kind::Flag, "Give for each fact what it follows from."),
    optional("why_not", Kind::Flag, "Where no fact matches, say what each rule lacks."),
    optional(
        "depth",
        Kind::Number(1, 20),
        "With `why_not`: how many levels of rules are followed down; 5 if left out.",
    ),
    optional(
        "reading",
        Kind::Choice(&["engine", "intended", "both"]),
        "`engine`: as the engine evaluates the program, including what it ignores (the default). `intended`: as the author intended \
         it, with every negation evaluated. `both`: one after the other.",
    ),
    optional("now", Kind::Word, "The time of evaluation, as `2026-01-31T12:00:00Z`."),
    ENGINE,
    RUNTIME,
    ANYWAY,
    CURSOR,
];

fn twin(arguments: &Arguments, folders: &Folders) -> Result<ToolCommand, String> {
    let mut twin = ToolCommand::new(&["query", "--format=json"])
        .versions(arguments)
        .flag("anyway", arguments.flag("anyway"))
        .flag("why", arguments.flag("why"))
        .flag("why-not", arguments.flag("why_not"))
        .option("depth", arguments.number("depth"))
        .option("reading", arguments.text("reading"))
        .option("now", arguments.text("now"));
    for file in arguments.texts("facts") {
        twin = twin.file("facts", Some(file), folders)?;
    }
    let atom = arguments.text("atom").unwrap_or_default();
    twin.values().word(atom).paths(arguments.texts("paths"), folders)
}

fn answer(output: &str, arguments: &Arguments) -> Result<Value, String> {
    page(json!({ "answers": document(output)? }), "answers/*/facts|proofs|others", arguments)
}
