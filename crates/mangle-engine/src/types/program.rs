//! Column types of all relations of a program.
//!
//! The types of a relation come from its `Decl`. Without a `Decl`, they are inferred from facts and
//! rules, one component of the dependency graph at a time.
//!
//! Inference is incremental. After a change, the affected relations are inferred again, and then
//! their users, until no result changes. For relations with many clauses, a cache keeps the fact
//! columns per file, and the heads of rules whose inputs are unchanged.
//!
//! The types of a relation have a fingerprint. Findings about a clause depend on the fingerprints
//! of its relations.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::infer::{ClauseTypes, Relation, TypeState};
use super::rows;
use super::rows::{Collector, Evidence, Row, Rows};
use crate::program::shared::{SharedList, scattered};
use crate::program::{
    Difference, FileSummary, PendingComponents, Predicate, PredicateId, PredicateKey, Program,
};
use mangle_syntax::parallel;
use mangle_syntax::syntax::ast::{Atom, Clause, Item};
use mangle_syntax::text::{FileId, StatementId};

/// The number of rounds of a recursive component before growing columns become `/any`.
const WIDEN_AFTER_ROUNDS: usize = 4;

/// The maximum number of rounds. A component that still changes after them has unknown types.
const MAX_ROUNDS: usize = 16;

/// The number of relations per task (and temporary cache) in the first, parallel inference.
const RELATIONS_PER_TASK: usize = 256;

/// The minimum number of clauses for caching. Most relations have fewer, and caching costs memory.
const MIN_CACHED_STATEMENTS: usize = 16;

/// State that is kept between revisions of a program.
#[derive(Debug, Default)]
pub struct TypeCache {
    /// The last program and its types.
    last: Option<(Program, ProgramTypes)>,
    facts: PerFile<Vec<Row>>,
    rules: FxHashMap<StatementId, (u64, Vec<Row>)>,
    evidence: PerFile<Evidence>,
}

/// Results per file and predicate, each with the file version that they were computed from.
type PerFile<T> = FxHashMap<(FileId, PredicateKey), (Arc<FileSummary>, T)>;

/// Passes the result for one predicate in one file to `show`. With at least
/// [`MIN_CACHED_STATEMENTS`] statements, the result is cached until the file changes.
fn with_cached<T>(
    known: &mut PerFile<T>,
    (file, key, statements): (&Arc<FileSummary>, PredicateKey, usize),
    make: impl Fn() -> T,
    show: impl FnOnce(&T),
) {
    if statements < MIN_CACHED_STATEMENTS {
        return show(&make());
    }
    let here = || (Arc::clone(file), make());
    let of_last_time = known.entry((file.id, key)).or_insert_with(here);
    if !Arc::ptr_eq(&of_last_time.0, file) {
        *of_last_time = here();
    }
    show(&of_last_time.1);
}

impl TypeCache {
    fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.rules.is_empty() && self.evidence.is_empty()
    }

    fn extend(&mut self, other: Self) {
        self.facts.extend(other.facts);
        self.rules.extend(other.rules);
        self.evidence.extend(other.evidence);
    }

    /// Removes entries of deleted statements, and of predicates that the files no longer mention.
    fn forget(&mut self, old: &Program, new: &Program, difference: &Difference) {
        for &at in &difference.files {
            let (Some(before), Some(after)) = (old.files.get(at as usize), new.files.get(at as usize)) else {
                continue;
            };
            let mut gone: FxHashSet<_> = before.items.iter().map(|item| item.statement.id).collect();
            after.items.iter().for_each(|item| _ = gone.remove(&item.statement.id));
            for statement in gone {
                self.rules.remove(&statement);
            }
            for key in before.predicates.keys().filter(|key| !after.predicates.has(key)) {
                self.facts.remove(&(before.id, *key));
                self.evidence.remove(&(before.id, *key));
            }
        }
    }

    /// Removes entries that do not belong to the program.
    fn forget_others(&mut self, program: &Program) {
        let is_there = |(file, _): &(FileId, PredicateKey), of: &Arc<FileSummary>| {
            program.file(*file).is_some_and(|file| Arc::ptr_eq(file, of))
        };
        self.facts.retain(|key, (of, _)| is_there(key, of));
        self.evidence.retain(|key, (of, _)| is_there(key, of));
        let items = program.files.iter().flat_map(|file| file.items.iter());
        let statements: FxHashSet<_> = items.map(|item| item.statement.id).collect();
        self.rules.retain(|statement, _| statements.contains(statement));
    }
}

