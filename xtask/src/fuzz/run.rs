//! One run of a target: libFuzzer over its inputs for some time, and what it said in the end.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result};

use super::build::Fuzzer;
use super::table::Target;
use super::{Extent, corpus, folder, made};

/// What an input may take, in megabytes of memory and seconds.
const MEMORY: u64 = 2048;
const TIMEOUT: u64 = 60;

/// From how many seconds on the corpus is made small again afterwards.
const LONG: u64 = 60;

/// A run.
pub(super) struct Run<'r> {
    fuzzer: &'r Fuzzer,
    target: &'r Target,
    extent: Extent,
    corpus: PathBuf,
    seeds: PathBuf,
    crashes: PathBuf,
}

/// What came of a run.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Outcome {
    pub(super) executions: u64,
    pub(super) seconds: f64,
    /// How many edges of the program were reached.
    pub(super) edges: u64,
    /// How many inputs the local corpus has.
    pub(super) corpus: usize,
    pub(super) failure: Option<Failure>,
}

/// An input that failed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) input: PathBuf,
    /// The first line of what went wrong.
    pub(super) why: String,
}

impl<'r> Run<'r> {
    pub(super) fn new(fuzzer: &'r Fuzzer, target: &'r Target, extent: Extent) -> Result<Self> {
        let seeds = folder(target, "seeds")?;
        fuzzer.seeds(target, &seeds)?;
        let corpus = folder(target, "corpus")?;
        let crashes = folder(target, "crashes")?;
        Ok(Self { fuzzer, target, extent, corpus, seeds, crashes })
    }

    /// Runs libFuzzer. What it says goes to a log beside the corpus.
    pub(super) fn run(&self) -> Result<Outcome> {
        println!("{}: {} seconds", self.target.name, self.extent.seconds);
        let start = Instant::now();
        let mut command = self.fuzzer.command(self.target);
        command.args(self.options()).arg(&self.corpus).arg(&self.seeds);
        for kept in ["corpus", "regressions"] {
            command.arg(made(&crate::root().join("fuzz").join(kept).join(&self.target.name))?);
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut child = child.context("cannot run the fuzz targets")?;
        let log = folder(self.target, "")?.join("log.txt");
        let mut outcome = read(child.stderr.take().context("no output")?, &log)?;
        outcome.seconds = start.elapsed().as_secs_f64();
        if !child.wait()?.success() && outcome.failure.is_none() {
            let why = format!("the process died; see {}", log.display());
            outcome.failure = Some(Failure { input: log, why });
        }
        if self.extent.seconds >= LONG && outcome.failure.is_none() {
            corpus::minimise(self.fuzzer, self.target, &self.corpus)?;
        }
        outcome.corpus = corpus::count(&self.corpus);
        Ok(outcome)
    }

    fn options(&self) -> Vec<String> {
        let mut options = vec![
            format!("-max_total_time={}", self.extent.seconds),
            format!("-max_len={}", self.target.max_len),
            format!("-rss_limit_mb={MEMORY}"),
            format!("-timeout={TIMEOUT}"),
            // Slower on a busy machine is no failure below the limit.
            format!("-report_slow_units={TIMEOUT}"),
            format!("-artifact_prefix={}/", self.crashes.display()),
            "-print_final_stats=1".to_owned(),
        ];
        options.extend(self.extent.seed.map(|seed| format!("-seed={seed}")));
        options.extend(self.extent.runs.map(|runs| format!("-runs={runs}")));
        if let Some(name) = &self.target.dictionary {
            let file = crate::root().join("fuzz/dictionaries").join(format!("{name}.txt"));
            options.push(format!("-dict={}", file.display()));
        }
        options
    }
}

/// Reads what libFuzzer says, and writes it to the log.
fn read(output: impl std::io::Read, log: &Path) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let mut file = std::fs::File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let mut why = String::new();
    for line in BufReader::new(output).split(b'\n') {
        let line = String::from_utf8_lossy(&line.context("cannot read what libFuzzer says")?).into_owned();
        std::io::Write::write_all(&mut file, format!("{line}\n").as_bytes())?;
        take(&line, &mut outcome, &mut why);
    }
    Ok(outcome)
}

/// Takes what a line tells.
fn take(line: &str, outcome: &mut Outcome, why: &mut String) {
    if let Some(count) = line.strip_prefix("stat::number_of_executed_units:") {
        outcome.executions = count.trim().parse().unwrap_or(0);
    }
    if let Some(edges) = after(line, " cov: ") {
        outcome.edges = outcome.edges.max(edges);
    }
    if line.starts_with('#')
        && let Some(count) = after(line, "#")
    {
        outcome.executions = outcome.executions.max(count);
    }
    // A panic says where on one line and why on the next.
    let is_news = line.contains("panicked at") || line.contains("ERROR: libFuzzer");
    if is_news || why.ends_with(':') {
        why.push_str(if why.is_empty() { "" } else { " " });
        why.push_str(line.trim());
    }
    if let Some((_, path)) = line.split_once("Test unit written to ") {
        let why = why.chars().take(400).collect();
        outcome.failure = Some(Failure { input: path.trim().into(), why });
    }
}

/// The number behind a word.
fn after(line: &str, word: &str) -> Option<u64> {
    let (_, rest) = line.split_once(word)?;
    rest.trim_start().split(|char: char| !char.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Outcome, take};

    #[test]
    fn what_libfuzzer_says_is_read() {
        let (mut outcome, mut why) = (Outcome::default(), String::new());
        let lines = [
            "#2048\tpulse  cov: 1234 ft: 2000 corp: 3/12b lim: 4 exec/s: 1024 rss: 40Mb",
            "thread 'main' (7) panicked at fuzz/src/oracle/ranges.rs:9:5:",
            "3..9 lies outside of 4 bytes",
            "artifact_prefix='x/'; Test unit written to x/crash-1",
            "stat::number_of_executed_units: 2049",
        ];
        lines.iter().for_each(|line| take(line, &mut outcome, &mut why));
        let failure = outcome.failure.take();
        let failure = failure.as_ref().map(|failure| (failure.input.to_str(), failure.why.as_str()));
        let expected =
            "thread 'main' (7) panicked at fuzz/src/oracle/ranges.rs:9:5: 3..9 lies outside of 4 bytes";
        assert_eq!(failure, Some((Some("x/crash-1"), expected)));
        assert_eq!((outcome.executions, outcome.edges), (2049, 1234));
    }
}
