//! The manifests of package managers, written for made-up archives, and parsed.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use saphyr_parser::{Event, Parser};

use super::project::Project;
use super::targets::{TARGETS, archive_name};
use super::{absent, checked, manifests, output};
use crate::tally::Tally;

pub(super) fn check_manifests(project: &Project) -> Result<Tally> {
    let folder = tempfile::tempdir()?;
    let (archives, out) = (folder.path().join("archives"), folder.path().join("out"));
    fs::create_dir_all(&archives)?;
    for target in TARGETS {
        fs::write(archives.join(archive_name(&project.version, target.rust)), target.rust)?;
    }
    let mut written = Vec::new();
    let mut tally = checked("the manifests have no unknown placeholders", || {
        written = manifests::write(project, &archives, &out)?;
        ensure!(!written.is_empty(), "there are no manifests in packaging");
        Ok(())
    });
    for path in &written {
        let name = path.strip_prefix(&out).unwrap_or(path).display().to_string();
        tally.add(match parser_of(path) {
            Ok(parse) => checked(&format!("the manifest {name} parses"), || parse(path)),
            Err(program) => absent(format!("the manifest {name}: needs {program}")),
        });
    }
    tally.add(checked("a missing archive is an error of the manifests", || {
        let first = TARGETS.first().context("there are no targets")?;
        fs::remove_file(archives.join(archive_name(&project.version, first.rust)))?;
        ensure!(manifests::write(project, &archives, &out).is_err(), "the manifests were written");
        Ok(())
    }));
    Ok(tally)
}

/// The parser of a manifest, or the program that it needs and that this machine lacks.
fn parser_of(path: &Path) -> Result<fn(&Path) -> Result<()>, &'static str> {
    let is_here = |program: &str| output(Command::new(program).arg("--version")).is_ok();
    let extension = path.extension().and_then(OsStr::to_str);
    Ok(match extension {
        Some("json") => json,
        Some("yaml") => yaml,
        Some("rb") if is_here("ruby") => ruby,
        Some("rb") => return Err("ruby"),
        Some("lua") if nvim().is_some() => lua,
        Some("lua") => return Err("nvim"),
        Some("sh") if cfg!(unix) => installer,
        Some("sh") => return Err("a shell"),
        None if path.ends_with("PKGBUILD") && is_here("bash") => bash,
        None if path.ends_with("PKGBUILD") => return Err("bash"),
        _ => instructions,
    })
}

fn json(path: &Path) -> Result<()> {
    serde_json::from_str::<serde_json::Value>(&fs::read_to_string(path)?)?;
    Ok(())
}

fn yaml(path: &Path) -> Result<()> {
    let text = fs::read_to_string(path)?;
    let mut keys = 0;
    for event in Parser::new_from_str(&text) {
        keys += usize::from(matches!(event?.0, Event::Scalar(..)));
    }
    ensure!(keys > 10, "only {keys} values");
    Ok(())
}

fn ruby(path: &Path) -> Result<()> {
    output(Command::new("ruby").arg("-c").arg(path)).map(drop)
}

/// The function `package` and the sums of all platforms are defined.
fn bash(path: &Path) -> Result<()> {
    let script = "source ./PKGBUILD && declare -F package && printf '%s\\n' \"${sha256sums_x86_64[@]}\" \"${sha256sums_aarch64[@]}\"";
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-euc", script]).current_dir(path.parent().unwrap_or(path));
    let printed = output(&mut bash)?;
    ensure!(printed.lines().filter(|line| line.len() == 64).count() == 2, "the sums are {printed:?}");
    Ok(())
}

/// The script has the address of a release, and a shell reads it.
fn installer(path: &Path) -> Result<()> {
    ensure!(!fs::read_to_string(path)?.contains("'{{repository}}'"), "the address is missing");
    output(Command::new("sh").arg("-n").arg(path)).map(drop)
}

fn lua(path: &Path) -> Result<()> {
    let nvim = nvim().context("Neovim is missing")?;
    output(Command::new(nvim).args(["--clean", "--headless", "-l"]).arg(path)).map(drop)
}

/// Neovim on the path, or in the cache of the editors' tests.
fn nvim() -> Option<PathBuf> {
    let cached = crate::root().join(".cache/editors/python/bin/nvim");
    [PathBuf::from("nvim"), cached]
        .into_iter()
        .find(|program| output(Command::new(program).arg("--version")).is_ok())
}

/// A Dockerfile: each line is a comment, an instruction or the continuation of one.
fn instructions(path: &Path) -> Result<()> {
    const KNOWN: &[&str] = &["FROM", "ARG", "COPY", "USER", "WORKDIR", "ENTRYPOINT", "LABEL"];
    let mut continues = false;
    for line in fs::read_to_string(path)?.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let word = line.split_whitespace().next().unwrap_or_default();
        if !continues && !KNOWN.contains(&word) {
            bail!("unknown instruction {word}");
        }
        continues = line.ends_with('\\');
    }
    ensure!(!continues, "the last line continues");
    Ok(())
}
