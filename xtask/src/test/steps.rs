//! The steps of `cargo xtask test`. A new step is a row of [`STEPS`].

use std::process::ExitCode;

use anyhow::{Context, Result};

use super::rust;
use crate::editors::{self, Editor};
use crate::tally::Tally;

/// The command that runs a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// `cargo xtask test`. Installs nothing.
    Quick,
    /// `cargo xtask test --all`
    Full,
}

/// The place of a step in `--all`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// Before all others. Uses both cores.
    First,
    /// Waits for other programs most of the time.
    Waiting,
    /// Keeps one core busy: runs in a process of its own while the waiting steps run.
    Busy,
    /// Needs the results of both.
    Last,
}

pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) level: Level,
    pub(super) lane: Lane,
    /// Beginnings of the paths that can affect the step, or endings with a leading `*`.
    paths: &'static [&'static str],
    pub(super) run: fn() -> Result<Tally>,
}

/// The paths that are compiled into the program.
const PROGRAM: &[&str] = &["src/", "crates/", "tree-sitter-mangle/", "Cargo.", "build.rs"];

/// The paths that affect a release.
const RELEASE: &[&str] = &[
    "src/",
    "crates/",
    "tree-sitter-mangle/",
    "Cargo.",
    "build.rs",
    "packaging/",
    "install.sh",
    ".github/",
    "xtask/src/dist/",
];

macro_rules! step {
    ($name:literal, $about:literal, $level:ident, $lane:ident, $paths:expr, $run:expr) => {
        Step { name: $name, about: $about, level: Level::$level, lane: Lane::$lane, paths: $paths, run: $run }
    };
}

/// All steps, in the order in which they run.
pub(super) const STEPS: &[Step] = &[
    step!("format", "formatting of the Rust code", Quick, First, &["*.rs", "rustfmt.toml"], || {
        cargo_passes(&["fmt", "--all", "--check"])
    }),
    step!(
        "grammar",
        "the committed parser is the generated one",
        Full,
        First,
        &["tree-sitter-mangle/"],
        grammar
    ),
    step!("rust", "all Rust tests, examples in documentation included", Quick, First, &[""], rust::run),
    step!("clippy", "lints", Full, First, &["*.rs", "Cargo.", "clippy.toml"], || {
        cargo_passes(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"])
    }),
    step!(
        "rustdoc",
        "documentation of the libraries",
        Full,
        First,
        &["crates/"],
        crate::libraries::documentation
    ),
    step!(
        "samples",
        "larger samples: damaged and changed programs, edits, habits of other languages, failing disks",
        Full,
        First,
        &[
            "crates/mangle-syntax/",
            "crates/mangle-engine/",
            "crates/mangle-check/",
            "tests/all/policies/",
            "tests/all/planted/"
        ],
        larger_samples
    ),
    step!(
        "wasm",
        "the libraries compile for WebAssembly",
        Full,
        First,
        &["crates/", "Cargo."],
        crate::libraries::wasm
    ),
    step!(
        "engine-diff",
        "generated programs in the Go engine",
        Full,
        First,
        &["crates/mangle-", "tests/all/engine_diff"],
        crate::engine_diff::check
    ),
    step!("release", "a release, unpacked and tried", Full, Waiting, RELEASE, crate::dist::check),
    step!(
        "protocol",
        "all messages against the specification of the protocol",
        Full,
        Waiting,
        PROGRAM,
        crate::protocol::run
    ),
    step!("mcp", "the tools for agents in the official inspector", Full, Waiting, PROGRAM, crate::mcp::run),
    step!("engines", "grammars in the engines that read them", Full, Waiting, PROGRAM, crate::engines::run),
    step!(
        "solvers",
        "questions that only solvers decide, with z3 and cvc5",
        Full,
        Waiting,
        &["crates/mangle-verify/"],
        crate::solvers::run
    ),
    step!("neovim", "the plugin in Neovim", Full, Waiting, PROGRAM, || editors::run(Editor::Neovim)),
    step!("emacs", "the mode in Emacs", Full, Waiting, PROGRAM, || editors::run(Editor::Emacs)),
    step!("helix", "the configuration in Helix", Full, Waiting, PROGRAM, || editors::run(Editor::Helix)),
    step!("zed", "the extension for Zed", Full, Waiting, &["editors/zed", "tree-sitter-mangle/"], || {
        editors::run(Editor::Zed)
    }),
    step!("vscode", "the extension in VS Code", Full, Waiting, PROGRAM, || editors::run(Editor::Vscode)),
    step!(
        "book",
        "the documentation as a book, with its links",
        Full,
        Busy,
        &["docs/", "*.md"],
        crate::docs::run
    ),
    step!("playground", "the playground in Chromium", Full, Busy, PROGRAM, crate::playground::page),
    step!(
        "python",
        "the Python package with the engines that load it",
        Full,
        Busy,
        PROGRAM,
        crate::python::run
    ),
    step!(
        "vscode-web",
        "the extension in VS Code for the Web",
        Full,
        Last,
        PROGRAM,
        crate::playground::in_vscode
    ),
];

impl Step {
    /// True if one of `files` can change the result of the step.
    pub(super) fn is_affected_by(&self, files: &[String]) -> bool {
        let own = ["editors/", "python/", "playground/", "tests/"];
        let is_own =
            |file: &str| own.iter().any(|folder| file.starts_with(&format!("{folder}{}", self.name)));
        let matches = |file: &str, path: &str| match path.strip_prefix('*') {
            Some(ending) => file.ends_with(ending),
            None => file.starts_with(path),
        };
        files.iter().any(|file| is_own(file) || self.paths.iter().any(|path| matches(file, path)))
    }
}

/// The step with a name, for the command line.
pub(super) fn parse(name: &str) -> Result<&'static Step, String> {
    STEPS.iter().find(|step| step.name == name).ok_or_else(|| {
        let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        format!("the steps are {}", names.join(", "))
    })
}

