//! What the checker finds in a real policy program, whole and mutated.
//!
//! Needs a checkout of codeNERD in `MANGLE_LS_CORPUS`; `tests/corpora/codenerd.json` names the
//! revision and the files. `cargo xtask corpus --corpus DIR` runs these in a release build and
//! prints the figures.

use crate::support;

use std::fs;
use std::ops::Range;
use std::sync::Arc;

use mangle_check::diagnostics::{FindingCache, diagnostics};
use mangle_engine::program::{FileSummary, Program};
use mangle_ide::registry::rules;
use mangle_settings::RuleSettings;
use mangle_syntax::lint::{Diagnostic, Group, Severity};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::syntax::ast::{Atom, Clause, Item};
use mangle_syntax::text::{FileId, LineIndex, TextRange};
use serde_json::Value;
use support::Random;

const CASES: usize = 200;
const CAUGHT: usize = 199;

/// The rules that report what the reference's bounds check reports.
const TYPE_RULES: &[&str] = &[
    "type-fact-mismatch",
    "type-head-mismatch",
    "type-premise-impossible",
    "eq-never",
    "compare-non-number",
    "interval-type",
    "reducer-type",
];

/// The kernel program with what is found in it.
struct Corpus {
    names: Vec<String>,
    files: Vec<Arc<FileSummary>>,
    cache: FindingCache,
    found: Vec<Vec<Diagnostic>>,
}

impl Corpus {
    fn load() -> Self {
        let texts = support::corpus_texts();
        let files: Vec<_> = texts.iter().zip(0..).map(|(text, id)| summary(id, text)).collect();
        let mut corpus = Self {
            names: support::kernel_files(),
            files,
            cache: FindingCache::new(mangle_ide::registry::all()),
            found: Vec::new(),
        };
        corpus.found = corpus.check(corpus.files.clone());
        corpus
    }

    fn check(&self, files: Vec<Arc<FileSummary>>) -> Vec<Vec<Diagnostic>> {
        let found = diagnostics(&Program::new(files), &RuleSettings::default(), &self.cache);
        found.into_iter().map(|(_, found)| found).collect()
    }

    /// What is found when `range` of a file is replaced.
    fn with(&self, file: usize, range: Range<usize>, text: &str) -> Vec<Vec<Diagnostic>> {
        let mut changed = self.files[file].text.to_string();
        changed.replace_range(range, text);
        let mut files = self.files.clone();
        files[file] = summary(u32::try_from(file).unwrap(), &changed);
        self.check(files)
    }

    fn line(&self, file: usize, found: &Diagnostic) -> u32 {
        LineIndex::new(&self.files[file].text).line_of(found.range.start()) + 1
    }

    /// Whether there is a finding about types in the clause that starts on a line.
    fn has_type_finding(&self, name: &str, line: u64) -> bool {
        let file = self.names.iter().position(|known| known == name).unwrap();
        let index = LineIndex::new(&self.files[file].text);
        let clause =
            self.files[file].items.iter().find(|item| u64::from(index.line_of(item.start)) + 1 == line);
        let clause = clause.unwrap();
        let range = clause.statement.range() + clause.start;
        self.found[file]
            .iter()
            .any(|found| TYPE_RULES.contains(&found.rule.name) && range.contains_range(found.range))
    }

    /// `file:line rule` of every finding that passes.
    fn places(&self, pass: impl Fn(&Diagnostic) -> bool) -> Vec<(String, u32, &'static str)> {
        let mut places = Vec::new();
        for (file, found) in self.found.iter().enumerate() {
            for found in found.iter().filter(|found| pass(found)) {
                places.push((self.names[file].clone(), self.line(file, found), found.rule.name));
            }
        }
        places
    }
}

fn summary(id: u32, text: &str) -> Arc<FileSummary> {
    Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.into())))
}

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn every_dropped_negation_is_found() {
    let corpus = Corpus::load();
    let text = fs::read_to_string(support::root().join("tests/corpora/codenerd.json")).unwrap();
    let known: Value = serde_json::from_str(&text).unwrap();
    let found = corpus.places(|found| matches!(found.rule.name, "negation-wildcard" | "negated-var-unbound"));
    let expected = known["reference_findings"].as_array().unwrap().iter();
    let expected = expected.filter(|finding| finding["kind"] == "negation dropped");
    let missing: Vec<_> = expected
        .filter(|wanted| {
            // The reference's line is that of the clause; the negation is a few lines below.
            let from = u32::try_from(wanted["line"].as_u64().unwrap()).unwrap();
            !found
                .iter()
                .any(|(file, line, _)| wanted["file"] == file.as_str() && (from..from + 12).contains(line))
        })
        .collect();
    assert!(missing.is_empty(), "{missing:?} not among {found:?}");
    eprintln!("dropped negations found: {}", found.len());
    assert_eq!(found.len(), 10, "{found:?}");
}

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn false_inequality_and_aborting_comparisons_are_found() {
    let corpus = Corpus::load();
    let inequality = corpus.places(|found| found.rule.name == "inequality-before-binding");
    assert_eq!(inequality.len(), 1, "{inequality:?}");
    assert!(inequality[0].0.ends_with("campaign_tasks.mg"), "{inequality:?}");
    let comparisons = corpus.places(|found| found.rule.name == "compare-non-number");
    eprintln!("comparisons of what is no number: {}", comparisons.len());
    assert!(comparisons.len() >= 13, "{comparisons:?}");
}

