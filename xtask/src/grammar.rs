//! `cargo xtask grammar`: generates `tree-sitter-mangle/src` from `grammar.js`, or compares the two.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
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

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Write nothing; fail when the committed files differ from what would be generated
    #[arg(long)]
    pub(crate) check: bool,
}

/// Generates the parser into the source tree, or compares the two.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let grammar = root.join("tree-sitter-mangle");
    let source = grammar.join("src");
    if !options.check {
        generate(&grammar, &source)?;
        return Ok(ExitCode::SUCCESS);
    }
    let scratch = root.join("target").join("grammar-check");
    generate(&grammar, &scratch)?;
    let stale: Vec<&str> =
        GENERATED.into_iter().filter(|name| differs(&source.join(name), &scratch.join(name))).collect();
    if stale.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    bail!(
        "these files of tree-sitter-mangle/src do not belong to grammar.js: {}; run `cargo xtask grammar`",
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
