//! The state of a plan evaluation: registers and memoized results.

use mangle_engine::kernel::ValueId;
use mangle_engine::kernel::plan::{Plan, RelationId};
use mangle_syntax::syntax::ast::Operator;
use rustc_hash::FxHashMap;

use super::slots::Uses;
use super::term::{Term, Terms};
use crate::circuit::Literal;

/// A derivation of the head of a plan.
pub(super) type Derived = (Box<[Term]>, Literal, Uses);

/// The state of a plan during its evaluation.
pub(super) struct Frame<'p> {
    pub(super) plan: &'p Plan,
    pub(super) row: Vec<Term>,
    pub(super) out: Vec<Derived>,
    /// The number of surrounding predicate calls.
    pub(super) depth: u32,
}

impl<'p> Frame<'p> {
    pub(super) fn new(plan: &'p Plan, terms: &mut Terms) -> Self {
        let row = vec![terms.value(ValueId(0)); usize::from(plan.slots)];
        Self { plan, row, out: Vec::new(), depth: 0 }
    }
}

/// Memoized results of terms.
#[derive(Default)]
pub(super) struct Memo {
    pub(super) computed: FxHashMap<(&'static str, Box<[Term]>), Computed>,
    pub(super) tests: FxHashMap<(Operator, Term, Term), Test>,
    pub(super) absences: FxHashMap<LookupKey, Literal>,
}

/// The value of a function, and the condition that it exists.
#[derive(Debug, Clone, Copy)]
pub(super) struct Computed {
    pub(super) term: Term,
    /// The condition that the function has a value.
    pub(super) succeeds: Literal,
    pub(super) fails: Literal,
}

/// The conditions that a test holds and that it fails.
#[derive(Debug, Clone, Copy)]
pub(super) struct Test {
    pub(super) holds: Literal,
    pub(super) fails: Literal,
}

/// The requirements of a lookup.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct LookupKey {
    pub(super) relation: RelationId,
    pub(super) keys: Box<[(u16, Term)]>,
    pub(super) same: Box<[(u16, u16)]>,
}
