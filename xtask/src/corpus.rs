//! `cargo xtask corpus` and `cargo xtask bench`: figures over a public policy program.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// A checkout of codeNERD at the revision that tests/corpora/codenerd.json names
    #[arg(long, env = "MANGLE_LS_CORPUS")]
    corpus: Option<PathBuf>,
    /// A checkout of the engine, whose own files are formatted, too
    #[arg(long, env = "MANGLE_LS_REFERENCE")]
    reference: Option<PathBuf>,
    /// A program built with the engine that evaluates what it reads (benches/kernel/codenerd.rs says how), to compare with
    #[arg(long, env = "MANGLE_LS_ENGINE")]
    engine: Option<PathBuf>,
}

/// What is found in the corpus, whole, mutated and with single characters deleted; symbols renamed there and back; what
/// formatting does to it; how many facts the kernel derives of it.
pub(crate) fn check(options: &Options) -> Result<ExitCode> {
    // What is ignored elsewhere needs a corpus, and the others print their figures for it, too.
    const TESTS: [&str; 8] = [
        "policies::corpus::",
        "policies::incremental::",
        "policies::completion::",
        "policies::rename::",
        "policies::format::",
        "policies::worlds::",
        "policies::stores::",
        "kernel::",
    ];
    let command = ["test", "--release", "--test", "all", "--", "--nocapture"];
    let included = included(options.reference.is_some());
    let arguments: Vec<_> = command.into_iter().chain(included).chain(TESTS).collect();
    with_corpus(options, &[&arguments])
}

/// The arguments with which tests that need a corpus run, as far as the environment names one.
pub(crate) fn of_environment() -> Vec<&'static str> {
    let is_set = |name| std::env::var_os(name).is_some();
    if is_set("MANGLE_LS_CORPUS") { included(is_set("MANGLE_LS_REFERENCE")) } else { Vec::new() }
}

/// The arguments that include tests which are ignored elsewhere; `engine`: also that of the engine's own files.
fn included(engine: bool) -> Vec<&'static str> {
    let mut arguments = vec!["--include-ignored"];
    if !engine {
        arguments.extend(["--skip", "the_files_of_the_engine"]);
    }
    arguments
}

/// The budget tables: the checker against a bare parse, the grammar against tree-sitter-json, the
/// server under keystrokes, the kernel against a compiled Datalog and the engine.
pub(crate) fn bench(options: &Options) -> Result<ExitCode> {
    let benches: [&[&str]; 4] = [
        &["bench", "--bench", "budget"],
        &["bench", "--package", "tree-sitter-mangle", "--bench", "grammar"],
        &["bench", "--bench", "server"],
        &["bench", "--bench", "kernel"],
    ];
    with_corpus(options, &benches)
}

fn with_corpus(options: &Options, commands: &[&[&str]]) -> Result<ExitCode> {
    let Some(corpus) = &options.corpus else {
        eprintln!("SKIPPED: no corpus. Give --corpus DIR or set MANGLE_LS_CORPUS to a checkout of codeNERD;");
        eprintln!("tests/corpora/codenerd.json names the revision.");
        return Ok(ExitCode::from(2));
    };
    let corpus = corpus.canonicalize().with_context(|| format!("no folder {}", corpus.display()))?;
    let reference = options.reference.as_ref().map(|folder| folder.canonicalize());
    let reference = reference.transpose().context("there is no such reference")?;
    let engine = options.engine.as_ref().map(|program| program.canonicalize());
    let engine = engine.transpose().context("there is no such engine")?;
    let mut passed = true;
    for arguments in commands {
        let status = crate::cargo()
            .args(*arguments)
            .env("MANGLE_LS_CORPUS", &corpus)
            .envs(reference.iter().map(|folder| ("MANGLE_LS_REFERENCE", folder)))
            .envs(engine.iter().map(|program| ("MANGLE_LS_ENGINE", program)))
            .status()
            .context("cannot start cargo")?;
        passed &= status.success();
    }
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
