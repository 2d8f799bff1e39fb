//! `cargo xtask editors`: the clients are built and driven in the real programs.
//!
//! A machine that cannot install an editor skips it, loudly. Screenshots are left in `target/editors`.

pub(crate) mod install;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::tally::Tally;
use install::with_tools;

/// Seconds that one check may take before it is ended; a warm run of all takes half of it.
const LIMIT: &str = "240";

/// Builds the server, then tries every editor, also after one has failed.
pub(crate) fn run() -> Result<Tally> {
    let server = build_server()?;
    let mut tally = Tally::default();
    let tools = match install::python_tools() {
        Ok(tools) => tools,
        Err(error) => return Ok(Tally::skip(format!("all editors: {error:#}"))),
    };
    tally.add(neovim("neovim-0.11", Ok(tools.join("nvim")), &server)?);
    tally.add(neovim("neovim-0.10", install::old_neovim(), &server)?);
    tally.add(extension(&tools)?);
    tally.add(vscode(&tools, &server)?);
    Ok(tally)
}

/// Builds the server; gives the program.
pub(crate) fn build_server() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status =
        Command::new(cargo).args(["build", "--bin", "mangle-ls"]).current_dir(crate::root()).status()?;
    ensure!(status.success(), "the server does not build");
    Ok(std::env::current_exe()?.with_file_name("mangle-ls"))
}

/// Neovim with nothing but our plugin, at home in an empty folder.
fn neovim(name: &str, program: Result<PathBuf>, server: &Path) -> Result<Tally> {
    let program = match program {
        Ok(program) => program,
        Err(error) => return Ok(Tally::skip(format!("{name}: {error:#}"))),
    };
    let output = output_folder(name)?;
    let mut command = limited(&program);
    for variable in ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env(variable, output.join("home"));
    }
    command
        .env("MANGLE_LS", server)
        .args(["--headless", "-u"])
        .arg(crate::root().join("editors/neovim/test/smoke.lua"));
    check(name, command.arg(output.join("incident/constitution.mg")))
}

/// The extension by itself: types, bundle, package, unit tests, colours.
fn extension(tools: &Path) -> Result<Tally> {
    let folder = crate::root().join("editors/vscode");
    if let Err(error) = install::extension_packages(tools, &folder) {
        return Ok(Tally::skip(format!("the VS Code extension: {error:#}")));
    }
    let mut tally = Tally::default();
    for script in ["package", "test", "test:grammar"] {
        let mut npm = with_tools(limited(&tools.join("npm")), tools);
        tally.add(check(
            &format!("VS Code extension: {script}"),
            npm.args(["run", "--silent", script]).current_dir(&folder),
        )?);
    }
    Ok(tally)
}

/// VS Code with the packaged extension.
fn vscode(tools: &Path, server: &Path) -> Result<Tally> {
    let folder = crate::root().join("editors/vscode");
    let package = folder.join("dist/mangle-ls.vsix");
    let code_server = match install::code_server(tools) {
        Ok(program) => program,
        Err(error) => return Ok(Tally::skip(format!("VS Code: {error:#}"))),
    };
    let output = output_folder("vscode")?;
    let mut node = with_tools(limited(&tools.join("node")), tools);
    node.arg(folder.join("test/smoke.mjs")).arg(code_server).arg(server).arg(package);
    check("VS Code", node.arg(output.join("incident")).arg(output))
}

/// An empty folder under `target/editors` with a copy of the incident, which the editor may change.
fn output_folder(name: &str) -> Result<PathBuf> {
    let output = crate::root().join("target/editors").join(name);
    if output.exists() {
        fs::remove_dir_all(&output)?;
    }
    let program = output.join("incident");
    fs::create_dir_all(&program)?;
    for entry in fs::read_dir(crate::root().join("examples/incident"))? {
        let entry = entry?;
        fs::copy(entry.path(), program.join(entry.file_name()))?;
    }
    Ok(output)
}

/// A command that is ended when it hangs, with what it has started.
pub(crate) fn limited(program: &Path) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", LIMIT]).arg(program);
    command
}

/// Runs one test program. Lines `ok …` and `not ok …` of its output are counted (the Test Anything
/// Protocol); without any, its exit status is the one check.
pub(crate) fn check(name: &str, command: &mut Command) -> Result<Tally> {
    println!("--- {name}");
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().with_context(|| name.to_owned())?;
    let mut tally = Tally::default();
    for line in BufReader::new(child.stdout.take().context("no output")?).lines() {
        let line = line?;
        println!("{line}");
        if let Some(passed) = verdict(&line) {
            tally.add(Tally::one(passed));
        }
    }
    let success = child.wait()?.success();
    let silent = tally == Tally::default();
    if silent || (!success && tally.failed == 0) {
        println!("{} - {name}", if success { "ok" } else { "not ok" });
        tally.add(Tally::one(success));
    }
    Ok(tally)
}

fn verdict(line: &str) -> Option<bool> {
    match line.split_whitespace().next()? {
        "ok" if line.starts_with("ok") => Some(true),
        "not" if line.starts_with("not ok ") => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::verdict;

    #[test]
    fn reads_verdicts() {
        assert_eq!(verdict("ok 1 - opens"), Some(true));
        assert_eq!(verdict("not ok - opens: in vain"), Some(false));
        assert_eq!(verdict("    ok 2 - part of another"), None);
        assert_eq!(verdict("nothing"), None);
    }

    #[test]
    fn the_lock_file_names_no_registry() {
        let lock = include_str!("../../editors/vscode/package-lock.json");
        assert!(!lock.contains("\"resolved\""), "npm wrote addresses: is editors/vscode/.npmrc in use?");
    }
}
