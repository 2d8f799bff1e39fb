//! What holds for the libraries under `crates`: their documentation has no warning, and they compile for WebAssembly.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::editors::install;
use crate::tally::Tally;

const WASM: &str = "wasm32-unknown-unknown";

/// The names of the libraries.
fn names() -> Result<Vec<String>> {
    let folder = crate::root().join("crates");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// `--package NAME` for each library.
fn packages() -> Result<Vec<String>> {
    Ok(names()?.into_iter().flat_map(|name| ["--package".to_owned(), name]).collect())
}

/// `cargo doc`, where a warning is an error.
pub(crate) fn documentation() -> Result<Tally> {
    let mut cargo = crate::cargo();
    cargo.args(["doc", "--quiet", "--no-deps"]).args(packages()?).env("RUSTDOCFLAGS", "-D warnings");
    Ok(Tally::one("documentation of the libraries", cargo.status().context("cannot start cargo")?.success()))
}

/// `cargo check` for WebAssembly, without a system below it. Where the standard library for that target can neither be
/// found nor installed, that is counted as skipped.
pub(crate) fn wasm() -> Result<Tally> {
    if !has_target(WASM) {
        let reason = format!("libraries for {WASM}: needs `rustup target add {WASM}`");
        return Ok(Tally { absent: vec![reason], ..Tally::default() });
    }
    Tally::with("libraries for WebAssembly", compiler(), |compiler| {
        let mut cargo = crate::cargo();
        cargo.args(["check", "--quiet", "--target", WASM]).args(packages()?);
        cargo.envs(compiler);
        let status = cargo.status().context("cannot start cargo")?;
        Ok(Tally::one("libraries for WebAssembly", status.success()))
    })
}

/// Whether the standard library for a target is there, or could be installed.
pub(crate) fn has_target(target: &str) -> bool {
    is_installed(target) || (succeeds("rustup", &["target", "add", target]) && is_installed(target))
}

/// Whether the sources of the standard library are there, or could be installed.
pub(crate) fn has_library_sources() -> bool {
    let are_there = || {
        let output = Command::new("rustc").args(["--print", "sysroot"]).output();
        let folder = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
        folder.is_some_and(|folder| {
            PathBuf::from(folder.trim()).join("lib/rustlib/src/rust/library/Cargo.lock").is_file()
        })
    };
    are_there() || (succeeds("rustup", &["component", "add", "rust-src"]) && are_there())
}

fn is_installed(target: &str) -> bool {
    let output = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    let folder = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    folder.is_some_and(|folder| PathBuf::from(folder.trim()).is_dir())
}

/// The variables that name a C compiler for the target to the crate `cc`, which compiles the grammar.
fn compiler() -> Result<Vec<(&'static str, String)>> {
    if succeeds("clang", &["--target=wasm32", "--version"]) {
        return Ok(vec![("CC_wasm32_unknown_unknown", "clang".to_owned())]);
    }
    let zig = zig()?;
    Ok(vec![
        ("CC_wasm32_unknown_unknown", zig("cc")),
        ("AR_wasm32_unknown_unknown", zig("ar")),
        ("CFLAGS_wasm32_unknown_unknown", "-target wasm32-freestanding".to_owned()),
    ])
}

/// The same for WebAssembly with the interface of WASI, whose headers of C come with zig.
pub(crate) fn wasi_compiler() -> Result<Vec<(String, String)>> {
    let zig = zig()?;
    Ok(vec![
        ("CC_wasm32_wasip1".to_owned(), zig("cc")),
        ("AR_wasm32_wasip1".to_owned(), zig("ar")),
        ("CFLAGS_wasm32_wasip1".to_owned(), "-target wasm32-wasi".to_owned()),
    ])
}

/// The command of a tool of zig.
fn zig() -> Result<impl Fn(&str) -> String> {
    let python = install::zig()?.join("python");
    Ok(move |tool: &str| format!("{} -m ziglang {tool}", python.display()))
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}
