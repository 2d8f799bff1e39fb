//! Packet updates: filters them, and asserts the accepted facts as one batch.

use super::constitution::Constitution;
use super::facts;
use super::session_origin::SessionOrigin;
use mangle_engine::kernel::{Fact, ValueId, Values};
use mangle_engine::program::PredicateId;
use mangle_settings::TranscriptSettings;
use piggyback::envelope::Reply;
use piggyback::envelope::account::{AccountEntry, Filters, UpdateFate, UpdateRefusal};
use piggyback::envelope::runtime::{AcceptedEnvelope, ReadUpdate};

/// The consumer that accepts all readable updates, and also derives a fact about the intent.
pub(super) const COMPRESSOR: &str = "compressor";

/// The updates of a reply on their way into the kernel.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// The outcome of each update.
    pub(super) atoms: Vec<AccountEntry>,
    /// The facts to assert, with their origins.
    pub(super) facts: Vec<(Fact, SessionOrigin)>,
    /// The facts that were not asserted before.
    pub(super) new: Vec<(PredicateId, Box<[ValueId]>)>,
}

impl Batch {
    /// The updates that the second filter blocks.
    pub(super) fn blocked(&self) -> impl Iterator<Item = &AccountEntry> {
        self.atoms.iter().filter(|atom| matches!(atom.fate, UpdateFate::Blocked(_)))
    }
}

/// The context of the update filters.
pub(super) struct Filter<'a> {
    pub(super) constitution: &'a Constitution,
    pub(super) settings: &'a TranscriptSettings,
    pub(super) turn: u64,
}

impl Filter<'_> {
    /// Filters the updates of an envelope. If the envelope has no updates, uses the prefilled ones.
    pub(super) fn batch(&self, reply: &Reply<'_>, filled: &[String], values: &mut Values) -> Batch {
        let filters = Filters::new(self.settings, Some(&self.constitution.declarations));
        let mut batch = Batch { atoms: filters.account(reply), ..Batch::default() };
        if batch.atoms.is_empty() {
            let fate = |(at, text): (usize, &String)| AccountEntry {
                index: None,
                text: text.clone(),
                fate: filters.update_fate(text, at),
            };
            batch.atoms = filled.iter().enumerate().map(fate).collect();
        }
        self.read(batch, values)
    }

    pub(super) fn filter_without_envelope(&self, updates: &[String], values: &mut Values) -> Batch {
        let filters = Filters::new(self.settings, Some(&self.constitution.declarations));
        let fate = |(at, text): (usize, &String)| AccountEntry {
            index: Some(at),
            text: text.clone(),
            fate: filters.standalone_fate(text, at),
        };
        let atoms = updates.iter().enumerate().map(fate).collect();
        self.read(Batch { atoms, ..Batch::default() }, values)
    }

    /// Converts the accepted updates to facts.
    fn read(&self, mut batch: Batch, values: &mut Values) -> Batch {
        for entry in &mut batch.atoms {
            let UpdateFate::Asserted { .. } = entry.fate else { continue };
            let read = ReadUpdate::new(&entry.text, self.settings.caps.runtime);
            let fact = read.fact().and_then(|fact| facts::fact(values, &self.constitution.program, fact));
            let origin = match entry.index {
                Some(index) => SessionOrigin::Update { turn: self.turn, index },
                None => SessionOrigin::Prefill(self.turn),
            };
            match fact {
                Some(fact) => batch.facts.push((fact, origin)),
                None => entry.fate = UpdateFate::Blocked(UpdateRefusal::Undeclared),
            }
        }
        batch
    }

    /// The fact about the intent that the compressor asserts in addition to the updates.
    pub(super) fn intent(
        &self,
        picked: &AcceptedEnvelope,
        category: &str,
        values: &mut Values,
    ) -> Option<Fact> {
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
