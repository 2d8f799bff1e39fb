//! Incremental analysis of predicates over the dependency graph: results are recomputed only if the
//! predicates that a rule uses have changed.

use std::collections::BTreeSet;

use mangle_engine::program::{Members, PendingComponents, PredicateId, Program};

/// An incremental property of predicates.
pub(crate) trait IncrementalAnalysis {
    /// Recomputes the property for a component from the predicates that it depends on. Returns the
    /// members whose result has changed.
    fn update(&mut self, program: &Program, members: &[PredicateId]) -> Members;
}

/// Computes the property for all components.
pub(crate) fn begin(flow: &mut dyn IncrementalAnalysis, program: &Program, strata: &[Members]) {
    for members in strata {
        flow.update(program, members);
    }
}

/// Recomputes the property after changes of the `touched` predicates or their rules. Returns the
/// predicates whose result has changed.
pub(crate) fn update(
    flow: &mut dyn IncrementalAnalysis,
    program: &Program,
    touched: impl IntoIterator<Item = PredicateId>,
) -> BTreeSet<PredicateId> {
    let mut pending = PendingComponents::default();
    touched.into_iter().for_each(|id| pending.add(program, id));
    let mut changed = BTreeSet::new();
    while let Some(members) = pending.next(program) {
        for id in flow.update(program, &members) {
            changed.insert(id);
            pending.add_users(program, id);
        }
    }
    changed
}
