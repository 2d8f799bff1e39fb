//! Steps of a packet, in the order of the runtime.

use super::Replay;
use crate::batch::{Batch, Filter};
use crate::gate::{self, GateRequest};
use crate::session_origin::SessionOrigin;
use crate::state::StateChange;
use crate::turn::Turn;
use mangle_engine::kernel::Fact;
use mangle_settings::Override;
use piggyback::envelope::Reply;
use piggyback::envelope::runtime::AcceptedEnvelope;

impl Replay<'_> {
    pub(super) fn packet(&mut self, reply: &Reply<'_>, picked: &AcceptedEnvelope, report: &mut Turn) {
        let mut batch = self.batch(reply, picked);
        self.assert(&mut batch);
        self.evaluate(report);
        let denied = self.blocked(&batch, report.number);
        let is_replaced = denied.is_some() && self.constitution.settings.style == Override::Replace;
        if is_replaced {
            self.withdraw(&mut batch, report);
        }
        report.unblocked = if denied.is_none() { self.unblocked(&batch) } else { None };
        if denied.is_some() {
            for entry in &mut batch.atoms {
                entry.fate = entry.fate.clone().denied(is_replaced);
            }
        }
        let is_filtered = batch.blocked().next().is_some();
        report.atoms = std::mem::take(&mut batch.atoms);
        report.envelope = denied;
        if !is_replaced {
            match report.is_native {
                true => self.assert_native(picked, report),
                false => self.memory(picked, report),
            }
            self.correct(picked, report);
        }
        report.change = StateChange::from_kernel(&self.kernel);
        let runtime = self.options.transcript.caps.runtime;
        let requests = picked.packet.tools.as_slice().iter().enumerate();
        let requests: Vec<_> = requests.map(|(index, tool)| GateRequest::new(index, tool, runtime)).collect();
        report.verdicts = match is_replaced {
            true => {
                requests.into_iter().map(|request| request.refused("the whole reply is denied")).collect()
            }
            false => self.requests(requests, report),
        };
        let rewritten = self.rewritten(is_filtered, report);
        // A user can choose another style than the default of the runtime; such a style applies to
        // native tool calls as well.
        match report.is_native && self.constitution.settings.style == Override::Runtime {
            true => report.hidden_notice = rewritten.map(|rewritten| rewritten.reason),
            false => report.rewritten = rewritten,
        }
    }

    fn batch(&mut self, reply: &Reply<'_>, picked: &AcceptedEnvelope) -> Batch {
        let filled = self.options.prefill.get(self.number);
        let (constitution, settings, turn) = (self.constitution, self.options.transcript, self.number);
        let filter = Filter { constitution, settings, turn };
        let updates = filled.map_or(&[][..], |filled| &filled.updates);
        let values = self.kernel.values();
        let mut batch = filter.batch(reply, updates, values);
        let category = match (picked.packet.intent.category.as_str(), filled) {
            ("", Some(filled)) => filled.category.as_str(),
            (category, _) => category,
        };
        let intent = filter.intent(picked, category, values);
        batch.facts.extend(intent.map(|fact| (fact, SessionOrigin::Intent(turn))));
        batch
    }

    /// Processes updates without an envelope.
    pub(super) fn updates(&mut self, updates: &[String], report: &mut Turn) {
        let (constitution, settings, turn) = (self.constitution, self.options.transcript, self.number);
        let filter = Filter { constitution, settings, turn };
        let mut batch = filter.filter_without_envelope(updates, self.kernel.values());
        self.assert(&mut batch);
        self.evaluate(report);
        report.atoms = std::mem::take(&mut batch.atoms);
        report.change = StateChange::from_kernel(&self.kernel);
    }

    /// Asserts the facts of a batch. Takes effect at the next evaluation.
    fn assert(&mut self, batch: &mut Batch) {
        for (fact, origin) in &batch.facts {
            if !self.kernel.is_given(fact.predicate, &fact.tuple) {
                batch.new.push((fact.predicate, fact.tuple.clone()));
                self.know(fact, *origin);
            }
            self.kernel.assert(fact);
        }
    }

    pub(super) fn know(&mut self, fact: &Fact, origin: SessionOrigin) {
        let text = self.kernel.model().fact(&self.constitution.compiled, fact.predicate, &fact.tuple);
        self.origins.record(text, fact, origin);
    }

    pub(super) fn evaluate(&mut self, report: &mut Turn) {
        if self.fatal_stop.is_none() {
            self.kernel.evaluate(self.constitution.limits, self.clock, self.options.cancel);
            let stopped = self.kernel.model().stopped.clone();
            self.fatal_stop = stopped.clone().filter(gate::is_final);
            report.stopped = stopped;
        } else {
            report.stopped = self.fatal_stop.clone();
        }
    }
}
