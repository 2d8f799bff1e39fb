//! The evaluation of a program in all worlds of a size at once.
//!
//! The evaluation follows the plans of the kernel over terms instead of values. A relation is a
//! list of tuples, each with a literal of a circuit that is true in the worlds with the tuple.

mod aggregate;
mod lookup;
mod relation;
mod slots;
mod step;

use std::time::Instant;

use mangle_engine::kernel::plan::{Plan, RelationId, StepKind, Stratum};
use mangle_engine::kernel::{Clock, CompiledProgram, Model, Reading, RuleId, ValueId, Values};
use mangle_engine::program::PredicateId;
use mangle_syntax::text::Cancel;
use rustc_hash::FxHashMap;

use crate::circuit::{Circuit, Literal, Satisfiable};
use crate::cone::Cone;
use crate::inputs::Input;
use crate::obstacle::{Budget, Obstacle};
use relation::{Additions, Frame, Memo};

pub(crate) use relation::SymbolicRelation;
pub(crate) use slots::{Slots, Terms, Uses};

/// The maximum number of tuples of all relations.
const MAX_TUPLES: usize = 400_000;

/// The maximum number of rounds of a recursion.
const MAX_ROUNDS: usize = 200;

/// The input of the evaluation.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'s> {
    pub(crate) compiled: &'s CompiledProgram,
    /// The facts of the program alone. `None` if its evaluation does not complete.
    pub(crate) base: Option<&'s Model>,
    pub(crate) cone: &'s Cone,
    pub(crate) inputs: &'s [Input],
    /// Groups of exchangeable values, each in the order of their use in a world.
    pub(crate) groups: &'s [Vec<ValueId>],
    pub(crate) clock: Clock,
    pub(crate) end: Instant,
    pub(crate) cancel: &'s Cancel,
}

/// An evaluation of a program in all worlds of a size.
pub(crate) struct Evaluation<'s> {
    setting: Setting<'s>,
    values: Values,
    pub(crate) circuit: Circuit,
    pub(crate) terms: Terms,
    pub(crate) slots: Slots,
    relations: Vec<SymbolicRelation>,
    facts: FxHashMap<RelationId, Vec<usize>>,
    memo: Memo,
    /// The conditions that the evaluation ends with an error, with the rules.
    pub(crate) aborts: Vec<(RuleId, Literal)>,
    /// True if a value depends on the kernel's derivation order, which the search does not model.
    pub(crate) depends_on_order: bool,
    steps: u64,
}

impl<'s> Evaluation<'s> {
    /// Evaluates the cone of `setting` in all worlds of `size` facts.
    pub(crate) fn new(setting: Setting<'s>, values: Values, size: usize) -> Result<Self, Obstacle> {
        let mut circuit = Circuit::new(setting.end, setting.cancel);
        let mut terms = Terms::default();
        let slots = Slots::new(&mut circuit, &mut terms, setting.inputs, setting.groups, size);
        let relations = (0..setting.compiled.arities.len()).map(|_| SymbolicRelation::default()).collect();
        let mut facts: FxHashMap<RelationId, Vec<usize>> = FxHashMap::default();
        for (at, fact) in setting.compiled.facts().iter().enumerate() {
            facts.entry(setting.compiled.entry(fact.predicate)).or_default().push(at);
        }
        let mut evaluation = Self {
            setting,
            values,
            circuit,
            terms,
            slots,
            relations,
            facts,
            memo: Memo::default(),
            aborts: Vec::new(),
            depends_on_order: false,
            steps: 0,
        };
        for stratum in &setting.compiled.strata {
            evaluation.stratum(stratum)?;
        }
        Ok(evaluation)
    }

    /// Returns the literal that is true in the worlds with a fact of the predicate.
    pub(crate) fn is_derived(&mut self, predicate: PredicateId) -> Literal {
        let tuples = self.relations.get(predicate.0 as usize).map_or(&[][..], |found| &found.tuples);
        let holds: Vec<Literal> = tuples.iter().map(|tuple| tuple.holds).collect();
        self.circuit.any(holds)
    }

