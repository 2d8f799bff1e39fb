//! What the premises before a failure had found: the values of the arguments in the row that was lost.

use super::plan::{BEHIND_BODY, Compiled, Match, Plan, StepKind};
use super::{Model, RowError};

/// How many characters of a value are given.
const SHOWN: usize = 40;

/// The value of an argument of a premise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// The premise: its index in the clause.
    pub premise: u32,
    /// The argument, counted from 0.
    pub argument: u16,
    /// Its value for people, cut to 40 characters.
    pub value: String,
}

impl Model {
    /// The arguments that had got a value when a row failed, in the order of evaluation. Empty where groups of rows
    /// are made something of.
    #[must_use]
    pub fn bindings(&self, compiled: &Compiled, error: &RowError) -> Vec<Binding> {
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
        compiled: &Compiled,
        premise: u32,
        found: &'m Match,
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

/// The plan whose registers the row of an error is.
fn plan_of_row<'c>(compiled: &'c Compiled, error: &RowError) -> Option<&'c Plan> {
    let mut aggregates = compiled.strata.iter().flat_map(|stratum| &stratum.aggregates);
    if error.premise == BEHIND_BODY && aggregates.any(|aggregate| aggregate.rule == error.rule) {
        return None;
    }
    let deferred = compiled.deferred.values().flatten().map(|deferred| &deferred.plan);
    let mut plans = compiled.plans().chain(deferred);
    plans.find(|plan| plan.rule == error.rule)
}
