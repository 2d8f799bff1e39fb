//! `cargo xtask screenshots`: takes the pictures of the documentation in the real VS Code, in a light and a dark theme, and
//! puts them into `docs/images`.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use crate::editors;
use crate::editors::install;

/// Makes small pictures of screenshots, and animations of their frames.
const FINISH: &str = include_str!("finish.py");

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only these, files in editors/vscode/test/e2e/pictures
    pictures: Vec<String>,
}

/// Takes them with a server and an extension that are built for it.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let server = editors::build_server()?;
    let taken = editors::vscode::take_pictures(&server, &options.pictures)?;
    let images = root.join("docs/images");
    fs::create_dir_all(&images)?;
    let python = install::pillow()?.join("python");
    let status = Command::new(python).args(["-c", FINISH]).args([&taken, &images]).status();
    ensure!(status.context("cannot start Python")?.success(), "the pictures cannot be made small");
    Ok(ExitCode::SUCCESS)
}
