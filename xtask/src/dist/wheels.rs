//! Packages for Python's installers: the library with the program in it, and the program alone. They run on every Linux of the last ten years:
//! Zig links them against glibc 2.17, or against musl.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::repack::repack;
use crate::editors::install;

/// A wheel: its project, below the root, and what it runs on.
struct Wheel {
    project: &'static str,
    libc: &'static str,
    compatibility: &'static str,
}

const WHEELS: &[Wheel] = &[
    Wheel { project: "python", libc: "gnu", compatibility: "manylinux2014" },
    Wheel { project: "python/program", libc: "gnu", compatibility: "manylinux2014" },
    Wheel { project: "python/program", libc: "musl", compatibility: "musllinux_1_2" },
];

/// The oldest Python that the library is for; its stable interface serves all later ones.
const OLDEST_PYTHON: &str = "python3.11";

/// What was built.
pub(super) struct Built {
    pub(super) wheels: Vec<PathBuf>,
    /// Each program with the platform that it is for.
    pub(super) programs: Vec<(PathBuf, String)>,
}

/// Builds the wheels with a profile of cargo, into `to`.
pub(super) fn build(profile: &str, to: &Path) -> Result<Built> {
    let tools = install::wheel_tools()?;
    let mut programs = Vec::new();
    for wheel in WHEELS {
        let target = wheel.target();
        ensure!(
            crate::libraries::has_target(&target),
            "the standard library is missing: rustup target add {target}"
        );
        wheel.build(&tools, profile, to)?;
        let program = wheel.folder().join(&target).join(super::folder_of(profile)).join("mangle-ls");
        if program.is_file() {
            programs.push((program, target));
        }
    }
    let wheels = found_in(to)?;
    wheels.iter().try_for_each(|wheel| repack(wheel))?;
    Ok(Built { wheels, programs })
}

impl Wheel {
    fn target(&self) -> String {
        format!("{}-unknown-linux-{}", std::env::consts::ARCH, self.libc)
    }

    /// The library is built for itself: it would change the features of everything else.
    fn folder(&self) -> PathBuf {
        if self.project == "python" { crate::python::target() } else { super::target() }
    }

    fn build(&self, tools: &Path, profile: &str, to: &Path) -> Result<()> {
        let mut maturin = install::with_tools(Command::new(tools.join("maturin")), tools);
        maturin.args(["build", "--zig", "--quiet", "--profile", profile, "--target", &self.target()]);
        maturin.args(["--compatibility", self.compatibility, "--interpreter", OLDEST_PYTHON]);
        maturin.arg("--target-dir").arg(self.folder()).arg("--out").arg(to);
        let status = maturin.current_dir(crate::root().join(self.project)).status();
        let status = status.with_context(|| format!("cannot start {}", maturin.get_program().display()))?;
        ensure!(status.success(), "the wheel of {} for {} does not build", self.project, self.target());
        Ok(())
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
