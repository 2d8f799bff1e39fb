//! The search for the smallest world with a fact of a predicate.
//!
//! Sizes are tried in increasing order from zero. For each size, the program is evaluated in all
//! worlds at once, a solver searches for a solution, and the kernel confirms it. Unconfirmed worlds
//! are never returned.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mangle_engine::kernel::plan::RelationId;
use mangle_engine::kernel::{
    Clock, CompiledProgram, Fact, Kernel, Limits, Reading, RuleId, Stop, StopReason, ValueId,
};
use mangle_engine::program::{FileSummary, PredicateId, PredicateKey};
use mangle_syntax::text::{Cancel, FileId};
use rustc_hash::FxHashMap;

use crate::candidates::{Candidates, Sources};
use crate::circuit::Literal;
use crate::completeness::{Analysis, Certificate, Reason, Subject};
use crate::cone::Cone;
use crate::inputs::{Input, InputPredicate};
use crate::obstacle::{Budget, Obstacle};
use crate::smt::Solvers;
use crate::solver_search::Solved;
use crate::symbolic::{Evaluation, Setting, unsupported};
use crate::values::is_readable;
use crate::{candidates, cone};

/// A search for a world.
#[derive(Debug, Clone)]
pub struct Question {
    /// The program, with the rules of the question.
    pub compiled: Arc<CompiledProgram>,
    /// For a pair of programs, the original files of the other program.
    pub originals: FxHashMap<FileId, Arc<FileSummary>>,
    /// The predicate that must have a fact.
    pub goal: PredicateId,
    /// The predicates that must have no fact.
    pub forbidden: Vec<PredicateId>,
    /// The input predicates of a world.
    pub inputs: Vec<InputPredicate>,
    /// The predicates with facts and without rules that the goal depends on.
    pub constants: Vec<PredicateKey>,
    /// The reason that no world has a fact of the goal, if no search is needed.
    pub settled: Option<&'static str>,
    /// True to search for a world that stops the evaluation with an error, if no other world is
    /// found.
    pub looks_for_aborts: bool,
    /// True if the runtime evaluates the program once per store. No world decides such a question.
    pub has_stores: bool,
    /// The limits for the evaluation of one world.
    pub limits: Limits,
    /// The evaluation time of worlds.
    pub clock: Clock,
    /// The solvers for questions that the embedded search cannot decide.
    pub solvers: Solvers,
}

/// The limits of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// The maximum number of facts of a world.
    pub facts: usize,
    /// The maximum time.
    pub time: Duration,
}

impl Default for Scope {
    fn default() -> Self {
        Self { facts: 5, time: Duration::from_secs(10) }
    }
}

/// An evaluated world.
#[derive(Debug)]
pub struct World {
    /// The facts of the world.
    pub facts: Vec<Fact>,
    /// The result of the evaluation.
    pub kernel: Kernel,
}

/// The outcome of a search.
#[derive(Debug)]
pub enum Outcome {
    /// A world with a fact of the goal.
    Found {
        /// The world.
        world: World,
        /// True if no smaller world has such a fact.
        is_smallest: bool,
    },
    /// No world has such a fact, for this reason.
    Never(String),
    /// No world in the scope has such a fact.
    NotInScope,
    /// No world in the scope has such a fact, but the evaluation of a world stops with an error.
    Aborts {
        /// The world.
        world: World,
        /// The position and reason of the stop.
        stop: Stop,
    },
    /// The restrictions exclude all worlds in the scope.
    NoWorld,
    /// The search was not complete.
    Undecided {
        /// The reason.
        obstacle: Obstacle,
        /// All worlds with fewer facts than this were searched.
        below: usize,
    },
}

/// The result of a search.
#[derive(Debug)]
pub struct Searched {
    /// The outcome.
    pub outcome: Outcome,
    /// The inputs with their values.
    pub inputs: Vec<Input>,
    /// The evaluation of the program alone, whose value table contains the values of the inputs.
    pub base: Kernel,
    /// The solver that decided the question, if any.
    pub solver: Option<&'static str>,
    /// True if the answer depends on no fact of a world.
    pub is_constant: bool,
}

/// The maximum number of unconfirmed solutions before the search ends.
const MAX_MISMATCHES: usize = 64;

/// The maximum number of attempts to simplify a solution.
const MAX_SIMPLER: usize = 400;

