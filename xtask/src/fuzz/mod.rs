//! `cargo xtask fuzz`: runs the targets of `fuzz` under libFuzzer, keeps what they find, and counts.
//!
//! Everything is below `.cache/fuzz`: for each target its corpus, its seeds and the inputs that failed, and the ledger of all
//! runs on this machine.

mod build;
mod corpus;
mod ledger;
mod run;
mod rustc;
mod table;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, bail, ensure};

use self::build::Fuzzer;
use self::ledger::Ledger;
use self::run::{Outcome, Run};
pub(crate) use self::rustc::wrapped;
use self::table::Target;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The targets [default: all]
    targets: Vec<String>,
    /// How long each target runs
    #[arg(long, value_name = "N", default_value_t = 60, conflicts_with = "hours")]
    seconds: u64,
    /// The same in hours
    #[arg(long, value_name = "N")]
    hours: Option<f64>,
    /// How many targets run at once
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Copy the smallest inputs that reach something new to `fuzz/corpus`
    #[arg(long)]
    keep: bool,
    /// Run a target over one file, such as an input that failed
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The number that decides what is tried [default: another one each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How many inputs of each target are tried at most
    #[arg(long, value_name = "N")]
    runs: Option<u64>,
    /// List the targets
    #[arg(long)]
    list: bool,
}

/// How much is tried of a target.
#[derive(Debug, Clone, Copy)]
struct Extent {
    seconds: u64,
    seed: Option<u64>,
    /// How many inputs at most.
    runs: Option<u64>,
}

/// Runs what is asked for.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let fuzzer = Fuzzer::build()?;
    let targets = chosen(&fuzzer, &options.targets)?;
    if options.list {
        targets.iter().for_each(|target| println!("{:<12} {}", target.name, target.about));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(input) = &options.input {
        let [target] = targets.as_slice() else { bail!("name the one target that reads the file") };
        return fuzzer.reproduce(target, input);
    }
    let seconds = options.hours.map_or(options.seconds, |hours| (hours * 3600.0) as u64);
    let extent = Extent { seconds, seed: options.seed, runs: options.runs };
    let outcomes = run_all(&fuzzer, &targets, extent, options.jobs)?;
    if options.keep {
        for target in &targets {
            let kept = corpus::keep(&fuzzer, target)?;
            println!("{}: {kept} inputs are new in fuzz/corpus", target.name);
        }
    }
    let failed = outcomes.iter().any(|(_, outcome)| outcome.failure.is_some());
    Ok(if failed { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn chosen(fuzzer: &Fuzzer, names: &[String]) -> Result<Vec<Target>> {
    let all = fuzzer.targets()?;
    ensure!(!all.is_empty(), "there are no targets");
    for name in names {
        let is_known = all.iter().any(|target| target.name == *name);
        ensure!(is_known, "there is no target `{name}`; `cargo xtask fuzz --list` lists them");
    }
    Ok(all.into_iter().filter(|target| names.is_empty() || names.contains(&target.name)).collect())
}

/// Runs targets, some at once, and prints what came of them. What was counted is added to the ledger after each.
fn run_all(
    fuzzer: &Fuzzer,
    targets: &[Target],
    extent: Extent,
    jobs: usize,
) -> Result<Vec<(String, Outcome)>> {
    let waiting: Mutex<VecDeque<&Target>> = Mutex::new(targets.iter().collect());
    let done = Mutex::new(Vec::new());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while let Some(target) = next() {
                    let result = Run::new(fuzzer, target, extent).and_then(|run| run.run());
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    let result = result.and_then(|outcome| {
                        Ledger::add(&home().join("ledger.json"), &target.name, &outcome)?;
                        Ok(outcome)
                    });
                    done.push((target.name.clone(), result));
                }
            });
        }
    });
    let mut outcomes = Vec::new();
    for (name, result) in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
        outcomes.push((name.clone(), result.with_context(|| format!("target {name}"))?));
    }
    outcomes.sort_by(|(one, _), (other, _)| one.cmp(other));
    println!("{}", ledger::table(&outcomes, &Ledger::read(&home().join("ledger.json"))?));
    for (name, outcome) in &outcomes {
        if let Some(failure) = &outcome.failure {
            println!("\n{name} failed: {}", failure.why);
            println!("  cargo xtask fuzz {name} --input {}", failure.input.display());
        }
    }
    Ok(outcomes)
}

/// Where everything is kept that is of this machine.
fn home() -> PathBuf {
    crate::root().join(".cache/fuzz")
}

/// A folder of a target, which is made if it is not there.
fn folder(target: &Target, name: &str) -> Result<PathBuf> {
    made(&home().join(&target.name).join(name))
}

fn made(folder: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder.to_owned())
}
