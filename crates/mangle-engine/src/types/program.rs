//! What the relations of a program hold: declared where a `Decl` says it, else inferred from facts
//! and rules, component by component of the dependency graph.
//!
//! Runs at every change of a program, so it keeps what it can: the columns of a file's facts as
//! long as the file is the same, the head of a rule as long as the rule and all relations that it
//! asks are the same. What a relation holds has a fingerprint; findings about a clause depend on
//! those of the relations that it mentions.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::closed;
use super::evidence::Evidence;
use super::infer::{ClauseTypes, Relation, TypeState};
use super::rows::{Collector, Row, Rows};
use crate::program::{FileSummary, Predicate, PredicateId, PredicateKey, Program};
use mangle_syntax::syntax::ast::{Atom, Clause, Item};
use mangle_syntax::text::{FileId, StatementId};

/// After how many rounds through the rules of a recursive component the columns that still grow
/// are taken to hold anything.
const PATIENCE: usize = 4;

/// After how many rounds nothing is concluded about a component at all.
const ROUNDS: usize = 16;

/// What is kept from one revision of a program to the next.
#[derive(Debug, Default)]
pub struct TypeCache {
    facts: FxHashMap<(FileId, PredicateKey), (Arc<FileSummary>, Vec<Row>)>,
    rules: FxHashMap<StatementId, (u64, Vec<Row>)>,
    evidence: FxHashMap<(FileId, PredicateKey), (Arc<FileSummary>, Evidence)>,
    declarations: FxHashMap<StatementId, Rows>,
}

/// What each relation of a program holds.
#[derive(Debug)]
pub struct ProgramTypes {
    rows: Vec<Rows>,
    environment: u64,
}

impl ProgramTypes {
    /// Infers the relations of `program`.
    #[must_use]
    pub fn new(program: &Program, cache: &mut TypeCache) -> Self {
        let mut inference = Inference { program, cache, new: TypeCache::default() };
        let mut rows: Vec<Rows> =
            program.predicates.iter().map(|predicate| inference.declared(predicate)).collect();
        inference.close(&mut rows);
        inference.doubt(&mut rows);
        for component in program.graph().strata() {
            inference.component(component, &mut rows);
        }
        let new = inference.new;
        *cache = new;
        let mut hasher = FxHasher::default();
        rows.iter().for_each(|rows| rows.fingerprint().hash(&mut hasher));
        Self { rows, environment: hasher.finish() }
    }

    /// What a relation holds.
    ///
    /// # Panics
    /// When the id comes from another program.
    #[must_use]
    pub fn rows(&self, predicate: PredicateId) -> &Rows {
        &self.rows[predicate.0 as usize]
    }

    /// What the relation of an atom of `file` holds, and its signature; unknown for built-ins.
    #[must_use]
    pub fn relation<'p>(&self, program: &'p Program, file: &FileSummary, atom: &Atom) -> Relation<'p> {
        relation(program, file, atom, &self.rows)
    }

    /// A number that changes with what any relation holds.
    #[must_use]
    pub fn environment(&self) -> u64 {
        self.environment
    }
}

fn relation<'p>(program: &'p Program, file: &FileSummary, atom: &Atom, rows: &[Rows]) -> Relation<'p> {
    let id = program.id_of(file, atom);
    let known = id.and_then(|id| rows.get(id.0 as usize)).cloned().unwrap_or_else(Rows::unknown);
    Relation { rows: known, signature: id.map(|id| &program.get(id).signature) }
}

/// Whether the clauses of a predicate are all that is known of it.
fn is_inferred(predicate: &Predicate) -> bool {
    let signature = &predicate.signature;
    signature.declared.is_none() && !signature.host && signature.defined.is_some()
}

struct Inference<'p, 'c> {
    program: &'p Program,
    cache: &'c mut TypeCache,
    new: TypeCache,
}

