//! A program evaluated in one reading, to be asked: how many facts a predicate has, whether one holds and why, which
//! rules gave rows, what failed and what ended the run.
//!
//! Takes a joined program, limits, a clock and a cancellation; gives an [`Evaluation`], which stays right as long as
//! the program has the same statements, wherever they stand by then. What it shows of the program as findings is in
//! [`findings`], both readings side by side are [`Readings`].

mod findings;
mod holding;
mod readings;
mod rules;
#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use parking_lot::RwLock;
use rustc_hash::{FxHashMap, FxHasher};

pub use findings::{Found, diagnostics, findings};
pub use holding::Holding;
pub use readings::{Difference, Readings};
pub use rules::RULES;

use super::query::{Asked, Wish, ask};
use crate::config::Reading;
use crate::kernel::{Clock, Compiled, Limits, Model, Reason, Rule, RuleId, compile, run};
use crate::program::{PredicateKey, Program};
use crate::report::Answer;
use crate::text::{Cancel, FileId, StatementId, TextSize};

/// How many characters of a fact are shown.
const SHOWN: usize = 100;

/// A program and what follows from it.
#[derive(Debug)]
pub struct Evaluation {
    program: Arc<Program>,
    compiled: Arc<Compiled>,
    clock: Clock,
    model: RwLock<Model>,
    /// How many facts each clause was the first to give.
    given: FxHashMap<(FileId, StatementId), usize>,
}

/// The facts of a predicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// How many there are.
    pub count: usize,
    /// The first of them, as the engine prints them, each cut to 100 characters.
    pub first: Vec<String>,
}

/// Names the places of a program for people: `policy.mg:12`.
#[derive(Clone, Copy)]
pub struct Places<'a> {
    /// The program as it is by now.
    pub program: &'a Program,
    /// What a file is called.
    pub file: &'a dyn Fn(FileId) -> String,
}

impl std::fmt::Debug for Places<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Places").finish_non_exhaustive()
    }
}

impl Places<'_> {
    /// Where a clause stands; `?` when it is gone.
    #[must_use]
    pub fn of(&self, rule: &Rule) -> String {
        match self.start(rule) {
            Some((line, _)) => format!("{}:{line}", (self.file)(rule.file)),
            None => "?".to_owned(),
        }
    }

    /// The line of a clause, counted from 1, and its offset.
    fn start(&self, rule: &Rule) -> Option<(usize, TextSize)> {
        let file = self.program.file(rule.file)?;
        let is_it = |item: &&crate::syntax::ast::Item| item.statement.id == rule.statement;
        let item = file.items.get(rule.item as usize).filter(is_it);
        let item = item.or_else(|| file.items.iter().find(is_it))?;
        let before = file.text.get(..usize::from(item.start)).unwrap_or_default();
        Some((before.matches('\n').count() + 1, item.start))
    }
}

/// A number that changes with everything that an evaluation depends on: the statements of the program and what
/// surrounds it.
#[must_use]
pub fn fingerprint(program: &Program) -> u64 {
    let mut hasher = FxHasher::default();
    program.environment().hash(&mut hasher);
    for file in &program.files {
        (file.id, file.items.len()).hash(&mut hasher);
        file.items.iter().for_each(|item| item.statement.id.hash(&mut hasher));
    }
    hasher.finish()
}

impl Evaluation {
    /// Evaluates a program; `None` when `cancel` was raised meanwhile.
    #[must_use]
    pub fn new(
        program: &Arc<Program>,
        reading: Reading,
        limits: Limits,
        clock: Clock,
        cancel: &Cancel,
    ) -> Option<Self> {
        let compiled = compile(program, reading);
        let model = run(&compiled, limits, clock, cancel);
        if cancel.is_cancelled() || matches!(&model.stopped, Some(stop) if stop.reason == Reason::Cancelled) {
            return None;
        }
        let given = given(&compiled, &model);
        Some(Self { program: Arc::clone(program), compiled, clock, model: RwLock::new(model), given })
    }

    /// The reading.
    #[must_use]
    pub fn reading(&self) -> Reading {
        self.compiled.reading
    }

    /// The facts of a predicate and the first few of them. `None` for a predicate that the program does not
    /// mention, and for one whose facts are computed where they are asked for.
    #[must_use]
    pub fn rows(&self, key: PredicateKey, first: usize) -> Option<Rows> {
        let id = self.program.id(key).filter(|id| !self.program.get(*id).signature.deferred)?;
        let model = self.model.read();
        let relation = model.relation(id)?;
        let shown = relation.tuples().take(first).map(|tuple| cut(model.fact(&self.compiled, id, tuple)));
        Some(Rows { count: relation.len(), first: shown.collect() })
    }

    /// The facts of a predicate as the engine prints them.
    fn facts(&self, key: PredicateKey) -> Vec<String> {
        let Some(id) = self.program.id(key) else { return Vec::new() };
        self.model.read().facts_of(&self.compiled, id).collect()
    }

    /// How many facts a rule was the first to give; `None` for what is no rule, cannot be evaluated or was not.
    #[must_use]
    pub fn given(&self, file: FileId, statement: StatementId) -> Option<usize> {
        self.given.get(&(file, statement)).copied()
    }

    /// Whether everything that follows from the program is known.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.model.read().stopped.is_none()
    }

    /// Why the evaluation ended before it was done: `at policy.mg:3: division by zero`.
    #[must_use]
    pub fn stopped(&self, places: Places<'_>) -> Option<String> {
        let model = self.model.read();
        let stop = model.stopped.as_ref()?;
        let place = stop.rule.and_then(|rule| self.compiled.rule(rule));
        let place = place.map_or_else(|| "?".to_owned(), |rule| places.of(rule));
        Some(format!("at {place}: {}", stop.reason))
    }

    /// Which facts fit an atom, as the command `query` answers it.
    ///
    /// # Errors
    /// When the text is no atom, or the program does not have its predicate.
    pub fn ask(&self, atom: &str, wish: Wish, places: Places<'_>) -> Result<Answer, String> {
        let place = |rule: RuleId| match self.compiled.rule(rule) {
            Some(rule) => places.of(rule),
            None => "?".to_owned(),
        };
        let mut model = self.model.write();
        let (program, compiled, clock) = (self.program.as_ref(), &self.compiled, self.clock);
        ask(&mut Asked { program, compiled, model: &mut model, clock, place: &place }, Some(atom), wish)
    }
}

/// How many facts each rule was the first to give. Rules without any are there too, if they were evaluated.
fn given(compiled: &Compiled, model: &Model) -> FxHashMap<(FileId, StatementId), usize> {
    let mut counts = vec![0usize; compiled.rules.len()];
    for predicate in (0..compiled.predicates()).map(crate::program::PredicateId) {
        let rows = model.relation(predicate).map_or(0, |relation| relation.len());
        for number in (0u32..).take(rows) {
            let rule = model.derivation(predicate, number).map(|derivation| derivation.rule.0 as usize);
            rule.and_then(|rule| counts.get_mut(rule)).into_iter().for_each(|count| *count += 1);
        }
    }
    let is_evaluated = |id: RuleId| !compiled.faults.iter().any(|fault| fault.rule == id);
    let rules = (0u32..).map(RuleId).zip(&compiled.rules).zip(counts);
    rules
        .filter(|((id, _), _)| is_evaluated(*id))
        .map(|((_, rule), count)| ((rule.file, rule.statement), count))
        .collect()
}

/// The text, cut with `…` to what is shown.
fn cut(text: String) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
