//! The tool requests of a packet, one after the other through the gate.

use super::Replay;
use crate::replay::gate::{Gate, Request};
use crate::replay::turn::Turn;
use crate::replay::verdict::Verdict;

impl Replay<'_> {
    /// One request after the other through the gate. Behind the last the kernel is as it was.
    pub(super) fn requests(&mut self, requests: Vec<Request>, report: &mut Turn) -> Vec<Verdict> {
        if let Some(stop) = &self.dead {
            let why = format!("the evaluation stopped: {}", stop.reason);
            let refuse = |request: Request| Verdict { rule: stop.rule, ..request.refused(&why) };
            return requests.into_iter().map(refuse).collect();
        }
        let mut verdicts = Vec::with_capacity(requests.len());
        let mut asserted = None;
        for request in requests {
            let mut gate = Gate {
                constitution: self.constitution,
                kernel: &mut self.kernel,
                clock: self.clock,
                cancel: self.options.cancel,
                turn: self.number,
                origins: &mut self.origins,
            };
            verdicts.push(gate.judge(request, &mut asserted));
            if self.options.coverage {
                self.coverage.take(self.constitution, gate.kernel, self.clock);
            }
            gate.retract(&mut asserted);
        }
        if !verdicts.is_empty() {
            self.evaluate(report);
        }
        verdicts
    }
}