/// What the reference's bounds check says about the corpus and we do not, each because of a defect
/// of its own: file, line of the clause. `tests/corpora/README.md` goes through them.
const TYPE_DEFECTS: &[(&str, u64)] = &[
    ("internal/core/defaults/policy/system_world.mg", 49),
    ("internal/core/defaults/policy/system_world.mg", 55),
    ("internal/core/defaults/policy/taxonomy_inference.mg", 221),
    ("internal/core/defaults/policy/taxonomy_inference.mg", 237),
    ("internal/core/defaults/policy/taxonomy_inference.mg", 251),
];

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn every_type_mismatch_is_found() {
    let corpus = Corpus::load();
    let text = fs::read_to_string(support::root().join("tests/corpora/codenerd.json")).unwrap();
    let known: Value = serde_json::from_str(&text).unwrap();
    let mut missing = Vec::new();
    let (mut wanted, mut matched) = (0, 0);
    for finding in known["reference_findings"].as_array().unwrap() {
        if !matches!(finding["kind"].as_str(), Some("head type mismatch" | "premise infeasible")) {
            continue;
        }
        wanted += 1;
        let (file, line) = (finding["file"].as_str().unwrap(), finding["line"].as_u64().unwrap());
        if corpus.has_type_finding(file, line) {
            matched += 1;
        } else {
            missing.push((file, line));
        }
    }
    missing.sort_unstable();
    eprintln!(
        "type mismatches of the reference: {matched} of {wanted} found, {} are its defects",
        missing.len()
    );
    for rule in TYPE_RULES {
        eprintln!("{rule}: {}", corpus.places(|found| found.rule.name == *rule).len());
    }
    assert_eq!(missing, TYPE_DEFECTS);
}

/// Every error in the corpus, by rule; all are true: `tests/corpora/README.md` goes through them.
const KNOWN_ERRORS: &[(&str, usize)] = &[("inequality-before-binding", 1), ("negation-wildcard", 10)];

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn no_error_is_false() {
    let corpus = Corpus::load();
    let errors = corpus.places(|found| found.severity == Severity::Error);
    for (rule, count) in KNOWN_ERRORS {
        let found = errors.iter().filter(|(_, _, name)| name == rule).count();
        assert_eq!(found, *count, "{rule}");
    }
    let other: Vec<_> =
        errors.iter().filter(|(_, _, name)| !KNOWN_ERRORS.iter().any(|(rule, _)| rule == name)).collect();
    assert!(other.is_empty(), "{other:#?}");
}

/// How many findings each rule about quality has, those that are off by default included: the
/// counts in `tests/corpora/README.md`, where samples are judged.
#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn counts_of_quality_rules() {
    let corpus = Corpus::load();
    let mut settings = RuleSettings::default();
    for rule in rules().filter(|rule| rule.severity.is_none()) {
        settings.set(rule, Some(Severity::Hint));
    }
    let program = Program::new(corpus.files.clone());
    let found = diagnostics(&program, &settings, &FindingCache::new(mangle_ide::registry::all()));
    let count = |name: &str| {
        found.iter().flat_map(|(_, found)| found).filter(|found| found.rule.name == name).count()
    };
    let text = fs::read_to_string(support::root().join("tests/corpora/README.md")).unwrap();
    let section = text.split("\n## ").find(|section| section.starts_with("Quality rules")).unwrap();
    let table = section.split("\n### ").next().unwrap();
    let mut wrong = Vec::new();
    let mut listed = Vec::new();
    for row in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let name = cells[1].trim_matches('`');
        eprintln!("{name}: {}", count(name));
        if cells[3] != count(name).to_string() {
            wrong.push(format!("{name}: {} found, {} in the table", count(name), cells[3]));
        }
        listed.push(name);
    }
    let missing = rules().filter(|rule| rule.group == Group::Quality && !listed.contains(&rule.name));
    wrong.extend(missing.map(|rule| format!("{}: {} found, not in the table", rule.name, count(rule.name))));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn renamed_body_predicates_are_caught() {
    mutate("rename a body predicate", 1, |clause, random| {
        let atom = body_atom(clause, random, 0)?;
        Some((atom.name.range, format!("{}_gone", atom.name.symbol)))
    });
}

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn dropped_body_arguments_are_caught() {
    mutate("drop the last body argument", 2, |clause, random| {
        Some((last_argument(body_atom(clause, random, 1)?)?, String::new()))
    });
}

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn dropped_head_arguments_are_caught() {
    let corpus = Corpus::load();
    let program = Program::new(corpus.files.clone());
    let declared = |clause: &Clause| {
        let atom = &clause.head;
        let file = corpus.files.first()?;
        program.predicate_of(file, atom)?.signature.declared
    };
    mutate("drop the last argument of a declared head", 3, |clause, _| {
        declared(clause)?;
        Some((last_argument(&clause.head)?, String::new()))
    });
}

