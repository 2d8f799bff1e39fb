//! Where the facts of a session come from.

use rustc_hash::{FxHashMap, FxHashSet};

use super::turn::Origin;

/// Where each fact of a session comes from, by its text.
#[derive(Debug, Default)]
pub(super) struct Origins {
    known: FxHashMap<String, Origin>,
    /// Those that nobody says any more. Proofs of this turn still name them.
    gone: FxHashSet<String>,
}

impl Origins {
    /// Where a fact comes from that this turn knows, or knew.
    pub(super) fn of(&self, fact: &str) -> Option<Origin> {
        self.known.get(fact).copied()
    }

    /// Where a fact comes from that is still said.
    pub(super) fn held(&self, fact: &str) -> Option<Origin> {
        self.of(fact).filter(|_| !self.gone.contains(fact))
    }

    /// Remembers what said a fact, unless something else said it before.
    pub(super) fn say(&mut self, fact: String, origin: Origin) {
        if self.gone.remove(&fact) {
            self.known.insert(fact, origin);
        } else {
            self.known.entry(fact).or_insert(origin);
        }
    }

    /// Remembers a request, whoever said the same before: with it that is taken back, too.
    pub(super) fn ask(&mut self, fact: String, turn: u64) {
        self.gone.remove(&fact);
        self.known.insert(fact, Origin::Request(turn));
    }

    /// A fact is taken back.
    pub(super) fn take_back(&mut self, fact: String) {
        if self.known.contains_key(&fact) {
            self.gone.insert(fact);
        }
    }

    /// A turn begins.
    pub(super) fn turn(&mut self) {
        for fact in self.gone.drain() {
            self.known.remove(&fact);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_back_is_known_until_the_next_turn() {
        let mut origins = Origins::default();
        origins.say("p".to_owned(), Origin::Intent(1));
        origins.say("p".to_owned(), Origin::Intent(2));
        origins.take_back("p".to_owned());
        assert_eq!((origins.of("p"), origins.held("p")), (Some(Origin::Intent(1)), None));
        origins.turn();
        assert_eq!(origins.of("p"), None);
        origins.say("p".to_owned(), Origin::Intent(3));
        origins.take_back("p".to_owned());
        origins.say("p".to_owned(), Origin::Hypothesis(3));
        origins.turn();
        assert_eq!(origins.held("p"), Some(Origin::Hypothesis(3)));
    }
}