impl Inference<'_, '_> {
    /// What the `Decl` of a predicate says, if it may be believed.
    fn declared(&mut self, predicate: &Predicate) -> Rows {
        let declaration = self.program.declaration(predicate).filter(|_| !predicate.signature.synthetic);
        let (Some(declaration), Some((_, statement, _))) = (declaration, predicate.signature.declared) else {
            return Rows::unknown();
        };
        let kept = self.cache.declarations.remove(&statement);
        let rows = kept.unwrap_or_else(|| Rows::declared(declaration));
        self.new.declarations.insert(statement, rows.clone());
        rows
    }

    /// Narrows the columns of declared predicates that all clauses fill with names.
    fn close(&mut self, rows: &mut [Rows]) {
        for (predicate, rows) in self.program.predicates.iter().zip(rows) {
            if rows.declared && closed::is_candidate(predicate) {
                let facts = self.facts(predicate).finish();
                if let Some(row) = closed::narrowed(self.program, predicate, rows, &facts) {
                    *rows = Rows::new(vec![row], true);
                }
            }
        }
    }

    /// Marks the columns of declared predicates whose declaration nearly all literals contradict, and those where all facts
    /// confirm it.
    fn doubt(&mut self, rows: &mut [Rows]) {
        for (predicate, rows) in self.program.predicates.iter().zip(rows) {
            if !rows.declared || rows.alternatives.len() != 1 {
                continue;
            }
            let evidence = self.evidence(predicate);
            let Some(row) = rows.alternatives.first() else { continue };
            let (against, confirmed) = (evidence.against(row), evidence.confirmed(row));
            if !against.is_empty() || !confirmed.is_empty() {
                *rows = rows.clone().compared(against, confirmed);
            }
        }
    }

    fn evidence(&mut self, predicate: &Predicate) -> Evidence {
        let mut all = Evidence::default();
        let arity = usize::from(predicate.key.arity);
        for (file, key) in &predicate.files {
            let Some(file) = self.program.files.get(*file as usize) else { continue };
            let Some(there) = file.predicates.get(key) else { continue };
            let kept = self.cache.evidence.remove(&(file.id, *key)).filter(|(of, _)| Arc::ptr_eq(of, file));
            let (_, here) = kept.unwrap_or_else(|| (Arc::clone(file), Evidence::of(file, there, arity)));
            all.merge(&here);
            self.new.evidence.insert((file.id, *key), (Arc::clone(file), here));
        }
        all
    }

    /// Infers the predicates of a component that no `Decl` describes, from below: first the facts,
    /// then what rules make of them, until nothing is added.
    fn component(&mut self, component: &[PredicateId], rows: &mut [Rows]) {
        let members: Vec<_> =
            component.iter().copied().filter(|&id| is_inferred(self.program.get(id))).collect();
        if !members.iter().any(|&id| self.is_recursive(id)) {
            for &id in &members {
                let mut collector = self.facts(self.program.get(id));
                let facts = collector.rows().to_vec();
                self.rules(self.program.get(id), rows, &mut collector);
                store(rows, id, collector.finish(), facts);
            }
            return;
        }
        self.recursive_component(&members, rows);
    }

    fn recursive_component(&mut self, members: &[PredicateId], rows: &mut [Rows]) {
        let mut collectors: Vec<_> = members.iter().map(|&id| self.facts(self.program.get(id))).collect();
        let facts: Vec<_> = collectors.iter().map(|collector| collector.rows().to_vec()).collect();
        for (&id, facts) in members.iter().zip(&facts) {
            let mut found = facts.clone();
            found.sort_unstable();
            store(rows, id, found, facts.clone());
        }
        for round in 0..ROUNDS {
            let mut changed = false;
            for ((&id, collector), facts) in members.iter().zip(&mut collectors).zip(&facts) {
                let before = collector.rows().to_vec();
                self.rules(self.program.get(id), rows, collector);
                let grown = collector.rows() != before.as_slice();
                changed |= grown;
                if grown && round >= PATIENCE {
                    collector.widen(&before);
                }
                store(rows, id, collector.clone().finish(), facts.clone());
            }
            if !changed {
                return;
            }
        }
        for (&id, facts) in members.iter().zip(facts) {
            store(rows, id, Vec::new(), facts);
        }
    }

    fn is_recursive(&self, id: PredicateId) -> bool {
        let graph = self.program.graph();
        graph.edges_from(id).iter().any(|edge| graph.is_recursive(edge))
    }

