//! What the integration tests share: programs from texts, and their diagnostics.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::print_stderr, missing_docs)]

pub mod client;
pub mod command;
pub mod editor_queries;
pub mod programs;
pub mod requests;
pub mod rule_examples;
pub mod text;
pub mod world;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mangle_check::diagnostics::{FindingCache, diagnostics};
use mangle_engine::program::{FileSummary, Program, ProgramEnvironment};
use mangle_ide::registry::rules;
use mangle_settings::{EngineVersion, RuleSettings};
use mangle_syntax::lint::{Diagnostic, Severity};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;

/// The folder of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The program of these texts; ids are 0, 1, … in order.
pub fn program(texts: &[impl AsRef<str>]) -> Program {
    program_for(texts, EngineVersion::default())
}

/// The same for an engine.
pub fn program_for(texts: &[impl AsRef<str>], engine: EngineVersion) -> Program {
    let files = texts.iter().zip(0..).map(|(text, id)| {
        let source = SourceFile::parse(text.as_ref().into());
        Arc::new(FileSummary::new(FileId(id), &source))
    });
    Program::embedded(
        files.collect(),
        Arc::new(ProgramEnvironment { engine, ..ProgramEnvironment::default() }),
    )
}

/// The diagnostics of these texts as one program, a list a file.
pub fn check(texts: &[impl AsRef<str>]) -> Vec<Vec<Diagnostic>> {
    check_for(texts, EngineVersion::default())
}

/// The same for an engine.
pub fn check_for(texts: &[impl AsRef<str>], engine: EngineVersion) -> Vec<Vec<Diagnostic>> {
    let found = diagnostics(
        &program_for(texts, engine),
        &RuleSettings::default(),
        &FindingCache::new(mangle_ide::registry::all()),
    );
    found.into_iter().map(|(_, found)| found).collect()
}

/// The same with every rule switched on that is off by default.
pub fn check_all(texts: &[impl AsRef<str>]) -> Vec<Vec<Diagnostic>> {
    let mut settings = RuleSettings::default();
    for rule in rules().filter(|rule| rule.severity.is_none()) {
        settings.set(rule, Some(Severity::Hint));
    }
    let found = diagnostics(&program(texts), &settings, &FindingCache::new(mangle_ide::registry::all()));
    found.into_iter().map(|(_, found)| found).collect()
}

/// The most memory that a process had so far, in megabytes; `None` once it is gone.
pub fn high_water(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

/// The seconds of the processor that a process had so far; `None` once it is gone.
pub fn seconds(process: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name, which may hold anything: 12 numbers, then those of its own work and of the system's.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks: f64 = fields.next()?.parse::<f64>().ok()? + fields.next()?.parse::<f64>().ok()?;
    Some(ticks / 100.0)
}

/// The public checkout of the corpus, if the environment names one.
pub fn corpus() -> Option<PathBuf> {
    std::env::var_os("MANGLE_LS_CORPUS").map(PathBuf::from)
}

/// A deterministic sequence of numbers (SplitMix64), for seeded mutations.
pub struct Random(pub u64);

impl Random {
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }
}

/// The kernel files of the corpus in order, as paths below its folder.
pub fn kernel_files() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("tests/corpora/codenerd.json")).unwrap();
    let corpus: serde_json::Value = serde_json::from_str(&text).unwrap();
    let files = corpus["kernel_files_in_order"].as_array().unwrap();
    files.iter().map(|file| file.as_str().unwrap().to_owned()).collect()
}

/// The texts of the kernel files, if the environment names a checkout.
pub fn kernel_texts() -> Option<Vec<Arc<str>>> {
    let folder = corpus()?;
    let read =
        |file: String| std::fs::read_to_string(folder.join(&file)).unwrap_or_else(|e| panic!("{file}: {e}"));
    Some(kernel_files().into_iter().map(read).map(Arc::from).collect())
}

/// The texts of the kernel files, for a test that is ignored unless `cargo xtask corpus` runs it.
#[track_caller]
pub fn corpus_texts() -> Vec<Arc<str>> {
    kernel_texts().expect(
        "set MANGLE_LS_CORPUS to a checkout of codeNERD; tests/corpora/codenerd.json names the revision",
    )
}

/// The Mangle files of a checkout of the engine, if the environment names one in `MANGLE_LS_REFERENCE`.
pub fn reference_files() -> Vec<(String, String)> {
    let folder = std::env::var_os("MANGLE_LS_REFERENCE").map(PathBuf::from);
    folder.map(|folder| programs::mangle_files(&folder)).unwrap_or_default()
}

/// Their texts.
pub fn reference_texts() -> Vec<Arc<str>> {
    reference_files().into_iter().map(|(_, text)| text.into()).collect()
}
