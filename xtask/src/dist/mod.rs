//! `cargo xtask dist`: the files of a release, in `target/archives`.
//!
//! - An archive for each platform that is built here: program, completions, manual pages, grammar, clients.
//! - The extension for VS Code with the program in it.
//! - Wheels for Python. On Linux, programs run with glibc 2.17 and later, or are static (musl).
//! - The checksums of all files.
//!
//! The same commit gives the same archives. The tasks of [`Task`] make packages from the archives of all platforms.

mod archive;
mod build;
mod check;
mod checksums;
mod contents;
mod crates;
mod extension;
mod installer_check;
mod manifest_check;
mod manifests;
mod notes;
mod npm;
mod npm_check;
mod project;
mod project_check;
mod repack;
mod targets;
mod tasks;
mod wheel_check;
mod wheels;
mod workflow_check;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use flate2::Compression;

use crate::tally::Tally;
pub(crate) use build::platform;
use project::Project;
use tasks::Task;
use wheels::Built;

/// What is made goes here. Not `target/dist`: cargo builds the profile of that name there.
const FOLDER: &str = "target/archives";

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    task: Option<Task>,
    /// The profile of cargo that the program is built with
    #[arg(long, default_value = "dist", value_name = "NAME")]
    profile: String,
    /// Build for this platform; can be repeated [default: this machine; on Linux gnu and musl]
    #[arg(long, value_name = "TRIPLE")]
    target: Vec<String>,
    /// Pack this program, which was built for this machine, instead of building one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["target", "profile"])]
    program: Option<PathBuf>,
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

/// Builds a release, or runs a task.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    match &options.task {
        Some(task) => tasks::run(task).map(|()| ExitCode::SUCCESS),
        None => build_all(options),
    }
}

fn build_all(options: &Options) -> Result<ExitCode> {
    empty_folder()?;
    let Built { wheels, programs } = build::programs(options)?;
    let mut made = Vec::new();
    for (program, platform) in &programs {
        let level = if options.program.is_some() { Compression::fast() } else { Compression::best() };
        made.push(archive_of(program, platform, level)?);
    }
    if !options.no_extension {
        let (program, platform) = programs.first().context("no program was built")?;
        made.push(extension_with(program, platform)?);
    }
    made.extend(wheels);
    made.push(checksums::write(&made, &folder())?);
    for path in &made {
        let size = fs::metadata(path)?.len();
        println!("{:>10.1} MB  {}", size as f64 / 1e6, path.display());
    }
    if options.check { try_all(&made).map(Tally::close) } else { Ok(ExitCode::SUCCESS) }
}

/// A release of the program that the tests run, tried.
pub(crate) fn check() -> Result<Tally> {
    empty_folder()?;
    let folder = tempfile::tempdir()?;
    let program = folder.path().join(targets::program_name(&platform()?));
    fs::copy(crate::editors::build_server()?, &program).context("cannot copy the program")?;
    // Without symbols, the program of a development build is a third of the size. A machine may lack `strip`.
    let _ = Command::new("strip").arg(&program).status();
    let archive = archive_of(&program, &platform()?, Compression::fast())?;
    checksums::write(std::slice::from_ref(&archive), &self::folder())?;
    try_all(&[archive])
}

/// Tries each archive, the wheels, and the channels that can be tried on this machine.
fn try_all(made: &[PathBuf]) -> Result<Tally> {
    let mut tally = Tally::default();
    for archive in made.iter().filter(|path| is_archive(path)) {
        tally.add(check::check_archive(archive)?);
    }
    let wheels: Vec<PathBuf> = made.iter().filter(|path| is_wheel(path)).cloned().collect();
    if !wheels.is_empty() {
        tally.add(wheel_check::check_wheels(&wheels)?);
    }
    let project = Project::for_trial()?;
    tally.add(project_check::check_project(&project)?);
    tally.add(manifest_check::check_manifests(&project)?);
    tally.add(installer_check::check_installer(&project, &folder())?);
    tally.add(npm_check::check_packages(&project, &folder())?);
    tally.add(workflow_check::check_workflows()?);
    Ok(tally)
}

/// Runs a check and prints its result.
fn checked(name: &str, check: impl FnOnce() -> Result<()>) -> Tally {
    let result = check();
    match &result {
        Ok(()) => println!("ok - {name}"),
        Err(error) => println!("not ok - {name}: {error:#}"),
    }
    Tally::one(name, result.is_ok())
}

/// A check that needs something that this machine lacks.
fn absent(reason: impl Into<String>) -> Tally {
    Tally { absent: vec![reason.into()], ..Tally::default() }
}

/// The file name of the archive for this machine.
fn archive_name_here(project: &Project) -> Result<String> {
    Ok(targets::archive_name(&project.version, &platform()?))
}

fn is_archive(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "gz" || it == "zip")
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
fn archive_of(program: &Path, platform: &str, level: Compression) -> Result<PathBuf> {
    let version = version(program)?;
    let name = targets::folder_name(&version, platform);
    let staged = folder().join(&name);
    contents::stage(program, &staged)?;
    let archive = folder().join(targets::archive_name(&version, platform));
    archive::write(&staged, &name, &archive, level)?;
    fs::remove_dir_all(&staged)?;
    Ok(archive)
}

/// Packs the extension for VS Code with a program that was built for `platform`.
fn extension_with(program: &Path, platform: &str) -> Result<PathBuf> {
    let package = folder().join(format!("mangle-ls-{}-{platform}.vsix", version(program)?));
    extension::package(program, platform, &package)?;
    Ok(package)
}

/// What the program says of itself: the second word of the first line of `--version`.
fn version(program: &Path) -> Result<String> {
    let said = output(Command::new(program).arg("--version"))?;
    Ok(said.split_whitespace().nth(1).context("the program does not say its version")?.to_owned())
}

/// What a command prints, if it succeeds.
fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {name}"))?;
    ensure!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}
