//! Where the facts of a session come from.

use rustc_hash::{FxHashMap, FxHashSet};

use super::turn::Origin;
use crate::kernel::Fact;

/// Where each fact of a session comes from, by its text.
#[derive(Debug, Default)]
pub(super) struct Origins {
    known: FxHashMap<String, (Origin, Fact)>,
    /// Those that nobody says any more. Proofs of this turn still name them.
    gone: FxHashSet<String>,
}

impl Origins {
    /// Where a fact comes from that this turn knows, or knew.
    pub(super) fn of(&self, fact: &str) -> Option<Origin> {
        self.known.get(fact).map(|(origin, _)| *origin)
    }

    /// A fact by its text.
    pub(super) fn fact(&self, text: &str) -> Option<&Fact> {
        self.known.get(text).map(|(_, fact)| fact)
    }

    /// Where a fact comes from that is still said.
    pub(super) fn held(&self, fact: &str) -> Option<Origin> {
        self.of(fact).filter(|_| !self.gone.contains(fact))
    }

    /// Remembers what said a fact, unless something else said it before.
    pub(super) fn say(&mut self, text: String, fact: &Fact, origin: Origin) {
        if self.gone.remove(&text) || !self.known.contains_key(&text) {
            self.known.insert(text, (origin, fact.clone()));
        }
    }

    /// Remembers a request, whoever said the same before: with it that is taken back, too.
    pub(super) fn ask(&mut self, text: String, fact: &Fact, turn: u64) {
        self.gone.remove(&text);
        self.known.insert(text, (Origin::Request(turn), fact.clone()));
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
    use crate::kernel::RuleId;
    use crate::program::PredicateId;

    #[test]
    fn what_is_taken_back_is_known_until_the_next_turn() {
        let mut origins = Origins::default();
        let fact = Fact { predicate: PredicateId(0), tuple: [].into(), rule: RuleId::ASSERTED };
        origins.say("p".to_owned(), &fact, Origin::Intent(1));
        origins.say("p".to_owned(), &fact, Origin::Intent(2));
        origins.take_back("p".to_owned());
        assert_eq!((origins.of("p"), origins.held("p")), (Some(Origin::Intent(1)), None));
        origins.turn();
        assert_eq!(origins.of("p"), None);
        origins.say("p".to_owned(), &fact, Origin::Intent(3));
        origins.take_back("p".to_owned());
        origins.say("p".to_owned(), &fact, Origin::Hypothesis(3));
        origins.turn();
        assert_eq!(origins.held("p"), Some(Origin::Hypothesis(3)));
    }
}
