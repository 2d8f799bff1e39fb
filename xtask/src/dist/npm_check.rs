//! The npm packages, made from the archives of this machine, installed without a network, and run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::project::Project;
use super::{absent, archive, archive_name_here, checked, npm, output, targets};
use crate::editors::install;
use crate::tally::Tally;

pub(super) fn check_packages(project: &Project, archives: &Path) -> Result<Tally> {
    if !cfg!(target_os = "linux") || !archives.join(archive_name_here(project)?).is_file() {
        return Ok(absent("the npm packages: need Linux, and an archive for this machine"));
    }
    Tally::with("the npm packages", install::python_tools(), |tools| {
        let folder = tempfile::tempdir()?;
        let packages = folder.path().join("packages");
        let mut tally = checked("the npm packages are made from the archives", || {
            npm::write(project, archives, &targets::present(archives, &project.version), &packages)
        });
        let installed = folder.path().join("installed");
        tally.add(checked("npm installs mangle-ls with the package of this platform", || {
            npm_installs(&tools, &packages, &installed)
        }));
        tally.add(checked("mangle-ls of npm gives the answers of the program", || {
            answers_like_the_program(project, archives, &tools, &installed)
        }));
        tally.add(checked("mangle-ls of npm without its platform reports the reason", || {
            fs::remove_dir_all(installed.join("node_modules/@mangle-ls"))?;
            let result = mangle_ls(&tools, &installed).arg("--version").output()?;
            let message = String::from_utf8_lossy(&result.stderr);
            ensure!(result.status.code() == Some(2), "the status is {}", result.status);
            ensure!(message.contains("optional dependency @mangle-ls/linux-"), "the message is {message:?}");
            Ok(())
        }));
        Ok(tally)
    })
}

/// Packs each package as for a publication, and installs the packages.
fn npm_installs(tools: &Path, packages: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    fs::write(to.join("package.json"), "{\"private\": true}\n")?;
    let mut folders = vec![packages.join("mangle-ls")];
    for entry in fs::read_dir(packages.join("platforms"))? {
        folders.push(entry?.path());
    }
    let npm = || install::with_tools(Command::new(tools.join("npm")), tools);
    let cache = to.join("cache");
    let mut packed: Vec<PathBuf> = Vec::new();
    for folder in folders {
        let mut pack = npm();
        pack.args(["pack", "--silent", "--cache"]).arg(&cache).arg("--pack-destination").arg(to).arg(&folder);
        packed.push(to.join(output(&mut pack)?.trim()));
    }
    let mut install = npm();
    install.args(["install", "--offline", "--no-audit", "--no-fund", "--cache"]).arg(&cache);
    output(install.args(packed).current_dir(to)).map(drop)
}

fn answers_like_the_program(
    project: &Project,
    archives: &Path,
    tools: &Path,
    installed: &Path,
) -> Result<()> {
    let program = installed.join("program");
    archive::extract(&archives.join(archive_name_here(project)?), "mangle-ls", &program)?;
    fs::write(installed.join("broken.mg"), "p(X) :- q(X), !r(X, _).\nq(1).\nr(1, 2).\n")?;
    for arguments in
        [&["check", "broken.mg"][..], &["query", "q(X)", "broken.mg"], &["--version"], &["chekc"]]
    {
        let expected = Command::new(&program).args(arguments).current_dir(installed).output()?;
        let actual = mangle_ls(tools, installed).args(arguments).output()?;
        ensure!(
            (actual.status.code(), &actual.stdout, &actual.stderr)
                == (expected.status.code(), &expected.stdout, &expected.stderr),
            "{arguments:?} gives {} and {:?}",
            actual.status,
            String::from_utf8_lossy(&actual.stdout)
        );
    }
    let found = mangle_ls(tools, installed).args(["check", "broken.mg"]).output()?;
    let text = String::from_utf8(found.stdout).context("the output is not UTF-8")?;
    ensure!(found.status.code() == Some(1) && text.contains("negation-wildcard"), "the output is {text:?}");
    Ok(())
}

/// The command that npm installed.
fn mangle_ls(tools: &Path, installed: &Path) -> Command {
    let mut command = install::with_tools(Command::new(installed.join("node_modules/.bin/mangle-ls")), tools);
    command.current_dir(installed);
    command
}
