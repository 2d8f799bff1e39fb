//! The extension for VS Code with the program in it: it works where nothing else was installed.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::project::Project;
use super::targets;
use crate::editors::install;

/// Platforms as rustc and as VS Code's packages call them.
const PLATFORMS: &[(&str, &str)] = &[
    ("x86_64-unknown-linux-gnu", "linux-x64"),
    ("aarch64-unknown-linux-gnu", "linux-arm64"),
    ("armv7-unknown-linux-gnueabihf", "linux-armhf"),
    ("x86_64-unknown-linux-musl", "alpine-x64"),
    ("aarch64-unknown-linux-musl", "alpine-arm64"),
    ("x86_64-apple-darwin", "darwin-x64"),
    ("aarch64-apple-darwin", "darwin-arm64"),
    ("x86_64-pc-windows-msvc", "win32-x64"),
    ("aarch64-pc-windows-msvc", "win32-arm64"),
];

/// Packages the extension with `program`, which was built for `platform`, as the file `to`.
pub(super) fn package(program: &Path, platform: &str, to: &Path) -> Result<()> {
    let (_, target) = PLATFORMS
        .iter()
        .find(|(rust, _)| *rust == platform)
        .with_context(|| format!("VS Code does not run on {platform}; --no-extension leaves it out"))?;
    pack(Some(program), target, to)
}

/// Packages the extension for a target of VS Code, with a program if the target can run one.
fn pack(program: Option<&Path>, target: &str, to: &Path) -> Result<()> {
    let tools = install::python_tools()?;
    let folder = crate::root().join("editors/vscode");
    install::npm_packages(&tools, &folder)?;
    let server = folder.join("server");
    fs::create_dir_all(&server)?;
    if let Some(program) = program {
        fs::copy(program, server.join(program.file_name().unwrap_or_default()))?;
    }
    let mut npm = install::with_tools(std::process::Command::new(tools.join("npm")), &tools);
    npm.args(["run", "--silent", "package", "--", "--target", target, "--out"]).arg(to).current_dir(&folder);
    let status = npm.status();
    // The packages that are made without it shall not have it.
    fs::remove_dir_all(&server)?;
    ensure!(status?.success(), "the extension cannot be packaged");
    Ok(())
}

/// Packages the extension with the program of each archive in a folder, and for VS Code for the Web.
pub(super) fn package_all(project: &Project, archives: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    // The tool that packages runs in another folder.
    let to = to.canonicalize()?;
    for target in targets::complete(archives, &project.version)? {
        let folder = tempfile::tempdir()?;
        let program = folder.path().join(target.program());
        let archive = target.archive_in(archives, &project.version)?;
        super::archive::extract(&archive, target.program(), &program)?;
        let name = format!("{}.vsix", targets::folder_name(&project.version, target.rust));
        package(&program, target.rust, &to.join(name))?;
    }
    // The module of WebAssembly is built last, because it would be in all packages that are made after it.
    let (_, site) = crate::playground::build()?;
    ensure!(site.is_some(), "the module of WebAssembly cannot be built on this machine");
    pack(None, "web", &to.join(format!("{}.vsix", targets::folder_name(&project.version, "web"))))
}
