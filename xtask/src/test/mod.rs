//! `cargo xtask test`: the tests of the repository, step by step, with one closing line.

mod changed;
mod rust;
mod steps;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;

use self::steps::{Lane, Level, STEPS, Step};
use crate::beside::Beside;
use crate::tally::Tally;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Also run lints, documentation, WebAssembly, protocol, engines, editors, Python and the playground, and install what they need
    #[arg(long)]
    all: bool,
    /// Run only this step; may be repeated [possible values: see `--list`]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["all", "changed"], value_parser = steps::parse)]
    step: Vec<&'static Step>,
    /// Run the steps that the difference between the working tree and the branch `main` can affect
    #[arg(long, conflicts_with = "all")]
    changed: bool,
    /// List the steps
    #[arg(long)]
    list: bool,
    /// Run only the steps that keep one core busy, and write their tally to this file
    #[arg(long, value_name = "FILE", hide = true, conflicts_with_all = ["all", "step", "changed"])]
    beside: Option<PathBuf>,
}

/// Runs the chosen steps, also after one has failed.
pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    if options.list {
        STEPS.iter().for_each(|step| println!("{:<11} {}", step.name, step.about));
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = Report::default();
    if let Some(file) = &options.beside {
        report.run_lane(Lane::Busy);
        fs::write(file, serde_json::to_vec(&report.tally)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if options.all {
        report.run_all();
    } else {
        for step in chosen(options)? {
            report.run(step);
        }
    }
    Ok(report.close())
}

fn chosen(options: &Options) -> Result<Vec<&'static Step>> {
    if !options.step.is_empty() {
        return Ok(options.step.clone());
    }
    if options.changed {
        let files = changed::files()?;
        println!("{} changed files", files.len());
        return Ok(STEPS.iter().filter(|step| step.is_affected_by(&files)).collect());
    }
    Ok(STEPS.iter().filter(|step| step.level == Level::Quick).collect())
}

/// The results of the steps so far.
#[derive(Default)]
struct Report {
    tally: Tally,
    /// Each step with its seconds.
    times: Vec<(&'static str, u64)>,
}

impl Report {
    /// Runs all steps. Steps that wait for other programs share the machine with steps that keep one core busy.
    fn run_all(&mut self) {
        self.run_lane(Lane::First);
        let busy = Beside::start(&["test", "--beside"]);
        self.run_lane(Lane::Waiting);
        let start = Instant::now();
        self.add("the busy steps", start, busy.and_then(Beside::end));
        self.run_lane(Lane::Last);
    }

    fn run_lane(&mut self, lane: Lane) {
        STEPS.iter().filter(|step| step.lane == lane).for_each(|step| self.run(step));
    }

    /// Runs a step. A step that ends with an error counts as one failed check.
    fn run(&mut self, step: &'static Step) {
        println!("\n=== {}: {}", step.name, step.about);
        let start = Instant::now();
        self.add(step.name, start, (step.run)());
    }

    fn add(&mut self, name: &'static str, start: Instant, result: Result<Tally>) {
        let tally = result.unwrap_or_else(|error| {
            eprintln!("{name}: {error:#}");
            Tally::failed(format!("{name}: {error:#}"))
        });
        let seconds = start.elapsed().as_secs();
        println!("=== {name}: {seconds} s, {tally}");
        self.times.push((name, seconds));
        self.tally.add(tally);
    }

    fn close(self) -> ExitCode {
        println!();
        for (name, seconds) in &self.times {
            println!("{name:<14} {:>3} min {:>2} s", seconds / 60, seconds % 60);
        }
        self.tally.close()
    }
}
