//! The program with all targets: built with coverage counters by the stable toolchain, without a sanitizer.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use super::rustc;
use super::table::{self, Target};

/// The program.
pub(super) struct Fuzzer(PathBuf);

impl Fuzzer {
    /// Builds it, in the profile of the tests and with the features of the whole workspace: most of its dependencies are
    /// those of the tests.
    pub(super) fn build() -> Result<Self> {
        let wrapper = std::env::current_exe().context("cannot find this program")?;
        let status = crate::cargo()
            .args(["build", "--workspace", "--all-features", "--bin", "fuzz", "--profile", "test"])
            .env("RUSTC_WORKSPACE_WRAPPER", wrapper)
            .env(rustc::VARIABLE, "1")
            .env("CARGO_INCREMENTAL", "0")
            .status()
            .context("cannot start cargo")?;
        ensure!(status.success(), "the fuzz targets cannot be built; they need a C++ compiler (`c++`)");
        let folder = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        Ok(Self(crate::root().join(folder.unwrap_or_else(|| "target".into())).join("debug/fuzz")))
    }

    /// The targets that it has.
    pub(super) fn targets(&self) -> Result<Vec<Target>> {
        let output = Command::new(&self.0).env("MANGLE_LS_FUZZ_LIST", "1").output();
        let output = output.context("cannot run the fuzz targets")?;
        table::read(&output.stdout)
    }

    /// The program as one target.
    pub(super) fn command(&self, target: &Target) -> Command {
        let mut command = Command::new(&self.0);
        command.env("MANGLE_LS_FUZZ_TARGET", &target.name).env("RAYON_NUM_THREADS", "2");
        command
    }

    /// Writes the seeds of a target to a folder.
    pub(super) fn seeds(&self, target: &Target, folder: &Path) -> Result<()> {
        let output = self.command(target).env("MANGLE_LS_FUZZ_SEEDS", folder).output();
        let output = output.context("cannot run the fuzz targets")?;
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.success(), "the seeds of {} cannot be made: {why}", target.name);
        Ok(())
    }

    /// Runs a target over a file.
    pub(super) fn reproduce(&self, target: &Target, input: &Path) -> Result<ExitCode> {
        let input = input.canonicalize().with_context(|| format!("there is no file {}", input.display()))?;
        let status = self.command(target).env("RUST_BACKTRACE", "1").arg(&input).status();
        let is_passed = status.context("cannot run the fuzz targets")?.success();
        println!("{} {} {}", target.name, if is_passed { "passes" } else { "fails" }, input.display());
        Ok(if is_passed { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}
