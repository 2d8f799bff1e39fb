//! A program that is divided into stores gives what its stores give one by one, on generated programs: each store is
//! evaluated as a program without stores that has only the facts of the store.

use crate::naive;
use crate::support;

use std::collections::BTreeSet;
use std::sync::Arc;

use mangle_engine::kernel::{Clock, CompiledProgram, Limits, Model, Reading, compile, run};
use mangle_engine::program::{FileSummary, PredicateId, Program, ProgramEnvironment};
use mangle_settings::{Stores, Vocabulary, parse};
use mangle_syntax::syntax::SourceFile;
use mangle_syntax::text::{Cancel, FileId};
use support::Random;

const PROGRAMS: u64 = 150;
const CLOCK: Clock = Clock { now_ns: 0 };
const NAMES: [&str; 4] = ["first", "second", "third", "shared"];

/// A generated program: the lines of its facts, and all other lines.
struct Case {
    facts: Vec<String>,
    rest: String,
    stores: Arc<Stores>,
}

impl Case {
    fn new(seed: u64) -> Self {
        let text = naive::generate::program(seed).to_string();
        let is_fact = |line: &&str| !line.contains(":-") && !line.starts_with("Decl") && line.contains('(');
        let (facts, rest): (Vec<_>, Vec<_>) = text.lines().partition(is_fact);
        let mut random = Random(seed);
        let mut owned: [BTreeSet<&str>; 4] = Default::default();
        for fact in &facts {
            let name = fact.split('(').next().unwrap();
            if !owned.iter().any(|names| names.contains(name)) {
                owned[random.below(4)].insert(name);
            }
        }
        let table = owned.iter().zip(NAMES).skip(1);
        let table = table.map(|(names, store)| format!("{store} = {names:?}\n").replace(['{', '}'], ""));
        let table = table.map(|line| line.replace("= ", "= [").replace('\n', "]\n"));
        let text = format!("[runtime.stores]\ndefault = 'first'\n{}", table.collect::<String>());
        let parsed = parse(&text, Vocabulary { rules: &[] });
        assert!(parsed.findings.is_empty(), "{text}{:?}", parsed.findings);
        let stores = parsed.settings.runtime.stores.unwrap();
        Self { facts: facts.into_iter().map(str::to_owned).collect(), rest: rest.join("\n"), stores }
    }

    /// The program with some of its facts.
    fn run(
        &self,
        reading: Reading,
        embedding: ProgramEnvironment,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Facts {
        let facts: Vec<&str> = self
            .facts
            .iter()
            .map(|fact| if is_wanted(fact.split('(').next().unwrap()) { fact.as_str() } else { "" })
            .collect();
        let files = [self.rest.clone(), facts.join("\n")];
        let summary = |(id, text): (u32, &String)| {
            Arc::new(FileSummary::new(FileId(id), &SourceFile::parse(text.as_str().into())))
        };
        let files = (0..).zip(&files).map(summary).collect();
        let program = Program::embedded(files, Arc::new(embedding));
        let compiled = compile(&program, reading);
        let model = run(&compiled, Limits::default(), CLOCK, &Cancel::new());
        Facts { compiled, model }
    }
}

struct Facts {
    compiled: Arc<CompiledProgram>,
    model: Model,
}

impl Facts {
    fn is_whole(&self) -> bool {
        self.model.stopped.is_none() && self.model.errors.is_empty()
    }

    fn texts(&self) -> BTreeSet<String> {
        self.model.dump(&self.compiled).into_iter().collect()
    }

    /// The facts of a store.
    fn of_store(&self, store: usize) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        for predicate in (0..self.compiled.predicates()).map(PredicateId) {
            let relation = self.model.relation(predicate).unwrap();
            for (number, tuple) in (0u32..).zip(relation.tuples()) {
                if self.model.stores_of(&self.compiled, predicate, number).contains(store) {
                    all.insert(self.model.fact(&self.compiled, predicate, tuple));
                }
            }
        }
        all
    }
}

#[test]
fn a_divided_program_is_the_union_of_its_stores() {
    let (mut compared, mut different) = (0, 0);
    for seed in 0..PROGRAMS {
        let case = Case::new(seed);
        for reading in [Reading::Engine, Reading::Intended] {
            let stores = Some(Arc::clone(&case.stores));
            let embedding = ProgramEnvironment {
                stores,
                separate_files: vec![FileId(1)],
                ..ProgramEnvironment::default()
            };
            let divided = case.run(reading, embedding, |_| true);
            let keeps = |store: usize, name: &str| {
                case.stores.keepers(mangle_syntax::text::Symbol::new(name)).contains(store)
            };
            let alone = |store| case.run(reading, ProgramEnvironment::default(), |name| keeps(store, name));
            let parts: Vec<Facts> = (0..case.stores.names().len()).map(alone).collect();
            if !divided.is_whole() || !parts.iter().all(Facts::is_whole) {
                continue;
            }
            for (store, part) in parts.iter().enumerate() {
                assert_eq!(divided.of_store(store), part.texts(), "seed {seed}, store {store}");
            }
            let union: BTreeSet<_> = parts.iter().flat_map(Facts::texts).collect();
            assert_eq!(divided.texts(), union, "seed {seed}");
            compared += 1;
            let whole = case.run(reading, ProgramEnvironment::default(), |_| true);
            different += usize::from(whole.texts() != union);
        }
    }
    eprintln!("programs in stores: {compared} compared, {different} of them different without stores");
    assert!(compared > 100 && different > 30, "{compared} {different}");
}
