//! `install.sh`, run against the folder of the archives of this machine.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};

use super::project::Project;
use super::{absent, archive_name_here, checked, output};
use crate::editors::install;
use crate::tally::Tally;

pub(super) fn check_installer(project: &Project, archives: &Path) -> Result<Tally> {
    if !cfg!(unix) {
        return Ok(absent("install.sh: needs a shell"));
    }
    let lint = Tally::with("lints of install.sh", install::shellcheck(), |()| {
        Ok(checked("shellcheck finds nothing in install.sh", || {
            output(Command::new("shellcheck").arg(crate::root().join("install.sh"))).map(drop)
        }))
    });
    let mut tally = lint?;
    if !archives.join(archive_name_here(project)?).is_file() {
        tally.add(absent("install.sh: there is no archive for this machine"));
        return Ok(tally);
    }
    tally.add(checked("install.sh installs the program of the newest version", || installs(archives, &[])));
    tally.add(checked("install.sh installs the program of a version", || {
        installs(archives, &[project.version.as_str()])
    }));
    tally.add(checked("install.sh refuses a version that the release does not have", || {
        refuses(archives, &["9.9.9"], "not 9.9.9")
    }));
    tally.add(checked("install.sh refuses an archive with another checksum", || {
        let folder = tempfile::tempdir()?;
        crate::editors::copy(archives, folder.path())?;
        let archive = folder.path().join(archive_name_here(project)?);
        let mut bytes = fs::read(&archive)?;
        bytes.push(0);
        fs::write(&archive, bytes)?;
        refuses(folder.path(), &[], "SHA-256")
    }));
    tally.add(checked("install.sh reports a folder without a release", || {
        let folder = tempfile::tempdir()?;
        refuses(folder.path(), &[], "cannot download")
    }));
    Ok(tally)
}

/// Runs the script for a new folder of programs, without the variables of this shell.
fn run(archives: &Path, to: &Path, arguments: &[&str]) -> Result<Output> {
    let mut sh = Command::new("sh");
    sh.arg(crate::root().join("install.sh")).args(arguments).env_clear();
    sh.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    sh.env("MANGLE_LS_INSTALL_DIR", to);
    sh.env("MANGLE_LS_DOWNLOAD_URL", format!("file://{}", archives.display()));
    sh.output().context("cannot start sh")
}

fn installs(archives: &Path, arguments: &[&str]) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let bin = folder.path().join("new/bin");
    // Twice, because the second run replaces the program.
    for _ in 0..2 {
        let result = run(archives, &bin, arguments)?;
        ensure!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
    }
    let names: Vec<_> = fs::read_dir(&bin)?.collect::<Result<_, _>>()?;
    ensure!(names.len() == 1, "the folder has {} files", names.len());
    super::check::finds_a_fault(&bin.join("mangle-ls"), folder.path())
}

fn refuses(archives: &Path, arguments: &[&str], reason: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let bin = folder.path().join("bin");
    let result = run(archives, &bin, arguments)?;
    let message = String::from_utf8_lossy(&result.stderr);
    ensure!(!result.status.success(), "the script succeeded");
    ensure!(message.contains(reason), "the message is {message:?}");
    ensure!(!bin.exists(), "the script installed something");
    Ok(())
}
