//! What a turn changes: facts that hold afterwards and did not before, and the other way round.

use mangle_engine::kernel::{Kernel, RuleId};

/// How many facts of each side are kept; further ones are counted.
pub const MOST_SHOWN: usize = 200;

/// What is different behind a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StateChange {
    /// Facts that hold now: those that were asserted first.
    pub added: Vec<StateFact>,
    /// Facts that hold no more, as the engine prints them.
    pub removed: Vec<String>,
    /// How many hold now and did not.
    pub added_count: usize,
    /// How many did and do not.
    pub removed_count: usize,
}

/// How many bytes of facts of each side are kept about; further facts are counted.
const MOST_BYTES: usize = 1 << 16;

/// A fact that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateFact {
    /// It, as the engine prints it.
    pub fact: String,
    /// The clause that gives it; [`RuleId::ASSERTED`] where the session does.
    pub rule: RuleId,
}

impl StateChange {
    /// What is different from the mark of a kernel.
    pub(super) fn of(kernel: &Kernel) -> Self {
        let (compiled, model) = (kernel.compiled(), kernel.model());
        let (mut change, mut bytes) = (Self::default(), (0, 0));
        for one in kernel.differences() {
            change.added_count += one.added.len();
            change.removed_count += one.removed.len();
            let Some(relation) = model.relation(one.predicate) else { continue };
            for number in &one.added {
                if change.added.len() == MOST_SHOWN || bytes.0 >= MOST_BYTES {
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
                if change.removed.len() == MOST_SHOWN || bytes.1 >= MOST_BYTES {
                    break;
                }
                let fact = model.fact(compiled, one.predicate, tuple);
                bytes.1 += fact.len();
                change.removed.push(fact);
            }
        }
        // What was said comes before what follows from it.
        change.added.sort_by_key(|held| held.rule != RuleId::ASSERTED);
        change.removed.sort_unstable();
        change
    }

    /// Whether nothing is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added_count + self.removed_count == 0
    }
}
