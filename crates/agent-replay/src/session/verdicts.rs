//! Verdicts about a packet: denial of the whole reply, and tool requests one by one.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::Replay;
use crate::constitution::Constitution;
use crate::facts::{self, Batch};
use crate::gate::{self, Gate, GateRequest};
use crate::origins::{ReplyFact, SessionOrigin};
use crate::turn::{Authority, LiftedDenial, Reliance, SurfaceRewrite, Turn, Verdict, safety_notice};
use mangle_engine::kernel::{Clock, Fact, Kernel, Proof, Relation};
use mangle_engine::program::PredicateId;
use mangle_settings::Override;

/// The maximum number of blocking facts to examine: among the new facts of the reply, and among
/// older facts.
const MAX_BLOCKS: usize = 100;

/// The reason in the safety notice of the reference runtime.
const NOTICE: &str = "blocked unsafe mangle_updates";

/// The maximum number of facts to examine as possible overrides of a denial.
const MAX_OVERRIDING: usize = 50;

impl Replay<'_> {
    /// The verdict about the whole reply: a blocking fact that depends on its own updates.
    pub(super) fn blocked(&mut self, batch: &Batch, turn: u64) -> Option<Verdict> {
        if batch.facts.is_empty() || self.constitution.roles.block.is_empty() {
            return None;
        }
        let own = self.texts(batch);
        let new = self.kernel.differences().into_iter().map(|one| (one.predicate, one.added)).collect();
        let proof =
            block(self.constitution, &mut self.kernel, self.clock, new, &|proof| rests_on(proof, &own))?;
        Some(Verdict {
            index: None,
            place: None,
            id: format!("turn {turn}"),
            action: String::new(),
            target: String::new(),
            payload: String::new(),
            is_permitted: false,
            lock: Authority::Constitution,
            why: format!("the policy derives {}{}", gate::head(&proof), gate::in_store(proof.store)),
            rule: proof.nodes.first().map(|node| node.rule),
            store: proof.store,
            because: vec![proof],
            why_not: Vec::new(),
            appeal: None,
            is_lifted: false,
            reliance: Reliance::default(),
        })
    }

    fn texts(&self, batch: &Batch) -> FxHashSet<String> {
        let shown =
            |fact: &Fact| self.kernel.model().fact(&self.constitution.compiled, fact.predicate, &fact.tuple);
        batch.facts.iter().map(|(fact, _)| shown(fact)).collect()
    }

    /// The denial of an accepted reply that facts of the session override.
    pub(super) fn unblocked(&mut self, batch: &Batch) -> Option<LiftedDenial> {
        if batch.facts.is_empty() || self.constitution.roles.block.is_empty() {
            return None;
        }
        let mut lifting = self.origins.overriding_replies();
        lifting.truncate(MAX_OVERRIDING);
        let own = self.texts(batch);
        let mut proof = self.block_without(&lifting.iter().collect::<Vec<_>>(), &own)?;
        let mut needed: Vec<&ReplyFact> = lifting.iter().collect();
        for one in &lifting {
            let fewer: Vec<_> = needed.iter().copied().filter(|other| *other != one).collect();
            if let Some(found) = self.block_without(&fewer, &own) {
                (proof, needed) = (found, fewer);
            }
        }
        let facts = needed.into_iter().map(|own| (own.text.clone(), own.origin)).collect();
        Some(LiftedDenial { facts, denial: gate::head(&proof), proof })
    }

    /// The proof of a blocking fact that holds only without some facts.
    fn block_without(&mut self, facts: &[&ReplyFact], own: &FxHashSet<String>) -> Option<Proof> {
        if facts.is_empty() {
            return None;
        }
        let constitution = self.constitution;
        let mut kernel = self.kernel.fork();
        facts.iter().for_each(|one| one.undo(&mut kernel));
        kernel.evaluate(constitution.limits, self.clock, self.options.cancel);
        if kernel.model().stopped.is_some() {
            return None;
        }
        let now: FxHashSet<u64> = block_facts(constitution, &self.kernel).map(|fact| hash(&fact)).collect();
        let is_new = |proof: &Proof| {
            rests_on(proof, own) && proof.nodes.first().is_some_and(|node| !now.contains(&hash(&node.fact)))
        };
        block(constitution, &mut kernel, self.clock, FxHashMap::default(), &is_new)
    }

    /// Retracts the assertions of a denied reply.
    pub(super) fn withdraw(&mut self, batch: &mut Batch, report: &mut Turn) {
        for (predicate, tuple) in std::mem::take(&mut batch.new) {
            let text = self.kernel.model().fact(&self.constitution.compiled, predicate, &tuple);
            self.origins.mark_retracted(text);
            self.kernel.retract(predicate, &tuple);
        }
        self.evaluate(report);
    }

    /// The text that the user reads instead of the surface. `is_filtered` is true if the update
    /// filter blocked an update.
    pub(super) fn rewritten(&self, is_filtered: bool, report: &Turn) -> Option<SurfaceRewrite> {
        let style = self.constitution.settings.style;
        let filtered = || is_filtered.then(|| NOTICE.to_owned());
        let blocked = || report.envelope.as_ref().map(|verdict| verdict.why.clone());
        let denied = || report.verdicts.iter().find(|verdict| !verdict.is_permitted);
        let (reason, is_replaced) = match style {
            Override::Runtime => (filtered().or_else(blocked)?, false),
            Override::Prepend => (filtered().or_else(blocked).or_else(|| denied().map(gate_notice))?, false),
            Override::Replace => {
                let request = || denied().map(|verdict| verdict.why.clone());
                (blocked().or_else(request).or_else(filtered)?, true)
            }
        };
        let shown = match is_replaced {
            true => format!("I cannot do that: {reason}."),
            false => format!("{}\n\n{}", safety_notice(&reason), report.surface),
        };
        Some(SurfaceRewrite { shown, reason, is_replaced })
    }
}

