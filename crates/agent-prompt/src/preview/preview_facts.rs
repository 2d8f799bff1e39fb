//! Facts that a preview asserts in a kernel: facts of the sample, of directives, and synthetic
//! facts.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::answers::FactLocations;
use crate::hybrid::Directives;
use crate::origin::FactOriginKind;
use mangle_engine::kernel::{Fact, Kernel, PRINTED_BYTES, RuleId, ValueId, Values, evaluate};
use mangle_engine::program::{FileSummary, PredicateId, PredicateKey, Program, key_of};
use mangle_syntax::syntax::ast::{Clause, Item, Term};
use mangle_syntax::text::{FileId, Symbol, TextSize};

/// Facts with their values, in insertion order.
#[derive(Debug, Default)]
pub(super) struct PreviewFacts {
    facts: Vec<PreviewFact>,
    by_tuple: FxHashMap<(PredicateId, Box<[ValueId]>), usize>,
}

#[derive(Debug)]
struct PreviewFact {
    predicate: PredicateId,
    tuple: Box<[ValueId]>,
    kind: FactOriginKind,
    place: Option<(FileId, TextSize)>,
    printed: String,
}

/// True if a statement is a plain fact, which can be asserted and retracted. A plain fact has no
/// interval, and its values do not depend on the clock.
pub(super) fn is_plain(program: &Program, file: FileId, item: u32) -> bool {
    let item = program.file(file).and_then(|file| file.items.get(item as usize));
    item.and_then(plain_fact).is_some()
}

fn plain_fact(item: &Item) -> Option<&Clause> {
    let clause = item.statement.clause().filter(|clause| clause.is_fact() && !item.statement.damaged)?;
    let is_ground = |term: &Term| {
        let mut is_ground = true;
        term.walk(&mut |term| {
            is_ground &= term.apply().is_none_or(|apply| !apply.function.as_str().starts_with("fn:time"))
        });
        term.variables(&mut |_, _| is_ground = false);
        is_ground && !term.is_wildcard()
    };
    (clause.interval.is_none() && clause.transforms.is_empty() && clause.head.args.iter().all(is_ground))
        .then_some(clause)
}

/// True if two programs differ only in layout and in plain facts of the sample.
pub(super) fn has_same_rules(one: &Program, other: &Program, sample: Option<FileId>) -> bool {
    let rules = |file: &FileSummary| -> Vec<(u64, bool)> {
        let is_sample = Some(file.id) == sample;
        let items = file.items.iter().filter(|item| !is_sample || plain_fact(item).is_none());
        items.map(|item| (item.statement.digest, item.statement.damaged)).collect()
    };
    let is_same = |(before, after): (&Arc<FileSummary>, &Arc<FileSummary>)| {
        before.id == after.id && (Arc::ptr_eq(before, after) || rules(before) == rules(after))
    };
    // A fact with an unknown predicate cannot be asserted. A fact that is not plain is compiled.
    let is_given = |file: &FileSummary| {
        let is_compiled =
            |item: &Item| item.statement.clause().is_some_and(Clause::is_fact) && plain_fact(item).is_none();
        let knows = |(_, clause): (&Item, &Clause)| one.id(one.meaning(file, key_of(&clause.head))).is_some();
        !file.items.iter().any(is_compiled) && facts(file).all(knows)
    };
    one.embedding == other.embedding
        && one.files.len() == other.files.len()
        && one.files.iter().zip(other.files.iter()).all(is_same)
        && other.files.iter().filter(|file| Some(file.id) == sample).all(|file| is_given(file))
}

/// The plain facts of a file.
fn facts(file: &FileSummary) -> impl Iterator<Item = (&Item, &Clause)> {
    file.items.iter().filter_map(|item| Some((item, plain_fact(item)?)))
}