/// Searches for a world.
#[must_use]
pub fn search(question: &Question, scope: Scope, cancel: &Cancel) -> Searched {
    let mut base = Kernel::new(Arc::clone(&question.compiled));
    if question.has_stores {
        let outcome = Outcome::Undecided { obstacle: Obstacle::Stores, below: 0 };
        return Searched { outcome, inputs: Vec::new(), base, solver: None, is_constant: false };
    }
    base.evaluate(question.limits, question.clock, cancel);
    let worlds = Worlds { question, cancel, base: base.fork() };
    let mut search = Search {
        question,
        cancel,
        end: Instant::now() + scope.time,
        facts: scope.facts,
        reading: cone::Dependencies::new(&question.compiled),
        roots: std::iter::once(question.goal).chain(question.forbidden.iter().copied()).collect(),
        tried: None,
        analysis: None,
        certificate: Certificate::default(),
        reasons: BTreeSet::new(),
        cone: Cone::default(),
        base,
        worlds,
        has_mismatch: false,
        depends_on_order: false,
        solver: None,
        needed: None,
        is_constant: false,
    };
    let outcome = search.run(scope);
    let Search { certificate, base, solver, is_constant, .. } = search;
    Searched { outcome, inputs: certificate.inputs, base, solver, is_constant }
}

pub(crate) struct Search<'q> {
    pub(crate) question: &'q Question,
    pub(crate) cancel: &'q Cancel,
    pub(crate) end: Instant,
    /// The maximum number of facts of a world.
    facts: usize,
    reading: cone::Dependencies<'q>,
    /// The predicates that determine the answer.
    roots: Vec<PredicateId>,
    /// The suggested values, computed on demand, and the limit that truncated them.
    tried: Option<Candidates>,
    /// The operations on the values of the inputs.
    analysis: Option<Analysis>,
    /// The values for the worlds of the current size.
    pub(crate) certificate: Certificate,
    /// The reasons for possibly missing worlds of the previous sizes.
    reasons: BTreeSet<Reason>,
    pub(crate) cone: Cone,
    pub(crate) base: Kernel,
    pub(crate) worlds: Worlds<'q>,
    /// True if the kernel rejected a solution.
    has_mismatch: bool,
    /// True if a result depends on the order of facts, so that the search is incomplete.
    depends_on_order: bool,
    /// The solver that decided last.
    pub(crate) solver: Option<&'static str>,
    /// The maximum number of facts of a minimal world. `None` until smaller worlds are known not to
    /// stop the evaluation.
    pub(crate) needed: Option<usize>,
    /// True if the answer depends on no fact of a world.
    is_constant: bool,
}

/// The result for the worlds of one size.
pub(crate) enum SizeResult {
    Found(World),
    None {
        /// True if any world of the size is allowed.
        is_any: bool,
    },
    Stops(World, Stop),
    /// A rule of this predicate, which is outside of the search, stops the evaluation.
    OutsideCone(PredicateId),
}

/// The goal of a search in the worlds of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Goal,
    /// A rule that stops the evaluation.
    Stop,
}

