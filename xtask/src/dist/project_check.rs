//! Facts that several files of the project repeat: they are the same everywhere. The crates can be published.

use std::fs;

use anyhow::{Context, Result, ensure};

use super::project::Project;
use super::{checked, crates};
use crate::tally::Tally;

/// Files with the version, and the line that has it.
const VERSIONS: &[(&str, &str)] = &[
    ("python/Cargo.toml", "version = \"{}\""),
    ("editors/zed/Cargo.toml", "version = \"{}\""),
    ("editors/zed/extension.toml", "version = \"{}\""),
    ("editors/vscode/package.json", "  \"version\": \"{}\","),
    ("tree-sitter-mangle/package.json", "  \"version\": \"{}\","),
    ("tree-sitter-mangle/tree-sitter.json", "    \"version\": \"{}\","),
];

pub(super) fn check_project(project: &Project) -> Result<Tally> {
    let mut tally =
        checked("every file has the version of Cargo.toml", || repeated(VERSIONS, &project.version));
    tally.add(checked("the crates have the metadata of a publication", || crates::metadata(project)));
    tally.add(checked("cargo packages the crates (without compiling them)", || crates::packages(project)));
    Ok(tally)
}

fn repeated(files: &[(&str, &str)], value: &str) -> Result<()> {
    for (file, pattern) in files {
        let text =
            fs::read_to_string(crate::root().join(file)).with_context(|| format!("cannot read {file}"))?;
        let wanted = pattern.replace("{}", value);
        ensure!(text.lines().any(|line| line == wanted), "{file} lacks the line {}", wanted.trim());
    }
    Ok(())
}