impl PreviewFacts {
    /// The facts of the sample in `current`, with the predicates of `program`.
    pub(super) fn of_sample(
        program: &Program,
        current: &Program,
        sample: Option<FileId>,
        values: &mut Values,
    ) -> Self {
        let mut given = Self::default();
        let Some(file) = sample.and_then(|sample| current.file(sample)) else { return given };
        for (item, clause) in facts(file) {
            let key = program.meaning(file, key_of(&clause.head));
            let Some(predicate) = program.id(key).filter(|id| !program.get(*id).signature.temporal) else {
                continue;
            };
            let text = file.statement_text(item);
            let value = |term| evaluate(term, text, values, None).ok().flatten();
            let tuple: Option<Box<[ValueId]>> = clause.head.args.iter().map(value).collect();
            if let Some(tuple) = tuple {
                given.add(
                    predicate,
                    key.name,
                    tuple,
                    FactOriginKind::Stated,
                    Some((file.id, item.start)),
                    values,
                );
            }
        }
        given
    }

    /// Adds the facts of directives from files with a loader that supports them.
    pub(super) fn add_directives(&mut self, program: &Program, current: &Program, values: &mut Values) {
        for file in current.files.iter().filter(|file| current.embedding.is_hybrid(file.id)) {
            for fact in Directives::read(&file.text).facts {
                let arity = u16::try_from(fact.args.len()).unwrap_or(u16::MAX);
                let key = PredicateKey { name: Symbol::new(fact.predicate), arity };
                let Some(predicate) = program.id(key) else { continue };
                let value = |text: &String| {
                    if text.starts_with('/') { values.name(text) } else { values.string(text) }
                };
                let tuple = fact.args.iter().map(value).collect();
                let place = Some((file.id, fact.range.start()));
                self.add(predicate, key.name, tuple, FactOriginKind::Stated, place, values);
            }
        }
    }

    /// Adds a fact unless it is present.
    pub(super) fn add(
        &mut self,
        predicate: PredicateId,
        name: Symbol,
        tuple: Box<[ValueId]>,
        kind: FactOriginKind,
        place: Option<(FileId, TextSize)>,
        values: &Values,
    ) {
        if self.by_tuple.contains_key(&(predicate, tuple.clone())) {
            return;
        }
        let printed = values.atom(name, &tuple, PRINTED_BYTES);
        self.by_tuple.insert((predicate, tuple.clone()), self.facts.len());
        self.facts.push(PreviewFact { predicate, tuple, kind, place, printed });
    }

    /// True if a fact of the predicate has this first argument.
    pub(super) fn has_first(&self, predicate: PredicateId, first: ValueId) -> bool {
        self.facts.iter().any(|fact| fact.predicate == predicate && fact.tuple.first() == Some(&first))
    }

    /// Asserts these facts in a kernel that has the facts of `before`. Facts that the program
    /// `states` are never retracted.
    pub(super) fn apply(
        &self,
        kernel: &mut Kernel,
        before: &Self,
        states: &dyn Fn(PredicateId, &[ValueId]) -> bool,
    ) {
        for (key, _) in before.by_tuple.iter().filter(|(key, _)| !self.by_tuple.contains_key(*key)) {
            if !states(key.0, &key.1) {
                kernel.retract(key.0, &key.1);
            }
        }
        for fact in &self.facts {
            if !before.by_tuple.contains_key(&(fact.predicate, fact.tuple.clone())) {
                kernel.assert(&Fact {
                    predicate: fact.predicate,
                    tuple: fact.tuple.clone(),
                    rule: RuleId::ASSERTED,
                });
            }
        }
    }

    /// The first synthetic fact of a predicate, as printed.
    pub(super) fn synthetic(&self, name: &str) -> Option<&str> {
        let is_it = |fact: &&PreviewFact| {
            fact.kind == FactOriginKind::Synthetic
                && fact.printed.strip_prefix(name).is_some_and(|rest| rest.starts_with('('))
        };
        self.facts.iter().find(is_it).map(|fact| fact.printed.as_str())
    }

    pub(super) fn marks(&self) -> FactLocations {
        let mut marks = FactLocations::default();
        self.facts.iter().for_each(|fact| marks.set(fact.printed.clone(), fact.kind, fact.place));
        marks
    }
}
