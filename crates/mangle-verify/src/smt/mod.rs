//! The search for a world with an SMT solver. The values of a world are unknowns of their declared
//! types, not choices from a list.
//!
//! `encoder` translates the plans of a program to expressions, and `script` writes the script. A
//! [`Solver`](crate::Solver) runs it, and `model` reads the facts of a world. *Unsatisfiable*
//! proves that no world of the size exists. A model is only a proposal, which the kernel evaluates.
//!
//! This library starts no processes, so the embedding program must provide the solvers.

mod aggregate;
mod builtin;
mod collection;
mod encoder;
mod expr;
mod function;
mod model;
mod script;
mod slots;
mod step;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mangle_engine::kernel::Values;
use mangle_engine::program::PredicateId;
use mangle_syntax::text::Cancel;

use crate::obstacle::Obstacle;
use encoder::Encoder;
use expr::Expr;
use model::{ModelValues, wanted, with_plain_letters};
use script::Sexpr;

pub(crate) use encoder::Setting;
pub(crate) use model::PlainFacts;

/// The maximum number of refuted models before the search ends.
const MAX_REFUTATIONS: usize = 24;

/// The maximum number of function results that are learned from refuted models.
const MAX_LEARNED: usize = 400;

/// The required property of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The predicate has a fact.
    Goal(PredicateId),
    /// A rule stops the evaluation.
    Stop,
    /// No requirement.
    Anything,
}

/// The result of a search among the worlds of one size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    /// A world was found and confirmed.
    Found,
    /// No world exists.
    None {
        /// True if the evaluation may stop in a world of the size.
        stops: bool,
    },
    /// The solver did not decide, for this reason.
    Open(String),
}

/// A search among the worlds of one size.
pub(crate) struct SmtSearch<'s> {
    pub(crate) setting: Setting<'s>,
    pub(crate) forbidden: &'s [PredicateId],
    pub(crate) solvers: &'s Solvers,
    /// The solver that decided last.
    pub(crate) solver: Option<&'static str>,
    /// The number of solvers with too many refuted worlds.
    pub(crate) refuted: usize,
}

/// Parses the answer of a solver. An error is a message with the name of the solver.
fn answer(solver: &str, output: &str) -> Result<Output, String> {
    let Some(read) = script::read_output(output) else {
        return Err(format!("the answer of {solver} cannot be read"));
    };
    let mut read = read.into_iter();
    match read.next() {
        Some(Sexpr::Atom(word)) if word == "unsat" => Ok(Output::Unsat),
        Some(Sexpr::Atom(word)) if word == "sat" => {
            Ok(Output::Sat(read.next().unwrap_or(Sexpr::List(Vec::new()))))
        }
        Some(Sexpr::Atom(word)) if matches!(word.as_str(), "unknown" | "timeout") => {
            Err(format!("{solver} does not decide it"))
        }
        _ => {
            let shown: String = output.chars().take(120).collect();
            Err(format!("{solver}: {}", shown.trim()))
        }
    }
}

/// The output of a solver.
enum Output {
    Sat(Sexpr),
    Unsat,
    Unknown(String),
}

