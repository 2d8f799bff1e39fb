//! Tests that the findings after each edit equal the findings of a program that is joined and
//! checked from scratch.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use crate::Registry;
use crate::diagnostics::{FindingCache, diagnostics};
use mangle_engine::program::{FileSummary, Program, ProgramEnvironment};
use mangle_settings::{RuleSettings, Vocabulary, parse};
use mangle_syntax::lint::Severity;
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{FileId, TextEdit};

macro_rules! example {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/", $name))
    };
}

/// A program with rare features: cycles, aggregates, modes, packages, times, merges, inclusions.
const PARTS: [&str; 4] = [
    "Decl edge(X, Y) bound [/name, /name].\nDecl far(X, N) descr [fundep([X], [N]), merge([N], \"higher\")].\n\
     Decl higher(A, B, C) descr [mode(\"+\", \"+\", \"-\"), deferred()].\nhigher(A, B, A) :- B < A.\n\
     edge(/a, /b).\nedge(/b, /c).\nfar(X, N) :- edge(X, Y), N = 1.\nfar(X, N) :- edge(X, Y), far(Y, M), N = fn:plus(M, 1).\n",
    "count_of(X, N) :- edge(X, Y) |> do fn:group_by(X), let N = fn:count().\nnone(X) :- count_of(X, 0).\n\
     win(X) :- edge(X, Y), !win(Y).\nodd(X) :- edge(X, Y), even(Y).\neven(X) :- edge(X, Y), odd(Y).\n\
     lost(X) :- edge(X, _), !edge(_, X).\nlots(X) :- count_of(X, N), N > 2, !evn(X).\n",
    "Package shop!\nUse tools!\nDecl item(X) descr [private()] inclusion [stock(X)].\nitem(/pen).\n\
     sold(X) :- item(X), tools.used(X), !tools.broken(X).\n",
    "Package tools!\nused(/pen).\nbroken(X) :- used(X), shop.item(X).\nseen(X)@[2024-01-01] :- used(X).\n\
     seen(X)@[_] :- <-[0d, 7d] seen(X).\nstate(/open). state(/opne). state(/closed). was(X) :- state(X), X = /closd.\n",
];

/// Words to insert, or to replace another word.
const WORDS: [&str; 14] = [
    "edge", "far", "even", "count_of", "item", "stock", "used", "/name", "/string", "X", "_", "!", "Decl ",
    "edgee",
];

/// Stores whose facts the rules of the programs join.
const STORES: &str = "[runtime.stores]
one = ['edge', 'odd', 'pending_action', 'item']
two = ['far', 'count_of', 'task_status', 'admin_override', 'used']
shared = ['state', 'user_intent']
";

struct Edited {
    sources: Vec<SourceFile>,
    program: Program,
    cache: FindingCache,
    settings: RuleSettings,
    dice: u64,
}

fn summary(source: &SourceFile, at: u32) -> Arc<FileSummary> {
    Arc::new(FileSummary::new(FileId(at), source))
}

impl Edited {
    fn new(texts: &[&str]) -> Self {
        let sources: Vec<_> = texts.iter().map(|text| SourceFile::parse((*text).into())).collect();
        let mut settings = RuleSettings::default();
        for rule in Registry::of_programs().rules().filter(|rule| rule.severity.is_none()) {
            settings.set(rule, Some(Severity::Hint));
        }
        let files = sources.iter().zip(0..).map(|(source, at)| summary(source, at)).collect();
        let stores = parse(STORES, Vocabulary { rules: &[] }).settings.runtime.stores;
        let embedding = ProgramEnvironment { kernels: Vec::new(), stores, ..ProgramEnvironment::default() };
        let program = Program::embedded(files, Arc::new(embedding));
        Self { sources, program, cache: FindingCache::new(Registry::of_programs()), settings, dice: 5 }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) as usize % bound.max(1)
    }

    /// Removes, moves or duplicates a line, or changes a word in it.
    fn changed(&mut self, text: &str) -> String {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at = self.below(lines.len());
        let line = lines.get(at).cloned().unwrap_or_default();
        let word = WORDS[self.below(WORDS.len())];
        match self.below(6) {
            0 if lines.len() > 3 => drop(lines.remove(at)),
            1 => lines.insert(at, line),
            2 => {
                let other = self.below(lines.len());
                lines.swap(at, other);
            }
            3 => lines.insert(at, format!("# {word}")),
            _ => {
                let places: Vec<_> =
                    line.match_indices(|c: char| c.is_alphabetic()).map(|(at, _)| at).collect();
                if let Some(&start) = places.get(self.below(places.len())) {
                    let end =
                        line[start..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(1) + start;
                    lines[at] = format!("{}{word}{}", &line[..start], &line[end..]);
                }
            }
        }
        lines.join("\n") + "\n"
    }

    fn edit(&mut self, at: usize, after: String) {
        let whole = TextEdit::between(self.sources[at].text(), &after);
        self.sources[at] = self.sources[at].edit(after.into(), &[whole]);
        let mut files = self.program.files.to_vec();
        files[at] = summary(&self.sources[at], u32::try_from(at).unwrap());
        self.program = self.program.succeed(files, &Arc::clone(&self.program.embedding));
    }

    #[track_caller]
    fn check(&self, turn: usize) {
        let found = diagnostics(&self.program, &self.settings, &self.cache);
        let anew = Program::embedded(self.program.files.to_vec(), Arc::clone(&self.program.embedding));
        let fresh = diagnostics(&anew, &self.settings, &FindingCache::new(Registry::of_programs()));
        for ((file, found), (_, fresh)) in found.iter().zip(&fresh) {
            let text = self.sources[file.0 as usize].text();
            let differing = found.iter().zip(fresh).find(|(one, other)| one != other);
            assert_eq!(differing, None, "turn {turn}, file {file:?}:\n{text}");
            assert_eq!(
                found.len(),
                fresh.len(),
                "turn {turn}, file {file:?}:\n{text}\n{found:#?}\n{fresh:#?}"
            );
        }
        assert_eq!(found.len(), fresh.len());
    }
}

fn random_edits(texts: &[&str], turns: usize) {
    let mut edited = Edited::new(texts);
    edited.check(0);
    for turn in 1..turns {
        let at = edited.below(texts.len());
        let before = Arc::clone(edited.sources[at].text());
        // Sometimes an undo, and sometimes several edits between two checks.
        let after = if turn % 23 == 22 { texts[at].to_owned() } else { edited.changed(&before) };
        edited.edit(at, after);
        if turn % 4 != 3 {
            edited.check(turn);
        }
    }
}

#[test]
fn edits_of_a_policy_find_what_a_fresh_check_finds() {
    random_edits(
        &[
            example!("guardian/schemas.gl"),
            example!("guardian/constitution.mg"),
            example!("guardian/facts.mg"),
            example!("guardian/routing.mg"),
            example!("guardian/campaign.mg"),
        ],
        120,
    );
}

#[test]
fn edits_of_rare_constructs_find_what_a_fresh_check_finds() {
    random_edits(&PARTS, 250);
    // Programs without packages are never joined from scratch.
    random_edits(&PARTS[..2], 350);
}
