//! Tool.

use serde_json::{Value, json};

use super::{Tool, ToolCommand, document};
use crate::mcp::arguments::{Argument, Arguments, Kind, required};
use crate::mcp::folders::Folders;

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
