//! Facts of a packet: filters its updates, converts the accepted ones to engine values, and
//! collects them in one batch.
//!
//! An argument is a text or an integer; the form of the text determines a name.

use super::constitution::Constitution;
use super::origins::SessionOrigin;
use mangle_engine::kernel::{Fact, RuleId, ValueId, Values};
use mangle_engine::program::{PredicateId, PredicateKey, Program};
use mangle_settings::TranscriptSettings;
use mangle_syntax::text::Symbol;
use piggyback::envelope::Reply;
use piggyback::envelope::account::{AccountEntry, Filters, UpdateFate, UpdateRefusal};
use piggyback::envelope::runtime::{self, AcceptedEnvelope, ReadUpdate, Value, becomes_name};

/// The consumer that accepts all readable updates, and also derives a fact about the intent.
const COMPRESSOR: &str = "compressor";

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
            let fact = read.fact().and_then(|read| fact(values, &self.constitution.program, read));
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
        let args = texts.iter().map(|text| value(values, text)).collect();
        Some(asserted(values, &self.constitution.program, predicate, args))
    }
}

/// The substitute for floats, which the runtime drops.
const LOST: &str = "<float lost>";

/// The substitute for invalid UTF-8.
const BAD: &str = "<bad>";

/// A text as a value: a name if the runtime reads the text as a name, otherwise a string.
pub(super) fn value(values: &mut Values, text: &str) -> ValueId {
    if becomes_name(text.as_bytes()) { values.name(text) } else { values.string(text) }
}

/// The fact of a packet; `None` if the program lacks its predicate.
pub(super) fn fact(values: &mut Values, program: &Program, fact: &runtime::RuntimeFact) -> Option<Fact> {
    let arity = u16::try_from(fact.args.len()).ok()?;
    let predicate = program.id(PredicateKey { name: Symbol::new(&fact.predicate), arity })?;
    let mut argument = |argument: &Value| match argument {
        Value::Number(number) => values.number(*number),
        Value::Float(bits) => values.float(f64::from_bits(*bits)),
        Value::UnprintableFloat => values.string(LOST),
        Value::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => value(values, text),
            Err(_) => values.string(BAD),
        },
    };
    let args: Vec<ValueId> = fact.args.iter().map(&mut argument).collect();
    Some(asserted(values, program, predicate, args))
}

/// A fact without a clause. For a temporal predicate, it holds at all times.
pub(super) fn asserted(
    values: &mut Values,
    program: &Program,
    predicate: PredicateId,
    mut args: Vec<ValueId>,
) -> Fact {
    if program.get(predicate).signature.temporal {
        args.extend([i64::MIN, i64::MAX].map(|end| values.time(end)));
    }
    Fact { predicate, tuple: args.into(), rule: RuleId::ASSERTED }
}