    /// The columns of a predicate's facts.
    fn facts(&mut self, predicate: &Predicate) -> Collector {
        let mut all = Collector::default();
        for (file, key) in &predicate.files {
            let Some(file) = self.program.files.get(*file as usize) else { continue };
            let Some(there) = file.predicates.get(key).filter(|there| !there.facts.is_empty()) else {
                continue;
            };
            let kept = self.cache.facts.remove(&(file.id, *key)).filter(|(of, _)| Arc::ptr_eq(of, file));
            let (_, rows) = kept.unwrap_or_else(|| (Arc::clone(file), fact_rows(file, &there.facts)));
            all.extend(rows.iter().cloned());
            self.new.facts.insert((file.id, *key), (Arc::clone(file), rows));
        }
        all
    }

    fn rules(&mut self, predicate: &Predicate, rows: &[Rows], collector: &mut Collector) {
        for (file, key) in &predicate.files {
            let Some(file) = self.program.files.get(*file as usize) else { continue };
            let Some(there) = file.predicates.get(key) else { continue };
            for item in there.rules.iter().filter_map(|&at| file.items.get(at as usize)) {
                if let Some(clause) = item.statement.clause().filter(|_| !item.statement.damaged) {
                    let heads = self.rule(file, item, clause, rows);
                    collector.extend(heads);
                } else {
                    // What the damaged rule derives is not known.
                    collector.add(vec![super::Type::Any; usize::from(predicate.key.arity)]);
                }
            }
        }
    }

    fn rule(&mut self, file: &FileSummary, item: &Item, clause: &Clause, rows: &[Rows]) -> Vec<Row> {
        let id = item.statement.id;
        let inputs = self.inputs(file, clause, rows);
        let known = self.new.rules.get(&id).or_else(|| self.cache.rules.get(&id));
        let heads = match known {
            Some((before, heads)) if *before == inputs => heads.clone(),
            _ if self.waits(file, clause, rows) => return Vec::new(),
            _ => {
                ClauseTypes::of(clause, |atom| {
                    // What the head's own relation holds does not matter to what the rule adds.
                    relation(self.program, file, atom, rows)
                })
                .heads
            }
        };
        self.new.rules.insert(id, (inputs, heads.clone()));
        heads
    }

    /// Whether a premise asks for an inferred relation of which there is nothing yet.
    fn waits(&self, file: &FileSummary, clause: &Clause, rows: &[Rows]) -> bool {
        clause.literals().filter(|literal| !literal.atom.is_builtin() && !literal.is_negated()).any(
            |literal| {
                self.program.id_of(file, &literal.atom).is_some_and(|id| {
                    is_inferred(self.program.get(id)) && rows.get(id.0 as usize).is_some_and(Rows::is_unknown)
                })
            },
        )
    }

    /// A number for everything outside a rule that its head depends on.
    fn inputs(&self, file: &FileSummary, clause: &Clause, rows: &[Rows]) -> u64 {
        let mut hasher = FxHasher::default();
        for literal in clause.literals().filter(|literal| !literal.atom.is_builtin()) {
            if let Some(id) = self.program.id_of(file, &literal.atom) {
                rows.get(id.0 as usize).map(Rows::fingerprint).hash(&mut hasher);
                self.program.get(id).signature.reflects.hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}

fn store(rows: &mut [Rows], id: PredicateId, found: Vec<Row>, mut facts: Vec<Row>) {
    if let Some(slot) = rows.get_mut(id.0 as usize) {
        facts.sort_unstable();
        *slot = Rows::new(found, false).witnessed(facts);
    }
}

fn fact_rows(file: &FileSummary, facts: &[u32]) -> Vec<Row> {
    let mut collector = Collector::default();
    let state = TypeState::default();
    for item in facts.iter().filter_map(|&at| file.items.get(at as usize)) {
        let Some(clause) = item.statement.clause() else { continue };
        collector.add(match item.statement.damaged {
            true => vec![super::Type::Any; clause.head.args.len()],
            false => super::infer::fact_row(clause, &state),
        });
    }
    collector.finish()
}
