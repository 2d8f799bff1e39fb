//! Generator of the parser: writes `tree-sitter-mangle/src` from `grammar.js`, or compares the two.
//!
//! A program of its own, because the generator brings an engine for JavaScript that no other task
//! needs. `cargo xtask grammar` runs it.
#![allow(clippy::print_stderr)] // Notes of the generator.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Parser;
use tree_sitter_generate::{OptLevel, generate_parser_in_directory};

/// ABI 14 is the newest one that the editors of current distributions load.
const ABI: usize = 14;

/// What the generator writes, relative to the grammar's `src` folder.
const GENERATED: [&str; 6] = [
    "parser.c",
    "grammar.json",
    "node-types.json",
    "tree_sitter/alloc.h",
    "tree_sitter/array.h",
    "tree_sitter/parser.h",
];

#[derive(Parser)]
struct Arguments {
    /// The root folder of the repository
    root: PathBuf,
    /// Write nothing; fail if the committed files differ from the generated ones
    #[arg(long)]
    check: bool,
}

fn main() -> Result<()> {
    let Arguments { root, check } = Arguments::parse();
    let grammar = root.join("tree-sitter-mangle");
    let source = grammar.join("src");
    if !check {
        return generate(&grammar, &source);
    }
    let scratch = root.join("target").join("grammar-check");
    generate(&grammar, &scratch)?;
    let stale: Vec<&str> =
        GENERATED.into_iter().filter(|name| differs(&source.join(name), &scratch.join(name))).collect();
    if stale.is_empty() {
        return Ok(());
    }
    bail!(
        "these files of tree-sitter-mangle/src differ from the ones that grammar.js generates: {}; \
         run `cargo xtask grammar`",
        stale.join(", ")
    )
}

fn generate(grammar: &Path, out: &Path) -> Result<()> {
    let mut notes = Vec::new();
    generate_parser_in_directory(
        grammar,
        Some(out),
        Some(grammar.join("grammar.js")),
        ABI,
        None,
        Some("native"),
        true,
        OptLevel::default(),
        &mut notes,
    )
    .context("the grammar does not generate")?;
    for note in &notes {
        eprintln!("grammar: {note}");
    }
    Ok(())
}

/// A missing file counts as different.
fn differs(committed: &Path, fresh: &Path) -> bool {
    match (fs::read(committed), fs::read(fresh)) {
        (Ok(a), Ok(b)) => a != b,
        _ => true,
    }
}
