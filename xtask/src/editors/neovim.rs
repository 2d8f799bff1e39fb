//! Neovim, newest and oldest that the plugin is for. Each file of `editors/neovim/test` but the harness is the `init.lua` of one.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::drive::{check, limited};
use super::{examples_folder, install, subjects};
use crate::tally::Tally;

/// Both versions.
pub(super) fn run(server: &Path) -> Result<Tally> {
    let mut tally = version("neovim-0.11", install::python_tools().map(|tools| tools.join("nvim")), server)?;
    tally.add(version("neovim-0.10", install::debian_13().map(|folder| folder.join("nvim")), server)?);
    tally.add(terminal(server)?);
    Ok(tally)
}

/// What a person sees: the newer one in a terminal of tmux, installed as its README says.
fn terminal(server: &Path) -> Result<Tally> {
    let programs = install::python_tools().and_then(|tools| Ok((tools, install::debian_13()?)));
    Tally::with("Neovim in a terminal", programs, |(tools, debian)| {
        let examples = examples_folder("neovim-0.11/terminal")?;
        let mut command = limited("sh".as_ref());
        command.arg(crate::root().join("editors/neovim/test/screen.sh"));
        command.arg(crate::root()).arg(examples.with_file_name(""));
        command.env("NVIM", tools.join("nvim")).env("TMUX_PROGRAM", debian.join("tmux"));
        check("neovim-0.11/terminal", command.env("MANGLE_LS", server))
    })
}

fn version(name: &str, program: Result<PathBuf>, server: &Path) -> Result<Tally> {
    Tally::with(name, program, |program| {
        let mut tally = Tally::default();
        for (subject, test) in subjects("neovim", "lua")? {
            tally.add(subject_of(&format!("{name}/{subject}"), &program, &test, server)?);
        }
        Ok(tally)
    })
}

/// Neovim with nothing but our plugin, at home in an empty folder, beside a copy of the examples.
fn subject_of(name: &str, program: &Path, test: &Path, server: &Path) -> Result<Tally> {
    let examples = examples_folder(name)?;
    let home = examples.with_file_name("home");
    let mut command = limited(program);
    for variable in ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env(variable, &home);
    }
    command.env("MANGLE_LS", server).args(["--headless", "-u"]).arg(test).current_dir(examples);
    check(name, &mut command)
}
