//! Texts that an export has more than once: the history in front of an answer, the output of a step and of the step
//! around it. Each of them is one turn, the first.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

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

/// The texts of a record that may be copies, by hash.
pub(super) type TextKeys = SmallVec<[u64; 2]>;

/// The texts of a record that may be copies of others; none where texts of its file are not.
pub(super) fn keys(record: &Record<'_>, may_repeat: bool) -> TextKeys {
    let turns = record.turns.iter().filter(|turn| may_repeat && is_counted(turn));
    turns.map(|turn| hash(turn.text(record.bytes))).collect()
}

/// Whether a turn may be a copy, or have some.
fn is_counted(turn: &Turn) -> bool {
    turn.is_reply() || turn.kind == TextKind::Prompt
}

impl Repetitions {
    /// Marks the turns of a record that are copies of turns before them; `keys` are its texts. Gives whether there are some.
    pub(super) fn mark(&mut self, record: &mut Record<'_>, keys: &TextKeys) -> bool {
        let mut has_copies = false;
        for (turn, key) in record.turns.iter_mut().filter(|turn| is_counted(turn)).zip(keys) {
            if self.is_copy(turn, *key) {
                turn.kind = TextKind::Skipped(Skip::Repeated);
                has_copies = true;
            }
        }
        has_copies
    }

    fn is_copy(&mut self, turn: &Turn, key: u64) -> bool {
        let key = (turn.role, key);
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
