//! `cargo xtask test --step python`: the Python package, built, its types checked, and its tests run against the program. Its engines are
//! large, so they are in the cache of the other tools.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use crate::editors::drive::{check, limited_to};
use crate::editors::{build_server, install};
use crate::tally::Tally;

/// Seconds that the tests may take.
const SECONDS: u32 = 900;

/// Builds the package and runs its tests.
pub(crate) fn run() -> Result<Tally> {
    let server = build_server()?;
    Tally::with("the Python package", install::package_tools(), |tools| {
        let folder = crate::root().join("python");
        build(&tools, &folder)?;
        let mut lints = crate::cargo();
        lints.args(["clippy", "--quiet", "--target-dir"]).arg(target()).args(["--", "-D", "warnings"]);
        let lints = lints.current_dir(&folder).env("PYO3_PYTHON", tools.join("python")).status()?;
        let mut types = limited_to(SECONDS, &tools.join("mypy"));
        let mut tally = Tally::one("lints of the Python package", lints.success());
        tally.add(check("types of the Python package", types.current_dir(&folder))?);
        let mut tests = limited_to(SECONDS, &tools.join("pytest"));
        tests.args(["-q", "-p", "no:cacheprovider"]).current_dir(folder.join("tests"));
        tests.env("PYTHONPATH", folder.join("package")).env("MANGLE_LS", server);
        tally.add(check("the Python package", &mut tests)?);
        Ok(tally)
    })
}

/// Builds the native part beside the Python files.
fn build(tools: &Path, folder: &Path) -> Result<()> {
    let mut maturin = Command::new(tools.join("maturin"));
    maturin.args(["develop", "--skip-install", "--quiet", "--target-dir"]).arg(target()).current_dir(folder);
    maturin.env("VIRTUAL_ENV", tools.join(".."));
    ensure!(maturin.status()?.success(), "the native part of the Python package does not build");
    Ok(())
}

/// Its libraries are built for themselves: the rest of the repository has other features.
pub(crate) fn target() -> PathBuf {
    crate::root().join("target/python")
}
