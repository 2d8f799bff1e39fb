//! `cargo xtask playground`: the module of WebAssembly, the web page around it in target/playground-site, and what the page does in
//! Chromium; then VS Code for the Web with that module.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::editors::install::{self, with_tools};
use crate::editors::{build_server, drive, vscode};
use crate::libraries;
use crate::tally::Tally;

/// WebAssembly with the interface to a system that pages imitate: files, a clock, random numbers.
const TARGET: &str = "wasm32-wasip1";

/// The most bytes that a visitor loads, as a server with brotli sends them, without vocabularies. The goal is 2.5 MB, which is not reached: this limit
/// only shows when it grows further.
const MOST_BYTES: u64 = 3_100_000;

/// The stack of the module: programs are as deep as the limit of nesting allows.
const STACK: &str = "link-arg=-zstack-size=8388608";

/// The standard library is built with the module, since the one that is installed is made for speed and says at each panic where it was. Its
/// sources can be built by the compiler that they come with, which has to be told so.
const STANDARD_LIBRARY: &[&str] = &["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"];
const IMMEDIATE_ABORT: &str = "-Zunstable-options -Cpanic=immediate-abort";

/// Seconds that the tests may take.
const LIMIT: u32 = 900;

/// Builds the page and tests it, then the module in VS Code for the Web.
pub(crate) fn run() -> Result<Tally> {
    let mut tally = page()?;
    tally.add(in_vscode()?);
    Ok(tally)
}

/// Builds the page and tests it.
pub(crate) fn page() -> Result<Tally> {
    with_site(|tools, site| {
        let mut tally = size(&site)?;
        tally.add(Tally::with("Chromium", install::chromium(), |()| browser(tools, &site))?);
        Ok(tally)
    })
}

/// VS Code for the Web with the module that [`page`] built.
pub(crate) fn in_vscode() -> Result<Tally> {
    with_module(|tools, _| vscode::web(tools))
}

/// Builds the page. Gives its folder; where the target or a compiler cannot be had, none, and that as skipped.
pub(crate) fn build() -> Result<(Tally, Option<PathBuf>)> {
    let mut built = None;
    let tally = with_site(|_, site| {
        built = Some(site);
        Ok(Tally::default())
    })?;
    Ok((tally, built))
}

fn with_site(then: impl FnOnce(&Path, PathBuf) -> Result<Tally>) -> Result<Tally> {
    with_module(|tools, module| {
        let site = site(tools, module)?;
        then(tools, site)
    })
}

/// Builds the module, which takes no time when it is there.
fn with_module(then: impl FnOnce(&Path, &Path) -> Result<Tally>) -> Result<Tally> {
    if !libraries::has_target(TARGET) || !libraries::has_library_sources() {
        let reason =
            format!("the playground: needs `rustup target add {TARGET}` and `rustup component add rust-src`");
        return Ok(Tally { absent: vec![reason], ..Tally::default() });
    }
    let installed = libraries::wasi_compiler().and_then(|compiler| Ok((compiler, install::python_tools()?)));
    Tally::with("the playground", installed, |(compiler, tools)| {
        let packages = crate::root().join("playground/web");
        Tally::with("the packages of the playground", install::npm_packages(&tools, &packages), |()| {
            let module = module(&compiler)?;
            then(&tools, &module)
        })
    })
}

/// Builds the module. Gives its file.
fn module(compiler: &[(String, String)]) -> Result<PathBuf> {
    let mut cargo = crate::cargo();
    cargo.args(["rustc", "--quiet", "--package", "mangle-ls-playground", "--lib", "--crate-type", "cdylib"]);
    cargo.args(["--target", TARGET, "--profile", "playground"]).args(STANDARD_LIBRARY);
    cargo.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS", IMMEDIATE_ABORT);
    cargo.args(["--", "-C", STACK]).envs(compiler.iter().map(|(name, value)| (name, value)));
    ensure!(cargo.status().context("cannot start cargo")?.success(), "the module does not build");
    let built = crate::root().join("target").join(TARGET).join("playground/mangle_ls_playground.wasm");
    ensure!(built.is_file(), "there is no {}", built.display());
    Ok(built)
}

/// Makes the page around a module, with scripts, examples and vocabularies.
fn site(tools: &Path, module: &Path) -> Result<PathBuf> {
    let web = crate::root().join("playground/web");
    for script in ["check", "bundle"] {
        let mut npm = with_tools(Command::new(tools.join("npm")), tools);
        npm.args(["run", "--silent", script]).current_dir(&web);
        npm.env("MODULE", module);
        npm.env("SITE", crate::root().join("target/playground-site")).env("VOCABULARIES", vocabularies()?);
        ensure!(npm.status().context("cannot start npm")?.success(), "the page cannot be built: {script}");
    }
    Ok(crate::root().join("target/playground-site"))
}

/// The folder of the package that the vocabularies of real tokenizers come with.
fn vocabularies() -> Result<PathBuf> {
    let output = crate::cargo().args(["metadata", "--format-version", "1", "--locked"]).output()?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).context("no metadata of cargo")?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let package = packages.iter().find(|package| package["name"] == "tiktoken-rs");
    let manifest = package.and_then(|package| package["manifest_path"].as_str());
    Ok(Path::new(manifest.context("no package of vocabularies")?).with_file_name("assets"))
}

/// Holds what a visitor loads against the limit.
fn size(site: &Path) -> Result<Tally> {
    let sizes = std::fs::read(site.with_file_name("playground-site-size.json"))?;
    let sizes: serde_json::Value = serde_json::from_slice(&sizes)?;
    let bytes = sizes["brotli"].as_u64().context("no size")?;
    println!("{bytes} bytes compressed, of {MOST_BYTES}");
    Ok(Tally::one("the size of the playground", bytes <= MOST_BYTES))
}

/// What the page does in Chromium, and its findings beside those of the program.
fn browser(tools: &Path, site: &Path) -> Result<Tally> {
    let server = build_server()?;
    let tests = crate::root().join("playground/web/test/run.mjs");
    let mut node = with_tools(drive::limited_to(LIMIT, &tools.join("node")), tools);
    node.arg(tests).arg(site).arg(server).arg(crate::root().join("target/playground-test"));
    drive::check("the playground in Chromium", &mut node)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_lock_file_names_no_registry() {
        let lock = include_str!("../../playground/web/package-lock.json");
        assert!(!lock.contains("\"resolved\""), "npm wrote addresses: is playground/web/.npmrc in use?");
    }
}
