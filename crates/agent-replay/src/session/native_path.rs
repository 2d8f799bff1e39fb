//! Native tool calls: memory operations and self-corrections become facts.

use super::Replay;
use crate::facts;
use crate::session_origin::SessionOrigin;
use crate::turn::{Effect, MemoryChange, Turn};
use piggyback::envelope::runtime::AcceptedEnvelope;

/// The predicate of memory operations: operation, key, value.
const MEMORY: &str = "memory_operation";

/// The predicate of self-corrections: hypothesis, seconds.
const CORRECTION: &str = "self_correction";

impl Replay<'_> {
    /// Asserts the memory operations and the self-correction of a packet. Rules ignore facts of
    /// undeclared predicates.
    pub(super) fn assert_native(&mut self, picked: &AcceptedEnvelope, report: &mut Turn) {
        let correction = picked.packet.self_correction.as_deref().filter(|it| it.triggered);
        let mut is_asserted = false;
        if let (Some(correction), Some(predicate)) = (correction, self.declared(CORRECTION, 2)) {
            let seconds = self.seconds();
            let values = self.kernel.values();
            let args = vec![facts::value(values, &correction.hypothesis), values.number(seconds)];
            self.assert_one(predicate, args, SessionOrigin::Hypothesis(self.number));
            is_asserted = true;
        }
        let predicate = self.declared(MEMORY, 3);
        for operation in picked.packet.memory.as_slice() {
            if let Some(predicate) = predicate {
                let values = self.kernel.values();
                let texts = [&operation.op, &operation.key, &operation.value];
                let args = texts.map(|text| facts::value(values, text)).to_vec();
                self.assert_one(predicate, args, SessionOrigin::Memory(self.number));
                is_asserted = true;
            }
            let effect = if predicate.is_some() { Effect::Asserted } else { Effect::Undeclared };
            report.memory.push(MemoryChange { op: operation.op.clone(), key: operation.key.clone(), effect });
        }
        if is_asserted {
            self.evaluate(report);
        }
    }
}
