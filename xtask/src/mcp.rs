//! `cargo xtask mcp`: the official inspector of the Model Context Protocol lists and calls every tool of `mangle-ls mcp`.

use std::process::{Command, Output};

use anyhow::{Context, Result};

use crate::editors::{build_server, install};
use crate::tally::Tally;

/// The folder that the server gets.
const FOLDER: &str = "examples";

/// Each tool with arguments that suit the examples.
const CALLS: &[(&str, &[&str])] = &[
    ("check", &["path=incident/routing.mg"]),
    ("explain_rule", &["rule=MG210"]),
    ("predicates", &["paths=[\"starter\"]"]),
    ("query", &["atom=permitted(X, Y, Z)", "paths=[\"starter\"]", "why=true"]),
    ("test", &["paths=[\"starter\"]"]),
    ("verify", &["paths=[\"silent-errors\"]", "scope=1"]),
    ("parse", &["path=jailbreak/session.piggyback.jsonl"]),
    ("replay", &["path=jailbreak/session.piggyback.jsonl", "policy=[\"guardian\"]", "turn=2"]),
    ("repair", &["path=jailbreak/session.piggyback.jsonl"]),
    ("preview", &["path=prompts/fix-auth.kernel.mg"]),
    ("schema", &["paths=[\"guardian\"]", "target=gbnf"]),
];

/// Builds the server and runs the inspector.
pub(crate) fn run() -> Result<Tally> {
    let server = build_server()?;
    let installed = install::python_tools().and_then(|tools| Ok((install::inspector(&tools)?, tools)));
    Tally::with("the inspector of the Model Context Protocol", installed, |(inspector, tools)| {
        let inspect = |arguments: &[&str]| {
            let mut command = install::with_tools(Command::new(&inspector), &tools);
            command.current_dir(crate::root()).arg("--cli").arg(&server).args(["mcp", FOLDER]);
            command.args(arguments).output().context("cannot start the inspector")
        };
        let mut tally = lists(&inspect)?;
        for (tool, arguments) in CALLS {
            let arguments = arguments.iter().flat_map(|argument| ["--tool-arg", *argument]);
            let call = ["--method", "tools/call", "--tool-name", *tool].into_iter().chain(arguments);
            let output = inspect(&call.collect::<Vec<_>>())?;
            tally.add(Tally::one(format!("mcp: {tool}"), is_answer(&output)));
        }
        Ok(tally)
    })
}

/// Whether each list is given, and that of tools has those that are called and no other.
fn lists(inspect: &dyn Fn(&[&str]) -> Result<Output>) -> Result<Tally> {
    let mut tally = Tally::default();
    for method in ["resources/list", "prompts/list"] {
        let output = inspect(&["--method", method])?;
        tally.add(Tally::one(format!("mcp: {method}"), output.status.success()));
    }
    let output = inspect(&["--method", "tools/list"])?;
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let listed = listed["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str());
    let called = CALLS.iter().map(|(tool, _)| *tool);
    tally.add(Tally::one("mcp: tools/list", listed.collect::<Vec<_>>() == called.collect::<Vec<_>>()));
    Ok(tally)
}

/// Whether the inspector shows the result of a call that was no error.
fn is_answer(output: &Output) -> bool {
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    output.status.success() && shown["structuredContent"].is_object() && shown["isError"] != true
}
