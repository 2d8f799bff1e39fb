//! The values of columns that a question distinguishes.
//!
//! A question asks if its goal has a fact. A column that no rule reads on the way to the goal can
//! hold any value. If rules compare a column only with constants, all other values of the column
//! have the same effect.

use std::collections::BTreeSet;

use mangle_engine::kernel::plan::{
    Aggregate, Bound, Let, Plan, RelationId, Slot, Step, StepKind, ValueSource,
};
use mangle_engine::kernel::{CompiledProgram, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The distinguished values of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Observed {
    /// These values are distinguished from all other values. The other values are equivalent.
    Constants(BTreeSet<ValueId>),
    All,
}

impl Default for Observed {
    fn default() -> Self {
        Self::Constants(BTreeSet::new())
    }
}

impl Observed {
    /// Returns the value if it is distinguished.
    pub(super) fn visible(&self, value: ValueId) -> Option<ValueId> {
        match self {
            Self::All => Some(value),
            Self::Constants(constants) => Some(value).filter(|value| constants.contains(value)),
        }
    }

    /// Adds distinguished values. Returns true if anything changed.
    fn add(&mut self, other: &Self) -> bool {
        match (&mut *self, other) {
            (Self::All, _) => false,
            (_, Self::All) => {
                *self = Self::All;
                true
            }
            (Self::Constants(known), Self::Constants(more)) => {
                let before = known.len();
                known.extend(more);
                known.len() > before
            }
        }
    }
}

/// The distinguished values of each column for the rules of a question.
#[derive(Debug, Default)]
pub(super) struct Observation {
    columns: FxHashMap<(RelationId, u16), Observed>,
    /// Relations with only distinguished values.
    whole: FxHashSet<RelationId>,
}

impl Observation {
    /// Reads the rules of the open relations.
    pub(super) fn new(compiled: &CompiledProgram, is_open: impl Fn(RelationId) -> bool) -> Self {
        let mut found = Self::default();
        let temporal = (0u32..).zip(&compiled.temporal).filter(|(_, is_temporal)| **is_temporal);
        found.whole.extend(temporal.map(|(relation, _)| relation));
        for (relation, rules) in &compiled.deferred {
            found.whole.insert(*relation);
            rules.iter().for_each(|rule| found.add_whole(&rule.plan.steps));
        }
        for merge in &compiled.merges {
            found.whole.extend([merge.candidates, merge.result, merge.predicate]);
        }
        for aggregate in compiled.strata.iter().flat_map(|stratum| &stratum.aggregates) {
            found.add_aggregate(aggregate);
        }
        let plans: Vec<&Plan> = compiled.plans().filter(|plan| is_open(plan.target)).collect();
        let mut is_new = true;
        while is_new {
            is_new = false;
            for plan in &plans {
                is_new |= found.add_plan(compiled, plan);
            }
        }
        found
    }

    /// Rows that differ in any column are different rows.
    fn add_aggregate(&mut self, aggregate: &Aggregate) {
        self.whole.insert(aggregate.rows.relation);
        self.add_whole(&aggregate.finish);
        for statement in &aggregate.lets {
            match statement {
                Let::Compute(steps) => self.add_whole(steps),
                Let::Reduce { args, .. } => self.add_whole(&args.steps),
            }
        }
    }

    fn add_whole(&mut self, steps: &[Step]) {
        for step in steps {
            if let StepKind::Match(found) | StepKind::Absent(found) | StepKind::Call(found) = &step.kind {
                self.whole.insert(found.relation);
            }
        }
    }

    fn add_plan(&mut self, compiled: &CompiledProgram, plan: &Plan) -> bool {
        let slots = self.slots(plan, &[]);
        let mut is_new = false;
        for step in &plan.steps {
            let (StepKind::Match(found) | StepKind::Absent(found) | StepKind::Call(found)) = &step.kind
            else {
                continue;
            };
            let mut add = |column: u16, observed: &Observed| {
                is_new |= self.columns.entry((found.relation, column)).or_default().add(observed);
            };
            let arity = compiled.arities.get(found.relation as usize).copied().unwrap_or(0);
            for column in 0..u16::try_from(arity).unwrap_or(u16::MAX) {
                match found.source(column) {
                    Some(ValueSource::Value(value)) => {
                        add(column, &Observed::Constants(BTreeSet::from([value])));
                    }
                    Some(ValueSource::Slot(_)) => add(column, &Observed::All),
                    None => {}
                }
            }
            for (column, slot) in &found.binds {
                if let Some(observed) = slots.get(slot) {
                    add(*column, observed);
                }
            }
            for (one, other) in &found.same {
                add(*one, &Observed::All);
                add(*other, &Observed::All);
            }
        }
        is_new
    }

    /// Returns the distinguished values of the variables of a rule in its head and its steps,
    /// except for the steps in `except`.
    pub(super) fn slots(&self, plan: &Plan, except: &[usize]) -> FxHashMap<Slot, Observed> {
        let mut slots: FxHashMap<Slot, Observed> = FxHashMap::default();
        for (column, source) in (0u16..).zip(&plan.head) {
            if let ValueSource::Slot(slot) = source {
                let observed = match self.columns.get(&(plan.target, column)) {
                    _ if self.whole.contains(&plan.target) => Observed::All,
                    Some(observed) => observed.clone(),
                    None => continue,
                };
                slots.entry(*slot).or_default().add(&observed);
            }
        }
        let steps = plan.steps.iter().enumerate().filter(|(number, _)| !except.contains(number));
        for source in steps.flat_map(|(_, step)| sources(step)) {
            if let ValueSource::Slot(slot) = source {
                slots.insert(slot, Observed::All);
            }
        }
        slots
    }
}

/// Returns the values that a step reads.
fn sources(step: &Step) -> Vec<ValueSource> {
    match &step.kind {
        StepKind::Match(found) | StepKind::Absent(found) | StepKind::Call(found) => {
            let bounds = found.when.iter().flat_map(|when| [when.bounds().start, when.bounds().end]);
            let far = found.far.iter().map(|(_, source)| *source);
            found.key.iter().copied().chain(far).chain(bounds.filter_map(bound_source)).collect()
        }
        StepKind::Compute { args, .. } => args.to_vec(),
        StepKind::Instant { bound, .. } => bound_source(*bound).into_iter().collect(),
        StepKind::Compare { left, right, .. } => vec![*left, *right],
        StepKind::Solve { args, .. } => args.iter().flatten().copied().collect(),
        StepKind::Never | StepKind::Fail(_) => Vec::new(),
    }
}

fn bound_source(bound: Bound) -> Option<ValueSource> {
    match bound {
        Bound::Value(source) | Bound::Stored(source) => Some(source),
        Bound::Instant(_) | Bound::Ago(_) => None,
    }
}