impl Search<'_> {
    fn run(&mut self, scope: Scope) -> Outcome {
        self.update_cone();
        let Question { compiled, goal, inputs, .. } = self.question;
        // A goal that no rule can derive remains underived if the engine misses facts.
        let is_possible = cone::impossible_goal(compiled, *goal, inputs).is_none();
        let roots: &[PredicateId] = if is_possible { &self.roots } else { &[] };
        if let Some(why) = roots.iter().find_map(|root| missed_by_engine(compiled, *root)) {
            return Outcome::Undecided { obstacle: Obstacle::Unsupported(why), below: 0 };
        }
        let found = self.without_bound().unwrap_or_else(|| self.within(scope));
        let is_complete = matches!(found, Outcome::Never(_) | Outcome::NotInScope | Outcome::NoWorld);
        if !is_complete {
            return found;
        }
        if !self.reasons.is_empty() && !matches!(found, Outcome::Never(_)) {
            let reasons = std::mem::take(&mut self.reasons).into_iter().collect();
            let has_solver = !self.question.solvers.is_empty();
            return Outcome::Undecided { obstacle: Obstacle::Incomplete { reasons, has_solver }, below: 0 };
        }
        if self.question.looks_for_aborts {
            let certificate = std::mem::take(&mut self.certificate);
            let aborting = self.aborting(scope);
            self.certificate = certificate;
            match aborting {
                Ok(Some((world, stop))) => return Outcome::Aborts { world, stop },
                Ok(None) => {}
                Err(obstacle) => {
                    let obstacle = Obstacle::OfAborts(Box::new(obstacle));
                    return Outcome::Undecided { obstacle, below: 0 };
                }
            }
        }
        found
    }

    /// Returns an answer that needs no search.
    fn without_bound(&mut self) -> Option<Outcome> {
        if !self.base_stopped() && !self.roots.iter().any(|root| self.cone.varies(root.0)) {
            self.is_constant = self.question.settled.is_none();
            return Some(match self.worlds.confirm(&[]) {
                Confirmation::Holds(world) => Outcome::Found { world, is_smallest: true },
                _ => Outcome::Never("it depends on no input".to_owned()),
            });
        }
        if let Some(why) = self.question.settled {
            return Some(Outcome::Never(why.to_owned()));
        }
        let Question { compiled, goal, inputs, .. } = self.question;
        cone::impossible_goal(compiled, *goal, inputs).map(Outcome::Never)
    }

    /// Searches all sizes of the scope.
    fn within(&mut self, scope: Scope) -> Outcome {
        let (mut size, mut is_any_world) = (0, false);
        while size <= scope.facts {
            match self.search_size_with_solver(size, is_any_world) {
                Ok(SizeResult::Found(world)) => {
                    let is_proved = !self.has_mismatch && !self.depends_on_order && self.reasons.is_empty();
                    return Outcome::Found { world, is_smallest: is_proved || size == 0 };
                }
                Ok(SizeResult::None { is_any }) => {
                    is_any_world |= is_any;
                    // Worlds of this size over other values remain open.
                    let reasons = std::mem::take(&mut self.certificate.reasons);
                    self.reasons
                        .retain(|known| !reasons.iter().any(|reason| reason.is_same_operation(known)));
                    self.reasons.extend(reasons);
                    size += 1;
                }
                Ok(SizeResult::OutsideCone(predicate)) => {
                    self.roots.push(predicate);
                    self.update_cone();
                }
                Ok(SizeResult::Stops(..)) => size += 1,
                Err(obstacle) => return Outcome::Undecided { obstacle, below: size },
            }
        }
        if self.has_mismatch {
            return Outcome::Undecided { obstacle: unconfirmed(), below: 0 };
        }
        if self.depends_on_order {
            let why = "a collected list depends on the order in which the engine finds facts".to_owned();
            return Outcome::Undecided { obstacle: Obstacle::Unsupported(why), below: 0 };
        }
        if is_any_world { Outcome::NotInScope } else { Outcome::NoWorld }
    }

    /// Searches the worlds of one size: with a solver if the values are incomplete and a solver is
    /// present, or over the values.
    fn search_size_with_solver(&mut self, size: usize, is_any: bool) -> Result<SizeResult, Obstacle> {
        if self.question.solvers.is_empty() {
            return self.search_size(size, Wanted::Goal);
        }
        if self.needed.is_some_and(|needed| size > needed) && self.reasons.is_empty() && !self.has_mismatch {
            return Ok(SizeResult::None { is_any });
        }
        let budget = Budget::new(self.end, self.cancel);
        let is_open = size > 0
            && (self.analysis.as_ref().is_some_and(Analysis::is_incomplete)
                || !self.certify(size, &budget).reasons.is_empty());
        let mut open = if is_open {
            match self.solved(size, is_any)? {
                Solved::Decided(found) => return Ok(found),
                Solved::Open(why) => Some(why),
            }
        } else {
            None
        };
        let found = match self.search_size(size, Wanted::Goal) {
            // Try a solver again: the values are too many, or the embedded search does not support
            // a rule.
            Err(obstacle @ (Obstacle::Size(_) | Obstacle::Unsupported(_))) if size > 0 => {
                if open.is_none() {
                    match self.solved(size, is_any)? {
                        Solved::Decided(found) => return Ok(found),
                        Solved::Open(why) => open = Some(why),
                    }
                }
                match obstacle {
                    Obstacle::Size(limit) => self.search_suggested_values(size, limit)?,
                    other => return Err(other),
                }
            }
            found => found?,
        };
        if let (Some(operation), SizeResult::None { .. }) = (open, &found)
            && !self.certificate.reasons.is_empty()
        {
            self.certificate.reasons.insert(Reason { operation, inputs: Vec::new(), tried: 0 });
        }
        Ok(found)
    }

    /// Computes the dependencies of the answer.
    fn update_cone(&mut self) {
        let inputs: Vec<PredicateId> =
            self.question.inputs.iter().flat_map(|input| input.predicates.iter().copied()).collect();
        self.cone = self.reading.cone(&self.roots, &inputs);
        self.tried = None;
        self.needed = None;
        let stopped = self.base_stopped();
        let budget = Budget::new(self.end, self.cancel);
        let mut values = std::mem::take(self.base.values());
        let subject = Subject {
            compiled: &self.question.compiled,
            base: Some(self.base.model()).filter(|_| !stopped),
            cone: &self.cone,
            clock: self.question.clock,
        };
        self.analysis = Some(Analysis::new(subject, &mut values, &self.question.inputs, &budget));
        *self.base.values() = values;
        self.worlds.base = self.base.fork();
    }

    /// Computes the values of the inputs in worlds of a size.
    fn find_values(&mut self, size: usize, wanted: Wanted) -> Result<(), Obstacle> {
        let budget = Budget::new(self.end, self.cancel);
        let is_certified = wanted == Wanted::Goal
            && size > 0
            && self.analysis.as_ref().is_some_and(|analysis| !analysis.is_incomplete());
        if size > 0 && !is_certified {
            self.try_values()?;
        }
        let mut certificate = self.certify(size, &budget);
        if !certificate.reasons.is_empty() && self.tried.is_none() {
            self.try_values()?;
            certificate = self.certify(size, &budget);
        }
        let tried = self.tried.as_ref();
        let cut = tried.and_then(|tried| tried.truncation);
        if wanted == Wanted::Stop {
            let inputs = tried.map(|tried| tried.inputs.clone()).unwrap_or_default();
            certificate = Certificate { inputs, ..Certificate::default() };
        }
        self.certificate = certificate;
        if let Some(cut) = cut.filter(|_| !self.certificate.reasons.is_empty()) {
            self.add_limit(cut);
        }
        self.worlds.base = self.base.fork();
        Ok(())
    }

    fn certify(&mut self, size: usize, budget: &Budget) -> Certificate {
        let Some(analysis) = self.analysis.as_ref().filter(|_| size > 0) else {
            return Certificate::default();
        };
        let tried = self.tried.as_ref().map_or(&[][..], |tried| &tried.inputs);
        let mut values = std::mem::take(self.base.values());
        let certificate = analysis.certificate(&self.question.compiled, &mut values, size, tried, budget);
        *self.base.values() = values;
        certificate
    }

    /// Computes the values that the rules suggest.
    fn try_values(&mut self) -> Result<(), Obstacle> {
        if self.tried.is_some() {
            return Ok(());
        }
        let budget = Budget::new(self.end, self.cancel);
        let stopped = self.base_stopped();
        let mut values = std::mem::take(self.base.values());
        let sources = Sources {
            compiled: &self.question.compiled,
            base: Some(self.base.model()).filter(|_| !stopped),
            cone: &self.cone,
            clock: self.question.clock,
            facts: self.facts,
            budget: &budget,
        };
        self.tried = Some(candidates::inputs(sources, &mut values, &self.question.inputs));
        let obstacle = budget.obstacle(&values);
        *self.base.values() = values;
        obstacle.map_or(Ok(()), Err)
    }

    fn base_stopped(&self) -> bool {
        self.base.model().stopped.is_some()
    }

    /// Searches the worlds of one size.
    fn search_size(&mut self, size: usize, wanted: Wanted) -> Result<SizeResult, Obstacle> {
        self.find_values(size, wanted)?;
        match self.search_values(size, wanted) {
            Err(Obstacle::Size(limit))
                if wanted == Wanted::Goal && size > 0 && self.question.solvers.is_empty() =>
            {
                self.search_suggested_values(size, limit)
            }
            found => found,
        }
    }

    /// Searches the worlds of one size over the suggested values. The result may be a world, but
    /// never a proof.
    fn search_suggested_values(&mut self, size: usize, limit: &str) -> Result<SizeResult, Obstacle> {
        self.try_values()?;
        self.certificate.inputs = self.tried.as_ref().map(|tried| tried.inputs.clone()).unwrap_or_default();
        self.certificate.groups.clear();
        self.add_limit(limit);
        self.worlds.base = self.base.fork();
        self.search_values(size, Wanted::Goal)
    }

    /// Adds a search limit as a reason for an incomplete answer.
    fn add_limit(&mut self, limit: &str) {
        let operation = format!("a limit of the search: {limit}");
        self.certificate.reasons.insert(Reason { operation, inputs: Vec::new(), tried: 0 });
    }

    /// Searches the worlds of one size over the computed values.
    fn search_values(&mut self, size: usize, wanted: Wanted) -> Result<SizeResult, Obstacle> {
        if size > 0 && self.certificate.inputs.is_empty() {
            return Ok(SizeResult::None { is_any: false });
        }
        let values = self.base.values().share();
        let setting = Setting {
            compiled: &self.question.compiled,
            base: Some(self.base.model()).filter(|model| model.stopped.is_none()),
            cone: &self.cone,
            inputs: &self.certificate.inputs,
            groups: &self.certificate.groups,
            clock: self.question.clock,
            end: self.end,
            cancel: self.cancel,
        };
        let mut evaluation = Evaluation::new(setting, values, size)?;
        let goal = requirements(&mut evaluation, self.question, wanted);
        self.depends_on_order |= evaluation.depends_on_order && wanted == Wanted::Goal;
        let is_any = evaluation.is_satisfiable(&[])?;
        for _ in 0..=MAX_MISMATCHES {
            if !evaluation.is_satisfiable(&[goal])? {
                return Ok(SizeResult::None { is_any });
            }
            let facts = asserted(&self.certificate.inputs, &simplest(&mut evaluation, goal));
            match (self.worlds.confirm(&facts), wanted) {
                (Confirmation::Holds(world), Wanted::Goal) => return Ok(SizeResult::Found(world)),
                (Confirmation::Stops(world, stop), Wanted::Stop) => {
                    return Ok(SizeResult::Stops(world, stop));
                }
                (Confirmation::Stops(_, stop), Wanted::Goal) => {
                    if let Some(predicate) = self.outside_cone(&stop)? {
                        return Ok(SizeResult::OutsideCone(predicate));
                    }
                }
                _ => {}
            }
            if Instant::now() >= self.end || self.cancel.is_cancelled() {
                return Err(evaluation.out_of_time());
            }
            self.has_mismatch = true;
            evaluation.exclude_solution();
        }
        Err(unconfirmed())
    }

    /// Returns the predicate of a rule that stopped an evaluation, if it is outside of the cone.
    fn outside_cone(&self, stop: &Stop) -> Result<Option<PredicateId>, Obstacle> {
        if !matches!(stop.reason, StopReason::Failed(_)) {
            return Err(Obstacle::Unsupported(format!("a world takes {} to evaluate", stop.reason)));
        }
        Ok(self.worlds.stopping(stop).filter(|id| !self.cone.needs(id.0)))
    }

    /// Returns the smallest world that stops the evaluation in any rule. Rules with unsupported
    /// dependencies are excluded.
    fn aborting(&mut self, scope: Scope) -> Result<Option<(World, Stop)>, Obstacle> {
        if self.question.compiled.reading != Reading::Engine {
            return Ok(None);
        }
        let strata = &self.question.compiled.strata;
        let unsupported: Vec<RelationId> =
            unsupported(&self.question.compiled).into_iter().filter(|one| self.cone.varies(*one)).collect();
        let left_out = self.reading.dependents(unsupported);
        let targets = strata.iter().flat_map(|stratum| stratum.plans.iter().map(|plan| plan.target));
        let aggregates = strata.iter().flat_map(|stratum| stratum.aggregates.iter().map(|made| made.target));
        let all = targets.chain(aggregates).filter(|target| !left_out.contains(target)).map(PredicateId);
        self.roots.extend(all.collect::<Vec<_>>());
        self.update_cone();
        for size in 0..=scope.facts {
            if let SizeResult::Stops(world, stop) = self.search_size(size, Wanted::Stop)? {
                return Ok(Some((world, stop)));
            }
        }
        Ok(None)
    }
}

