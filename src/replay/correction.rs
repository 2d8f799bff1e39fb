//! Self-correction: the hypothesis becomes a fact, and the policy says what to do about it.

use super::constitution::Constitution;
use super::facts;
use crate::config::HypothesisForm;
use crate::envelope::runtime::is_constant;
use crate::kernel::{Clock, Fact, Kernel, Proof};

/// The facts that a hypothesis becomes.
pub(super) fn hypotheses(constitution: &Constitution, kernel: &mut Kernel, text: &str) -> Vec<Fact> {
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

/// What the policy says is to be done, sorted, each with its proof.
pub(super) fn actions(
    constitution: &Constitution,
    kernel: &mut Kernel,
    clock: Clock,
) -> Vec<(String, Proof)> {
    let Some(predicate) = constitution.roles.action else { return Vec::new() };
    let compiled = &constitution.compiled;
    let count = kernel.model().relation(predicate).map_or(0, crate::kernel::Relation::len);
    let mut actions: Vec<(String, Proof)> = Vec::new();
    for number in (0u32..).take(count) {
        let proof = kernel.model_mut().explain(compiled, clock, predicate, number);
        let fact = proof.nodes.first().map(|node| node.fact.clone()).unwrap_or_default();
        actions.push((fact, proof));
    }
    actions.sort_by(|a, b| a.0.cmp(&b.0));
    actions
}
