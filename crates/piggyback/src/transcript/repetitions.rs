//! Detection of texts that an export contains more than once. Only the first occurrence is a turn.
//!
//! Examples: the history before an answer, the output of nested steps, and a conversation that is
//! exported again after each answer.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::hash::hash;
use super::turn::{Record, Skip, TextKind, Turn, TurnRole};

/// Maximum number of remembered texts.
const MAX_TRACKED: usize = 1 << 17;

/// Hashes of the texts of a file so far.
#[derive(Debug, Default)]
pub(super) struct Repetitions {
    /// Number of occurrences per text that were read from a repeating place and have not yet
    /// appeared in their own place.
    known: FxHashMap<(TurnRole, u64), u32>,
    /// Conversations of earlier records: one hash of all texts in order.
    conversations: FxHashSet<u64>,
}

/// Minimum number of texts of a conversation that a later record can continue: a prompt and its
/// answer.
const MIN_TEXTS: usize = 2;

/// Hashes of the texts of a record that may be copies.
pub(super) type TextKeys = SmallVec<[u64; 2]>;

/// Returns the hashes of the texts of a record. Empty if `may_repeat` is false.
pub(super) fn keys(record: &Record<'_>, may_repeat: bool) -> TextKeys {
    let turns = record.turns.iter().filter(|turn| may_repeat && is_counted(turn));
    turns.map(|turn| hash(turn.text(record.bytes))).collect()
}

/// True if the detection of copies in a record depends on other records.
pub(super) fn depend_on_others(turns: &[Turn]) -> bool {
    let is_copy = |turn: &Turn| turn.may_repeat || turn.kind == TextKind::Skipped(Skip::Repeated);
    turns.iter().any(is_copy) || turns.iter().filter(|turn| is_counted(turn)).count() >= MIN_TEXTS
}

/// True if a turn can be a copy or can have copies.
fn is_counted(turn: &Turn) -> bool {
    turn.is_reply() || turn.kind == TextKind::Prompt
}

impl Repetitions {
    /// Marks turns that are copies of earlier turns. `keys` are the texts of the record. Returns
    /// true if there are any.
    pub(super) fn mark(&mut self, record: &mut Record<'_>, keys: &TextKeys) -> bool {
        let known = self.mark_history(record, keys);
        let mut has_copies = known > 0;
        let keys = keys.iter().skip(known);
        for (turn, key) in record.turns.iter_mut().filter(|turn| is_counted(turn)).zip(keys) {
            if self.is_copy(turn, *key) {
                turn.kind = TextKind::Skipped(Skip::Repeated);
                has_copies = true;
            }
        }
        has_copies
    }

    /// Marks the leading turns of a record that repeat an earlier record: the same conversation,
    /// exported again with later messages. Returns the number of marked turns.
    fn mark_history(&mut self, record: &mut Record<'_>, keys: &TextKeys) -> usize {
        if keys.len() < MIN_TEXTS {
            return 0;
        }
        let named = record.turns.iter().find_map(|turn| turn.details.as_ref()?.session.as_ref());
        let (mut chain, mut known) = (hash(named), 0);
        let counted = record.turns.iter().filter(|turn| is_counted(turn)).zip(keys);
        for (at, (turn, key)) in counted.enumerate() {
            chain = hash((chain, turn.role, *key));
            // Without a session name, two equal records may be two conversations.
            let is_whole = at + 1 == keys.len();
            if at + 1 >= MIN_TEXTS && self.conversations.contains(&chain) && (!is_whole || named.is_some()) {
                known = at + 1;
            }
        }
        if self.conversations.len() < MAX_TRACKED {
            self.conversations.insert(chain);
        }
        for turn in record.turns.iter_mut().filter(|turn| is_counted(turn)).take(known) {
            turn.kind = TextKind::Skipped(Skip::Repeated);
        }
        known
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
                if self.known.len() < MAX_TRACKED {
                    self.known.insert(key, u32::from(turn.may_repeat));
                }
                false
            }
        }
    }
}
