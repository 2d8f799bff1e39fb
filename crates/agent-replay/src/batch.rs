//! The updates of a packet: through both filters, and into the kernel as one batch.

use super::constitution::Constitution;
use super::facts;
use super::session_origin::SessionOrigin;
use mangle_engine::kernel::{Fact, ValueId, Values};
use mangle_engine::program::PredicateId;
use mangle_settings::TranscriptSettings;
use piggyback::envelope::Reply;
use piggyback::envelope::account::{AccountEntry, Filters, UpdateFate, UpdateRefusal};
use piggyback::envelope::runtime::{AcceptedEnvelope, ReadUpdate};

/// The consumer that takes whatever can be read, and a fact about the intent besides.
pub(super) const COMPRESSOR: &str = "compressor";

/// Updates on their way into the kernel.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// What becomes of each.
    pub(super) atoms: Vec<AccountEntry>,
    /// The facts, and where each comes from.
    pub(super) facts: Vec<(Fact, SessionOrigin)>,
    /// Those of them that nobody gave before.
    pub(super) new: Vec<(PredicateId, Box<[ValueId]>)>,
}

impl Batch {
    /// The updates that the second filter refuses, as they are written.
    pub(super) fn blocked(&self) -> impl Iterator<Item = &AccountEntry> {
        self.atoms.iter().filter(|atom| matches!(atom.fate, UpdateFate::Blocked(_)))
    }
}

/// What the filters ask about an update.
pub(super) struct Filter<'a> {
    pub(super) constitution: &'a Constitution,
    pub(super) settings: &'a TranscriptSettings,
    pub(super) turn: u64,
}

impl Filter<'_> {
    /// The updates of an envelope, and those that were filled in where it has none.
    pub(super) fn batch(&self, reply: &Reply<'_>, filled: &[String], values: &mut Values) -> Batch {
        let filters = Filters::new(self.settings, Some(&self.constitution.declarations));
        let mut batch = Batch { atoms: filters.account(reply), ..Batch::default() };
        if batch.atoms.is_empty() {
            let fate = |(at, text): (usize, &String)| AccountEntry {
                index: None,
                text: text.clone(),
                fate: filters.second(text, at),
            };
            batch.atoms = filled.iter().enumerate().map(fate).collect();
        }
        self.read(batch, values)
    }

    /// Updates that are in no envelope.
    pub(super) fn lone(&self, updates: &[String], values: &mut Values) -> Batch {
        let filters = Filters::new(self.settings, Some(&self.constitution.declarations));
        let fate = |(at, text): (usize, &String)| AccountEntry {
            index: Some(at),
            text: text.clone(),
            fate: filters.lone(text, at),
        };
        let atoms = updates.iter().enumerate().map(fate).collect();
        self.read(Batch { atoms, ..Batch::default() }, values)
    }

    /// Reads the facts of the updates that are asserted.
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

    /// What the compressor asserts of the intent beside the updates.
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