/// Column types of each relation of a program. Cloning costs a few pointers.
#[derive(Debug, Clone)]
pub struct ProgramTypes {
    rows: SharedList<Rows>,
    /// The wrapping sum of one hash for each relation with known types.
    sum: u64,
}

impl ProgramTypes {
    /// Infers the types of the relations of `program`.
    #[must_use]
    pub fn new(program: &Program, cache: &mut TypeCache) -> Self {
        let last = cache.last.take();
        let known = last.and_then(|(old, types)| Some((Difference::between(&old, program)?, old, types)));
        let types = match known {
            Some((difference, old, types)) => {
                cache.forget(&old, program, &difference);
                types.update(program, &difference, cache).0
            }
            None => {
                let is_new = cache.is_empty();
                let types = Self::infer_all(program, cache);
                if !is_new {
                    cache.forget_others(program);
                }
                types
            }
        };
        cache.last = Some((program.clone(), types.clone()));
        types
    }

    /// Infers all relations.
    fn infer_all(program: &Program, cache: &mut TypeCache) -> Self {
        let mut types = Self { rows: all_own_rows(program, cache), sum: 0 };
        let mut inference = Inference { program, cache };
        for component in program.dependencies().strata() {
            inference.component(&component, &mut types.rows);
        }
        let parts = program.predicates.numbered().zip(types.rows.iter());
        types.sum = parts.fold(0, |sum, (predicate, rows)| sum.wrapping_add(relation_hash(predicate, rows)));
        types
    }

    /// Infers the relations that a difference affects, and their users if a result changes. Also
    /// returns the relations with changed types.
    fn update(
        mut self,
        program: &Program,
        difference: &Difference,
        cache: &mut TypeCache,
    ) -> (Self, Vec<PredicateId>) {
        let before = self.rows.clone();
        while self.rows.len() < program.predicates.count() {
            self.rows.push(Rows::unknown());
        }
        let mut inference = Inference { program, cache };
        let mut pending = PendingComponents::default();
        difference.touched.iter().for_each(|id| pending.add(program, *id));
        // The signature decides if a premise queries a relation or tests a name.
        let is_reflecting = |id: &&PredicateId| program.get(**id).signature.reflects.is_some();
        for &id in difference.signatures.iter().filter(is_reflecting) {
            pending.add_users(program, id);
        }
        let mut different = BTreeSet::new();
        while let Some(members) = pending.next(program) {
            let earlier: Vec<u64> = members.iter().map(|id| fingerprint(&self.rows, *id)).collect();
            for &id in &members {
                store(&mut self.rows, id, inference.own_rows(program.get(id)));
            }
            inference.component(&members, &mut self.rows);
            for (&id, earlier) in members.iter().zip(earlier) {
                if fingerprint(&self.rows, id) != earlier {
                    different.insert(id);
                    pending.add_users(program, id);
                }
            }
        }
        for &id in &different {
            let (predicate, unknown) = (program.get(id), Rows::unknown());
            let (old, new) = (before.get(id.0 as usize), self.rows.get(id.0 as usize));
            let (old, new) = (old.unwrap_or(&unknown), new.unwrap_or(&unknown));
            self.sum = self
                .sum
                .wrapping_sub(relation_hash(predicate, old))
                .wrapping_add(relation_hash(predicate, new));
        }
        (self, different.into_iter().collect())
    }

    /// The relations with types different from `old`. Both must number the relations alike.
    #[must_use]
    pub fn different_from(&self, old: &Self) -> Vec<PredicateId> {
        self.rows
            .different(&old.rows, |one, other| one.fingerprint() == other.fingerprint())
            .map(PredicateId)
            .collect()
    }

