//! Values of the premise arguments in a row that failed with an error.

use super::plan::{AFTER_BODY, CompiledProgram, Lookup, Plan, StepKind};
use super::{Model, RowError};

/// The maximum number of characters of a value.
const SHOWN: usize = 40;

/// The value of an argument of a premise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The index of the premise in the clause.
    pub premise: u32,
    /// The index of the argument, from 0.
    pub argument: u16,
    /// The printed value, at most 40 characters.
    pub value: String,
}

impl Model {
    /// The arguments that had a value when a row failed, in the order of evaluation. Empty if the
    /// error occurred in an aggregation over groups of rows.
    #[must_use]
    pub fn bindings(&self, compiled: &CompiledProgram, error: &RowError) -> Vec<Binding> {
        let Some(plan) = plan_of_row(compiled, error) else { return Vec::new() };
        let mut bindings = Vec::new();
        for step in plan.steps.iter().take_while(|step| step.premise != error.premise) {
            if let StepKind::Match(found) | StepKind::Call(found) = &step.kind {
                bindings.extend(self.bound(compiled, step.premise, found, error));
            }
        }
        bindings
    }

    fn bound<'m>(
        &'m self,
        compiled: &CompiledProgram,
        premise: u32,
        found: &'m Lookup,
        error: &'m RowError,
    ) -> impl Iterator<Item = Binding> + use<'m> {
        let arity = compiled.arity(found.relation);
        let binds = found.binds.iter().filter(move |(column, _)| usize::from(*column) < arity);
        binds.filter_map(move |&(argument, slot)| {
            let value = *error.row.get(usize::from(slot))?;
            Some(Binding { premise, argument, value: self.values.short(value, SHOWN) })
        })
    }
}

/// The plan whose registers the error row contains.
fn plan_of_row<'c>(compiled: &'c CompiledProgram, error: &RowError) -> Option<&'c Plan> {
    let mut aggregates = compiled.strata.iter().flat_map(|stratum| &stratum.aggregates);
    if error.premise == AFTER_BODY && aggregates.any(|aggregate| aggregate.rule == error.rule) {
        return None;
    }
    let deferred = compiled.deferred.values().flatten().map(|deferred| &deferred.plan);
    let mut plans = compiled.plans().chain(deferred);
    plans.find(|plan| plan.rule == error.rule)
}
