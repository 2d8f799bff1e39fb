//! A program evaluated in one reading, to be asked: how many facts a predicate has, whether one holds and why, which
//! rules gave rows, what failed and what ended the run.
//!
//! Takes a joined program, limits, a clock and a cancellation; gives an [`Evaluation`], which stays right as long as
//! the statements of the program say the same, wherever they stand by then and however they are laid out. What it shows of the program as findings is in
//! [`findings`], both readings side by side are [`Readings`].

mod atom_truth;
mod findings;
mod readings;
mod rules;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use rustc_hash::{FxHashMap, FxHasher};

pub use atom_truth::AtomTruth;
pub use findings::{ClauseFinding, diagnostics, findings, is_news};
pub use readings::{Difference, Readings};
pub use rules::RULES;

use super::query::{AnswerOptions, EvaluatedProgram, ask};
use crate::report::QueryAnswer;
use mangle_engine::kernel::{
    Clock, Compiled, Kernel, Limits, Model, Obstacle, Reason, Relation, Rule, RuleId,
};
use mangle_engine::program::{FileSummary, PredicateId, PredicateKey, Program};
use mangle_settings::Reading;
use mangle_syntax::syntax::ast::{Item, Statement};
use mangle_syntax::text::{Cancel, FileId};

/// How many characters of a fact are shown.
const SHOWN: usize = 100;

/// What a clause gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClauseYield {
    /// So many facts that no clause had given before.
    Rows(usize),
    /// Only facts that another clause had given before.
    NothingNew,
    /// Nothing: its body has no solution.
    Nothing,
}

impl ClauseYield {
    /// How many facts it was the first to give.
    #[must_use]
    pub fn rows(self) -> usize {
        match self {
            Self::Rows(rows) => rows,
            Self::NothingNew | Self::Nothing => 0,
        }
    }
}

/// A program that was tried out, as features see it.
#[derive(Debug, Clone, Copy)]
pub struct EvaluationView<'a> {
    /// What the sample is called; `None`: the program's own facts alone.
    pub sample: Option<&'a str>,
    /// What follows, if that was ever worked out.
    pub readings: Option<&'a Readings>,
    /// Whether that is of the program as it is now; else of the program as it was.
    pub is_current: bool,
    /// That the program does not load, with its first error: then nothing follows from it.
    pub refusal: Option<&'a str>,
    pub places: PlaceNames<'a>,
}

/// A program and what follows from it.
#[derive(Debug)]
pub struct Evaluation {
    program: Arc<Program>,
    compiled: Arc<Compiled>,
    clock: Clock,
    model: RwLock<Model>,
    /// How many facts each clause was the first to give; `None` for one that cannot be evaluated.
    given: Vec<Option<u32>>,
    /// The clauses of a file by digest, cached when an edit has moved one of them.
    rules_by_digest: Mutex<FxHashMap<FileId, FxHashMap<u64, RuleId>>>,
    /// The rules of predicates whose bodies have no solution, as far as somebody asked.
    barren: Mutex<FxHashMap<PredicateId, Vec<RuleId>>>,
}

/// The facts of a predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactRows {
    /// How many there are.
    pub count: usize,
    /// The first of them, as the engine prints them, each cut to 100 characters.
    pub first: Vec<String>,
}

/// `1 fact`, `2 facts`
pub(in crate::ide) fn fact_count(count: usize) -> String {
    if count == 1 { "1 fact".to_owned() } else { format!("{count} facts") }
}

/// Names the places of a program for people: `policy.mg:12`.
#[derive(Clone, Copy)]
pub struct PlaceNames<'a> {
    /// The program as it is by now.
    pub program: &'a Program,
    /// What a file is called.
    pub file: &'a dyn Fn(FileId) -> String,
}

impl std::fmt::Debug for PlaceNames<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Places").finish_non_exhaustive()
    }
}

impl PlaceNames<'_> {
    /// Where a statement stands.
    fn of(&self, file: &FileSummary, item: &Item) -> String {
        let before = file.text.get(..usize::from(item.start)).unwrap_or_default();
        format!("{}:{}", (self.file)(file.id), before.matches('\n').count() + 1)
    }
}

/// A number that changes with everything that an evaluation depends on: the statements of the program and what
/// surrounds it.
#[must_use]
pub fn fingerprint(program: &Program) -> u64 {
    fingerprint_of(program, program.statements())
}

/// The same for other statements in place of those of the program.
pub(in crate::ide) fn fingerprint_of(program: &Program, statements: u64) -> u64 {
    let mut hasher = FxHasher::default();
    let around = &program.embedding;
    (around.engine, &around.stores, &around.predicates, &around.hybrid).hash(&mut hasher);
    statements.hash(&mut hasher);
    hasher.finish()
}

