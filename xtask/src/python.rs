//! The Python package: built, its types checked, and its tests run against the program. `cargo xtask test --python` has Spark and Ray as
//! well, whose downloads are large.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::editors::drive::{check, limited_to};
use crate::editors::{build_server, install};
use crate::tally::Tally;

/// What cargo calls the native part: it is built by maturin, for an interpreter.
pub(crate) const CRATE: &str = "mangle-ls-python";

/// Seconds that the tests may take.
const SECONDS: u32 = 900;

/// Builds the package and runs its tests; `all`: those with Spark and Ray, too.
pub(crate) fn run(all: bool) -> Result<Tally> {
    let server = build_server()?;
    Tally::with("the Python package", install::package_tools(all), |tools| {
        let folder = crate::root().join("python");
        build(&tools, &folder)?;
        let mut types = limited_to(SECONDS, &tools.join("mypy"));
        let mut tally = check("types of the Python package", types.current_dir(&folder))?;
        let mut tests = limited_to(SECONDS, &tools.join("pytest"));
        tests.args(["--tap", "-p", "no:cacheprovider"]).current_dir(folder.join("tests"));
        if !all {
            tests.args(["-k", "not Spark and not Ray"]);
        }
        tests.env("PYTHONPATH", folder.join("package")).env("MANGLE_LS", server);
        tally.add(check("the Python package", &mut tests)?);
        Ok(tally)
    })
}

/// Builds the native part beside the Python files.
fn build(tools: &Path, folder: &Path) -> Result<()> {
    let mut maturin = Command::new(tools.join("maturin"));
    maturin.args(["develop", "--skip-install", "--quiet"]).current_dir(folder);
    maturin.env("VIRTUAL_ENV", tools.join(".."));
    ensure!(maturin.status()?.success(), "the native part of the Python package does not build");
    Ok(())
}
