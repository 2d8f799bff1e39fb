//! A reply that the policy denies as a whole: the fact that blocks it, what is taken back, and what the user sees instead.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::Replay;
use crate::batch::Batch;
use crate::constitution::Constitution;
use crate::gate;
use crate::reply_fact::ReplyFact;
use crate::turn::{LiftedDenial, SurfaceRewrite, Turn, safety_notice};
use crate::verdict::{Lock, Reliance, Verdict};
use mangle_engine::kernel::{Clock, Fact, Kernel, Proof, Relation};
use mangle_engine::program::PredicateId;
use mangle_settings::Override;

/// How many facts that block a reply are looked at, of those that are new with it, and of those before it.
const MOST_BLOCKS: usize = 100;

/// Why the reference runtime puts a notice in front of a surface.
const NOTICE: &str = "blocked unsafe mangle_updates";

/// How many facts are looked at that may have lifted what blocks a reply.
const MOST_LIFTING: usize = 50;

impl Replay<'_> {
    /// The verdict about the whole reply: a fact that blocks it, which its own updates brought about.
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
            lock: Lock::Constitution,
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

    /// What would block a reply that nothing blocks, had its session not lifted that.
    pub(super) fn unblocked(&mut self, batch: &Batch) -> Option<LiftedDenial> {
        if batch.facts.is_empty() || self.constitution.roles.block.is_empty() {
            return None;
        }
        let mut lifting = self.origins.lifting();
        lifting.truncate(MOST_LIFTING);
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

    /// What would block a reply without some facts, and blocks nothing now.
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

    /// Takes back what a reply asserted that is denied as a whole.
    pub(super) fn withdraw(&mut self, batch: &mut Batch, report: &mut Turn) {
        for (predicate, tuple) in std::mem::take(&mut batch.new) {
            let text = self.kernel.model().fact(&self.constitution.compiled, predicate, &tuple);
            self.origins.take_back(text);
            self.kernel.retract(predicate, &tuple);
        }
        self.evaluate(report);
    }

    /// What the user reads instead of the surface, once all requests are judged. `is_filtered`: the update filter refused
    /// something.
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

/// What the reference runtime answers the model when it denies a request.
fn gate_notice(verdict: &Verdict) -> String {
    let tool = verdict.action.strip_prefix('/').unwrap_or(&verdict.action);
    format!("tool call blocked by safety gate: {tool}")
}

/// Whether a proof has one of some facts in it.
fn rests_on(proof: &Proof, own: &FxHashSet<String>) -> bool {
    proof.nodes.iter().any(|node| own.contains(&node.fact))
}

/// What is kept of a text that is only compared: there may be millions of them.
fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The facts that block replies in a kernel, of each predicate the last ones.
fn block_facts<'k>(constitution: &'k Constitution, kernel: &'k Kernel) -> impl Iterator<Item = String> + 'k {
    let model = kernel.model();
    constitution.roles.block.iter().flat_map(move |predicate| {
        let tuples = model.relation(*predicate).into_iter().flat_map(Relation::tuples);
        tuples.map(move |tuple| model.fact(&constitution.compiled, *predicate, tuple))
    })
}

/// The proof of the first fact that blocks a reply and whose proof `is_it`. What a reply says again may block it by facts
/// that are older: those that are `new` come first.
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
        let numbers: Vec<u32> = new.iter().copied().take(MOST_BLOCKS).chain(old.take(MOST_BLOCKS)).collect();
        let mut proofs = numbers
            .into_iter()
            .map(|number| kernel.model_mut().explain(&constitution.compiled, clock, *predicate, number));
        proofs.find(|proof| is_it(proof))
    })
}
