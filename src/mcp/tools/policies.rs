//! Tools for policies: checks, rules, predicates, queries, tests and verification.

use serde_json::{Value, json};

use super::{
    ANYWAY, COMPARE_ENGINE, COMPARE_RUNTIME, ENGINE, PATHS, READING, RUNTIME, Tool, ToolCommand, document,
    is_comparison, lines, page,
};
use crate::mcp::arguments::{Argument, Arguments, CURSOR, Folders, Kind, optional, required};

/// `check`: findings with their fixes. Runs `mangle-ls check --format json`.
pub(super) static CHECK: Tool = Tool {
    name: "check",
    title: "Check policies and transcripts",
    description: "Lints Mangle policies, agent transcripts and mangle-ls.toml: files, folders, or unsaved text (`path` and \
        `text`). A finding has its position, rule, severity, message, notes and help. If it has a fix, the fix has edits \
        (byte ranges with the new text) and its `applicability`, for example `safe`. Apply the edits of one fix from the \
        last to the first, then check again. With `compare_engine` or `compare_runtime`, the answer has `changes` instead of \
        `findings`: the differences between two versions.",
    arguments: CHECK_ARGUMENTS,
    command: check_command,
    answer: check_answer,
};

const CHECK_ARGUMENTS: &[Argument] = &[
    PATHS,
    optional(
        "path",
        Kind::Word,
        "One file to check. With `text`, the path of this text; the file does not need to exist.",
    ),
    optional("text", Kind::Text, "The whole text of the file `path`. It replaces the text on disk."),
    optional(
        "evaluate",
        Kind::Flag,
        "Also evaluate the programs with their samples, and report evaluation errors and exceeded limits.",
    ),
    optional(
        "verify",
        Kind::Flag,
        "Also check the properties of test files in every small world. This takes longer.",
    ),
    ENGINE,
    RUNTIME,
    COMPARE_ENGINE,
    COMPARE_RUNTIME,
    ANYWAY,
    CURSOR,
];

fn check_command(arguments: &Arguments, folders: &Folders) -> Result<ToolCommand, String> {
    let path = arguments.text("path");
    let command = ToolCommand::new(&["check", "--format=json"])
        .versions(arguments)
        .compared_versions(arguments)
        .flag("anyway", arguments.flag("anyway"))
        .flag("evaluate", arguments.flag("evaluate"))
        .flag("verify", arguments.flag("verify"))
        .values();
    let mut command = command.paths(arguments.texts("paths").chain(path), folders)?;
    match (path, arguments.text("text")) {
        (Some(path), Some(text)) => command.texts.push((folders.resolve(path)?, text.into())),
        (None, Some(_)) => return Err("`text` needs `path`, the path of this text".into()),
        (_, None) => {}
    }
    Ok(command)
}

fn check_answer(output: &str, arguments: &Arguments) -> Result<Value, String> {
    let mut findings = lines(output)?;
    let last = findings.pop().unwrap_or_default();
    let list = if is_comparison(arguments) { "changes" } else { "findings" };
    page(json!({ list: findings, "summary": last["summary"] }), list, arguments)
}

/// `explain_rule`: the page of a rule. Runs `mangle-ls explain --format json`.
pub(super) static EXPLAIN_RULE: Tool = Tool {
    name: "explain_rule",
    title: "Explain a rule",
    description: "Explains a rule of `check`: the problem, its consequences, and examples of a wrong and a correct program.",
    arguments: EXPLAIN_RULE_ARGUMENTS,
    command: explain_rule_command,
    answer: explain_rule_answer,
};

const EXPLAIN_RULE_ARGUMENTS: &[Argument] = &[required(
    "rule",
    Kind::Word,
    "The code or the name of the rule, for example `MG210` or `negation-wildcard`.",
)];

fn explain_rule_command(arguments: &Arguments, _: &Folders) -> Result<ToolCommand, String> {
    Ok(ToolCommand::new(&["explain", "--format=json"])
        .values()
        .word(arguments.text("rule").unwrap_or_default()))
}

fn explain_rule_answer(output: &str, _: &Arguments) -> Result<Value, String> {
    Ok(json!({ "rule": document(output)?[0] }))
}

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
