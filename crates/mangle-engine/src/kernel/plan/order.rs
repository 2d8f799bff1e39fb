//! Evaluation order of the premises of a clause.
//!
//! The engine's reading uses the order of its rewriting (`program::rewrite`). The intended reading
//! keeps the source order, and delays a negation or `!=` until its bindable variables have values.

use rustc_hash::FxHashSet;

use super::Reading;
use crate::program::builtins;
use crate::program::rewrite::{Rewriting, Step};
use mangle_syntax::syntax::ast::{Clause, Operator, Premise, Term};
use mangle_syntax::text::Symbol;

/// The premises in the order of evaluation.
pub(super) fn order(clause: &Clause, reading: Reading, rewriting: &Rewriting) -> Vec<Step> {
    match reading {
        Reading::Engine => rewriting.order.to_vec(),
        Reading::Intended => OrderBuilder::new(clause).order(rewriting),
    }
}

struct OrderBuilder<'c> {
    clause: &'c Clause,
    /// The variables that some premise can bind.
    bindable: FxHashSet<Symbol>,
    bound: FxHashSet<Symbol>,
    /// Pairs of equal variables. If one has a value, both have it.
    equal: Vec<[Symbol; 2]>,
    waiting: Vec<u32>,
    order: Vec<Step>,
}

impl<'c> OrderBuilder<'c> {
    fn new(clause: &'c Clause) -> Self {
        let mut bindable = FxHashSet::default();
        clause
            .premises
            .iter()
            .for_each(|premise| binds(premise, &mut |name| drop_bool(bindable.insert(name))));
        let bound = FxHashSet::default();
        Self { clause, bindable, bound, equal: Vec::new(), waiting: Vec::new(), order: Vec::new() }
    }

    fn order(mut self, rewriting: &Rewriting) -> Vec<Step> {
        for (index, premise) in (0u32..).zip(&self.clause.premises) {
            if waits(premise) {
                self.waiting.push(index);
            } else {
                self.order.push(Step { premise: index, reflected: rewriting.reflected(index) });
                self.bind(premise);
            }
            self.release();
        }
        let left = std::mem::take(&mut self.waiting);
        self.order.extend(left.into_iter().map(|premise| Step { premise, reflected: None }));
        self.order
    }

    /// Records the variables that a premise binds.
    fn bind(&mut self, premise: &Premise) {
        let bound = &mut self.bound;
        match equal_variables(premise) {
            Some(pair) => self.equal.push(pair),
            None => binds(premise, &mut |name| drop_bool(bound.insert(name))),
        }
        while let Some(at) = self.equal.iter().position(|pair| pair.iter().any(|name| bound.contains(name))) {
            bound.extend(self.equal.swap_remove(at));
        }
    }

    /// Adds the delayed premises that are ready.
    fn release(&mut self) {
        let (clause, bindable, bound) = (self.clause, &self.bindable, &self.bound);
        let is_ready = |index: &mut u32| {
            let mut ready = true;
            if let Some(premise) = clause.premises.get(*index as usize) {
                mentions(premise, &mut |name| ready &= bound.contains(&name) || !bindable.contains(&name));
            }
            ready
        };
        let ready = self.waiting.extract_if(.., is_ready);
        self.order.extend(ready.map(|premise| Step { premise, reflected: None }));
    }
}

/// Discards a value, because closures need a statement here.
fn drop_bool(_: bool) {}

/// True if a premise must wait for its variables.
fn waits(premise: &Premise) -> bool {
    match premise {
        Premise::Literal(literal) => literal.is_negated(),
        Premise::Comparison(comparison) => comparison.operator == Operator::NotEqual,
        Premise::Broken(..) => false,
    }
}

/// The two variables of `X = Y`.
fn equal_variables(premise: &Premise) -> Option<[Symbol; 2]> {
    match premise {
        Premise::Comparison(comparison) if comparison.operator == Operator::Equal => {
            Some([comparison.left.variable()?, comparison.right.variable()?])
        }
        _ => None,
    }
}

/// Visits the variables that a premise binds.
fn binds(premise: &Premise, visit: &mut impl FnMut(Symbol)) {
    match premise {
        Premise::Literal(literal) if literal.is_negated() => {}
        Premise::Literal(literal) => {
            let parameters =
                builtins::predicate(literal.atom.name.as_str()).map(|builtin| builtin.parameters);
            for (at, term) in literal.atom.args.iter().enumerate() {
                let gives = parameters.is_none_or(|all| all.get(at).is_some_and(|one| one.mode.binds()));
                term.variable().filter(|_| gives).into_iter().for_each(&mut *visit);
            }
            let bounds = literal.interval.iter().flat_map(|interval| &interval.bounds);
            for bound in bounds {
                if let mangle_syntax::syntax::ast::TimeBoundKind::Variable(name) = bound.kind {
                    visit(name);
                }
            }
        }
        Premise::Comparison(comparison) if comparison.operator == Operator::Equal => {
            let sides = [&comparison.left, &comparison.right];
            sides.into_iter().filter_map(Term::variable).for_each(visit);
        }
        Premise::Comparison(_) | Premise::Broken(..) => {}
    }
}

/// Visits the variables in a premise.
fn mentions(premise: &Premise, visit: &mut impl FnMut(Symbol)) {
    match premise {
        Premise::Literal(literal) => {
            literal.atom.args.iter().for_each(|term| term.variables(&mut |name, _| visit(name)));
        }
        Premise::Comparison(comparison) => {
            comparison.left.variables(&mut |name, _| visit(name));
            comparison.right.variables(&mut |name, _| visit(name));
        }
        Premise::Broken(..) => {}
    }
}
