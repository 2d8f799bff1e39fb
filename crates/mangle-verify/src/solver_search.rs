//! The part of a search that uses a solver: worlds over all values, not over a list of values.

use std::time::Instant;

use mangle_engine::kernel::{Fact, RuleId, StopReason, ValueId, Values};
use mangle_engine::program::PredicateId;

use crate::candidates::InputPredicate;
use crate::cone::Cone;
use crate::derivation_size::derivation_size;
use crate::obstacle::Obstacle;
use crate::search::{Confirmation, Search, SizeResult, Worlds};
use crate::smt::{Decision, PlainFacts, Setting, SmtSearch, Wanted};

/// The result of a search among the worlds of one size.
#[allow(clippy::large_enum_variant)] // one value exists at a time
pub(crate) enum Solved {
    Decided(SizeResult),
    /// The solver did not decide, for this reason.
    Open(String),
}

/// The result of an evaluated world that ends the search.
#[allow(clippy::large_enum_variant)] // one value exists at a time
enum Ending {
    Confirmed(Confirmation),
    /// A rule of this predicate, which the script does not describe, stops the evaluation.
    Widened(PredicateId),
}

impl Search<'_> {
    /// Searches the worlds of one size with a solver. `is_any` is true if a world is known to be
    /// allowed.
    pub(crate) fn solved(&mut self, size: usize, is_any: bool) -> Result<Solved, Obstacle> {
        let (decision, ending) = match self.run_solver(size, Wanted::Goal(self.question.goal)) {
            Ok(found) => found,
            Err(Obstacle::Cancelled) => return Err(Obstacle::Cancelled),
            Err(obstacle) => return Ok(Solved::Open(format!("the solver: {obstacle}"))),
        };
        Ok(match (decision, ending) {
            (_, Some(Ending::Widened(predicate))) => Solved::Decided(SizeResult::OutsideCone(predicate)),
            (Decision::Found, Some(Ending::Confirmed(Confirmation::Holds(world)))) => {
                Solved::Decided(SizeResult::Found(world))
            }
            (Decision::None { stops }, _) => {
                self.needed = if stops { None } else { self.needed.or_else(|| self.derivation_size()) };
                self.needed = self.needed.filter(|needed| *needed <= size);
                let is_any = is_any || self.question.forbidden.is_empty() || self.is_any_world(size);
                self.certificate.reasons.clear();
                Solved::Decided(SizeResult::None { is_any })
            }
            (Decision::Open(why), _) => Solved::Open(why),
            (Decision::Found, _) => Solved::Open("no world of the solver was confirmed".to_owned()),
        })
    }

    /// Returns the maximum number of facts of a minimal world.
    fn derivation_size(&self) -> Option<usize> {
        let question = self.question;
        let inputs = question.inputs.iter().flat_map(|input| &input.predicates);
        let inputs = inputs.map(|predicate| question.compiled.entry(*predicate)).collect();
        derivation_size(&question.compiled, &self.cone, question.goal, &question.forbidden, &inputs)
    }

    fn is_any_world(&mut self, size: usize) -> bool {
        matches!(self.run_solver(size, Wanted::Anything), Ok((Decision::Found, _)))
    }

    fn run_solver(&mut self, size: usize, wanted: Wanted) -> Result<(Decision, Option<Ending>), Obstacle> {
        let question = self.question;
        let is_needed = |input: &&InputPredicate| {
            input.predicates.iter().any(|id| self.cone.needs(question.compiled.entry(*id)))
        };
        let needed: Vec<InputPredicate> = question.inputs.iter().filter(is_needed).cloned().collect();
        if needed.is_empty() {
            return Ok((Decision::None { stops: true }, None));
        }
        // Part of the time is reserved for the embedded search.
        let now = Instant::now();
        let end = now + self.end.saturating_duration_since(now).mul_f64(0.8);
        let values = self.base.values().share();
        let setting = Setting {
            compiled: &question.compiled,
            base: Some(self.base.model()).filter(|model| model.stopped.is_none()),
            cone: &self.cone,
            inputs: &needed,
            clock: question.clock,
            end,
            cancel: self.cancel,
        };
        let mut ending = None;
        let mut search = SmtSearch {
            setting,
            forbidden: &question.forbidden,
            solvers: &question.solvers,
            solver: None,
            refuted: 0,
        };
        let (worlds, cone) = (&mut self.worlds, &self.cone);
        let decision = search.of_size(size, wanted, values, &mut |facts| {
            let Some(facts) = asserted(facts, &needed, worlds.base.values()) else { return Ok(false) };
            ending = ending_of(worlds, cone, wanted, &facts);
            Ok(ending.is_some())
        });
        self.solver = search.solver.or(self.solver);
        Ok((decision?, ending))
    }
}

/// Returns the facts of a proposed world, each for all predicates that share it. `None` if a value
/// cannot be created.
fn asserted(facts: &PlainFacts, inputs: &[InputPredicate], values: &mut Values) -> Option<Vec<Vec<Fact>>> {
    let mut all = Vec::with_capacity(facts.len());
    for (input, columns) in facts {
        let input = inputs.get(*input)?;
        let tuple: Vec<ValueId> = columns.iter().map(|value| value.intern(values)).collect::<Option<_>>()?;
        let fact = |predicate: &PredicateId| Fact {
            predicate: *predicate,
            tuple: tuple.as_slice().into(),
            rule: RuleId::ASSERTED,
        };
        all.push(input.predicates.iter().map(fact).collect());
    }
    Some(all)
}

/// Evaluates a proposed world. Returns the result if it ends the search.
fn ending_of(worlds: &mut Worlds<'_>, cone: &Cone, wanted: Wanted, facts: &[Vec<Fact>]) -> Option<Ending> {
    match worlds.confirm(facts) {
        Confirmation::Stops(world, stop) => {
            let is_failure = matches!(stop.reason, StopReason::Failed(_));
            let beside = worlds.stopping(&stop).filter(|id| is_failure && !cone.needs(id.0));
            let stops = Confirmation::Stops(world, stop);
            let confirmed = (wanted == Wanted::Stop).then_some(Ending::Confirmed(stops));
            beside.map(Ending::Widened).or(confirmed)
        }
        Confirmation::DoesNotHold if wanted != Wanted::Anything => None,
        confirmation => Some(Ending::Confirmed(confirmation)),
    }
}
