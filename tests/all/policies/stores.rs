//! Split joins and blind negations in a real policy program whose runtime divides its facts into stores.
//!
//! Needs a checkout of codeNERD in `MANGLE_LS_CORPUS`, as `policies::corpus` does. The figures are those of its kernel:
//! the compiler of prompts evaluates the files `jit_*.mg` in a kernel of its own, which has no stores.

use crate::support;

use std::sync::Arc;

use mangle_check::diagnostics::{FindingCache, diagnostics};
use mangle_engine::program::{FileSummary, Program, ProgramEnvironment};
use mangle_settings::{RuleSettings, Stores};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{FileId, LineIndex};

/// A finding that was read: its file and line, the predicate in its headline, and why it is true.
type Judgement = (&'static str, &'static str, &'static str);

/// Rules that no store can fire.
const SPLIT_JOINS: &[Judgement] = &[
    (
        "campaign_rules.mg:252",
        "quality_violation_detected",
        "tasks are in `campaign`, `file_topology` in `world`",
    ),
    ("coder_safety.mg:48", "coder_block_action", "`pending_edit` is in `world`, `tdd_state` in `cortex`"),
    (
        "coder_tdd.mg:63",
        "tdd_violation",
        "the phase follows from `cortex`, the kind of the edit from `world`",
    ),
    ("coder_tdd.mg:68", "tdd_violation", "the same for the next phase"),
    ("constitution.mg:17", "permitted", "an override is in `cortex`, `pending_action` in `policy`"),
    (
        "constitution.mg:282",
        "final_action",
        "candidates are in `cortex`, `permitted` follows in `policy` only",
    ),
    ("constitution.mg:342", "permitted", "a granted appeal is in `cortex`, `pending_action` in `policy`"),
];

/// Negations that always hold in a store.
const BLIND_NEGATIONS: &[Judgement] = &[
    ("campaign_rules.mg:257", "test_coverage", "the rule fires in `campaign`, coverage is in `world`"),
    (
        "coder_campaign.mg:45",
        "in_campaign_context",
        "every store has the premises, only `campaign` the context",
    ),
    (
        "coder_context.mg:79",
        "exclude_from_context",
        "exclusions follow in `world`, the rule also fires in `campaign`",
    ),
    ("coder_workflow.mg:161", "exclude_from_context", "the same with another premise"),
    (
        "coder_workflow.mg:202",
        "in_campaign_context",
        "every store has the premises, only `campaign` the context",
    ),
    ("constitution.mg:27", "admin_override", "`dangerous_action` has facts of the program: all stores deny"),
    ("constitution.mg:31", "signed_approval", "`dangerous_action` has facts of the program: all stores deny"),
    ("constitution.mg:291", "permitted", "candidates are in `cortex`, `permitted` follows in `policy` only"),
    (
        "constitution.mg:311",
        "action_denied",
        "the rule has no other premise, denials follow in `cortex` only",
    ),
];

/// The findings of the two rules in some files of the corpus: rule, file and line, predicate of the headline.
fn findings(is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let names = support::kernel_files();
    let texts = support::corpus_texts();
    let files: Vec<_> = names.iter().zip(texts).filter(|(name, _)| is_wanted(name)).collect();
    let summaries = files
        .iter()
        .zip(0..)
        .map(|((_, text), id)| Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(Arc::clone(text)))));
    let stores = Stores::built_in("codenerd").map(Arc::new);
    let embedding = ProgramEnvironment { stores, ..ProgramEnvironment::default() };
    let program = Program::embedded(summaries.collect(), Arc::new(embedding));
    let rules = program.files.iter().flat_map(|file| file.items.iter());
    let rules = rules.filter_map(|item| item.statement.clause()).filter(|clause| !clause.is_fact()).count();
    let cache = FindingCache::new(mangle_ide::registry::all());
    let mut found = Vec::new();
    for ((name, text), (_, all)) in files.iter().zip(diagnostics(&program, &RuleSettings::default(), &cache))
    {
        let index = LineIndex::new(text);
        let name = name.rsplit('/').next().unwrap();
        for one in all.iter().filter(|one| ["split-join", "blind-negation"].contains(&one.rule.name)) {
            let line = index.line_of(one.range.start()) + 1;
            let predicate = one.message.split('`').nth(1).unwrap();
            found.push(format!("{} {name}:{line} {predicate}", one.rule.name));
        }
    }
    let count = |rule: &str| found.iter().filter(|found| found.starts_with(rule)).count();
    eprintln!(
        "rules: {rules}, split joins: {}, blind negations: {}",
        count("split-join"),
        count("blind-negation")
    );
    found
}

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn split_joins_and_blind_negations_are_the_judged_ones() {
    let found = findings(|name| !name.contains("jit_"));
    let judged = [("split-join", SPLIT_JOINS), ("blind-negation", BLIND_NEGATIONS)];
    let judged = judged.iter().flat_map(|(rule, list)| list.iter().map(move |one| (rule, one)));
    let judged: Vec<_> = judged.map(|(rule, (place, name, _))| format!("{rule} {place} {name}")).collect();
    let sorted = |mut lines: Vec<String>| {
        lines.sort();
        lines.join("\n")
    };
    assert_eq!(sorted(found), sorted(judged));
}

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn the_compiler_of_prompts_adds_one_of_each() {
    let found = findings(|_| true);
    assert_eq!(found.len(), 8 + 10, "{found:#?}");
}