fn cargo_passes(arguments: &[&str]) -> Result<Tally> {
    let status = crate::cargo().args(arguments).status().context("cannot start cargo")?;
    Ok(Tally::one(format!("cargo {}", arguments.join(" ")), status.success()))
}

/// The tests whose samples have a size, with several times the usual size.
fn larger_samples() -> Result<Tally> {
    let mut cargo = crate::cargo();
    cargo.args(["test", "--workspace", "--lib", "--test", "all", "--"]);
    cargo.args([
        "fix_checks::damage_tests",
        "policies::incremental",
        "policies::fixes::programs_after",
        "planted::",
        "failing_world::",
    ]);
    cargo.envs([
        ("MANGLE_LS_DAMAGED", "10000"),
        ("MANGLE_LS_EDITS", "400"),
        ("MANGLE_LS_PLANTED", "2000"),
        ("MANGLE_LS_FAULTS", "all"),
        ("FIX_TIMES", "9"),
    ]);
    Ok(Tally::one("larger samples", cargo.status().context("cannot start cargo")?.success()))
}

fn grammar() -> Result<Tally> {
    let code = crate::grammar::run(&crate::grammar::Options { check: true })?;
    Ok(Tally::one("committed parser", code == ExitCode::SUCCESS))
}

#[cfg(test)]
mod tests {
    use super::{STEPS, parse};

    fn affected(file: &str) -> Vec<&'static str> {
        let files = [file.to_owned()];
        STEPS.iter().filter(|step| step.is_affected_by(&files)).map(|step| step.name).collect()
    }

    #[test]
    fn a_page_affects_the_book_and_the_rust_tests() {
        assert_eq!(affected("docs/testing.md"), ["rust", "book"]);
    }

    #[test]
    fn a_client_affects_its_own_step() {
        assert_eq!(affected("editors/neovim/lua/mangle.lua"), ["rust", "neovim"]);
    }

    #[test]
    fn an_unknown_step_is_refused_with_the_list() {
        assert!(parse("fuzz").is_err_and(|message| message.contains("format, grammar, rust")));
    }
}
