//! Dependence of verdicts on facts that replies of the session asserted or removed. Found by
//! counterfactual evaluations of the policy.

use super::constitution::{find, text};
use super::gate::{Gate, GateRequest, facts_of_replies};
use super::origins::{ReplyFact, SessionOrigin};
use super::turn::Reliance;
use mangle_engine::kernel::{Kernel, Proof, Relation, ValueId};

/// The maximum number of evaluations per verdict.
const MAX_TRIALS: usize = 120;

/// The maximum number of alternative proofs of a permission by other facts of replies.
const MAX_PROOFS: usize = 16;

/// The maximum number of facts against a request to examine.
const MAX_DENIALS: usize = 1_000;

impl Gate<'_> {
    /// The dependence of an asserted request's permission on the replies of the session.
    pub(super) fn reliance(
        &mut self,
        request: &GateRequest,
        proof: &Proof,
        appeal: Option<Proof>,
    ) -> Reliance {
        let proofs = [Some(proof), appeal.as_ref()];
        let mut granting = Vec::new();
        proofs.into_iter().flatten().for_each(|proof| facts_of_replies(proof, self.origins, &mut granting));
        let lifting: Vec<_> =
            self.origins.overriding_replies().into_iter().filter(|own| !granting.contains(own)).collect();
        let mut trials = Counterfactuals { gate: self, request, left: MAX_TRIALS };
        let mut reliance = trials.granted(granting, &lifting);
        if reliance.overriding.is_empty() {
            trials.lifted(&lifting, &mut reliance);
        }
        reliance
    }
}

/// Evaluations without some of the facts of replies.
struct Counterfactuals<'g, 'a> {
    gate: &'g mut Gate<'a>,
    request: &'g GateRequest,
    left: usize,
}

impl Counterfactuals<'_, '_> {
    /// The kernel without some facts; `None` if the evaluation fails or the budget is exhausted.
    fn without(&mut self, facts: &[&ReplyFact]) -> Option<Kernel> {
        self.left = self.left.checked_sub(1)?;
        let mut kernel = self.gate.kernel.fork();
        facts.iter().for_each(|own| own.undo(&mut kernel));
        kernel.evaluate(self.gate.constitution.limits, self.gate.clock, self.gate.cancel);
        kernel.model().stopped.is_none().then_some(kernel)
    }

    fn denial(&mut self, kernel: &mut Kernel) -> Option<String> {
        self.gate.with_kernel(kernel).denial(self.request)
    }

    /// The facts of replies that the permission is derived from; empty if it also holds without
    /// them.
    fn granted(&mut self, mut named: Vec<ReplyFact>, lifting: &[ReplyFact]) -> Reliance {
        let mut looked_at = 0;
        for _ in 0..MAX_PROOFS {
            if named.len() == looked_at {
                return self.either(named, lifting);
            }
            looked_at = named.len();
            let Some(mut kernel) = self.without(&named.iter().collect::<Vec<_>>()) else { break };
            if let Some(denial) = self.denial(&mut kernel) {
                return Reliance { granting: shown(&named), denial: Some(denial), ..Reliance::default() };
            }
            let found = self.gate.with_kernel(&mut kernel).permission_proof(self.request);
            found.iter().for_each(|proof| facts_of_replies(proof, self.gate.origins, &mut named));
        }
        Reliance { granting: shown(&named), ..Reliance::default() }
    }

    /// Facts for a permission that needs either the granting facts or the overriding facts.
    fn either(&mut self, mut granting: Vec<ReplyFact>, lifting: &[ReplyFact]) -> Reliance {
        for _ in 0..if lifting.is_empty() { 0 } else { MAX_PROOFS } {
            let all: Vec<_> = granting.iter().chain(lifting).collect();
            let Some(mut kernel) = self.without(&all) else { break };
            if let Some(denial) = self.denial(&mut kernel) {
                let gone: Vec<_> = granting.iter().collect();
                let lifted = shown(&self.all_needed(lifting, &gone, &[]));
                return Reliance { granting: shown(&granting), overriding: lifted, denial: Some(denial) };
            }
            let looked_at = granting.len();
            let found = self.gate.with_kernel(&mut kernel).permission_proof(self.request);
            found.iter().for_each(|proof| facts_of_replies(proof, self.gate.origins, &mut granting));
            if granting.len() == looked_at {
                break;
            }
        }
        Reliance::default()
    }

    /// The facts of replies whose absence would cause a denial.
    fn lifted(&mut self, lifting: &[ReplyFact], reliance: &mut Reliance) {
        if lifting.is_empty() {
            return;
        }
        let now = denials(self.gate.kernel, self.gate, self.request);
        let Some(why) = self.blocked_without(&lifting.iter().collect::<Vec<_>>(), &now) else { return };
        reliance.overriding = shown(&self.all_needed(lifting, &[], &now));
        reliance.denial.get_or_insert(why);
    }

