//! Facts that the runtime asserts about a reply.

use super::Replay;
use crate::facts;
use crate::session_origin::SessionOrigin;
use mangle_engine::kernel::ValueId;
use mangle_engine::program::{PredicateId, PredicateKey};
use mangle_syntax::text::Symbol;

impl Replay<'_> {
    /// The predicate with this name and arity, if the policy has it.
    pub(super) fn declared(&self, name: &str, arity: u16) -> Option<PredicateId> {
        self.constitution.program.id(PredicateKey { name: Symbol::new(name), arity })
    }

    /// Asserts a fact that the runtime derives from a reply.
    pub(super) fn assert_one(&mut self, predicate: PredicateId, args: Vec<ValueId>, origin: SessionOrigin) {
        let fact = facts::asserted(self.kernel.values(), &self.constitution.program, predicate, args);
        if !self.kernel.is_given(fact.predicate, &fact.tuple) {
            self.know(&fact, origin);
        }
        self.kernel.assert(&fact);
    }

    /// The time of the turn, in seconds since 1970.
    pub(super) fn seconds(&self) -> i64 {
        self.clock.now_ns.div_euclid(1_000_000_000)
    }
}
