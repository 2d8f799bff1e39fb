//! Evaluation of a program in one reading: facts, explanations, rows per rule, failures and stop
//! reason.
//!
//! The input is a joined program, limits, a clock and a cancellation token; the output is an
//! [`Evaluation`]. An evaluation stays valid while the statements of the program are unchanged,
//! even if they move or are reformatted. [`findings`] converts failures to findings, and
//! [`Readings`] holds both readings.

mod findings;
mod readings;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use rustc_hash::{FxHashMap, FxHasher};

use super::query::{AnswerOptions, EvaluatedProgram, ask};
use mangle_engine::kernel::{
    Clock, CompiledProgram, Kernel, Limits, Model, Obstacle, Relation, Rule, RuleId, StopReason,
};
use mangle_engine::program::{FileSummary, PredicateId, PredicateKey, Program};
use mangle_report::QueryAnswer;
use mangle_settings::Reading;
use mangle_syntax::lint::{self, rule};
use mangle_syntax::syntax::ast::{Item, Statement};
use mangle_syntax::text::{Cancel, FileId};

pub use findings::{ClauseFinding, diagnostics, findings, is_news};
pub use readings::{AtomTruth, Difference, Readings};

/// Maximum length of a shown fact, in characters.
const SHOWN: usize = 100;

/// Result of a clause in an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClauseYield {
    /// The number of new facts.
    Rows(usize),
    /// The body has solutions, but other clauses derived their facts first.
    NothingNew,
    /// The body has no solution.
    Nothing,
}

impl ClauseYield {
    /// The number of facts that the clause derived first.
    #[must_use]
    pub fn rows(self) -> usize {
        match self {
            Self::Rows(rows) => rows,
            Self::NothingNew | Self::Nothing => 0,
        }
    }
}

/// An evaluated program, as passed to features.
#[derive(Debug, Clone, Copy)]
pub struct EvaluationView<'a> {
    /// Name of the sample. `None` if only the program's own facts were used.
    pub sample: Option<&'a str>,
    /// Results. `None` before the first evaluation.
    pub readings: Option<&'a Readings>,
    /// True if the results belong to the current version of the program.
    pub is_current: bool,
    /// First load error of a program that the engine rejects. Such a program derives nothing.
    pub refusal: Option<&'a str>,
    pub places: PlaceNames<'a>,
}

/// A program and its derived facts.
#[derive(Debug)]
pub struct Evaluation {
    program: Arc<Program>,
    compiled: Arc<CompiledProgram>,
    clock: Clock,
    model: RwLock<Model>,
    /// Number of facts that each clause derived first. `None` if the clause cannot be evaluated.
    given: Vec<Option<u32>>,
    /// The clauses of a file by digest. Filled on demand when an edit moves a clause.
    rules_by_digest: Mutex<FxHashMap<FileId, FxHashMap<u64, RuleId>>>,
    /// The rules without solutions, by predicate. Filled on demand.
    rules_without_solutions: Mutex<FxHashMap<PredicateId, Vec<RuleId>>>,
}

/// Facts of a predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactRows {
    /// Total number of facts.
    pub count: usize,
    /// The first facts as printed by the engine, each cut to 100 characters.
    pub first: Vec<String>,
}

/// Formats a count, for example `1 fact` or `2 facts`.
pub(crate) fn fact_count(count: usize) -> String {
    if count == 1 { "1 fact".to_owned() } else { format!("{count} facts") }
}

/// Formatter of locations in a program, for example `policy.mg:12`.
#[derive(Clone, Copy)]
pub struct PlaceNames<'a> {
    /// Current version of the program.
    pub program: &'a Program,
    /// Returns the display name of a file.
    pub file: &'a dyn Fn(FileId) -> String,
}

impl std::fmt::Debug for PlaceNames<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Places").finish_non_exhaustive()
    }
}

