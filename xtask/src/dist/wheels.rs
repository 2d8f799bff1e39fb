//! Packages for Python's installers: the library with the program in it, and the program alone.
//!
//! On Linux, Zig links them against glibc 2.17, or against musl. Other systems get only the program.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::repack::repack;
use crate::editors::install;

/// A wheel of Linux: its project, below the root, and what it runs on.
struct Wheel {
    project: &'static str,
    libc: &'static str,
    compatibility: &'static str,
}

const PROGRAM: &str = "python/program";

const WHEELS: &[Wheel] = &[
    Wheel { project: "python", libc: "gnu", compatibility: "manylinux2014" },
    Wheel { project: PROGRAM, libc: "gnu", compatibility: "manylinux2014" },
    Wheel { project: PROGRAM, libc: "musl", compatibility: "musllinux_1_2" },
];

/// The oldest Python that the library is for; its stable interface serves all later ones.
const OLDEST_PYTHON: &str = "python3.11";

/// What was built.
pub(super) struct Built {
    pub(super) wheels: Vec<PathBuf>,
    /// Each program with the platform that it is for.
    pub(super) programs: Vec<(PathBuf, String)>,
}

/// Builds the wheels of these platforms with a profile of cargo, into `to`. Without platforms: those of this machine.
pub(super) fn build(profile: &str, targets: &[String], to: &Path) -> Result<Built> {
    let programs = if cfg!(target_os = "linux") {
        build_for_linux(profile, targets, to)?
    } else {
        let host = [super::build::platform()?];
        let targets = if targets.is_empty() { &host } else { targets };
        build_programs(profile, targets, to)?
    };
    let wheels = found_in(to)?;
    wheels.iter().try_for_each(|wheel| repack(wheel))?;
    Ok(Built { wheels, programs })
}

fn build_for_linux(profile: &str, targets: &[String], to: &Path) -> Result<Vec<(PathBuf, String)>> {
    let arch = std::env::consts::ARCH;
    for target in targets {
        let is_known = WHEELS.iter().any(|wheel| wheel.target() == *target);
        ensure!(is_known, "no wheel is built for {target} on {arch}; --no-wheels builds only an archive");
    }
    let tools = install::wheel_tools()?;
    let mut programs = Vec::new();
    for wheel in WHEELS.iter().filter(|it| targets.is_empty() || targets.contains(&it.target())) {
        let target = wheel.target();
        let mut maturin = maturin(&tools, profile, &target, to)?;
        maturin.args(["--zig", "--compatibility", wheel.compatibility, "--interpreter", OLDEST_PYTHON]);
        maturin.arg("--target-dir").arg(wheel.folder());
        run(maturin, wheel.project, &target)?;
        let program = program_in(&wheel.folder(), profile, &target);
        if program.is_file() {
            programs.push((program, target));
        }
    }
    Ok(programs)
}

fn build_programs(profile: &str, targets: &[String], to: &Path) -> Result<Vec<(PathBuf, String)>> {
    let tools = install::wheel_tools()?;
    let mut programs = Vec::new();
    for target in targets {
        let mut maturin = maturin(&tools, profile, target, to)?;
        maturin.arg("--target-dir").arg(super::build::target());
        run(maturin, PROGRAM, target)?;
        let program = program_in(&super::build::target(), profile, target);
        ensure!(program.is_file(), "no program at {}", program.display());
        programs.push((program, target.clone()));
    }
    Ok(programs)
}

fn maturin(tools: &Path, profile: &str, target: &str, to: &Path) -> Result<Command> {
    ensure!(
        crate::libraries::has_target(target),
        "the standard library is missing: rustup target add {target}"
    );
    let mut maturin = install::with_tools(Command::new(tools.join("maturin")), tools);
    maturin.args(["build", "--quiet", "--profile", profile, "--target", target]).arg("--out").arg(to);
    Ok(maturin)
}

fn run(mut maturin: Command, project: &str, target: &str) -> Result<()> {
    let status = maturin.current_dir(crate::root().join(project)).status();
    let status = status.with_context(|| format!("cannot start {}", maturin.get_program().display()))?;
    ensure!(status.success(), "the wheel of {project} for {target} does not build");
    Ok(())
}

/// The program that maturin built.
fn program_in(folder: &Path, profile: &str, target: &str) -> PathBuf {
    folder.join(target).join(super::build::folder_of(profile)).join(super::targets::program_name(target))
}

impl Wheel {
    fn target(&self) -> String {
        format!("{}-unknown-linux-{}", std::env::consts::ARCH, self.libc)
    }

    /// The library is built for itself: it would change the features of everything else.
    fn folder(&self) -> PathBuf {
        if self.project == PROGRAM { super::build::target() } else { crate::python::target() }
    }
}

/// All wheels in a folder, by name.
fn found_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if super::is_wheel(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
