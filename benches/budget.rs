//! The budget table of the checker, as ratios within one run: `cargo bench --bench budget`.
//!
//! Needs a checkout of codeNERD in `MANGLE_LS_CORPUS`; `tests/corpora/codenerd.json` names the
//! revision and the files. With a checkout of the engine in `MANGLE_LS_REFERENCE`, its examples are formatted, too.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

#[path = "../tests/all/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mangle_check::diagnostics::{FindingCache, diagnostics};
use mangle_engine::program::{FileSummary, Program};
use mangle_settings::RuleSettings;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::format::{Style, format};
use mangle_syntax::text::FileId;

/// Runs of each measurement, at least, and how long it goes on at least: what is short is disturbed more easily. The
/// fastest run counts, since noise only ever adds.
const RUNS: u32 = 15;
const TIME: Duration = Duration::from_secs(1);

fn main() {
    let Some(texts) = support::kernel_texts() else { return };
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let bare = fastest(|| bare_parse(&texts));
    let lowered = fastest(|| parse(&texts));
    let sources = parse(&texts);
    let joined = fastest(|| join(&sources));
    let program = join(&sources);
    let judged = fastest(|| judge(&program));
    let check = fastest(|| judge(&join(&parse(&texts))));
    println!("{} files, {bytes} bytes, one thread, files read beforehand", texts.len());
    row("bare tree-sitter parse", bare, bare);
    row("parse and lowering", lowered, bare);
    row("join", joined, bare);
    row("rules", judged, bare);
    row("check in all (budget 2.50)", check, bare);
    formatting("codeNERD", &texts);
    // Everything changes.
    let small: Vec<_> = texts.iter().map(|text| text.replace("\n    ", "\n  ").into()).collect();
    formatting("codeNERD, indented by 2", &small);
    let examples = support::reference_texts();
    formatting("the engine's examples", &examples);
}

/// How long it takes to format files: from their bytes to the verified text.
fn formatting(what: &str, texts: &[Arc<str>]) {
    if texts.is_empty() {
        return;
    }
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let bare = fastest(|| bare_parse(texts));
    let lowered = fastest(|| parse(texts));
    let sources = parse(texts);
    let laid_out = fastest(|| lay_out(&sources));
    let all = fastest(|| lay_out(&parse(texts)));
    let changed = lay_out(&sources);
    println!("format: {what}, {} files, {bytes} bytes, {changed} of them change", texts.len());
    row("bare tree-sitter parse", bare, bare);
    row("parse and lowering", lowered, bare);
    row("layout, verified", laid_out, bare);
    row("format in all (budget 3.50)", all, bare);
}

/// How many files change.
fn lay_out(sources: &[SourceFile]) -> usize {
    let formatted = sources.iter().map(|source| format(source, Style::default(), None).apply(source.text()));
    formatted.zip(sources).filter(|(new, source)| new.as_str() != source.text().as_ref()).count()
}

fn row(what: &str, time: Duration, bare: Duration) {
    let ratio = time.as_secs_f64() / bare.as_secs_f64();
    println!("{what:<28} {:>8.2} ms {ratio:>6.2} x bare parse", time.as_secs_f64() * 1e3);
}

fn fastest<T>(mut work: impl FnMut() -> T) -> Duration {
    let (mut best, mut all, mut runs) = (Duration::MAX, Duration::ZERO, 0);
    while runs < RUNS || all < TIME {
        let start = Instant::now();
        let result = black_box(work());
        let time = start.elapsed();
        drop(result);
        (best, all, runs) = (best.min(time), all + time, runs + 1);
    }
    best
}

fn bare_parse(texts: &[Arc<str>]) -> Vec<tree_sitter::Tree> {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_mangle::LANGUAGE.into()).unwrap();
    texts.iter().map(|text| parser.parse(text.as_bytes(), None).unwrap()).collect()
}

fn parse(texts: &[Arc<str>]) -> Vec<SourceFile> {
    texts.iter().map(|text| SourceFile::parse(Arc::clone(text))).collect()
}

fn join(sources: &[SourceFile]) -> Program {
    let files = sources.iter().zip(0..).map(|(source, id)| Arc::new(FileSummary::new(FileId(id), source)));
    Program::new(files.collect())
}

fn judge(program: &Program) -> usize {
    let found =
        diagnostics(program, &RuleSettings::default(), &FindingCache::new(mangle_ide::registry::all()));
    found.iter().map(|(_, found)| found.len()).sum()
}
