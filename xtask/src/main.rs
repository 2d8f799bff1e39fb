//! The project's own tasks: `cargo xtask TASK`. One file a task; this one reads the command line.
#![allow(clippy::print_stdout, clippy::print_stderr)] // talking to the terminal is what it is for

mod beside;
mod ceilings;
mod conformance;
mod corpus;
mod damage;
mod dist;
mod docs;
mod editors;
mod engine_diff;
mod engines;
mod fuzz;
mod generate;
mod grammar;
mod libraries;
mod mcp;
mod new_rule;
mod playground;
mod protocol;
mod python;
mod screenshots;
mod soak;
mod solvers;
mod tally;
mod test;
mod times;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Tasks of the mangle-ls repository")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Delete punctuation from real files and tell how much of them is lost
    Damage(damage::Options),
    /// Generate the parser of `tree-sitter-mangle` from its `grammar.js`
    Grammar(grammar::Options),
    /// Write what follows from rules, settings and queries: pages, tables, schema, what editors get of them
    Generate,
    /// Run the tests; the closing line counts them
    Test(test::Options),
    /// Write the skeleton of a rule
    NewRule(new_rule::Options),
    /// Run every hostile policy under every command, and print time and memory
    Ceilings,
    /// Compare with recordings of the reference programs; export them as a suite for other implementations
    Conformance(conformance::Options),
    /// Compare findings and facts of generated programs with those of the Go engine
    EngineDiff(engine_diff::Options),
    /// Check a public policy program: findings, seeded mutations, deleted characters
    Corpus(corpus::Options),
    /// Print the budget tables, as ratios within one run
    Bench(corpus::Options),
    /// Build what a release consists of, in target/archives
    Dist(dist::Options),
    /// Build the book of the documentation, in target/book, and check its links
    Docs,
    #[command(hide = true)]
    PreprocessDocs(docs::preprocess::Options),
    /// Run the fuzz targets: build them, run each for some time, keep what they find and count
    Fuzz(fuzz::Options),
    /// Build the module of WebAssembly and the playground in target/playground-site, and test it in Chromium
    Playground,
    /// Check every message of the server against the protocol's specification, as recorded editors
    Protocol,
    /// List and call each tool of `mangle-ls mcp` with the official inspector
    Mcp,
    /// Compare a long session of the server with new ones and with the command line, for an hour
    Soak(soak::Options),
    /// Measure how long a changed line takes until its tests have run
    Times,
    /// Take the pictures of the documentation in VS Code, and put them into docs/images
    Screenshots(screenshots::Options),
}

fn main() -> ExitCode {
    if let Some(code) = fuzz::wrapped() {
        return code;
    }
    let result = match Arguments::parse().task {
        Task::Damage(options) => damage::run(&options),
        Task::Grammar(options) => grammar::run(&options),
        Task::Generate => generate::run(),
        Task::Test(options) => test::run(&options),
        Task::Ceilings => ceilings::run(),
        Task::NewRule(options) => new_rule::run(&root(), &options),
        Task::Conformance(options) => conformance::run(&options),
        Task::EngineDiff(options) => engine_diff::run(&options).map(tally::Tally::close),
        Task::Corpus(options) => corpus::check(&options),
        Task::Bench(options) => corpus::bench(&options),
        Task::Dist(options) => dist::run(&options),
        Task::Docs => docs::command(),
        Task::PreprocessDocs(options) => docs::preprocess::run(&options),
        Task::Fuzz(options) => fuzz::run(&options),
        Task::Soak(options) => soak::run(&options),
        Task::Times => times::run(),
        Task::Screenshots(options) => screenshots::run(&root(), &options),
        Task::Playground => playground::run().map(tally::Tally::close),
        Task::Protocol => protocol::run().map(tally::Tally::close),
        Task::Mcp => mcp::run().map(tally::Tally::close),
    };
    result.unwrap_or_else(|error| {
        eprintln!("xtask: {error:#}");
        ExitCode::from(2)
    })
}

/// Cargo, in the root folder.
fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// The root folder of the repository.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