    fn stratum(&mut self, stratum: &Stratum) -> Result<(), Obstacle> {
        let cone = self.setting.cone;
        let mut open = Vec::new();
        for &relation in stratum.relations.iter().filter(|relation| cone.needs(**relation)) {
            match self.setting.base.filter(|_| !cone.varies(relation)) {
                Some(base) => self.load_base(base, relation),
                None => {
                    self.load_facts(relation);
                    open.push(relation);
                }
            }
        }
        if open.is_empty() {
            return Ok(());
        }
        let merges = self.setting.compiled.merges.iter().filter(|merge| open.contains(&merge.candidates));
        if merges.clone().any(|merge| !lookup::is_supported(self.setting.compiled, stratum, merge)) {
            return Err(Obstacle::Unsupported(
                "a predicate whose facts are merged is read or aggregated while it is derived".into(),
            ));
        }
        let plans = stratum.plans.iter().map(|plan| &**plan);
        let plans: Vec<&Plan> = plans.filter(|plan| open.contains(&plan.target)).collect();
        self.round(&plans)?;
        let is_recursive = |plan: &&&Plan| {
            plan.steps.iter().any(|step| match &step.kind {
                StepKind::Match(found) => open.contains(&found.relation),
                _ => false,
            })
        };
        let recursive: Vec<&Plan> = plans.iter().filter(is_recursive).copied().collect();
        self.recursion(&recursive)?;
        for aggregate in stratum.aggregates.iter().filter(|aggregate| open.contains(&aggregate.target)) {
            self.aggregate(aggregate)?;
        }
        self.keep(&open)
    }

    /// Evaluates recursive rules until no world has additional facts.
    fn recursion(&mut self, plans: &[&Plan]) -> Result<(), Obstacle> {
        if plans.is_empty() {
            return Ok(());
        }
        if plans.iter().any(|plan| forgets_intervals(self.setting.compiled, plan.target)) {
            return Err(Obstacle::Unsupported("a recursive predicate has intervals".into()));
        }
        for _ in 0..MAX_ROUNDS {
            let before = self.count();
            let changes = self.round(plans)?;
            if changes.is_empty() {
                return Ok(());
            }
            if self.count() == before && !self.is_any_later(&changes)? {
                return Ok(());
            }
        }
        Err(Obstacle::Size("a recursion does not end"))
    }

    /// True if a tuple holds in additional worlds after the round.
    fn is_any_later(&mut self, changes: &[(Literal, Literal)]) -> Result<bool, Obstacle> {
        let mut later = Vec::with_capacity(changes.len());
        for &(before, after) in changes {
            later.push(self.circuit.both(!before, after));
        }
        let any = self.circuit.any(later);
        self.is_satisfiable(&[any])
    }

    fn count(&self) -> usize {
        self.relations.iter().map(|relation| relation.tuples.len()).sum()
    }

    /// Evaluates each of `plans` once. Returns the changed conditions, before and after.
    fn round(&mut self, plans: &[&Plan]) -> Result<Vec<(Literal, Literal)>, Obstacle> {
        let mut added: Vec<(RelationId, Additions)> = Vec::new();
        for &plan in plans {
            let mut frame = Frame::new(plan, &mut self.terms);
            let (yes, uses) = (self.circuit.yes(), Uses::none(self.slots.slots.len()));
            self.step(&mut frame, 0, yes, &uses)?;
            let at = added.iter().position(|(target, _)| *target == plan.target).unwrap_or_else(|| {
                added.push((plan.target, Additions::default()));
                added.len() - 1
            });
            if let Some((_, additions)) = added.get_mut(at) {
                frame.out.into_iter().for_each(|(terms, holds, uses)| additions.add(terms, holds, &uses));
            }
        }
        let mut changes = Vec::new();
        for (target, additions) in added {
            if let Some(relation) = self.relations.get_mut(target as usize) {
                changes.extend(relation.merge(&mut self.circuit, additions));
            }
        }
        if self.count() > MAX_TUPLES || self.circuit.is_full() {
            return Err(Obstacle::Size("the search takes too much memory"));
        }
        Ok(changes)
    }

    /// Adds the facts of the program alone.
    fn load_base(&mut self, base: &Model, relation: RelationId) {
        let Some(known) = base.relation(PredicateId(relation)) else { return };
        let tuples: Vec<Box<[ValueId]>> = known.tuples().map(Into::into).collect();
        self.load(relation, tuples);
    }

    /// Adds the facts of the program and of the world.
    fn load_facts(&mut self, relation: RelationId) {
        let facts = self.setting.compiled.facts();
        let own = self.facts.get(&relation).into_iter().flatten().filter_map(|at| facts.get(*at));
        let tuples: Vec<Box<[ValueId]>> = own.map(|fact| fact.tuple.clone()).collect();
        self.load(relation, tuples);
        let mut additions = Additions::default();
        for fact in self.slots.slots.iter().flatten() {
            let Some(input) = self.setting.inputs.get(fact.input) else { continue };
            if input.predicates.iter().any(|predicate| self.setting.compiled.entry(*predicate) == relation) {
                additions.add(fact.terms.clone(), fact.taken, &fact.uses);
            }
        }
        if let Some(found) = self.relations.get_mut(relation as usize) {
            found.merge(&mut self.circuit, additions);
        }
    }