/// Returns the reason for missing facts in the engine's evaluation of a predicate, if any.
fn missed_by_engine(compiled: &CompiledProgram, root: PredicateId) -> Option<String> {
    if let Some(read) = compiled.unordered_dependency(root) {
        let name = compiled.name(read.predicate);
        return Some(format!(
            "the engine evaluates rules before or after the temporal `{name}` that they ask for"
        ));
    }
    let rule = compiled.incomplete_rule(root)?;
    let name = compiled.rule(rule).map(|rule| compiled.name(rule.predicate).to_string()).unwrap_or_default();
    Some(format!("the engine misses facts of the recursive `{name}` that two facts of one round give"))
}

fn unconfirmed() -> Obstacle {
    Obstacle::Unsupported("the kernel did not confirm what the search found".to_owned())
}

/// Adds the requirements of every world. Returns the literal of the search goal.
fn requirements(evaluation: &mut Evaluation<'_>, question: &Question, wanted: Wanted) -> Literal {
    for predicate in &question.forbidden {
        let is_derived = evaluation.is_derived(*predicate);
        evaluation.circuit.require([!is_derived]);
    }
    let stops: Vec<Literal> = evaluation.aborts.iter().map(|(_, when)| *when).collect();
    if wanted == Wanted::Stop {
        return evaluation.circuit.any(stops);
    }
    for stop in stops {
        evaluation.circuit.require([!stop]);
    }
    evaluation.is_derived(question.goal)
}

