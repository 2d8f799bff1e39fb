//! Checks a text of any kind, in memory.

use std::sync::Arc;

use mangle_check::diagnostics::{FindingCache, diagnostics};
use mangle_engine::program::{FileSummary, Program};
use mangle_ide::registry;
use mangle_ide::transcripts::{self, TranscriptContext};
use mangle_settings::{RuleSettings, TranscriptSettings, Vocabulary, parse};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::FileId;
use piggyback::transcript::Limits;

use super::constructs::Read;

/// Checks a text; says how many findings it has.
pub(crate) fn check(read: Read, text: &str) -> usize {
    match read {
        Read::Policy => policy(text),
        Read::Configuration => configuration(text),
        Read::Transcript => transcript(text),
    }
}

fn policy(text: &str) -> usize {
    let summary = FileSummary::new(FileId(0), &SourceFile::parse(text.into()));
    let program = Program::new(vec![Arc::new(summary)]);
    let found =
        diagnostics(&program, &RuleSettings::default(), &FindingCache::new(mangle_ide::registry::all()));
    found.iter().map(|(_, found)| found.len()).sum()
}

fn configuration(text: &str) -> usize {
    let rules: Vec<_> = registry::rules().collect();
    parse(text, Vocabulary { rules: &rules }).findings.len()
}

fn transcript(text: &str) -> usize {
    let (settings, rules, limits) = <(TranscriptSettings, RuleSettings, Limits)>::default();
    let context = piggyback::envelope::ReplyContext::new(&settings);
    let judge = TranscriptContext { rules: &rules, context, limits: &limits, programs: &[] };
    transcripts::diagnostics(FileId(0), "a.jsonl", text.as_bytes(), judge).len()
}
