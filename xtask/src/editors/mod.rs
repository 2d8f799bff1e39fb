//! The clients, built and driven in the real programs. Each editor is a file here and a step of `cargo xtask test --all`.
//!
//! A machine that cannot install an editor skips it, loudly. What they showed is left in `target/editors`.

pub(crate) mod drive;
mod emacs;
mod helix;
pub(crate) mod install;
mod neovim;
pub(crate) mod vscode;
mod zed;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::tally::Tally;

/// An editor with a client.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Editor {
    Neovim,
    Emacs,
    Helix,
    Zed,
    Vscode,
}

/// Builds the server, then drives an editor.
pub(crate) fn run(editor: Editor) -> Result<Tally> {
    let server = build_server()?;
    match editor {
        Editor::Neovim => neovim::run(&server),
        Editor::Emacs => emacs::run(&server),
        Editor::Helix => helix::run(&server),
        Editor::Zed => zed::run(),
        Editor::Vscode => vscode::run(&server),
    }
}

/// Builds the server; gives the program. It is built for a test of the workspace: so its dependencies have the features that
/// they have in the tests, and nothing is compiled twice.
pub(crate) fn build_server() -> Result<PathBuf> {
    let test = ["test", "--workspace", "--quiet", "--no-run", "--test", "complexity"];
    let status = crate::cargo().args(test).status()?;
    ensure!(status.success(), "the server does not build");
    Ok(std::env::current_exe()?.with_file_name("mangle-ls"))
}

/// An empty folder under `target/editors` with a copy of the incident, which the editor may change.
fn output_folder(name: &str) -> Result<PathBuf> {
    let output = emptied(name)?;
    copy(&crate::root().join("examples/incident"), &output.join("incident"))?;
    Ok(output)
}

/// A copy of all examples, which the editor may change, in an otherwise empty folder under `target/editors`.
fn examples_folder(name: &str) -> Result<PathBuf> {
    let examples = emptied(name)?.join("examples");
    copy(&crate::root().join("examples"), &examples)?;
    Ok(examples)
}

fn emptied(name: &str) -> Result<PathBuf> {
    let output = crate::root().join("target/editors").join(name);
    if output.exists() {
        fs::remove_dir_all(&output)?;
    }
    fs::create_dir_all(&output)?;
    Ok(output)
}

/// Copies a folder.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// The test programs of an editor, by subject: what lies in its folder `test` and ends so, but for the harness.
fn subjects(editor: &str, extension: &str) -> Result<Vec<(String, PathBuf)>> {
    let folder = crate::root().join("editors").join(editor).join("test");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let subject = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|found| found == extension) && subject != "harness" {
            found.push((subject, path));
        }
    }
    found.sort();
    Ok(found)
}
