//! Self-correction: asserts the hypothesis as a fact, and queries the recovery actions of the
//! policy.

use super::Replay;
use crate::constitution::Constitution;
use crate::facts;
use crate::session_origin::SessionOrigin;
use crate::turn::{Correction, Turn};
use mangle_engine::kernel::{Clock, Fact, Kernel, Proof, Relation};
use mangle_settings::HypothesisForm;
use piggyback::envelope::runtime::{AcceptedEnvelope, is_constant};

impl Replay<'_> {
    /// Evaluates a self-correction. Hypotheses are retracted unless the options keep them.
    pub(super) fn correct(&mut self, picked: &AcceptedEnvelope, report: &mut Turn) {
        let correction = picked.packet.self_correction.as_deref();
        let Some(correction) = correction.filter(|it| it.triggered && !it.hypothesis.is_empty()) else {
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
