//! Effects of the memory operations of a packet.

use super::Replay;
use crate::turn::{Effect, MemoryChange, Turn};
use mangle_engine::kernel::{Fact, Relation, RuleId};
use mangle_engine::program::PredicateId;
use mangle_syntax::text::Symbol;
use piggyback::envelope::runtime::AcceptedEnvelope;

impl Replay<'_> {
    pub(super) fn memory(&mut self, picked: &AcceptedEnvelope, report: &mut Turn) {
        let mut is_other = false;
        let is_stopped = self.kernel.model().stopped.is_some();
        for operation in picked.packet.memory.as_slice() {
            let effect = match operation.op.as_str() {
                "promote_to_long_term" | "store_vector" => Effect::Stored,
                "forget" => {
                    let count = self.forget(&operation.key);
                    // The cause of a stopped evaluation can be among uncounted facts.
                    is_other |= count > 0 || is_stopped;
                    Effect::Forgot(count)
                }
                _ => Effect::Nothing,
            };
            report.memory.push(MemoryChange { op: operation.op.clone(), key: operation.key.clone(), effect });
        }
        if is_other {
            self.evaluate(report);
        }
    }

    /// Retracts all asserted facts of a predicate, for all arities. Returns their number.
    fn forget(&mut self, name: &str) -> usize {
        let program = &self.constitution.program;
        let named: Vec<PredicateId> =
            program.named(Symbol::new(name)).filter_map(|predicate| program.id(predicate.key)).collect();
        let mut count = 0;
        for predicate in named {
            let model = self.kernel.model();
            let rows = model.relation(predicate).map_or(0, Relation::len);
            let is_asserted = |number: &u32| {
                let reason = model.derivation(predicate, *number);
                reason.is_some_and(|reason| reason.rule == RuleId::ASSERTED)
            };
            let asserted = (0u32..).take(rows).filter(is_asserted);
            let tuples = asserted.filter_map(|number| Some(model.relation(predicate)?.tuple(number)));
            let gone = tuples.map(|tuple| {
                let text = model.fact(&self.constitution.compiled, predicate, tuple);
                (text, Fact { predicate, tuple: tuple.into(), rule: RuleId::ASSERTED })
            });
            let gone: Vec<_> = gone.collect();
            count += gone.len();
            let consult = self.constitution.consulted.get(predicate);
            let decides = consult.is_some_and(|consult| consult.restricts || consult.removes_obstacle);
            for (text, fact) in gone {
                if decides {
                    self.origins.forget(&text, fact, self.number);
                }
                self.origins.mark_retracted(text);
            }
            self.kernel.forget(predicate);
        }
        count
    }
}
