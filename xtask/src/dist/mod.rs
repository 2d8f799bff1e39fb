//! `cargo xtask dist`: what a release consists of, in `target/archives`.
//!
//! An archive for this machine's platform (program, completions, manual pages, grammar, clients), the extension for
//! VS Code with the program in it, and the checksums of all. On Linux also wheels for Python, and an archive for musl;
//! programs then run with glibc 2.17 and later. The same commit gives the same archives.

mod archive;
mod check;
mod contents;
mod extension;
mod repack;
mod wheel_check;
mod wheels;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use sha2::{Digest, Sha256};

use crate::tally::Tally;
use wheels::Built;

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
    /// Leave the packages for Python and the archive for musl out, which are built with maturin and Zig
    #[arg(long)]
    no_wheels: bool,
    /// Unpack what was made and try it
    #[arg(long)]
    check: bool,
}

/// Builds all of it.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    empty_folder()?;
    let built = if cfg!(target_os = "linux") && !options.no_wheels {
        wheels::build(&options.profile, &folder())?
    } else {
        Built { wheels: Vec::new(), programs: vec![(build(&options.profile)?, platform()?)] }
    };
    let mut made = Vec::new();
    for (program, platform) in &built.programs {
        made.push(archive_of(program, platform)?);
    }
    if !options.no_extension {
        let (program, platform) = built.programs.first().context("no program was built")?;
        made.push(extension_with(program, platform)?);
    }
    made.extend(built.wheels);
    made.push(checksums_of(&made)?);
    for path in &made {
        let size = fs::metadata(path)?.len();
        println!("{:>10.1} MB  {}", size as f64 / 1e6, path.display());
    }
    if options.check { try_all(&made).map(Tally::close) } else { Ok(ExitCode::SUCCESS) }
}

/// A release of the program that the tests run, tried.
pub(crate) fn check() -> Result<Tally> {
    empty_folder()?;
    let archive = archive_of(&crate::editors::build_server()?, &platform()?)?;
    checksums_of(std::slice::from_ref(&archive))?;
    try_all(&[archive])
}

/// Tries each archive, and the wheels.
fn try_all(made: &[PathBuf]) -> Result<Tally> {
    let mut tally = Tally::default();
    for archive in made.iter().filter(|path| path.extension().is_some_and(|it| it == "gz")) {
        tally.add(check::of(archive)?);
    }
    let wheels: Vec<PathBuf> = made.iter().filter(|path| is_wheel(path)).cloned().collect();
    if !wheels.is_empty() {
        tally.add(wheel_check::of(&wheels)?);
    }
    Ok(tally)
}

fn is_wheel(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "whl")
}

fn folder() -> PathBuf {
    crate::root().join(FOLDER)
}

fn empty_folder() -> Result<()> {
    let folder = folder();
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    Ok(fs::create_dir_all(&folder)?)
}

/// Packs a program that was built for `platform` with what belongs to it.
fn archive_of(program: &Path, platform: &str) -> Result<PathBuf> {
    let name = format!("mangle-ls-{}-{platform}", version(program)?);
    let staged = folder().join(&name);
    contents::stage(program, &staged)?;
    let archive = folder().join(format!("{name}.tar.gz"));
    archive::write(&staged, &name, &archive)?;
    fs::remove_dir_all(&staged)?;
    Ok(archive)
}

/// Packs the extension for VS Code with a program that was built for `platform`.
fn extension_with(program: &Path, platform: &str) -> Result<PathBuf> {
    let package = folder().join(format!("mangle-ls-{}-{platform}.vsix", version(program)?));
    extension::package(program, platform, &package)?;
    Ok(package)
}

fn checksums_of(made: &[PathBuf]) -> Result<PathBuf> {
    let sums = folder().join("SHA256SUMS");
    fs::write(&sums, checksums(made)?)?;
    Ok(sums)
}

/// The program, built with a profile of cargo.
fn build(profile: &str) -> Result<PathBuf> {
    let mut command = crate::cargo();
    command.args(["build", "--locked", "--bin", "mangle-ls", "--profile", profile]);
    ensure!(command.status()?.success(), "the program does not build");
    let program =
        target().join(folder_of(profile)).join(format!("mangle-ls{}", std::env::consts::EXE_SUFFIX));
    ensure!(program.is_file(), "no program at {}", program.display());
    Ok(program)
}

/// Where cargo builds.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| crate::root().join("target"), PathBuf::from)
}

/// Cargo's folder for a profile: that of `dev` has another name.
fn folder_of(profile: &str) -> &str {
    if profile == "dev" { "debug" } else { profile }
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