impl Evaluation {
    /// Evaluates a program with the facts that `give` adds to its own; `None` when `cancel` was raised meanwhile.
    #[must_use]
    pub fn new(
        program: &Arc<Program>,
        compiled: Arc<Compiled>,
        limits: Limits,
        clock: Clock,
        give: &dyn Fn(&mut Kernel, &Program),
        cancel: &Cancel,
    ) -> Option<Self> {
        let mut kernel = Kernel::new(Arc::clone(&compiled));
        give(&mut kernel, program);
        kernel.evaluate(limits, clock, cancel);
        let model = kernel.into_model();
        if cancel.is_cancelled() || matches!(&model.stopped, Some(stop) if stop.reason == Reason::Cancelled) {
            return None;
        }
        let given = given(&compiled, &model);
        Some(Self {
            program: Arc::clone(program),
            compiled,
            clock,
            model: RwLock::new(model),
            given,
            rules_by_digest: Mutex::default(),
            barren: Mutex::default(),
        })
    }

    #[must_use]
    pub fn reading(&self) -> Reading {
        self.compiled.reading
    }

    /// How many bytes the facts, their values and reasons take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.model.read().bytes()
    }

    /// The program that was evaluated.
    pub(in crate::ide) fn program(&self) -> &Program {
        &self.program
    }

    pub(in crate::ide) fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// The facts of a predicate and the first few of them. `None` for a predicate that the program does not
    /// mention, and for one whose facts are computed where they are asked for.
    #[must_use]
    pub fn rows(&self, key: PredicateKey, first: usize) -> Option<FactRows> {
        let id = self.program.id(key).filter(|id| !self.program.get(*id).signature.deferred)?;
        let model = self.model.read();
        let relation = model.relation(id)?;
        let shown = relation.tuples().take(first).map(|tuple| cut(model.fact(&self.compiled, id, tuple)));
        Some(FactRows { count: relation.len(), first: shown.collect() })
    }

    /// The facts of a predicate as the engine prints them.
    fn facts(&self, key: PredicateKey) -> Vec<String> {
        let Some(id) = self.program.id(key) else { return Vec::new() };
        self.model.read().facts_of(&self.compiled, id).collect()
    }

    /// What a clause gave: the statement at an index of a file, as it is by now. `None` for what is no clause, was not
    /// there when the program was evaluated, or cannot be evaluated.
    #[must_use]
    pub fn given(&self, file: FileId, at: usize, statement: &Statement) -> Option<ClauseYield> {
        let rule = self.rule_at(file, at, statement)?;
        let rows = self.given.get(rule.0 as usize).copied().flatten()?;
        Some(match rows {
            // Of a run that did not get to its end nobody knows what the rule would have given.
            0 if !self.is_complete() || self.is_barren(rule) => ClauseYield::Nothing,
            0 => ClauseYield::NothingNew,
            rows => ClauseYield::Rows(rows as usize),
        })
    }

    /// The clause that a statement is: the one at the same index, if that says the same; else another one that does.
    fn rule_at(&self, file: FileId, at: usize, statement: &Statement) -> Option<RuleId> {
        let key = |rule: &Rule| (rule.file, rule.item as usize);
        let found = self.compiled.rules.binary_search_by_key(&(file, at), key).ok();
        let found = found.and_then(|found| u32::try_from(found).ok()).map(RuleId);
        let says_it = |rule: &RuleId| {
            self.evaluated(*rule).is_some_and(|(_, item)| item.statement.digest == statement.digest)
        };
        found.filter(says_it).or_else(|| self.rule_by_digest(file, statement.digest))
    }

    /// The first clause of a file with this digest.
    fn rule_by_digest(&self, file: FileId, digest: u64) -> Option<RuleId> {
        let mut known = self.rules_by_digest.lock();
        let rules = known.entry(file).or_insert_with(|| by_digest(&self.program, &self.compiled, file));
        rules.get(&digest).copied()
    }

    /// A clause as it was evaluated.
    fn evaluated(&self, rule: RuleId) -> Option<(&Arc<FileSummary>, &Item)> {
        let rule = self.compiled.rule(rule)?;
        let file = self.program.file(rule.file)?;
        Some((file, file.items.get(rule.item as usize)?))
    }

    /// A clause as it stands by now in `program`.
    pub(in crate::ide) fn current<'p>(
        &self,
        rule: RuleId,
        program: &'p Program,
    ) -> Option<(&'p Arc<FileSummary>, &'p Item)> {
        let (file, item) = self.evaluated(rule)?;
        let at = self.compiled.rule(rule)?.item as usize;
        let says_it = |other: &&Item| other.statement.digest == item.statement.digest;
        let file = program.file(file.id)?;
        let item = file.items.get(at).filter(says_it).or_else(|| file.items.iter().find(says_it))?;
        Some((file, item))
    }

    /// Where a clause stands by now; `?` when it is gone.
    fn place(&self, rule: RuleId, places: PlaceNames<'_>) -> String {
        let found = self.current(rule, places.program);
        found.map_or_else(|| "?".to_owned(), |(file, item)| places.of(file, item))
    }

    /// Whether the body of a rule that was the first to give nothing has no solution at all.
    fn is_barren(&self, rule: RuleId) -> bool {
        let Some(predicate) = self.compiled.rule(rule).map(|rule| rule.predicate) else { return true };
        if let Some(known) = self.barren.lock().get(&predicate) {
            return known.contains(&rule);
        }
        let any = vec![None; usize::from(self.program.get(predicate).key.arity)];
        let misses = self.model.write().why_not(&self.compiled, self.clock, predicate, &any);
        let certain = misses.into_iter().filter(|miss| !matches!(miss.obstacle, Obstacle::TooMany));
        let barren: Vec<RuleId> = certain.map(|miss| miss.rule).collect();
        let is_barren = barren.contains(&rule);
        self.barren.lock().insert(predicate, barren);
        is_barren
    }

    fn digest(&self) -> u64 {
        let model = self.model.read();
        let mut hasher = FxHasher::default();
        for predicate in (0..self.compiled.predicates()).map(PredicateId) {
            model.relation(predicate).map(Relation::len).hash(&mut hasher);
        }
        self.given.hash(&mut hasher);
        model.stopped.as_ref().map(|stop| stop.rule).hash(&mut hasher);
        hasher.finish()
    }

    /// Whether everything that follows from the program is known.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.model.read().stopped.is_none()
    }

    /// Why the evaluation ended before it was done: `at policy.mg:3: division by zero`.
    #[must_use]
    pub fn stopped(&self, places: PlaceNames<'_>) -> Option<String> {
        let model = self.model.read();
        let stop = model.stopped.as_ref()?;
        let place = stop.rule.map_or_else(|| "?".to_owned(), |rule| self.place(rule, places));
        Some(format!("at {place}: {}", stop.reason))
    }

    /// Which facts fit an atom, as the command `query` answers it; without one all facts.
    ///
    /// # Errors
    /// When the text is no atom, or the program does not have its predicate.
    pub fn ask(
        &self,
        atom: Option<&str>,
        wish: AnswerOptions,
        places: PlaceNames<'_>,
    ) -> Result<QueryAnswer, String> {
        let place = |rule: RuleId| self.place(rule, places);
        let mut model = self.model.write();
        let (program, compiled, clock) = (self.program.as_ref(), &self.compiled, self.clock);
        ask(&mut EvaluatedProgram { program, compiled, model: &mut model, clock, place: &place }, atom, wish)
    }
}