#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn unbound_head_variables_are_caught() {
    mutate("unbind a head variable", 4, |clause, random| {
        if clause.is_fact() {
            return None;
        }
        let variables: Vec<_> = clause.head.args.iter().filter(|arg| arg.variable().is_some()).collect();
        let chosen = variables.get(random.below(variables.len()))?;
        Some((chosen.range, "NeverBound".to_owned()))
    });
}

/// Applies `CASES` seeded mutations and counts those after which the mutated file, or another, has
/// an error that it had not.
fn mutate(what: &str, seed: u64, mutation: impl Fn(&Clause, &mut Random) -> Option<(TextRange, String)>) {
    let corpus = Corpus::load();
    let mut random = Random(seed);
    let (mut tried, mut caught) = (0, 0);
    let mut missed = Vec::new();
    while tried < CASES {
        let file = random.below(corpus.files.len());
        let items = &corpus.files[file].items;
        let Some(item) = items.get(random.below(items.len())) else { continue };
        let Some((range, text)) = item.statement.clause().and_then(|clause| mutation(clause, &mut random))
        else {
            continue;
        };
        tried += 1;
        let range = range + item.start;
        let found = corpus.with(file, usize::from(range.start())..usize::from(range.end()), &text);
        if errors(&found) > errors(&corpus.found) {
            caught += 1;
        } else {
            missed.push(format!("{} {:?}", corpus.names[file], corpus.files[file].statement_text(item)));
        }
    }
    eprintln!("{what}: {caught} of {CASES} caught");
    assert!(caught >= CAUGHT, "{caught} of {CASES}; missed:\n{}", missed.join("\n"));
}

fn errors(found: &[Vec<Diagnostic>]) -> usize {
    found.iter().flatten().filter(|found| found.severity == Severity::Error).count()
}

/// A body atom with at least `arity` arguments, built-ins excepted.
fn body_atom<'c>(clause: &'c Clause, random: &mut Random, arity: u16) -> Option<&'c Atom> {
    let atoms: Vec<_> = clause.literals().map(|literal| &literal.atom).collect();
    let atoms: Vec<_> =
        atoms.into_iter().filter(|atom| !atom.is_builtin() && atom.arity() >= arity).collect();
    atoms.get(random.below(atoms.len())).copied()
}

/// The bytes of the last argument with the comma before it.
fn last_argument(atom: &Atom) -> Option<TextRange> {
    let last = atom.args.last()?;
    let start = atom.args.iter().rev().nth(1).map_or(last.range.start(), |before| before.range.end());
    Some(TextRange::new(start, last.range.end()))
}

/// A punctuation character is deleted somewhere outside comments: no other statement is lost, few
/// findings, and they are on the damaged statement.
#[test]
#[ignore = "needs MANGLE_LS_CORPUS"]
fn one_deleted_character() {
    let texts = support::corpus_texts();
    let real: Vec<_> = texts.iter().map(ToString::to_string).collect();
    for (what, texts) in [("real files", real), ("strings over several lines", multi_line_files())] {
        for character in ['.', ',', '(', ')', '"'] {
            damage(what, &texts, character);
        }
    }
}

const DAMAGES: usize = 300;