/// The reply of the reference runtime to the model for a denied request.
fn gate_notice(verdict: &Verdict) -> String {
    let tool = verdict.action.strip_prefix('/').unwrap_or(&verdict.action);
    format!("tool call blocked by safety gate: {tool}")
}

/// True if a proof contains one of these facts.
fn rests_on(proof: &Proof, own: &FxHashSet<String>) -> bool {
    proof.nodes.iter().any(|node| own.contains(&node.fact))
}

/// A hash of a text, to save memory: millions of texts can be compared.
fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The blocking facts of a kernel, the last ones of each predicate.
fn block_facts<'k>(constitution: &'k Constitution, kernel: &'k Kernel) -> impl Iterator<Item = String> + 'k {
    let model = kernel.model();
    constitution.roles.block.iter().flat_map(move |predicate| {
        let tuples = model.relation(*predicate).into_iter().flat_map(Relation::tuples);
        tuples.map(move |tuple| model.fact(&constitution.compiled, *predicate, tuple))
    })
}

/// The proof of the first blocking fact whose proof satisfies `is_it`. A repeated update can make
/// older facts block the reply; `new` facts are examined first.
fn block(
    constitution: &Constitution,
    kernel: &mut Kernel,
    clock: Clock,
    mut new: FxHashMap<PredicateId, Vec<u32>>,
    is_it: &dyn Fn(&Proof) -> bool,
) -> Option<Proof> {
    constitution.roles.block.iter().find_map(|predicate| {
        let new = new.remove(predicate).unwrap_or_default();
        let count = kernel.model().relation(*predicate).map_or(0, Relation::len);
        let known: FxHashSet<u32> = new.iter().copied().collect();
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let old = (0..count).rev().filter(|number| !known.contains(number));
        let numbers: Vec<u32> = new.iter().copied().take(MAX_BLOCKS).chain(old.take(MAX_BLOCKS)).collect();
        let mut proofs = numbers
            .into_iter()
            .map(|number| kernel.model_mut().explain(&constitution.compiled, clock, *predicate, number));
        proofs.find(|proof| is_it(proof))
    })
}

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
            let (action, reason) = request.denial_of();
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
                self.violation(&action, &reason);
            }
            self.fatal_stop = self.kernel.model().stopped.clone().filter(gate::is_final);
        }
        if !verdicts.is_empty() || report.unjudged > 0 {
            self.evaluate(report);
        }
        verdicts
    }

    /// Asserts that a call was denied, like the runtime, if the policy has the predicate.
    fn violation(&mut self, action: &str, reason: &str) {
        let Some(predicate) = self.declared(VIOLATION, 3) else { return };
        let seconds = self.seconds();
        let values = self.kernel.values();
        let args = vec![values.name(action), facts::value(values, reason), values.number(seconds)];
        self.assert_one(predicate, args, SessionOrigin::Denial(self.number));
    }
}