impl SmtSearch<'_> {
    /// Searches for a world of `size` facts. `confirm` evaluates a proposed world and returns true
    /// if it meets the requirement.
    pub(crate) fn of_size(
        &mut self,
        size: usize,
        goal: Wanted,
        values: Values,
        confirm: &mut dyn FnMut(&PlainFacts) -> Result<bool, Obstacle>,
    ) -> Result<Decision, Obstacle> {
        let mut encoder = Encoder::new(self.setting, values, size)?;
        let mut asserted = self.requirements(&mut encoder, goal);
        let mut refutations = 0;
        let mut learned = 0;
        loop {
            let mut all = encoder.required.clone();
            all.append(&mut asserted.clone());
            let conjunction = encoder.exprs.and(all.iter().copied());
            if encoder.exprs.as_bool(conjunction) == Some(false) {
                return Ok(closed(&mut encoder));
            }
            let wanted = wanted(&encoder);
            let Some(script) = script::print_script(&encoder.exprs, encoder.sorts, &all, &wanted) else {
                return Ok(Decision::Open("the script for the solver is too large".to_owned()));
            };
            let answer = match self.run(&script)? {
                Output::Unsat => return Ok(closed(&mut encoder)),
                Output::Unknown(why) => return Ok(Decision::Open(why)),
                Output::Sat(answer) => answer,
            };
            let Some(mut model) = ModelValues::new(&encoder, &wanted, &answer) else {
                return Ok(Decision::Open("the answer of the solver cannot be read".to_owned()));
            };
            let facts = model.facts();
            let calls: Vec<_> = encoder
                .open_calls
                .iter()
                .map(|call| call.args.iter().map(|arg| model.plain(*arg)).collect::<Option<Vec<_>>>())
                .collect();
            if let Some(facts) = &facts {
                let plain = with_plain_letters(facts, &encoder.exprs);
                if plain != *facts && confirm(&plain)? || confirm(facts)? {
                    return Ok(Decision::Found);
                }
            }
            refutations += 1;
            if (refutations > MAX_REFUTATIONS || learned > MAX_LEARNED)
                && self.refuted + 1 < self.solvers.iter().len()
            {
                // Another solver may choose better values.
                self.refuted += 1;
                (refutations, learned) = (0, 0);
            } else if refutations > MAX_REFUTATIONS || learned > MAX_LEARNED {
                let open: Vec<&str> = encoder.open.iter().copied().collect();
                let detail = if open.is_empty() { String::new() } else { format!(" ({})", open.join(", ")) };
                return Ok(Decision::Open(format!("no world of the solver was confirmed{detail}")));
            }
            let lemmas = encoder.learn(&calls)?;
            learned += lemmas.len();
            let new: Vec<Expr> = lemmas.into_iter().filter(|lemma| !asserted.contains(lemma)).collect();
            if new.is_empty() {
                let excluded = facts.as_ref().map(|facts| encoder.excluded(facts)).transpose()?.flatten();
                let Some(excluded) = excluded else {
                    return Ok(Decision::Open("a value of the solver cannot be written".to_owned()));
                };
                asserted.push(excluded);
            } else {
                asserted.extend(new);
            }
        }
    }

    /// Returns the requirements of every world and of the search goal.
    fn requirements(&self, encoder: &mut Encoder<'_>, goal: Wanted) -> Vec<Expr> {
        let mut asserted = Vec::new();
        for predicate in self.forbidden {
            let is_derived = encoder.is_derived(*predicate);
            asserted.push(encoder.exprs.not(is_derived));
        }
        let stops = encoder.stops();
        if goal == Wanted::Stop {
            asserted.push(stops);
            return asserted;
        }
        asserted.push(encoder.exprs.not(stops));
        if let Wanted::Goal(goal) = goal {
            asserted.push(encoder.is_derived(goal));
        }
        asserted
    }

    /// Runs a script in one solver after another until one of them decides.
    fn run(&mut self, script: &str) -> Result<Output, Obstacle> {
        let mut open = Vec::new();
        let solvers = self.solvers.iter().skip(self.refuted);
        let count = solvers.len();
        for (at, solver) in solvers.enumerate() {
            let left = self.setting.end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Obstacle::Time);
            }
            let rest = u32::try_from(count - at).unwrap_or(1);
            let limit = left / rest;
            match solver.run(script, limit, self.setting.cancel) {
                Ok(output) => match answer(solver.name(), &output) {
                    Ok(decided) => {
                        self.solver = Some(solver.name());
                        return Ok(decided);
                    }
                    Err(why) => open.push(why),
                },
                Err(SolverError::Cancelled) => return Err(Obstacle::Cancelled),
                Err(SolverError::Time) => {
                    open.push(format!("{} found no answer in {:.1} s", solver.name(), limit.as_secs_f64()));
                }
                Err(SolverError::Failed(why)) => open.push(format!("{}: {why}", solver.name())),
            }
        }
        Ok(Output::Unknown(open.join("; ")))
    }
}

/// Returns the decision for a script without a model.
fn closed(encoder: &mut Encoder<'_>) -> Decision {
    let stops = encoder.stops();
    let stops = encoder.exprs.as_bool(stops) != Some(false);
    encoder.cut.map_or(Decision::None { stops }, |cut| Decision::Open(cut.to_owned()))
}

