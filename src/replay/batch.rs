//! The updates of a packet: through both filters, and into the kernel as one batch.

use super::constitution::Constitution;
use super::facts;
use super::turn::{Atom, Fate, Origin, Refusal};
use crate::config::{Consumer, TranscriptSettings};
use crate::envelope::atoms::{Known, is_delicate};
use crate::envelope::runtime::{self, Picked, ReadUpdate, Verdict, built_in};
use crate::kernel::{Fact, ValueId, Values};
use crate::program::PredicateId;

/// Who takes the updates where nobody is named.
const EVERYBODY: &str = "open";

/// The consumer that takes whatever can be read, and a fact about the intent besides.
pub(super) const COMPRESSOR: &str = "compressor";

/// Updates on their way into the kernel.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// What becomes of each.
    pub(super) atoms: Vec<Atom>,
    /// The facts, and where each comes from.
    pub(super) facts: Vec<(Fact, Origin)>,
    /// Those of them that nobody gave before.
    pub(super) new: Vec<(PredicateId, Box<[ValueId]>)>,
}

impl Batch {
    /// The updates that the second filter refuses, as they are written.
    pub(super) fn blocked(&self) -> impl Iterator<Item = &Atom> {
        self.atoms.iter().filter(|atom| matches!(atom.fate, Fate::Blocked(_)))
    }
}

/// What both filters ask about an update.
pub(super) struct Filter<'a> {
    pub(super) constitution: &'a Constitution,
    pub(super) settings: &'a TranscriptSettings,
    pub(super) turn: u64,
}

impl Filter<'_> {
    fn consumer(&self) -> Option<&Consumer> {
        let name = self.settings.consumer.as_deref().unwrap_or(EVERYBODY);
        self.settings.consumers.get(name).or_else(|| built_in(name)).or_else(|| built_in(EVERYBODY))
    }

    /// The updates of an envelope, and those that were filled in where it has none.
    pub(super) fn batch(&self, picked: &Picked, filled: &[String], values: &mut Values) -> Batch {
        let mut batch = Batch::default();
        let mut kept = picked.kept.updates.iter().enumerate();
        let written = picked.packet.updates.as_slice();
        for (index, update) in written.iter().enumerate() {
            let dropped = picked.kept.dropped.iter().find(|(at, _)| *at == index);
            let fate = match dropped {
                Some((_, reason)) => Fate::Dropped(reason.clone()),
                None => match kept.next() {
                    Some((at, update)) => {
                        let origin = Origin::Update { turn: self.turn, index };
                        self.second(update, at, origin, values, &mut batch)
                    }
                    None => Fate::Blank,
                },
            };
            batch.atoms.push(Atom { index: Some(index), text: update.clone(), fate });
        }
        if written.is_empty() {
            for (at, update) in filled.iter().enumerate() {
                let fate = self.second(update, at, Origin::Prefill(self.turn), values, &mut batch);
                batch.atoms.push(Atom { index: None, text: update.clone(), fate });
            }
        }
        batch
    }

    /// The filter of the consumer, and the kernel's declarations.
    fn second(
        &self,
        update: &str,
        at: usize,
        origin: Origin,
        values: &mut Values,
        batch: &mut Batch,
    ) -> Fate {
        let (read, Some(consumer)) = (ReadUpdate::new(update), self.consumer()) else { return Fate::Blank };
        let refusal = match read.verdict(at, consumer) {
            Verdict::Accepted => None,
            Verdict::Blank => return Fate::Blank,
            Verdict::Limit => Some(Refusal::Limit),
            Verdict::Rule => Some(Refusal::Rule),
            Verdict::Declaration => Some(Refusal::Declaration),
            Verdict::Import => Some(Refusal::Import),
            Verdict::Syntax => Some(Refusal::Syntax),
            Verdict::NotAllowed => Some(Refusal::NotAllowed),
        };
        let Some(fact) = read.fact() else { return Fate::Blocked(refusal.unwrap_or(Refusal::Syntax)) };
        let refusal = refusal.or_else(|| self.kernel_refuses(fact, consumer));
        if let Some(refusal) = refusal {
            return Fate::Blocked(refusal);
        }
        match facts::fact(values, &self.constitution.program, fact) {
            Some(asserted) => {
                batch.facts.push((asserted, origin));
                Fate::Asserted(fact.kernel())
            }
            None => Fate::Blocked(Refusal::Undeclared),
        }
    }

    fn kernel_refuses(&self, fact: &runtime::Fact, consumer: &Consumer) -> Option<Refusal> {
        if consumer.protected && is_delicate(&fact.predicate, &self.settings.atoms) {
            return Some(Refusal::Protected);
        }
        match self.constitution.declarations.get(&fact.predicate, fact.args.len()) {
            Known::Declared(_) => None,
            Known::OtherArity(_) => Some(Refusal::Arity),
            Known::Unknown => Some(Refusal::Undeclared),
        }
    }

    /// What the compressor asserts of the intent beside the updates.
    pub(super) fn intent(&self, picked: &Picked, category: &str, values: &mut Values) -> Option<Fact> {
        let predicate = self.constitution.roles.intent?;
        if self.settings.consumer.as_deref() != Some(COMPRESSOR) {
            return None;
        }
        let intent = &picked.packet.intent;
        let texts = ["/current_intent", category, &intent.verb, &intent.target, &intent.constraint];
        let args = texts.iter().map(|text| facts::value(values, text)).collect();
        Some(facts::asserted(values, &self.constitution.program, predicate, args))
    }
}