/// How many facts each rule was the first to give; `None` for one that cannot be evaluated.
fn given(compiled: &Compiled, model: &Model) -> Vec<Option<u32>> {
    let mut counts = vec![Some(0); compiled.rules.len()];
    for predicate in (0..compiled.predicates()).map(PredicateId) {
        let rows = model.relation(predicate).map_or(0, Relation::len);
        for number in (0u32..).take(rows) {
            let rule = model.derivation(predicate, number).map(|derivation| derivation.rule.0 as usize);
            let count = rule.and_then(|rule| counts.get_mut(rule)).and_then(Option::as_mut);
            count.into_iter().for_each(|count| *count += 1);
        }
    }
    for fault in &compiled.faults {
        counts.get_mut(fault.rule.0 as usize).into_iter().for_each(|count| *count = None);
    }
    counts
}

/// The clauses of a file by digest; of equal ones the first.
fn by_digest(program: &Program, compiled: &Compiled, file: FileId) -> FxHashMap<u64, RuleId> {
    let mut rules = FxHashMap::default();
    let Some(summary) = program.file(file) else { return rules };
    let first = compiled.rules.partition_point(|rule| rule.file < file);
    let own = (0u32..).map(RuleId).zip(compiled.rules.iter()).skip(first);
    for (id, rule) in own.take_while(|(_, rule)| rule.file == file) {
        if let Some(item) = summary.items.get(rule.item as usize) {
            rules.entry(item.statement.digest).or_insert(id);
        }
    }
    rules
}

/// The text, cut with `…` to what is shown.
fn cut(text: String) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
