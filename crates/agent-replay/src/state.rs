//! State changes of a turn: added and removed facts.

use mangle_engine::kernel::{Kernel, RuleId};

/// The maximum number of added and of removed facts to keep. All facts are counted.
pub const MAX_SHOWN: usize = 200;

/// The difference between the state before and after a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StateChange {
    /// The added facts, asserted ones first.
    pub added: Vec<StateFact>,
    /// The removed facts, as the engine prints them.
    pub removed: Vec<String>,
    /// The number of added facts.
    pub added_count: usize,
    /// The number of removed facts.
    pub removed_count: usize,
}

/// The approximate maximum size of the kept facts of each side, in bytes. All facts are counted.
const MAX_BYTES: usize = 1 << 16;

/// A fact that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateFact {
    /// The fact as the engine prints it.
    pub fact: String,
    /// The clause of the fact; [`RuleId::ASSERTED`] for an asserted fact.
    pub rule: RuleId,
}

impl StateChange {
    /// The difference to the mark of a kernel.
    pub(super) fn from_kernel(kernel: &Kernel) -> Self {
        let (compiled, model) = (kernel.compiled(), kernel.model());
        let (mut change, mut bytes) = (Self::default(), (0, 0));
        for one in kernel.differences() {
            change.added_count += one.added.len();
            change.removed_count += one.removed.len();
            let Some(relation) = model.relation(one.predicate) else { continue };
            for number in &one.added {
                if change.added.len() == MAX_SHOWN || bytes.0 >= MAX_BYTES {
                    break;
                }
                let fact = model.fact(compiled, one.predicate, relation.tuple(*number));
                bytes.0 += fact.len();
                let reason = model.derivation(one.predicate, *number);
                change
                    .added
                    .push(StateFact { fact, rule: reason.map_or(RuleId::ASSERTED, |reason| reason.rule) });
            }
            for tuple in &one.removed {
                if change.removed.len() == MAX_SHOWN || bytes.1 >= MAX_BYTES {
                    break;
                }
                let fact = model.fact(compiled, one.predicate, tuple);
                bytes.1 += fact.len();
                change.removed.push(fact);
            }
        }
        // Asserted facts come before derived facts.
        change.added.sort_by_key(|held| held.rule != RuleId::ASSERTED);
        change.removed.sort_unstable();
        change
    }

    /// True without changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added_count + self.removed_count == 0
    }
}