/// Returns the facts of a solution, each for all predicates that share it.
fn asserted(inputs: &[Input], facts: &[(usize, Vec<ValueId>)]) -> Vec<Vec<Fact>> {
    let facts = facts.iter().filter_map(|(input, tuple)| {
        let fact = |predicate: &PredicateId| Fact {
            predicate: *predicate,
            tuple: tuple.as_slice().into(),
            rule: RuleId::ASSERTED,
        };
        Some(inputs.get(*input)?.predicates.iter().map(fact).collect())
    });
    facts.collect()
}

/// An evaluator of worlds.
pub(crate) struct Worlds<'q> {
    question: &'q Question,
    cancel: &'q Cancel,
    pub(crate) base: Kernel,
}

/// The result of evaluating a world in the kernel.
pub(crate) enum Confirmation {
    Holds(World),
    DoesNotHold,
    Stops(World, Stop),
}

impl Worlds<'_> {
    /// Evaluates a world.
    pub(crate) fn confirm(&mut self, facts: &[Vec<Fact>]) -> Confirmation {
        let mut kernel = self.base.fork();
        let Question { inputs, clock, .. } = self.question;
        let mut of_inputs = facts.iter().filter_map(|of_both| of_both.first());
        if !of_inputs.all(|fact| is_readable(fact, inputs, kernel.values(), *clock)) {
            return Confirmation::DoesNotHold;
        }
        facts.iter().flatten().for_each(|fact| kernel.assert(fact));
        kernel.evaluate(self.question.limits, self.question.clock, self.cancel);
        let has_fact = |predicate: PredicateId| {
            kernel.model().relation(predicate).is_some_and(|relation| !relation.is_empty())
        };
        let is_allowed = !self.question.forbidden.iter().any(|predicate| has_fact(*predicate));
        let holds = is_allowed && has_fact(self.question.goal);
        let stop = kernel.model().stopped.clone();
        let facts = facts.iter().filter_map(|of_both| of_both.first().cloned()).collect();
        match stop {
            Some(stop) => Confirmation::Stops(World { facts, kernel }, stop),
            None if holds => Confirmation::Holds(World { facts, kernel }),
            None => Confirmation::DoesNotHold,
        }
    }

    /// Returns the predicate of the rule whose failure stopped an evaluation.
    pub(crate) fn stopping(&self, stop: &Stop) -> Option<PredicateId> {
        let rule = self.question.compiled.rule(stop.rule?)?;
        matches!(stop.reason, StopReason::Failed(_)).then_some(rule.predicate)
    }
}

/// Simplifies the latest solution: each value is replaced by the first value that leaves a
/// solution.
fn simplest(evaluation: &mut Evaluation<'_>, goal: Literal) -> Vec<(usize, Vec<ValueId>)> {
    let mut fixed = vec![goal];
    let mut facts = evaluation.world();
    let mut tries = 0;
    for slot in 0..facts.len() {
        let choices = evaluation.choices(slot, &facts);
        for (column, options) in choices.into_iter().enumerate() {
            let mut chosen = None;
            for (value, literal) in options {
                let is_current = facts.get(slot).and_then(|(_, tuple)| tuple.get(column)) == Some(&value);
                if is_current {
                    chosen = Some(literal);
                    break;
                }
                tries += 1;
                if tries > MAX_SIMPLER {
                    continue;
                }
                fixed.push(literal);
                if evaluation.is_satisfiable(&fixed) == Ok(true) {
                    facts = evaluation.world();
                    fixed.pop();
                    chosen = Some(literal);
                    break;
                }
                fixed.pop();
            }
            fixed.extend(chosen);
        }
    }
    // The last attempt may have ended without a solution.
    if evaluation.is_satisfiable(&fixed) == Ok(true) { evaluation.world() } else { facts }
}
