//! A reply that the policy denies as a whole: the fact that blocks it, what is taken back, and what the user sees instead.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Replay;
use crate::config::Override;
use crate::kernel::Relation;
use crate::replay::batch::Batch;
use crate::replay::gate;
use crate::replay::turn::{Atom, Fate, Rewritten, Turn};
use crate::replay::verdict::{Lock, Verdict};

/// How many facts that block a reply are looked at, of those that are new with it, and of those before it.
const MOST_BLOCKS: usize = 100;

/// Why the reference runtime puts a notice in front of a surface.
const NOTICE: &str = "blocked unsafe mangle_updates";

impl Replay<'_> {
    /// The verdict about the whole reply: a fact that blocks it, which its own updates brought about.
    pub(super) fn blocked(&mut self, batch: &Batch, turn: u64) -> Option<Verdict> {
        if batch.facts.is_empty() || self.constitution.roles.block.is_empty() {
            return None;
        }
        let compiled = &self.constitution.compiled;
        let own: FxHashSet<String> = batch
            .facts
            .iter()
            .map(|(fact, _)| self.kernel.model().fact(compiled, fact.predicate, &fact.tuple))
            .collect();
        let mut new: FxHashMap<_, _> =
            self.kernel.differences().into_iter().map(|one| (one.predicate, one.added)).collect();
        for predicate in &self.constitution.roles.block {
            let new = new.remove(predicate).unwrap_or_default();
            let count = self.kernel.model().relation(*predicate).map_or(0, Relation::len);
            // What a reply says again may block it by facts that are older: those of the policy itself come first.
            let known: FxHashSet<u32> = new.iter().copied().collect();
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            let old = (0..count).rev().filter(|number| !known.contains(number));
            let numbers: Vec<u32> =
                new.iter().copied().take(MOST_BLOCKS).chain(old.take(MOST_BLOCKS)).collect();
            for number in numbers {
                let proof = self.kernel.model_mut().explain(compiled, self.clock, *predicate, number);
                if proof.nodes.iter().any(|node| own.contains(&node.fact)) {
                    let why = format!("the policy says {}", gate::head(&proof));
                    return Some(Verdict {
                        index: None,
                        place: None,
                        id: format!("turn {turn}"),
                        action: String::new(),
                        target: String::new(),
                        payload: String::new(),
                        is_permitted: false,
                        lock: Lock::Constitution,
                        why,
                        rule: proof.nodes.first().map(|node| node.rule),
                        because: vec![proof],
                        why_not: Vec::new(),
                        appeal: None,
                        is_lifted: false,
                        granted: Vec::new(),
                    });
                }
            }
        }
        None
    }

    /// Takes back what a reply asserted that is denied as a whole.
    pub(super) fn withdraw(&mut self, batch: &mut Batch, report: &mut Turn) {
        for (predicate, tuple) in std::mem::take(&mut batch.new) {
            let text = self.kernel.model().fact(&self.constitution.compiled, predicate, &tuple);
            self.origins.take_back(text);
            self.kernel.retract(predicate, &tuple);
        }
        for Atom { fate, .. } in &mut batch.atoms {
            if let Fate::Asserted(fact) = fate {
                *fate = Fate::Withdrawn(std::mem::take(fact));
            }
        }
        self.evaluate(report);
    }

    /// What the user sees instead of the surface.
    pub(super) fn rewritten(
        &self,
        batch: &Batch,
        denied: Option<&Verdict>,
        surface: &str,
    ) -> Option<Rewritten> {
        match (denied, self.constitution.settings.style) {
            (Some(verdict), Override::Replace) => {
                let reason = verdict.why.clone();
                Some(Rewritten { shown: format!("I cannot do that: {reason}."), reason })
            }
            (denied, style) => {
                let blocked = batch.blocked().next().is_some().then(|| NOTICE.to_owned());
                let reason = blocked.filter(|_| style == Override::Prepend);
                let reason = reason.or_else(|| denied.map(|verdict| verdict.why.clone()))?;
                Some(Rewritten { shown: format!("[SAFETY NOTICE: {reason}]\n\n{surface}"), reason })
            }
        }
    }
}
