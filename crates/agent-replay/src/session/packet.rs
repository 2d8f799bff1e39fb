//! Steps of a packet, in the order of the runtime: updates, memory operations or native tool calls,
//! self-correction, and requests.

use super::Replay;
use crate::constitution::Constitution;
use crate::facts::{self, Batch, Filter};
use crate::gate::{self, GateRequest};
use crate::origins::SessionOrigin;
use crate::turn::{Correction, Effect, MemoryChange, StateChange, Turn};
use mangle_engine::kernel::{Clock, Fact, Kernel, Proof, Relation, RuleId};
use mangle_engine::program::PredicateId;
use mangle_settings::{HypothesisForm, Override};
use mangle_syntax::text::Symbol;
use piggyback::envelope::Reply;
use piggyback::envelope::runtime::{AcceptedEnvelope, is_constant};

/// The predicate of memory operations: operation, key, value.
const MEMORY: &str = "memory_operation";

/// The predicate of self-corrections: hypothesis, seconds.
const CORRECTION: &str = "self_correction";

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

    /// Asserts the memory operations and the self-correction of a packet. Rules ignore facts of
    /// undeclared predicates.
    fn assert_native(&mut self, picked: &AcceptedEnvelope, report: &mut Turn) {
        let correction = picked.packet.self_correction.as_deref().filter(|correction| correction.triggered);
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

    /// Evaluates a self-correction. Hypotheses are retracted unless the options keep them.
    fn correct(&mut self, picked: &AcceptedEnvelope, report: &mut Turn) {
        let correction = picked.packet.self_correction.as_deref();
        let Some(correction) = correction.filter(|found| found.triggered && !found.hypothesis.is_empty())
        else {
            return;
        };
        let facts = hypotheses(self.constitution, &mut self.kernel, &correction.hypothesis);
        let is_new = |fact: &Fact| !self.kernel.is_given(fact.predicate, &fact.tuple);
        let new: Vec<Fact> = facts.into_iter().filter(is_new).collect();
        for fact in &new {
            self.know(fact, SessionOrigin::Hypothesis(self.number));
            self.kernel.assert(fact);
        }
        self.evaluate(report);
        let actions = actions(self.constitution, &mut self.kernel, self.clock);
        if !self.options.abduce && !new.is_empty() {
            for fact in &new {
                let compiled = &self.constitution.compiled;
                let text = self.kernel.model().fact(compiled, fact.predicate, &fact.tuple);
                self.origins.mark_retracted(text);
                self.kernel.retract(fact.predicate, &fact.tuple);
            }
            self.evaluate(report);
        }
        let (hypothesis, is_kept) = (correction.hypothesis.clone(), self.options.abduce);
        report.correction = Some(Correction { hypothesis, is_kept, actions });
    }
}

/// The facts for a hypothesis.
fn hypotheses(constitution: &Constitution, kernel: &mut Kernel, text: &str) -> Vec<Fact> {
    let Some(predicate) = constitution.roles.hypothesis else { return Vec::new() };
    let form = constitution.settings.abduction.form;
    let values = kernel.values();
    let name = format!("/{}", text.trim_start_matches('/'));
    let is_name = is_constant(&name) && !name.contains(char::is_whitespace);
    let mut all = Vec::new();
    if form != HypothesisForm::Name || !is_name {
        all.push(values.string(text));
    }
    if form != HypothesisForm::String && is_name {
        all.push(values.name(&name));
    }
    all.into_iter()
        .map(|value| facts::asserted(values, &constitution.program, predicate, vec![value]))
        .collect()
}

/// The recovery actions of the policy, sorted, each with its proof.
fn actions(constitution: &Constitution, kernel: &mut Kernel, clock: Clock) -> Vec<(String, Proof)> {
    let Some(predicate) = constitution.roles.action else { return Vec::new() };
    let compiled = &constitution.compiled;
    let count = kernel.model().relation(predicate).map_or(0, Relation::len);
    let mut actions: Vec<(String, Proof)> = Vec::new();
    for number in (0u32..).take(count) {
        let proof = kernel.model_mut().explain(compiled, clock, predicate, number);
        let fact = proof.nodes.first().map(|node| node.fact.clone()).unwrap_or_default();
        actions.push((fact, proof));
    }
    actions.sort_by(|a, b| a.0.cmp(&b.0));
    actions
}
