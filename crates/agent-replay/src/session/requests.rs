//! The tool requests of a packet, one after the other through the gate.

use super::Replay;
use crate::gate::{self, Gate, GateRequest};
use crate::turn::Turn;
use crate::verdict::Verdict;

impl Replay<'_> {
    /// One request after the other through the gate. Behind the last the kernel is as it was.
    pub(super) fn requests(&mut self, requests: Vec<GateRequest>, report: &mut Turn) -> Vec<Verdict> {
        let mut verdicts = Vec::with_capacity(requests.len());
        for request in requests {
            if self.is_late(self.number) {
                break;
            }
            if let Some(stop) = &self.dead {
                let why = format!("the evaluation stopped: {}", stop.reason);
                verdicts.push(Verdict { rule: stop.rule, ..request.refused(&why) });
                continue;
            }
            let mut asserted = None;
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
            if let Some(request) = asserted {
                gate.retract(&request);
            }
            self.dead = self.kernel.model().stopped.clone().filter(gate::is_final);
        }
        if !verdicts.is_empty() {
            self.evaluate(report);
        }
        verdicts
    }
}
