//! The programs of a release, built by cargo or maturin.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::wheels::{self, Built};
use super::{Options, folder, output, targets};

/// The programs, each with its platform, and the wheels.
pub(super) fn programs(options: &Options) -> Result<Built> {
    if let Some(program) = &options.program {
        return Ok(Built { wheels: Vec::new(), programs: vec![(program.clone(), platform()?)] });
    }
    if !options.no_wheels {
        return wheels::build(&options.profile, &options.target, &folder());
    }
    let host = [platform()?];
    let targets = if options.target.is_empty() { &host } else { options.target.as_slice() };
    let build = |target: &String| Ok((build(&options.profile, target)?, target.clone()));
    Ok(Built { wheels: Vec::new(), programs: targets.iter().map(build).collect::<Result<_>>()? })
}

/// The program, built with a profile of cargo for a platform.
fn build(profile: &str, target: &str) -> Result<PathBuf> {
    let mut command = crate::cargo();
    command.args(["build", "--locked", "--bin", "mangle-ls", "--profile", profile]);
    let mut folder = self::target();
    // Cargo's folder for this machine is also the folder of other builds; nothing is compiled twice.
    if target != platform()? {
        ensure!(
            crate::libraries::has_target(target),
            "the standard library is missing: rustup target add {target}"
        );
        command.args(["--target", target]);
        folder.push(target);
    }
    ensure!(command.status()?.success(), "the program does not build for {target}");
    let program = folder.join(folder_of(profile)).join(targets::program_name(target));
    ensure!(program.is_file(), "no program at {}", program.display());
    Ok(program)
}

/// Where cargo builds.
pub(super) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| crate::root().join("target"), PathBuf::from)
}

/// Cargo's folder for a profile: that of `dev` has another name.
pub(super) fn folder_of(profile: &str) -> &str {
    if profile == "dev" { "debug" } else { profile }
}

/// As rustc calls what it builds for here: `x86_64-unknown-linux-gnu`.
pub(crate) fn platform() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let said = output(Command::new(rustc).args(["--verbose", "--version"]))?;
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say what it builds for")?.to_owned())
}
