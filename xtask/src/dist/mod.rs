//! `cargo xtask dist`: what a release consists of, in `target/archives`.
//!
//! An archive for this machine's platform (program, completions, manual pages, grammar, clients), the extension for
//! VS Code with the program in it, and the checksums of both. The same commit gives the same archive.

mod archive;
mod check;
mod contents;
mod extension;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use crate::tally::Tally;

/// What is made goes here. Not `target/dist`: cargo builds the profile of that name there.
const FOLDER: &str = "target/archives";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The profile of cargo that the program is built with
    #[arg(long, default_value = "dist", value_name = "NAME")]
    profile: String,
    /// Leave the extension for VS Code out, which is built with Node
    #[arg(long)]
    no_extension: bool,
    /// Unpack what was made and try it
    #[arg(long)]
    check: bool,
}

/// Builds all of it.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let made = make(&build(&options.profile)?, !options.no_extension)?;
    for path in &made {
        let size = fs::metadata(path)?.len();
        println!("{:>10.1} MB  {}", size as f64 / 1e6, path.display());
    }
    if options.check { check::of(&made).map(Tally::close) } else { Ok(ExitCode::SUCCESS) }
}

/// A release of the program that the tests run, tried.
pub(crate) fn check() -> Result<Tally> {
    check::of(&make(&crate::editors::build_server()?, false)?)
}

/// Puts everything into `target/archives`; gives the files.
fn make(program: &Path, with_extension: bool) -> Result<Vec<PathBuf>> {
    let platform = platform()?;
    let folder = crate::root().join(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let name = format!("mangle-ls-{}-{platform}", version(program)?);
    let staged = folder.join(&name);
    contents::stage(program, &staged)?;
    let archive = folder.join(format!("{name}.tar.gz"));
    archive::write(&staged, &name, &archive)?;
    fs::remove_dir_all(&staged)?;
    let mut made = vec![archive];
    if with_extension {
        let package = folder.join(format!("{name}.vsix"));
        extension::package(program, &platform, &package)?;
        made.push(package);
    }
    let sums = folder.join("SHA256SUMS");
    fs::write(&sums, checksums(&made)?)?;
    made.push(sums);
    Ok(made)
}

/// The program, built with a profile of cargo.
fn build(profile: &str) -> Result<PathBuf> {
    let mut command = crate::cargo();
    command.args(["build", "--locked", "--bin", "mangle-ls", "--profile", profile]);
    ensure!(command.status()?.success(), "the program does not build");
    // Cargo's folder for the profile `dev` has another name.
    let folder = if profile == "dev" { "debug" } else { profile };
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| crate::root().join("target"), PathBuf::from);
    let program = target.join(folder).join(format!("mangle-ls{}", std::env::consts::EXE_SUFFIX));
    ensure!(program.is_file(), "no program at {}", program.display());
    Ok(program)
}

/// What the program says of itself: the second word of the first line of `--version`.
fn version(program: &Path) -> Result<String> {
    let said = output(Command::new(program).arg("--version"))?;
    Ok(said.split_whitespace().nth(1).context("the program does not say its version")?.to_owned())
}

/// As rustc calls what it builds for here: `x86_64-unknown-linux-gnu`.
pub(crate) fn platform() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = output(Command::new(rustc).args(["--verbose", "--version"]))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say what it builds for")?.to_owned())
}

/// In the format of `sha256sum --check`.
fn checksums(files: &[PathBuf]) -> Result<String> {
    let line = |path: &PathBuf| -> Result<String> {
        let digest = Sha256::digest(fs::read(path)?);
        let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let name = path.file_name().context("a file without a name")?;
        Ok(format!("{digits}  {}\n", name.display()))
    };
    files.iter().map(line).collect()
}

/// What a command prints, if it succeeds.
fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {name}"))?;
    ensure!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}
