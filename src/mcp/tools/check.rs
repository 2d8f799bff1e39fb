//! Tool.

use serde_json::{Value, json};

use super::{
    ANYWAY, COMPARE_ENGINE, COMPARE_RUNTIME, ENGINE, PATHS, RUNTIME, Tool, ToolCommand, is_comparison, lines,
    page,
};
use crate::mcp::arguments::{Argument, Arguments, CURSOR, Kind, optional};
use crate::mcp::folders::Folders;

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
