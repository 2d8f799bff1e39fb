//! Rule about memory operations without their counterpart: `PB310`.

use super::bounded_map::BoundedMap;
use super::current_turn::CurrentTurn;
use crate::envelope::may_be_predicate;
use crate::transcript::digest::MemoryDigest;
use crate::transcript::finding::TranscriptFinding;
use crate::transcript::hash::hash;
use crate::transcript::words::quoted;
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) const RULES: &[&Rule] = &[&UNPAIRED_OP];

/// Rule: a memory operation has no counterpart.
static UNPAIRED_OP: Rule = rule!("unpaired-op.md");

/// Stored and archived keys.
#[derive(Debug, Default)]
pub(super) struct Keys {
    stored: BoundedMap<u64, ()>,
    archived: BoundedMap<u64, ()>,
}

impl Keys {
    pub(super) fn reply(&mut self, now: &CurrentTurn<'_>, out: &mut Vec<TranscriptFinding>) {
        for atom in &now.reply.atoms {
            self.stored.insert(atom.predicate, ());
        }
        for operation in &now.reply.memory {
            // The first turn has no earlier turns.
            let unpaired = self.operation(operation).filter(|_| now.turn > 1);
            if let Some((message, note)) = unpaired {
                let pointer = format!("/control_packet/memory_operations/{}", operation.index);
                let finding = Finding::new(&UNPAIRED_OP, operation.place, message).note(note);
                out.push(now.found(finding, pointer));
            }
        }
    }

    /// Returns a message about a missing counterpart, and its consequence.
    fn operation(&mut self, operation: &MemoryDigest) -> Option<(String, &'static str)> {
        let MemoryDigest { op, key, .. } = operation;
        let shown = || quoted(key);
        let id = hash(key.as_str());
        match op.as_str() {
            "promote_to_long_term" | "store_vector" | "note" => {
                self.stored.insert(id, ());
                let is_away = self.archived.get(&id).is_some();
                is_away.then(|| {
                    let message = format!("archived key {} is used without `rehydrate`", shown());
                    (message, "what was archived stays out of the context")
                })
            }
            "archive" => {
                self.archived.insert(id, ());
                None
            }
            "rehydrate" => {
                let is_lacking = self.archived.lacks(&id);
                self.archived.remove(&id);
                self.stored.insert(id, ());
                is_lacking
                    .then(|| (format!("no earlier turn archives {}", shown()), "the operation has no effect"))
            }
            "forget" => {
                // A key that retracts nothing at all is reported for the reply itself.
                let is_lacking = may_be_predicate(key) && self.stored.lacks(&id) && self.archived.lacks(&id);
                is_lacking.then(|| {
                    let message = format!("no earlier turn stores or asserts {}", shown());
                    (message, "the operation has no effect")
                })
            }
            _ => None,
        }
    }
}