fn damage(what: &str, texts: &[String], character: char) {
    let mut random = Random(u64::from(u32::from(character)));
    let mut tally = Tally::default();
    while tally.cases < DAMAGES {
        let text = &texts[random.below(texts.len())];
        let places: Vec<_> = text.match_indices(character).map(|(at, _)| at).collect();
        let Some(&at) = places.get(random.below(places.len())) else { continue };
        let before = SourceFile::parse(text.as_str().into());
        let Some(hit) = statement_at(&before, at).filter(|item| is_token(text, item, at)) else { continue };
        let mut damaged = text.clone();
        damaged.remove(at);
        tally.add(&before, &SourceFile::parse(damaged.into()), &hit, at);
    }
    tally.report(what, character);
}

/// What happened in the cases of one kind.
#[derive(Default)]
struct Tally {
    cases: usize,
    /// Cases in which no other statement was lost.
    kept: usize,
    /// Cases whose findings are all on the damaged statement.
    on_it: usize,
    /// The number of findings of each case.
    findings: Vec<usize>,
}

impl Tally {
    fn add(&mut self, before: &SourceFile, after: &SourceFile, hit: &Item, at: usize) {
        self.cases += 1;
        let describe = |item: &Item| format!("{:?}", item.statement.kind);
        let survivors: Vec<_> =
            after.items().iter().filter(|item| item.statement.findings.is_empty()).map(describe).collect();
        let others = before.items().iter().filter(|item| item.start != hit.start);
        // A neighbour that the damaged statement swallowed is lost; one that only moved is not.
        let mut rest = survivors.iter();
        let lost = others.map(describe).filter(|other| !rest.any(|survivor| survivor == other)).count();
        self.kept += usize::from(lost == 0);
        let places: Vec<_> = places(after);
        self.findings.push(places.len());
        let range = usize::from(hit.start)..=usize::from(hit.start + hit.statement.len).max(at);
        self.on_it += usize::from(!places.is_empty() && places.iter().all(|place| range.contains(place)));
    }

    fn report(&mut self, what: &str, character: char) {
        self.findings.sort_unstable();
        let at = |share: usize| self.findings[(self.cases - 1) * share / 100];
        let percent = |count: usize| count * 100 / self.cases;
        let (kept, on_it) = (percent(self.kept), percent(self.on_it));
        eprintln!(
            "{what}, `{character}` deleted: {kept} % lose no other statement, {on_it} % found on it only, findings p50 {} p95 {}",
            at(50),
            at(95)
        );
        assert!(kept >= 97, "{what} `{character}`: {kept} %");
        assert!(at(50) <= 2 && at(95) <= 4, "{what} `{character}`: {} and {}", at(50), at(95));
        assert!(on_it >= 90, "{what} `{character}`: on the statement {on_it} %");
    }
}

fn places(file: &SourceFile) -> Vec<usize> {
    let inner = file.items().iter().filter(|item| !item.follows_damage).flat_map(|item| {
        item.statement.findings.iter().map(|found| usize::from(item.start + found.range.start()))
    });
    inner.chain(file.findings().iter().map(|found| usize::from(found.range.start()))).collect()
}

fn statement_at(file: &SourceFile, at: usize) -> Option<Item> {
    let within =
        |item: &&Item| (usize::from(item.start)..usize::from(item.start + item.statement.len)).contains(&at);
    file.items().iter().find(within).cloned()
}

/// Whether the character at `at` is a token of the statement (or a quote of a string), not a
/// character in a comment, a string or a name.
fn is_token(text: &str, item: &Item, at: usize) -> bool {
    let source = SourceFile::parse(text.into());
    let node = source.tree().unwrap().root_node().descendant_for_byte_range(at, at + 1).unwrap();
    let quote =
        matches!(node.kind(), "string" | "bytes") && (at == node.start_byte() || at + 1 == node.end_byte());
    let _ = item;
    quote || node.byte_range() == (at..at + 1)
}

/// Files whose strings span lines, as prompts do.
fn multi_line_files() -> Vec<String> {
    let mut random = Random(7);
    let words =
        ["Never delete without asking.", "Say why (in short).", "Use p(X), not q.", "é 🦀", "", "- one: two"];
    let text = |random: &mut Random| {
        let lines: Vec<_> = (0..1 + random.below(5)).map(|_| words[random.below(words.len())]).collect();
        lines.join("\n")
    };
    let mut file = |_| {
        let statement = |n: usize| match random.below(4) {
            0 => format!("Decl prompt{n}(Name, Text) bound [/name, /string].\n"),
            1 => format!("rule{n}(X) :-\n    line(X, \"{}\"),\n    !hidden(X).\n\n", text(&mut random)),
            2 => format!("short({n}, \"one line\", [1, 2]).\n"),
            _ => format!("line(/s{n}, \"{}\").\n", text(&mut random)),
        };
        (0..120).map(statement).collect::<String>()
    };
    (0..10).map(&mut file).collect()
}
