//! The VS Code extension: by itself, and in the real program.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use super::drive::{check, limited, limited_to};
use super::install::{self, with_tools};
use super::{emptied, output_folder};
use crate::tally::Tally;

/// Seconds that all scenarios may take together; each has a limit of its own.
const LIMIT: u32 = 1500;

/// Both, with a server that is built already.
pub(super) fn run(server: &Path) -> Result<Tally> {
    Tally::with("VS Code and its extension", install::python_tools(), |tools| {
        let mut tally = extension(&tools)?;
        tally.add(editor(&tools, server)?);
        Ok(tally)
    })
}

/// The extension by itself: types, bundle, package, unit tests, colours.
fn extension(tools: &Path) -> Result<Tally> {
    let folder = crate::root().join("editors/vscode");
    Tally::with("the VS Code extension", install::npm_packages(tools, &folder), |()| {
        let mut tally = Tally::default();
        for script in ["package", "test", "test:grammar"] {
            let mut npm = with_tools(limited(&tools.join("npm")), tools);
            npm.args(["run", "--silent", script]).current_dir(&folder);
            tally.add(check(&format!("VS Code extension: {script}"), &mut npm)?);
        }
        Ok(tally)
    })
}

/// VS Code with the packaged extension.
fn editor(tools: &Path, server: &Path) -> Result<Tally> {
    let folder = crate::root().join("editors/vscode");
    let package = folder.join("dist/mangle-ls.vsix");
    Tally::with("VS Code", install::code_server(tools), |code_server| {
        let output = output_folder("vscode")?;
        let mut node = with_tools(limited_to(LIMIT, &tools.join("node")), tools);
        node.arg(folder.join("test/e2e/run.mjs")).arg(code_server).arg(server).arg(package);
        check("VS Code", node.arg(output))
    })
}

/// The extension as VS Code for the Web runs it, with the module that was built already.
pub(crate) fn web(tools: &Path) -> Result<Tally> {
    let folder = crate::root().join("editors/vscode");
    Tally::with("the VS Code extension for the Web", install::npm_packages(tools, &folder), |()| {
        let mut npm = with_tools(limited(&tools.join("npm")), tools);
        let status = npm.args(["run", "--silent", "package"]).current_dir(&folder).status()?;
        ensure!(status.success(), "the extension cannot be packaged");
        Tally::with("VS Code for the Web", install::code_server(tools), |code_server| {
            let mut node = with_tools(limited_to(LIMIT, &tools.join("node")), tools);
            // In place of the program there is nothing: it must not be wanted.
            node.arg(folder.join("test/e2e/web.mjs")).arg(code_server).arg(folder.join("no-such-program"));
            check(
                "VS Code for the Web",
                node.arg(folder.join("dist/mangle-ls.vsix")).arg(emptied("vscode-web")?),
            )
        })
    })
}

/// Takes the pictures that are named, without names all, with a server that is built already. Gives the folder with them.
pub(crate) fn take_pictures(server: &Path, named: &[String]) -> Result<PathBuf> {
    let tools = install::python_tools()?;
    let folder = crate::root().join("editors/vscode");
    install::npm_packages(&tools, &folder)?;
    let mut npm = with_tools(limited(&tools.join("npm")), &tools);
    let status = npm.args(["run", "--silent", "package"]).current_dir(&folder).status()?;
    ensure!(status.success(), "the extension cannot be packaged");
    let output = emptied("pictures")?;
    let mut node = with_tools(limited_to(LIMIT, &tools.join("node")), &tools);
    node.arg(folder.join("test/e2e/pictures.mjs")).arg(install::code_server(&tools)?).arg(server);
    let status = node.arg(folder.join("dist/mangle-ls.vsix")).arg(&output).args(named).status()?;
    ensure!(status.success(), "a picture cannot be taken");
    Ok(output)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_lock_file_names_no_registry() {
        let lock = include_str!("../../../editors/vscode/package-lock.json");
        assert!(!lock.contains("\"resolved\""), "npm wrote addresses: is editors/vscode/.npmrc in use?");
    }
}
