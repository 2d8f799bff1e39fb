//! The files that differ from the branch `main`.

use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Paths relative to the root: committed since `main`, changed in the working tree, or new.
pub(super) fn files() -> Result<Vec<String>> {
    let base = git(&["merge-base", "HEAD", "main"]).or_else(|_| git(&["rev-parse", "HEAD"]))?;
    let mut files = lines(&git(&["diff", "--name-only", base.trim()])?);
    files.extend(lines(&git(&["ls-files", "--others", "--exclude-standard"])?));
    Ok(files)
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

fn git(arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").args(arguments).current_dir(crate::root()).output();
    let output = output.context("cannot start git")?;
    ensure!(
        output.status.success(),
        "git {}: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
