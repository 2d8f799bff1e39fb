//! Tool requests of a packet, judged one by one.

use super::Replay;
use crate::facts;
use crate::gate::{self, Gate, GateRequest};
use crate::session_origin::SessionOrigin;
use crate::turn::Turn;
use crate::verdict::{Authority, Verdict};

/// The predicate of denials: action, reason, seconds.
const VIOLATION: &str = "security_violation";

impl Replay<'_> {
    /// Judges the requests one by one, and retracts each request after its verdict.
    pub(super) fn requests(&mut self, requests: Vec<GateRequest>, report: &mut Turn) -> Vec<Verdict> {
        let mut verdicts = Vec::with_capacity(requests.len());
        for request in requests {
            if self.is_late(self.number) {
                break;
            }
            if let Some(stop) = &self.fatal_stop {
                let why = format!("the evaluation stopped: {}", stop.reason);
                verdicts.push(Verdict { rule: stop.rule, ..request.refused(&why) });
                continue;
            }
            let mut asserted = None;
            let denial = request.denial_of();
            let mut gate = Gate {
                constitution: self.constitution,
                kernel: &mut self.kernel,
                clock: self.clock,
                cancel: self.options.cancel,
                turn: self.number,
                origins: &mut self.origins,
            };
            let verdict = gate.judge(request, &mut asserted);
            let is_denied =
                verdict.as_ref().is_some_and(|one| !one.is_permitted && one.lock != Authority::Gate);
            report.unjudged += usize::from(verdict.is_none());
            verdicts.extend(verdict);
            if self.options.coverage {
                self.coverage.take(self.constitution, gate.kernel, self.clock);
            }
            if let Some(request) = asserted {
                gate.retract(&request);
            }
            if is_denied && self.options.transcript.caps.runtime.denial_facts {
                self.violation(&denial);
            }
            self.fatal_stop = self.kernel.model().stopped.clone().filter(gate::is_final);
        }
        if !verdicts.is_empty() || report.unjudged > 0 {
            self.evaluate(report);
        }
        verdicts
    }

    /// Asserts that a call was denied, like the runtime, if the policy has the predicate.
    fn violation(&mut self, (action, reason): &(String, String)) {
        let Some(predicate) = self.declared(VIOLATION, 3) else { return };
        let seconds = self.seconds();
        let values = self.kernel.values();
        let args = vec![values.name(action), facts::value(values, reason), values.number(seconds)];
        self.assert_one(predicate, args, SessionOrigin::Denial(self.number));
    }
}