    /// The facts of `lifting` whose absence causes a denial, including interchangeable ones.
    /// `others` are also absent.
    fn all_needed(&mut self, lifting: &[ReplyFact], others: &[&ReplyFact], now: &[String]) -> Vec<ReplyFact> {
        let mut named: Vec<&ReplyFact> = Vec::new();
        for _ in 0..MAX_PROOFS {
            let gone: Vec<_> = others.iter().copied().chain(named.iter().copied()).collect();
            if !named.is_empty() && self.blocked_without(&gone, now).is_some() {
                break;
            }
            let rest: Vec<_> = lifting.iter().filter(|own| !named.contains(own)).collect();
            let more = self.needed(&rest, &gone, now);
            if more.is_empty() || self.left == 0 {
                break;
            }
            named.extend(more);
        }
        named.into_iter().cloned().collect()
    }

    /// The reason for a denial without some facts. A new denying fact also counts if the permission
    /// does not depend on it.
    fn blocked_without(&mut self, facts: &[&ReplyFact], now: &[String]) -> Option<String> {
        let mut kernel = self.without(facts)?;
        let more = || denials(&kernel, self.gate, self.request).into_iter().find(|fact| !now.contains(fact));
        let more = more().map(|fact| format!("`{fact}` would hold"));
        self.denial(&mut kernel).or(more)
    }

    /// The minimal facts among `all` that keep the request permitted while `others` are absent.
    /// Uses bisection.
    fn needed<'o>(
        &mut self,
        all: &[&'o ReplyFact],
        others: &[&'o ReplyFact],
        now: &[String],
    ) -> Vec<&'o ReplyFact> {
        if let [_] | [] = all {
            return all.to_vec();
        }
        let (first, second) = all.split_at(all.len() / 2);
        let mut gone = others.to_vec();
        let mut needed = Vec::new();
        for half in [first, second] {
            let without: Vec<_> = gone.iter().chain(half).copied().collect();
            if self.left > 0 && self.blocked_without(&without, now).is_none() {
                gone = without;
            } else {
                let kept = self.needed(half, &gone, now);
                gone.extend(half.iter().filter(|own| !kept.contains(own)));
                needed.extend(kept);
            }
        }
        needed
    }
}

fn denials(kernel: &Kernel, gate: &Gate<'_>, request: &GateRequest) -> Vec<String> {
    let (model, about) =
        (kernel.model(), [&request.id, &request.action, &request.target].map(String::as_str));
    let is_about = |tuple: &&[ValueId]| {
        let mut texts = tuple.iter().filter_map(|value| text(model, *value));
        texts.any(|text| !text.is_empty() && about.contains(&text))
    };
    let roles = &gate.constitution.roles;
    let predicates = roles.deny.iter().chain(&roles.block);
    let found = predicates.flat_map(|predicate| {
        let tuples = model.relation(*predicate).into_iter().flat_map(Relation::tuples).filter(is_about);
        tuples.map(|tuple| model.fact(&gate.constitution.compiled, *predicate, tuple))
    });
    found.take(MAX_DENIALS).collect()
}

fn shown(facts: &[ReplyFact]) -> Vec<(String, SessionOrigin)> {
    facts.iter().map(|own| (own.text.clone(), own.origin)).collect()
}

impl<'a> Gate<'a> {
    /// The same gate with another kernel.
    fn with_kernel<'k>(&'k mut self, kernel: &'k mut Kernel) -> Gate<'k>
    where
        'a: 'k,
    {
        let Self { constitution, clock, cancel, turn, .. } = *self;
        Gate { constitution, kernel, clock, cancel, turn, origins: self.origins }
    }

    /// The reason for the denial of an asserted request; `None` if it is permitted.
    fn denial(&mut self, request: &GateRequest) -> Option<String> {
        let refused = self.second_gate(request);
        if let Some(why) = refused.filter(|_| self.appeal(&request.action).is_none()) {
            return Some(why);
        }
        let permit = self.constitution.roles.permit?;
        let is_permitted = find(self.kernel.model(), permit, &request.texts()).is_some();
        (!is_permitted).then(|| self.denied(request.clone()).why)
    }

    /// The proofs of a permission: its own proof, and the proof of an appeal that overrides the
    /// gate.
    fn permission_proof(&mut self, request: &GateRequest) -> Vec<Proof> {
        let permit = self.constitution.roles.permit;
        let found =
            permit.and_then(|permit| Some((permit, find(self.kernel.model(), permit, &request.texts())?)));
        let appeal = self.second_gate(request).and_then(|_| self.appeal(&request.action));
        let compiled = &self.constitution.compiled;
        let mut explain =
            |(predicate, number)| self.kernel.model_mut().explain(compiled, self.clock, predicate, number);
        found.into_iter().chain(appeal).map(&mut explain).collect()
    }
}
