//! The part of a search that uses a solver: worlds over all values, not over a list of values.
//!
//! A violating world can lose the facts that its derivation does not need, if the negated predicates are
//! monotone. These predicates must be derived without negation and aggregation, so that fewer facts derive
//! fewer of them.

use std::time::Instant;

use mangle_engine::kernel::plan::{Plan, RelationId, StepKind};
use mangle_engine::kernel::{CompiledProgram, Fact, Reading, RuleId, StopReason, ValueId, Values};
use mangle_engine::program::PredicateId;
use mangle_syntax::syntax::ast::Operator;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cone::Cone;
use crate::inputs::InputPredicate;
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

/// The relations that a rule reads, each with true if the premise is negated.
type Lookups = Vec<(RelationId, bool)>;

/// Returns the maximum number of facts of a minimal world with a fact of `goal`. `None` if no bound
/// is known.
///
/// The caller checks that worlds of this size do not stop the evaluation in rules of the cone.
fn derivation_size(
    compiled: &CompiledProgram,
    cone: &Cone,
    goal: PredicateId,
    forbidden: &[PredicateId],
    inputs: &FxHashSet<RelationId>,
) -> Option<usize> {
    let mut sizes =
        Sizes { compiled, cone, inputs, known: FxHashMap::default(), monotone: FxHashMap::default() };
    if !forbidden.iter().all(|predicate| sizes.is_monotone(predicate.0)) || sizes.is_risky_elsewhere() {
        return None;
    }
    sizes.max_facts(goal.0)
}

struct Sizes<'s> {
    compiled: &'s CompiledProgram,
    cone: &'s Cone,
    inputs: &'s FxHashSet<RelationId>,
    /// `None` during the computation, and for relations without a bound.
    known: FxHashMap<RelationId, Option<usize>>,
    monotone: FxHashMap<RelationId, bool>,
}

impl Sizes<'_> {
    fn plans(&self, relation: RelationId) -> Vec<&Plan> {
        self.compiled.plans().filter(|plan| plan.target == relation).collect()
    }

    /// True if a relation is aggregated, merged, or evaluated on demand.
    fn is_special(&self, relation: RelationId) -> bool {
        self.compiled.merges.iter().any(|merge| merge.result == relation || merge.candidates == relation)
            || self.compiled.deferred.contains_key(&relation)
            || self
                .compiled
                .strata
                .iter()
                .flat_map(|stratum| &stratum.aggregates)
                .any(|aggregate| aggregate.target == relation)
    }

    /// Returns the maximum number of facts that the derivation of a tuple needs.
    fn max_facts(&mut self, relation: RelationId) -> Option<usize> {
        if !self.cone.varies(relation) {
            return Some(0);
        }
        if let Some(known) = self.known.get(&relation) {
            return *known;
        }
        self.known.insert(relation, None);
        let size = self.computed(relation);
        self.known.insert(relation, size);
        size
    }

    fn computed(&mut self, relation: RelationId) -> Option<usize> {
        if self.is_special(relation) {
            return None;
        }
        let mut most = usize::from(self.inputs.contains(&relation));
        let steps: Vec<Lookups> = self.plans(relation).into_iter().map(lookups).collect::<Option<_>>()?;
        for lookups in steps {
            let mut sum = 0_usize;
            for (read, is_negated) in lookups {
                if !is_negated {
                    sum = sum.saturating_add(self.max_facts(read)?);
                } else if !self.is_monotone(read) {
                    return None;
                }
            }
            most = most.max(sum);
        }
        Some(most)
    }

    /// True if a relation has no additional tuples in a world with fewer facts.
    fn is_monotone(&mut self, relation: RelationId) -> bool {
        if !self.cone.varies(relation) {
            return true;
        }
        if let Some(known) = self.monotone.get(&relation) {
            return *known;
        }
        // A cycle of positive rules is monotone.
        self.monotone.insert(relation, true);
        let steps: Option<Vec<Lookups>> = self.plans(relation).into_iter().map(lookups).collect();
        let is_monotone = !self.is_special(relation)
            && steps.is_some_and(|steps| {
                steps.into_iter().flatten().all(|(read, is_negated)| {
                    if is_negated { !self.cone.varies(read) } else { self.is_monotone(read) }
                })
            });
        self.monotone.insert(relation, is_monotone);
        is_monotone
    }

    /// True if a rule outside of the cone may stop the evaluation only in a smaller world.
    fn is_risky_elsewhere(&mut self) -> bool {
        if self.compiled.reading != Reading::Engine {
            return false;
        }
        let elsewhere: Vec<(bool, Option<Lookups>)> = self
            .compiled
            .plans()
            .filter(|plan| !self.cone.needs(plan.target) && self.cone.varies(plan.target))
            .map(|plan| (may_fail(plan), lookups(plan)))
            .collect();
        let plans_are_risky = elsewhere.into_iter().any(|(may_fail, lookups)| {
            may_fail
                && lookups.is_none_or(|lookups| {
                    lookups.into_iter().any(|(read, is_negated)| {
                        if is_negated { self.cone.varies(read) } else { !self.is_monotone(read) }
                    })
                })
        });
        let aggregates = self.compiled.strata.iter().flat_map(|stratum| &stratum.aggregates);
        let mut elsewhere =
            aggregates.filter(|one| !self.cone.needs(one.target) && self.cone.varies(one.target));
        plans_are_risky || elsewhere.next().is_some()
    }
}

/// Returns the relations that a plan reads, each with true for a negated premise. `None` if it
/// calls a predicate.
fn lookups(plan: &Plan) -> Option<Lookups> {
    let mut lookups = Vec::new();
    for step in &plan.steps {
        match &step.kind {
            StepKind::Match(found) => lookups.push((found.relation, false)),
            StepKind::Absent(found) => lookups.push((found.relation, true)),
            StepKind::Call(_) => return None,
            _ => {}
        }
    }
    Some(lookups)
}

/// True if a step of a plan can stop the evaluation.
fn may_fail(plan: &Plan) -> bool {
    plan.steps.iter().any(|step| match &step.kind {
        StepKind::Match(_) | StepKind::Absent(_) | StepKind::Never => false,
        StepKind::Compare { operator, .. } => !matches!(operator, Operator::Equal | Operator::NotEqual),
        _ => true,
    })
}