impl PlaceNames<'_> {
    /// Formats the location of a statement.
    fn format(&self, file: &FileSummary, item: &Item) -> String {
        let before = file.text.get(..usize::from(item.start)).unwrap_or_default();
        format!("{}:{}", (self.file)(file.id), before.matches('\n').count() + 1)
    }
}

/// Hash of all inputs of an evaluation: the statements of the program and its environment.
#[must_use]
pub fn fingerprint(program: &Program) -> u64 {
    fingerprint_of(program, program.statements())
}

/// Like [`fingerprint`], with a different hash of the statements.
pub(crate) fn fingerprint_of(program: &Program, statements: u64) -> u64 {
    let mut hasher = FxHasher::default();
    let around = &program.embedding;
    (around.engine, &around.stores, &around.predicates, &around.files_with_directives).hash(&mut hasher);
    statements.hash(&mut hasher);
    hasher.finish()
}

impl Evaluation {
    /// Evaluates a program with additional facts from `give`. `None` if cancelled.
    #[must_use]
    pub fn new(
        program: &Arc<Program>,
        compiled: Arc<CompiledProgram>,
        limits: Limits,
        clock: Clock,
        give: &dyn Fn(&mut Kernel, &Program),
        cancel: &Cancel,
    ) -> Option<Self> {
        let mut kernel = Kernel::new(Arc::clone(&compiled));
        give(&mut kernel, program);
        kernel.evaluate(limits, clock, cancel);
        let model = kernel.into_model();
        if cancel.is_cancelled()
            || matches!(&model.stopped, Some(stop) if stop.reason == StopReason::Cancelled)
        {
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
            rules_without_solutions: Mutex::default(),
        })
    }

    #[must_use]
    pub fn reading(&self) -> Reading {
        self.compiled.reading
    }

    /// Memory used by facts, values and derivations, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.model.read().bytes()
    }

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    pub(crate) fn compiled(&self) -> &CompiledProgram {
        &self.compiled
    }

    /// Returns the number of facts of a predicate, and the first `first` of them. `None` for
    /// unknown predicates, and for deferred predicates, whose facts are computed at each use.
    #[must_use]
    pub fn rows(&self, key: PredicateKey, first: usize) -> Option<FactRows> {
        let id = self.program.id(key).filter(|id| !self.program.get(*id).signature.deferred)?;
        let model = self.model.read();
        let relation = model.relation(id)?;
        let shown = relation.tuples().take(first).map(|tuple| cut(model.fact(&self.compiled, id, tuple)));
        Some(FactRows { count: relation.len(), first: shown.collect() })
    }

    /// Returns the facts of a predicate as printed by the engine.
    fn facts(&self, key: PredicateKey) -> Vec<String> {
        let Some(id) = self.program.id(key) else { return Vec::new() };
        self.model.read().facts_of(&self.compiled, id).collect()
    }

    /// Returns the result of a clause. `at` is the current index of the statement in its file.
    /// `None` if the statement is not a clause, is newer than the evaluation, or cannot be
    /// evaluated.
    #[must_use]
    pub fn given(&self, file: FileId, at: usize, statement: &Statement) -> Option<ClauseYield> {
        let rule = self.rule_at(file, at, statement)?;
        let rows = self.given.get(rule.0 as usize).copied().flatten()?;
        Some(match rows {
            // An incomplete evaluation cannot distinguish the two cases.
            0 if !self.is_complete() || self.is_barren(rule) => ClauseYield::Nothing,
            0 => ClauseYield::NothingNew,
            rows => ClauseYield::Rows(rows as usize),
        })
    }

    /// Returns the clause that equals a statement: the clause at the same index, or any clause with
    /// the same digest.
    fn rule_at(&self, file: FileId, at: usize, statement: &Statement) -> Option<RuleId> {
        let key = |rule: &Rule| (rule.file, rule.item as usize);
        let found = self.compiled.rules.binary_search_by_key(&(file, at), key).ok();
        let found = found.and_then(|found| u32::try_from(found).ok()).map(RuleId);
        let says_it = |rule: &RuleId| {
            self.evaluated(*rule).is_some_and(|(_, item)| item.statement.digest == statement.digest)
        };
        found.filter(says_it).or_else(|| self.rule_by_digest(file, statement.digest))
    }

    /// Returns the first clause of a file with this digest.
    fn rule_by_digest(&self, file: FileId, digest: u64) -> Option<RuleId> {
        let mut known = self.rules_by_digest.lock();
        let rules = known.entry(file).or_insert_with(|| by_digest(&self.program, &self.compiled, file));
        rules.get(&digest).copied()
    }

    /// Returns the evaluated version of a clause.
    fn evaluated(&self, rule: RuleId) -> Option<(&Arc<FileSummary>, &Item)> {
        let rule = self.compiled.rule(rule)?;
        let file = self.program.file(rule.file)?;
        Some((file, file.items.get(rule.item as usize)?))
    }

    /// Returns the current version of a clause in `program`.
    pub(crate) fn current<'p>(
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

    /// Returns the current location of a clause, or `?` if the clause was removed.
    fn place(&self, rule: RuleId, places: PlaceNames<'_>) -> String {
        let found = self.current(rule, places.program);
        found.map_or_else(|| "?".to_owned(), |(file, item)| places.format(file, item))
    }

    /// True if the body of a rule has no solution. Distinguishes such rules from rules whose facts
    /// were derived by other rules first.
    fn is_barren(&self, rule: RuleId) -> bool {
        let Some(predicate) = self.compiled.rule(rule).map(|rule| rule.predicate) else { return true };
        if let Some(known) = self.rules_without_solutions.lock().get(&predicate) {
            return known.contains(&rule);
        }
        let any = vec![None; usize::from(self.program.get(predicate).key.arity)];
        let misses = self.model.write().why_not(&self.compiled, self.clock, predicate, &any);
        let certain = misses.into_iter().filter(|miss| !matches!(miss.obstacle, Obstacle::TooMany));
        let barren: Vec<RuleId> = certain.map(|miss| miss.rule).collect();
        let is_barren = barren.contains(&rule);
        self.rules_without_solutions.lock().insert(predicate, barren);
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

    /// True if the evaluation ran to completion.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.model.read().stopped.is_none()
    }

    /// Returns the reason for an early stop, for example `at policy.mg:3: division by zero`.
    #[must_use]
    pub fn stopped(&self, places: PlaceNames<'_>) -> Option<String> {
        let model = self.model.read();
        let stop = model.stopped.as_ref()?;
        let place = stop.rule.map_or_else(|| "?".to_owned(), |rule| self.place(rule, places));
        Some(format!("at {place}: {}", stop.reason))
    }

    /// Returns the facts that match an atom, like the `query` command. All facts if `atom` is
    /// `None`.
    ///
    /// # Errors
    /// If the text is not an atom, or the program does not have its predicate.
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

/// Returns the number of facts that each rule derived first. `None` if the rule cannot be
/// evaluated.
fn given(compiled: &CompiledProgram, model: &Model) -> Vec<Option<u32>> {
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

/// Returns the clauses of a file by digest. The first of several equal clauses is kept.
fn by_digest(program: &Program, compiled: &CompiledProgram, file: FileId) -> FxHashMap<u64, RuleId> {
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

/// Truncates a text to [`SHOWN`] characters, with `…`.
fn cut(text: String) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

/// All rules of this module, sorted by code.
pub const RULES: &[&lint::Rule] = &[&EVALUATION_FAILS, &EVALUATION_LIMIT];

/// A function call without a result.
static EVALUATION_FAILS: lint::Rule = rule!("evaluation-fails.md");

/// A rule that exceeds a limit.
static EVALUATION_LIMIT: lint::Rule = rule!("evaluation-limit.md");
