//! `cargo xtask screenshots`: the pictures in the documentation are those of the last run of the editors' tests.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};

/// Where the tests leave them, and what the documentation calls them.
const PICTURES: &[(&str, &str)] = &[
    ("vscode/diagnostics.png", "vscode.png"),
    ("vscode/prompt.png", "vscode-prompt.png"),
    ("vscode/verdict-hover.png", "vscode-verdict.png"),
    ("vscode/replay.png", "vscode-replay.png"),
    ("vscode/graph.png", "vscode-graph.png"),
    ("vscode/tests.png", "vscode-tests.png"),
];

/// Copies them from `target/editors` to `docs/images`.
pub(crate) fn run(root: &Path) -> Result<ExitCode> {
    let images = root.join("docs/images");
    fs::create_dir_all(&images)?;
    for (from, to) in PICTURES {
        let taken = root.join("target/editors").join(from);
        fs::copy(&taken, images.join(to))
            .with_context(|| format!("{from} is not there; `cargo xtask test --editors` takes it"))?;
        println!("docs/images/{to}");
    }
    Ok(ExitCode::SUCCESS)
}
