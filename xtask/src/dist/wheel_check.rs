//! The wheels, installed without a network into environments that are empty, by every Python that this machine has.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::output;
use crate::tally::Tally;

/// The Pythons that are tried, and those of them that the library is for.
const PYTHONS: &[(&str, bool)] = &[
    ("python3.10", false),
    ("python3.11", true),
    ("python3.12", true),
    ("python3.13", true),
    ("python3.14", true),
];

/// What a wheel may weigh, in bytes.
const MOST: u64 = 12_000_000;

/// What the library is asked: the policy has one answer, which comes as a record batch.
const SCRIPT: &str = "
import mangle_ls
policy = mangle_ls.Policy('good.mg')
rows = policy.query('p(X)').to_pylist()
assert rows == [{'X': '1'}], rows
";

/// Tries the wheels with each Python. One that this machine does not have is skipped.
pub(super) fn check_wheels(wheels: &[PathBuf]) -> Result<Tally> {
    let mut tally = Tally::default();
    for wheel in wheels {
        let size = std::fs::metadata(wheel)?.len();
        tally.add(Tally::one(format!("{} weighs {size} bytes", wheel.display()), size <= MOST));
    }
    let folder = wheels.first().and_then(|wheel| wheel.parent()).context("no wheel was made")?;
    // The library is one wheel for all versions; other systems than Linux get only the program.
    let is_library = |wheel: &PathBuf| wheel.to_string_lossy().contains("-abi3-");
    let with_library = wheels.iter().any(is_library);
    for (python, has_library) in PYTHONS {
        let what = format!("the wheels with {python}");
        if output(Command::new(python).arg("--version")).is_err() {
            tally.add(Tally { absent: vec![format!("{what}: there is no {python}")], ..Tally::default() });
            continue;
        }
        let tried = try_one(python, *has_library && with_library, folder);
        match &tried {
            Ok(()) => println!("ok - {what}"),
            Err(error) => println!("not ok - {what}: {error:#}"),
        }
        tally.add(Tally::one(what, tried.is_ok()));
    }
    Ok(tally)
}

fn try_one(python: &str, has_library: bool, wheels: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (at, environment) = (folder.path(), folder.path().join("environment"));
    output(Command::new(python).args(["-m", "venv"]).arg(&environment))?;
    let bin = environment.join("bin");
    let pip = || {
        let mut pip = Command::new(bin.join("pip"));
        pip.args(["install", "--quiet", "--disable-pip-version-check", "--find-links"]).arg(wheels);
        pip
    };
    output(pip().args(["--no-index", "mangle-ls"]))?;
    super::check::finds_a_fault(&bin.join("mangle-ls"), at)?;
    if has_library {
        // Only what is not ours comes from elsewhere.
        output(pip().arg("pyarrow"))?;
        std::fs::write(at.join("good.mg"), "p(1).\n")?;
        output(Command::new(bin.join("python")).args(["-c", SCRIPT]).current_dir(at))?;
    }
    Ok(())
}
