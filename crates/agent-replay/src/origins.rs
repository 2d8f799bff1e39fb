//! Origins of the facts of a session.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};

use mangle_engine::kernel::{Fact, Kernel};
use mangle_engine::program::PredicateId;

/// The origin of a fact of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SessionOrigin {
    /// An update of a turn.
    Update {
        /// The number of the turn, from 1.
        turn: u64,
        /// The index of the update in its packet.
        index: usize,
    },
    /// The prefilled values of a turn.
    Prefill(u64),
    /// The intent of a turn.
    Intent(u64),
    /// The hypothesis of a turn.
    Hypothesis(u64),
    /// A memory operation of a turn.
    Memory(u64),
    /// A request of a turn.
    Request(u64),
    /// The denial of a request of a turn.
    Denial(u64),
    /// A `forget` operation of a turn removed the fact.
    Forgotten(u64),
}

impl SessionOrigin {
    /// The number of the turn, from 1.
    #[must_use]
    pub fn turn(self) -> u64 {
        match self {
            Self::Update { turn, .. }
            | Self::Prefill(turn)
            | Self::Intent(turn)
            | Self::Hypothesis(turn)
            | Self::Memory(turn)
            | Self::Request(turn)
            | Self::Denial(turn)
            | Self::Forgotten(turn) => turn,
        }
    }

    /// A sort key: turn, then update.
    pub(super) fn order(self) -> (u64, usize) {
        match self {
            Self::Update { turn, index } => (turn, index),
            other => (other.turn(), usize::MAX),
        }
    }

    /// True if the model asserted the fact itself.
    #[must_use]
    pub fn is_said(self) -> bool {
        matches!(self, Self::Update { .. } | Self::Hypothesis(_) | Self::Memory(_) | Self::Intent(_))
    }
}

impl fmt::Display for SessionOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Update { turn, index } => write!(f, "turn {turn}, update {}", index + 1),
            Self::Prefill(turn) => write!(f, "turn {turn}, filled in"),
            Self::Intent(turn) => write!(f, "turn {turn}, its intent"),
            Self::Hypothesis(turn) => write!(f, "turn {turn}, its hypothesis"),
            Self::Memory(turn) => write!(f, "turn {turn}, a memory operation"),
            Self::Request(turn) => write!(f, "turn {turn}, the request"),
            Self::Denial(turn) => write!(f, "turn {turn}, a denial"),
            Self::Forgotten(turn) => write!(f, "forgotten in turn {turn}"),
        }
    }
}

/// The maximum number of forgotten facts to remember.
const MAX_FORGOTTEN: usize = 200;

/// The origin of each fact of a session, keyed by the text of the fact.
#[derive(Debug, Default)]
pub(super) struct Origins {
    known: FxHashMap<String, (SessionOrigin, Fact)>,
    /// The retracted facts. Proofs of the current turn can still contain them.
    retracted: FxHashSet<String>,
    /// The predicates whose facts can override a denial.
    overriding_predicates: FxHashSet<PredicateId>,
    /// The texts of facts of these predicates that replies asserted, including retracted ones.
    overriding_facts: FxHashSet<String>,
    /// Facts that `forget` operations of replies removed from predicates that affect verdicts. The
    /// last one for each text.
    forgotten: Vec<ReplyFact>,
}

impl Origins {
    /// Creates an empty map. `lifting` has the predicates whose facts can override a denial.
    pub(super) fn new(lifting: FxHashSet<PredicateId>) -> Self {
        Self { overriding_predicates: lifting, ..Self::default() }
    }

    /// A fact that a reply asserted and that is not retracted.
    pub(super) fn own(&self, text: &str) -> Option<ReplyFact> {
        let (origin, fact) = self.known.get(text).filter(|(origin, _)| origin.is_said())?;
        Some(ReplyFact { text: text.to_owned(), origin: *origin, fact: fact.clone() })
    }