    fn load(&mut self, relation: RelationId, tuples: Vec<Box<[ValueId]>>) {
        let (yes, uses) = (self.circuit.yes(), Uses::none(self.slots.slots.len()));
        let mut additions = Additions::default();
        for tuple in tuples {
            let terms = tuple.iter().map(|value| self.terms.value(*value)).collect();
            additions.add(terms, yes, &uses);
        }
        if let Some(found) = self.relations.get_mut(relation as usize) {
            found.merge(&mut self.circuit, additions);
        }
    }

    /// Checks the limits of the search at intervals.
    fn tick(&mut self) -> Result<(), Obstacle> {
        self.steps += 1;
        if !self.steps.is_multiple_of(256) {
            return Ok(());
        }
        if self.circuit.is_full() {
            return Err(Obstacle::Size("the search takes too much memory"));
        }
        self.check_budget()
    }

    /// Ends a search without remaining time or memory.
    fn check_budget(&self) -> Result<(), Obstacle> {
        let budget = Budget::new(self.setting.end, self.setting.cancel);
        budget.obstacle(&self.values).map_or(Ok(()), Err)
    }

    /// Returns the reason for an incomplete search.
    pub(crate) fn out_of_time(&self) -> Obstacle {
        if self.setting.cancel.is_cancelled() { Obstacle::Cancelled } else { Obstacle::Time }
    }

    /// True if a world of the size meets the requirements and assumptions.
    pub(crate) fn is_satisfiable(&mut self, assumptions: &[Literal]) -> Result<bool, Obstacle> {
        match self.circuit.solve(assumptions) {
            Satisfiable::Yes => Ok(true),
            Satisfiable::No => Ok(false),
            Satisfiable::Unknown => Err(self.out_of_time()),
        }
    }

    /// Returns the facts of the latest solution: the number of an input, and the values.
    pub(crate) fn world(&self) -> Vec<(usize, Vec<ValueId>)> {
        self.slots.world(&self.circuit, &self.terms)
    }

    /// Returns the possible values of each column of the fact in a slot, with their literals.
    pub(crate) fn choices(
        &self,
        slot: usize,
        world: &[(usize, Vec<ValueId>)],
    ) -> Vec<Vec<(ValueId, Literal)>> {
        let Some((input, _)) = world.get(slot) else { return Vec::new() };
        let fact =
            self.slots.slots.get(slot).and_then(|facts| facts.iter().find(|fact| fact.input == *input));
        let columns = fact.map_or(&[][..], |fact| &fact.terms);
        columns.iter().map(|term| self.terms.options(&self.circuit, *term).into_vec()).collect()
    }

    /// Excludes the latest solution.
    pub(crate) fn exclude_solution(&mut self) {
        let mut parts = Vec::new();
        for fact in self.slots.slots.iter().flatten().filter(|fact| self.circuit.holds(fact.taken)) {
            parts.push(!fact.taken);
            for term in &fact.terms {
                let options = self.terms.options(&self.circuit, *term);
                let taken = options.iter().find(|(_, literal)| self.circuit.holds(*literal));
                parts.extend(taken.map(|(_, literal)| !*literal));
            }
        }
        self.circuit.require(parts);
    }

    /// Records that a rule fails if `when` is true.
    fn fails(&mut self, rule: RuleId, when: Literal) {
        if self.setting.compiled.reading == Reading::Engine && when != self.circuit.no() {
            self.aborts.push((rule, when));
        }
    }
}

/// True if the engine drops intervals of a recursive predicate, which the search does not model.
fn forgets_intervals(compiled: &CompiledProgram, relation: RelationId) -> bool {
    compiled.reading == Reading::Engine && compiled.temporal.get(relation as usize) == Some(&true)
}

/// Returns the relations that the search cannot evaluate if they depend on inputs.
pub(crate) fn unsupported(compiled: &CompiledProgram) -> Vec<RelationId> {
    let merged = compiled.merges.iter().filter(|merge| {
        let mut strata =
            compiled.strata.iter().filter(|stratum| stratum.relations.contains(&merge.candidates));
        !strata.all(|stratum| lookup::is_supported(compiled, stratum, merge))
    });
    let merged = merged.map(|merge| merge.candidates);
    let recursive = compiled.strata.iter().flat_map(|stratum| {
        let targets: Vec<RelationId> = stratum.plans.iter().map(|plan| plan.target).collect();
        let is_recursive = move |plan: &&Plan| {
            plan.steps.iter().any(|step| match &step.kind {
                StepKind::Match(found) => targets.contains(&found.relation),
                _ => false,
            })
        };
        stratum.plans.iter().map(|plan| &**plan).filter(is_recursive).map(|plan| plan.target)
    });
    merged.chain(recursive.filter(|relation| forgets_intervals(compiled, *relation))).collect()
}