    /// The column types of a relation.
    ///
    /// # Panics
    /// If the id belongs to another program.
    #[must_use]
    pub fn rows(&self, predicate: PredicateId) -> &Rows {
        self.rows.get(predicate.0 as usize).expect("the id is one of this program")
    }

    /// The column types and signature of the relation of an atom in `file`. Unknown for built-ins.
    #[must_use]
    pub fn relation<'p>(&self, program: &'p Program, file: &FileSummary, atom: &Atom) -> Relation<'p> {
        relation(program, file, atom, &self.rows)
    }

    /// A fingerprint of the types of all relations.
    #[must_use]
    pub fn environment(&self) -> u64 {
        self.sum
    }
}

/// The types of each relation that do not depend on other relations. If the cache is empty, the
/// relations are split among all cores.
fn all_own_rows(program: &Program, cache: &mut TypeCache) -> SharedList<Rows> {
    if !cache.is_empty() {
        let mut inference = Inference { program, cache };
        return program.predicates.numbered().map(|predicate| inference.own_rows(predicate)).collect();
    }
    let predicates: Vec<&Predicate> = program.predicates.numbered().collect();
    let chunks: Vec<_> = predicates.chunks(RELATIONS_PER_TASK).collect();
    let done = parallel::map(&chunks, 1, |chunk| {
        let mut cache = TypeCache::default();
        let mut inference = Inference { program, cache: &mut cache };
        let rows: Vec<Rows> = chunk.iter().map(|predicate| inference.own_rows(predicate)).collect();
        (rows, cache)
    });
    cache.evidence.reserve(done.iter().map(|(_, own)| own.evidence.len()).sum());
    let take = |(rows, own): (Vec<Rows>, TypeCache)| {
        cache.extend(own);
        rows
    };
    done.into_iter().flat_map(take).collect()
}

/// The contribution of a relation to [`ProgramTypes::environment`].
fn relation_hash(predicate: &Predicate, rows: &Rows) -> u64 {
    if rows.is_unknown() {
        return 0;
    }
    scattered(&(predicate.key, rows.fingerprint()))
}

fn fingerprint(rows: &SharedList<Rows>, id: PredicateId) -> u64 {
    rows.get(id.0 as usize).map_or(0, Rows::fingerprint)
}

fn relation<'p>(
    program: &'p Program,
    file: &FileSummary,
    atom: &Atom,
    rows: &SharedList<Rows>,
) -> Relation<'p> {
    let id = program.id_of(file, atom);
    let known = id.and_then(|id| rows.get(id.0 as usize)).cloned().unwrap_or_else(Rows::unknown);
    Relation { rows: known, signature: id.map(|id| &program.get(id).signature) }
}

/// True if the types of a predicate are inferred from its clauses only.
fn is_inferred(predicate: &Predicate) -> bool {
    let signature = &predicate.signature;
    signature.declared.is_none() && !signature.host && signature.defined.is_some()
}

struct Inference<'p, 'c> {
    program: &'p Program,
    cache: &'c mut TypeCache,
}

impl Inference<'_, '_> {
    /// The types of a relation that do not depend on other relations: its `Decl`.
    fn own_rows(&mut self, predicate: &Predicate) -> Rows {
        let rows = self.declared_rows(predicate);
        if !rows.declared {
            return rows;
        }
        let rows = self.narrow_closed(predicate, rows);
        self.mark_evidence(predicate, rows)
    }

    /// The types in the `Decl` of a predicate, unless the declaration is synthetic.
    fn declared_rows(&mut self, predicate: &Predicate) -> Rows {
        let declaration = self.program.declaration(predicate).filter(|_| !predicate.signature.synthetic);
        declaration.map_or_else(Rows::unknown, Rows::declared)
    }

