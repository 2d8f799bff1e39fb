//! Texts that an export has more than once: the history in front of an answer, the output of a step and of the step
//! around it. Each of them is one turn, the first.

use rustc_hash::FxHashMap;

use super::hash::hash;
use super::turn::{Record, Skip, TextKind, Turn, TurnRole};

/// How many texts are remembered.
const MOST_KNOWN: usize = 1 << 17;

/// The texts of a file so far, by hash.
#[derive(Debug, Default)]
pub(super) struct Repetitions {
    /// How often a text was read from a place that repeats others and is still to come from its own.
    known: FxHashMap<(TurnRole, u64), u32>,
}

impl Repetitions {
    /// Marks the turns of a record that are copies of turns before them. Gives whether the record has places for such.
    pub(super) fn mark(&mut self, record: &mut Record<'_>) -> bool {
        let bytes = record.bytes;
        let mut has_places = false;
        for turn in record.turns.iter_mut().filter(|turn| turn.is_reply() || turn.kind == TextKind::Prompt) {
            has_places |= turn.may_repeat;
            if self.is_copy(turn, bytes) {
                turn.kind = TextKind::Skipped(Skip::Repeated);
            }
        }
        has_places
    }

    fn is_copy(&mut self, turn: &Turn, bytes: &[u8]) -> bool {
        let key = (turn.role, hash(turn.text(bytes)));
        match self.known.get_mut(&key) {
            Some(_) if turn.may_repeat => true,
            Some(waiting) if *waiting > 0 => {
                *waiting -= 1;
                true
            }
            Some(_) => false,
            None => {
                if self.known.len() < MOST_KNOWN {
                    self.known.insert(key, u32::from(turn.may_repeat));
                }
                false
            }
        }
    }
}
