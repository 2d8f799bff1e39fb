//! The program with all targets: built with coverage counters by the stable toolchain, without a sanitizer.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};

use super::table::{self, Target};

/// What makes the compiler count edges and comparisons, as libFuzzer wants it. One unit a crate: tables of counters that the
/// linker puts together from several do not fit each other.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
];

/// The program.
pub(super) struct Fuzzer(PathBuf);

impl Fuzzer {
    /// Builds it, in a folder of its own.
    pub(super) fn build() -> Result<Self> {
        let (host, folder) = (crate::dist::platform()?, crate::root().join("target/fuzz"));
        // For a target that is named, flags are for the program alone, and not for macros and build scripts.
        let status = crate::cargo()
            .args(["build", "--package", "mangle-ls-fuzz", "--bin", "fuzz", "--features", "engine"])
            .args(["--profile", "fuzz", "--target", &host, "--target-dir"])
            .arg(&folder)
            .env("RUSTFLAGS", FLAGS.join(" "))
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .status()
            .context("cannot start cargo")?;
        ensure!(status.success(), "the fuzz targets cannot be built; they need a C++ compiler (`c++`)");
        Ok(Self(folder.join(host).join("fuzz/fuzz")))
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
        let status = self.command(target).env("MANGLE_LS_FUZZ_SEEDS", folder).status();
        let is_done = status.context("cannot run the fuzz targets")?.success();
        ensure!(is_done, "the seeds of {} cannot be made", target.name);
        Ok(())
    }

    /// Runs a target over a file.
    pub(super) fn reproduce(&self, target: &Target, input: &Path) -> Result<ExitCode> {
        ensure!(input.is_file(), "there is no file {}", input.display());
        let status = self.command(target).env("RUST_BACKTRACE", "1").arg(input).status();
        let is_passed = status.context("cannot run the fuzz targets")?.success();
        println!("{} {} {}", target.name, if is_passed { "passes" } else { "fails" }, input.display());
        Ok(if is_passed { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}