    /// Narrows the columns of a declared predicate that all clauses fill with names.
    fn narrow_closed(&mut self, predicate: &Predicate, rows: Rows) -> Rows {
        if !rows::can_narrow(predicate) {
            return rows;
        }
        let facts = self.facts(predicate).finish();
        let narrowed = rows::narrowed_to_names(self.program, predicate, &rows, &facts);
        narrowed.map_or(rows, |row| Rows::new(vec![row], true))
    }

    /// Marks the declared columns that nearly all literals contradict, and the columns that all
    /// facts confirm.
    fn mark_evidence(&mut self, predicate: &Predicate, rows: Rows) -> Rows {
        let [row] = rows.alternatives.as_ref() else { return rows };
        let evidence = self.evidence(predicate);
        let (against, confirmed) = (evidence.contradicted_kinds(row), evidence.confirmed_columns(row));
        if against.is_empty() && confirmed.is_empty() { rows } else { rows.with_evidence(against, confirmed) }
    }

    fn evidence(&mut self, predicate: &Predicate) -> Evidence {
        let mut all = Evidence::default();
        let arity = usize::from(predicate.key.arity);
        for (file, key) in &predicate.files {
            let Some(file) = self.program.files.get(*file as usize) else { continue };
            let Some(in_file) = file.predicates.get(key) else { continue };
            let size = in_file.facts.len() + in_file.rules.len() + in_file.uses.len();
            let make = || Evidence::from_file(file, in_file, arity);
            with_cached(&mut self.cache.evidence, (file, *key, size), make, |evidence| all.merge(evidence));
        }
        all
    }

    /// Infers the predicates of a component that have no `Decl`, bottom-up: first from the facts,
    /// then from the rules until a fixed point.
    fn component(&mut self, component: &[PredicateId], rows: &mut SharedList<Rows>) {
        let members: Vec<_> =
            component.iter().copied().filter(|&id| is_inferred(self.program.get(id))).collect();
        if !members.iter().any(|&id| self.is_recursive(id)) {
            for &id in &members {
                let mut collector = self.facts(self.program.get(id));
                let facts = collector.rows().to_vec();
                let predicate = self.program.get(id);
                let keeps = self.count_rules(predicate) >= MIN_CACHED_STATEMENTS;
                self.rules(predicate, rows, &mut collector, keeps);
                store_inferred(rows, id, collector.finish(), facts);
            }
            return;
        }
        self.recursive_component(&members, rows);
    }

    fn recursive_component(&mut self, members: &[PredicateId], rows: &mut SharedList<Rows>) {
        let mut collectors: Vec<_> = members.iter().map(|&id| self.facts(self.program.get(id))).collect();
        let facts: Vec<_> = collectors.iter().map(|collector| collector.rows().to_vec()).collect();
        for (&id, facts) in members.iter().zip(&facts) {
            let mut found = facts.clone();
            found.sort_unstable();
            store_inferred(rows, id, found, facts.clone());
        }
        for round in 0..MAX_ROUNDS {
            let mut changed = false;
            for ((&id, collector), facts) in members.iter().zip(&mut collectors).zip(&facts) {
                let before = collector.rows().to_vec();
                self.rules(self.program.get(id), rows, collector, true);
                let grown = collector.rows() != before.as_slice();
                changed |= grown;
                if grown && round >= WIDEN_AFTER_ROUNDS {
                    collector.widen(&before);
                }
                store_inferred(rows, id, collector.clone().finish(), facts.clone());
            }
            if !changed {
                return;
            }
        }
        for (&id, facts) in members.iter().zip(facts) {
            store_inferred(rows, id, Vec::new(), facts);
        }
    }

    fn is_recursive(&self, id: PredicateId) -> bool {
        let dependencies = self.program.dependencies();
        dependencies.edges_from(id).iter().any(|edge| dependencies.is_recursive(edge))
    }

    /// The column types of the facts of a predicate.
    fn facts(&mut self, predicate: &Predicate) -> Collector {
        let mut all = Collector::default();
        for (file, key) in &predicate.files {
            let Some(file) = self.program.files.get(*file as usize) else { continue };
            let Some(in_file) = file.predicates.get(key).filter(|in_file| !in_file.facts.is_empty()) else {
                continue;
            };
            let make = || fact_rows(file, &in_file.facts);
            let of = (file, *key, in_file.facts.len());
            with_cached(&mut self.cache.facts, of, make, |rows| all.extend(rows.iter().cloned()));
        }
        all
    }