    /// The facts of replies that can override a denial, and the forgotten facts, oldest first.
    pub(super) fn overriding_replies(&self) -> Vec<ReplyFact> {
        let held = self.overriding_facts.iter().filter(|text| !self.retracted.contains(*text));
        let mut all: Vec<_> = held.filter_map(|text| self.own(text)).collect();
        all.extend(self.forgotten.iter().filter(|own| self.held(&own.text).is_none()).cloned());
        all.sort_by(|a, b| (a.origin.order(), &a.text).cmp(&(b.origin.order(), &b.text)));
        all
    }

    /// Records that a reply made the kernel forget a fact that did not come from a reply.
    pub(super) fn forget(&mut self, text: &str, fact: Fact, turn: u64) {
        if self.get(text).is_some_and(SessionOrigin::is_said) {
            return;
        }
        self.forgotten.retain(|own| own.text != text);
        if self.forgotten.len() < MAX_FORGOTTEN {
            self.forgotten.push(ReplyFact {
                text: text.to_owned(),
                origin: SessionOrigin::Forgotten(turn),
                fact,
            });
        }
    }

    /// The origin of a fact that holds or held in this turn.
    pub(super) fn get(&self, fact: &str) -> Option<SessionOrigin> {
        self.known.get(fact).map(|(origin, _)| *origin)
    }

    /// The origin of a fact that is not retracted.
    pub(super) fn held(&self, fact: &str) -> Option<SessionOrigin> {
        self.get(fact).filter(|_| !self.retracted.contains(fact))
    }

    /// Records the origin of a fact. The first origin wins.
    pub(super) fn record(&mut self, text: String, fact: &Fact, origin: SessionOrigin) {
        if self.overriding_predicates.contains(&fact.predicate) {
            self.overriding_facts.insert(text.clone());
        }
        if self.retracted.remove(&text) || !self.known.contains_key(&text) {
            self.known.insert(text, (origin, fact.clone()));
        }
    }

    /// Records a request as the origin of a fact, even if the fact has another origin: it is
    /// retracted together with the request.
    pub(super) fn record_request(&mut self, text: String, fact: &Fact, turn: u64) {
        self.retracted.remove(&text);
        self.known.insert(text, (SessionOrigin::Request(turn), fact.clone()));
    }

    pub(super) fn mark_retracted(&mut self, fact: String) {
        if self.known.contains_key(&fact) {
            self.retracted.insert(fact);
        }
    }

    /// Starts a turn: removes the retracted facts.
    pub(super) fn turn(&mut self) {
        for fact in self.retracted.drain() {
            self.known.remove(&fact);
            self.overriding_facts.remove(&fact);
        }
    }
}

/// A fact that a reply asserted, or made the kernel forget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReplyFact {
    pub(super) text: String,
    pub(super) origin: SessionOrigin,
    pub(super) fact: Fact,
}

impl ReplyFact {
    /// Reverts the effect of the reply in a kernel.
    pub(super) fn undo(&self, kernel: &mut Kernel) {
        match self.origin {
            SessionOrigin::Forgotten(_) => kernel.assert(&self.fact),
            _ => kernel.retract(self.fact.predicate, &self.fact.tuple),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mangle_engine::kernel::RuleId;
    use mangle_engine::program::PredicateId;

    #[test]
    fn what_is_taken_back_is_known_until_the_next_turn() {
        let mut origins = Origins::default();
        let fact = Fact { predicate: PredicateId(0), tuple: [].into(), rule: RuleId::ASSERTED };
        origins.record("p".to_owned(), &fact, SessionOrigin::Intent(1));
        origins.record("p".to_owned(), &fact, SessionOrigin::Intent(2));
        origins.mark_retracted("p".to_owned());
        assert_eq!((origins.get("p"), origins.held("p")), (Some(SessionOrigin::Intent(1)), None));
        origins.turn();
        assert_eq!(origins.get("p"), None);
        origins.record("p".to_owned(), &fact, SessionOrigin::Intent(3));
        origins.mark_retracted("p".to_owned());
        origins.record("p".to_owned(), &fact, SessionOrigin::Hypothesis(3));
        origins.turn();
        assert_eq!(origins.held("p"), Some(SessionOrigin::Hypothesis(3)));
    }
}
