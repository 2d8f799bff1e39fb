//! Texts that an export has more than once: the history in front of an answer, the output of a step and of the step
//! around it, the messages of a conversation that is written again after each answer. Each of them is one turn, the first.

use rustc_hash::{FxHashMap, FxHashSet};
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
    /// The conversations that records had so far: a hash of all their texts in their order.
    conversations: FxHashSet<u64>,
}

/// The fewest texts of a conversation that a later record can continue: a prompt and its answer.
const MIN_TEXTS: usize = 2;

/// The texts of a record that may be copies, by hash.
pub(super) type TextKeys = SmallVec<[u64; 2]>;

/// The texts of a record that may be copies of others; none where texts of its file are not.
pub(super) fn keys(record: &Record<'_>, may_repeat: bool) -> TextKeys {
    let turns = record.turns.iter().filter(|turn| may_repeat && is_counted(turn));
    turns.map(|turn| hash(turn.text(record.bytes))).collect()
}

/// True if which texts of a record are copies depends on other records.
pub(super) fn depend_on_others(turns: &[Turn]) -> bool {
    let is_copy = |turn: &Turn| turn.may_repeat || turn.kind == TextKind::Skipped(Skip::Repeated);
    turns.iter().any(is_copy) || turns.iter().filter(|turn| is_counted(turn)).count() >= MIN_TEXTS
}

/// Whether a turn may be a copy, or have some.
fn is_counted(turn: &Turn) -> bool {
    turn.is_reply() || turn.kind == TextKind::Prompt
}

impl Repetitions {
    /// Marks the turns of a record that are copies of turns before them; `keys` are its texts. Gives whether there are some.
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

    /// Marks the turns at the beginning of a record that are all turns of an earlier record: the same conversation, which
    /// is written again with what was said since. Returns how many these are.
    fn mark_history(&mut self, record: &mut Record<'_>, keys: &TextKeys) -> usize {
        if keys.len() < MIN_TEXTS {
            return 0;
        }
        let named = record.turns.iter().find_map(|turn| turn.details.as_ref()?.session.as_ref());
        let (mut chain, mut known) = (hash(named), 0);
        let counted = record.turns.iter().filter(|turn| is_counted(turn)).zip(keys);
        for (at, (turn, key)) in counted.enumerate() {
            chain = hash((chain, turn.role, *key));
            // Without a name, two equal records may be two conversations.
            let is_whole = at + 1 == keys.len();
            if at + 1 >= MIN_TEXTS && self.conversations.contains(&chain) && (!is_whole || named.is_some()) {
                known = at + 1;
            }
        }
        if self.conversations.len() < MOST_KNOWN {
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
                if self.known.len() < MOST_KNOWN {
                    self.known.insert(key, u32::from(turn.may_repeat));
                }
                false
            }
        }
    }
}