    fn count_rules(&self, predicate: &Predicate) -> usize {
        let in_file =
            |(file, key): &(u32, PredicateKey)| self.program.files.get(*file as usize)?.predicates.get(key);
        predicate.files.iter().filter_map(in_file).map(|in_file| in_file.rules.len()).sum()
    }

    /// Adds the rows that the rules of a predicate derive. If `keeps`, caches them.
    fn rules(
        &mut self,
        predicate: &Predicate,
        rows: &SharedList<Rows>,
        collector: &mut Collector,
        keeps: bool,
    ) {
        for (file, key) in &predicate.files {
            let Some(file) = self.program.files.get(*file as usize) else { continue };
            let Some(in_file) = file.predicates.get(key) else { continue };
            for item in in_file.rules.iter().filter_map(|&at| file.items.get(at as usize)) {
                if let Some(clause) = item.statement.clause().filter(|_| !item.statement.damaged) {
                    let heads = if keeps {
                        self.kept_rule(file, item, clause, rows)
                    } else {
                        self.rule(file, clause, rows)
                    };
                    collector.extend(heads.unwrap_or_default());
                } else {
                    // The rule is damaged, so its derived types are unknown.
                    collector.add(vec![super::Type::Any; usize::from(predicate.key.arity)]);
                }
            }
        }
    }

    /// The derived rows of a rule, from the cache if its inputs are unchanged. `None` if an input
    /// has no types yet.
    fn kept_rule(
        &mut self,
        file: &FileSummary,
        item: &Item,
        clause: &Clause,
        rows: &SharedList<Rows>,
    ) -> Option<Vec<Row>> {
        let id = item.statement.id;
        let inputs = self.inputs(file, clause, rows);
        if let Some((_, heads)) = self.cache.rules.get(&id).filter(|(before, _)| *before == inputs) {
            return Some(heads.clone());
        }
        let heads = self.rule(file, clause, rows)?;
        self.cache.rules.insert(id, (inputs, heads.clone()));
        Some(heads)
    }

    /// The derived rows of a rule. `None` if an input has no types yet.
    fn rule(&self, file: &FileSummary, clause: &Clause, rows: &SharedList<Rows>) -> Option<Vec<Row>> {
        // The types of the head relation do not influence the types that the rule adds.
        let of_atom = |atom: &Atom| relation(self.program, file, atom, rows);
        (!self.waits(file, clause, rows)).then(|| ClauseTypes::infer(clause, of_atom).heads)
    }

    /// True if a premise uses an inferred relation without types so far.
    fn waits(&self, file: &FileSummary, clause: &Clause, rows: &SharedList<Rows>) -> bool {
        clause.literals().filter(|literal| !literal.atom.is_builtin() && !literal.is_negated()).any(
            |literal| {
                self.program.id_of(file, &literal.atom).is_some_and(|id| {
                    is_inferred(self.program.get(id)) && rows.get(id.0 as usize).is_some_and(Rows::is_unknown)
                })
            },
        )
    }

    /// A hash of everything outside the rule that affects the types of its head.
    fn inputs(&self, file: &FileSummary, clause: &Clause, rows: &SharedList<Rows>) -> u64 {
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

fn store_inferred(rows: &mut SharedList<Rows>, id: PredicateId, found: Vec<Row>, mut facts: Vec<Row>) {
    facts.sort_unstable();
    store(rows, id, Rows::new(found, false).with_fact_rows(facts));
}

/// Stores rows unless they are already stored.
fn store(rows: &mut SharedList<Rows>, id: PredicateId, found: Rows) {
    let is_known = rows.get(id.0 as usize).is_some_and(|known| *known == found);
    if let Some(slot) = (!is_known).then(|| rows.get_mut(id.0 as usize)).flatten() {
        *slot = found;
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