impl Encoder<'_> {
    /// Returns the true results of uninterpreted functions for the arguments of a model.
    fn learn(&mut self, calls: &[Option<Vec<model::Plain>>]) -> Result<Vec<Expr>, Obstacle> {
        let open: Vec<_> = self.open_calls.clone();
        let mut lemmas = Vec::new();
        for (call, args) in open.iter().zip(calls) {
            let Some(args) = args else { continue };
            let interned: Option<Vec<_>> = args.iter().map(|arg| arg.intern(&mut self.values)).collect();
            let Some(interned) = interned else { continue };
            let mut parts = Vec::with_capacity(interned.len());
            for (expr, value) in call.args.iter().zip(&interned) {
                let value = self.constant(*value)?;
                parts.push(self.exprs.equal(*expr, value));
            }
            let condition = self.exprs.and(parts);
            let result = match call.function.apply(&mut self.values, &interned, &self.setting.clock) {
                Ok(value) => {
                    let value = self.constant(value)?;
                    let equal = self.exprs.equal(call.result, value);
                    self.exprs.and([call.succeeds, equal])
                }
                Err(_) => self.exprs.not(call.succeeds),
            };
            let lemma = self.exprs.implies(condition, result);
            if self.exprs.as_bool(lemma) != Some(true) {
                lemmas.push(lemma);
            }
        }
        lemmas.sort_unstable();
        lemmas.dedup();
        Ok(lemmas)
    }

    /// Returns the condition that a world differs from a model. `None` if a value has no literal.
    fn excluded(&mut self, facts: &PlainFacts) -> Result<Option<Expr>, Obstacle> {
        let mut parts = Vec::new();
        for (slot, (input, values)) in facts.iter().enumerate() {
            let of_slot: Vec<(Expr, Box<[Expr]>)> = self
                .slots
                .get(slot)
                .into_iter()
                .flatten()
                .filter(|fact| fact.input == *input && fact.columns.len() == values.len())
                .map(|fact| (fact.taken, fact.columns.clone()))
                .collect();
            let mut ways = Vec::new();
            for (taken, columns) in of_slot {
                let mut equal = vec![taken];
                for (column, value) in columns.iter().zip(values) {
                    let Some(value) = value.intern(&mut self.values) else { return Ok(None) };
                    let value = self.constant(value)?;
                    equal.push(self.exprs.equal(*column, value));
                }
                ways.push(self.exprs.and(equal));
            }
            parts.push(self.exprs.or(ways));
        }
        let same = self.exprs.and(parts);
        Ok(Some(self.exprs.not(same)))
    }
}

/// A solver that runs an SMT-LIB script and returns its output.
pub trait Solver: Debug + Send + Sync {
    /// The name of the solver, for example `z3`.
    fn name(&self) -> &'static str;

    /// Runs a script. Ends after `limit` or on cancellation.
    ///
    /// # Errors
    /// Returns an error if the solver cannot be run, or ends without an answer.
    fn run(&self, script: &str, limit: Duration, cancel: &Cancel) -> Result<String, SolverError>;
}

/// The reason for a missing answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SolverError {
    /// The time ended.
    #[error("the time ended")]
    Time,
    /// The search was canceled.
    #[error("the search was cancelled")]
    Cancelled,
    /// The solver failed.
    #[error("{0}")]
    Failed(String),
}

/// The solvers of a search, tried in order.
#[derive(Debug, Clone, Default)]
pub struct Solvers {
    all: Vec<Arc<dyn Solver>>,
}

impl Solvers {
    /// Creates a list of solvers, in order.
    #[must_use]
    pub fn new(all: Vec<Arc<dyn Solver>>) -> Self {
        Self { all }
    }

    /// True if no solver is available.
    ///
    /// WebAssembly has no processes. The constant condition removes the solver code from the
    /// module.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        cfg!(target_family = "wasm") || self.all.is_empty()
    }

    /// Returns the names of the solvers.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.all.iter().map(|solver| solver.name())
    }

    /// Concatenates lists of solvers.
    #[cfg(test)]
    pub(crate) fn joined(lists: Vec<Self>) -> Self {
        Self { all: lists.into_iter().flat_map(|list| list.all).collect() }
    }

    fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<dyn Solver>> {
        self.all.iter()
    }
}
