//! Memory operations without their counterpart: `PB310`.

use super::bounded_map::BoundedMap;
use super::current_turn::CurrentTurn;
use crate::envelope::may_be_predicate;
use crate::transcript::digest::MemoryDigest;
use crate::transcript::finding::TranscriptFinding;
use crate::transcript::hash::hash;
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) const RULES: &[&Rule] = &[&UNPAIRED_OP];

/// An operation without its counterpart.
static UNPAIRED_OP: Rule = rule!("unpaired-op.md");

/// The keys that were stored, and those that were put away.
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
            // Nothing comes before the first turn.
            let message = self.operation(operation).filter(|_| now.turn > 1);
            if let Some(message) = message {
                let pointer = format!("/control_packet/memory_operations/{}", operation.index);
                out.push(now.found(Finding::new(&UNPAIRED_OP, operation.place, message), pointer));
            }
        }
    }

    fn operation(&mut self, operation: &MemoryDigest) -> Option<String> {
        let MemoryDigest { op, key, .. } = operation;
        let id = hash(key.as_str());
        match op.as_str() {
            "promote_to_long_term" | "store_vector" | "note" => {
                self.stored.insert(id, ());
                let is_away = self.archived.get(&id).is_some();
                is_away.then(|| format!("`{key}` was archived, and is used without `rehydrate`"))
            }
            "archive" => {
                self.archived.insert(id, ());
                None
            }
            "rehydrate" => {
                let is_lacking = self.archived.lacks(&id);
                self.archived.remove(&id);
                self.stored.insert(id, ());
                is_lacking.then(|| format!("no earlier turn archives `{key}`"))
            }
            "forget" => {
                // That such a key retracts nothing at all is reported of the reply itself.
                let is_lacking = may_be_predicate(key) && self.stored.lacks(&id) && self.archived.lacks(&id);
                is_lacking
                    .then(|| format!("no earlier turn stores or asserts `{key}`: there is nothing to forget"))
            }
            _ => None,
        }
    }
}
