//! What is found out of each predicate from those that its rules use, and stays found out until one of them changes.

use std::collections::BTreeSet;

use mangle_engine::program::{Members, PendingComponents, PredicateId, Program};

/// Something that is known of predicates.
pub(crate) trait Flow {
    /// Finds out anew what is known of a component from what is known of the predicates that it depends on. Gives the
    /// members of which something else is known now.
    fn update(&mut self, program: &Program, members: &[PredicateId]) -> Members;
}

/// Finds out everything.
pub(crate) fn begin(flow: &mut dyn Flow, program: &Program, strata: &[Members]) {
    for members in strata {
        flow.update(program, members);
    }
}

/// Finds out what is different where `touched` predicates or their rules changed. Gives the predicates of which something else
/// is known now.
pub(crate) fn follow(
    flow: &mut dyn Flow,
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
