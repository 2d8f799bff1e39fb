//! Finds rules with several lookups in their own stratum. Some engines do not combine two facts of
//! the same round, so such a rule can miss facts in the engine's reading.

use super::{CompiledProgram, Lookup, Plan, RuleId, StepKind, Stratum, ValueSource};
use crate::program::PredicateId;

impl CompiledProgram {
    /// A rule that can miss facts and that the predicate depends on, if one exists.
    #[must_use]
    pub fn incomplete_rule(&self, predicate: PredicateId) -> Option<RuleId> {
        if !self.misses_same_round_joins() {
            return None;
        }
        let strata = self.strata_below(predicate);
        let mut plans = strata.flat_map(|stratum| stratum.plans.iter().map(move |plan| (stratum, plan)));
        plans.find(|(stratum, plan)| can_miss(stratum, plan)).map(|(_, plan)| plan.rule)
    }
}

fn can_miss(stratum: &Stratum, plan: &Plan) -> bool {
    let is_base = |other: &Plan| recursive(stratum, other).next().is_none();
    let is_closed =
        || is_closure(plan) && stratum.plans.iter().all(|other| other.rule == plan.rule || is_base(other));
    recursive(stratum, plan).nth(1).is_some() && !is_closed()
}

fn recursive<'p>(stratum: &'p Stratum, plan: &'p Plan) -> impl Iterator<Item = &'p Lookup> {
    plan.steps.iter().filter_map(|step| match &step.kind {
        StepKind::Match(found) if stratum.relations.contains(&found.relation) => Some(found),
        _ => None,
    })
}

/// True for `p(X, Z) :- p(X, Y), p(Y, Z)`. If all single steps are known after the first round, a
/// longer path also consists of a shorter path and a single step.
fn is_closure(plan: &Plan) -> bool {
    let [one, other] = &*plan.steps else { return false };
    let (StepKind::Match(one), StepKind::Match(other)) = (&one.kind, &other.kind) else { return false };
    let is_own = |found: &Lookup| found.relation == plan.target && found.is_plain();
    let ([ValueSource::Slot(from), ValueSource::Slot(to)], true) =
        (&*plan.head, is_own(one) && is_own(other))
    else {
        return false;
    };
    let ([(0, start), (1, end)], [ValueSource::Slot(key)], [(column, new)]) =
        (&*one.binds, &*other.key, &*other.binds)
    else {
        return false;
    };
    let forwards = (other.columns, *column) == (1, 1) && (start, end, new) == (from, key, to);
    let backwards = (other.columns, *column) == (2, 0) && (start, end, new) == (key, to, from);
    forwards || backwards
}
