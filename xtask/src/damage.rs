//! `cargo xtask damage`: how much of a file is lost when one punctuation character is deleted.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

#[path = "../../tree-sitter-mangle/tests/sample/mod.rs"]
mod sample;

use sample::damage::{self, Outcome};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// A checkout of the public corpus [default: the folder that `MANGLE_LS_CORPUS` names]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Deletions of each character in each set of files
    #[arg(long, default_value_t = 300)]
    cases: usize,
    /// Where the random choice starts
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print each case that loses another statement
    #[arg(long)]
    verbose: bool,
}

/// At least so many cases of a hundred lose no other statement.
const BAR: f64 = 97.0;

/// Prints the table; 1 when a row is below the bar.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let mut sets = vec![("strings", sample::built_in())];
    match options.corpus.clone().or_else(|| std::env::var_os("MANGLE_LS_CORPUS").map(Into::into)) {
        Some(folder) => {
            let texts =
                sample::corpus(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
            if texts.is_empty() {
                bail!("there is no Mangle file below {}", folder.display());
            }
            sets.push(("corpus", texts));
        }
        None => eprintln!("SKIPPED: the corpus; name its folder with --corpus or MANGLE_LS_CORPUS"),
    }
    println!("set      char  cases  lose none  lost mean/max  kept   damaged places p50/p95");
    let mut enough = true;
    for (name, texts) in &sets {
        for kind in damage::KINDS {
            let outcomes = outcomes(texts, kind, options);
            enough &= row(name, kind, &outcomes) >= BAR;
        }
    }
    Ok(if enough { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn outcomes(texts: &[sample::Text], kind: char, options: &Options) -> Vec<Outcome> {
    let mut parser = sample::parser();
    let cases = damage::cases(&mut parser, texts, kind, options.cases, options.seed);
    let one = |(text, at): (usize, usize)| {
        let text = &texts[text];
        let outcome = damage::outcome(&mut parser, &text.bytes, at);
        if options.verbose && (outcome.lost > 0 || !outcome.kept) {
            let line = text.bytes[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
            println!("  {kind} {}:{line} byte {at}: {outcome:?}", text.name);
        }
        outcome
    };
    cases.into_iter().map(one).collect()
}

/// Prints one row; gives the percentage of cases that lose no other statement.
fn row(set: &str, kind: char, outcomes: &[Outcome]) -> f64 {
    let count = outcomes.len().max(1) as f64;
    let percent =
        |test: fn(&Outcome) -> bool| 100.0 * outcomes.iter().filter(|o| test(o)).count() as f64 / count;
    let lose_none = percent(|outcome| outcome.lost == 0);
    let mean = outcomes.iter().map(|outcome| outcome.lost).sum::<usize>() as f64 / count;
    let most = outcomes.iter().map(|outcome| outcome.lost).max().unwrap_or(0);
    let mut places: Vec<usize> = outcomes.iter().map(|outcome| outcome.places).collect();
    places.sort_unstable();
    let at = |part: usize| places.get(places.len().saturating_sub(1) * part / 100).copied().unwrap_or(0);
    println!(
        "{set:8} {kind:>3}  {:>6}  {lose_none:>7.1} %  {mean:>7.2} / {most:<4} {:>5.1} %  {} / {}",
        outcomes.len(),
        percent(|outcome| outcome.kept),
        at(50),
        at(95),
    );
    lose_none
}
