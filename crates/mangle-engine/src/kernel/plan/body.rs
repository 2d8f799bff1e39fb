//! Compiles the premises of one clause to steps, in the order of evaluation.
//!
//! The engine's reading uses the order of its rewriting (`program::rewrite`). The intended reading
//! keeps the source order, and delays a negation or `!=` until its bindable variables have values.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Lookup, Reading, RelationId, Slot, Step, StepKind, ValueSource};
use crate::kernel::{Builtin, Failure, Function, ValueId, Values, evaluate};
use crate::program::builtins;
use crate::program::rewrite::{self, Rewriting};
use mangle_settings::versions::EarlyInequality;
use mangle_syntax::syntax::ast::{
    Apply, ApplyForm, Atom, Clause, Comparison, Operator, Premise, Term, TermKind,
};
use mangle_syntax::text::Symbol;

/// Builds the steps of a body.
pub(super) struct Body<'a> {
    pub(super) values: &'a mut Values,
    /// The text of the clause. Ranges of the clause refer to it.
    pub(super) text: &'a str,
    /// The values of variables.
    pub(super) known: FxHashMap<Symbol, ValueSource>,
    /// Unified variables that have no value yet.
    aliases: FxHashMap<Symbol, Symbol>,
    pub(super) steps: Vec<Step>,
    /// The index of the current premise.
    pub(super) premise: u32,
    slots: u16,
    /// True after a step that always fails. Later steps are unreachable.
    pub(super) dead: bool,
    pub(super) early_inequality: EarlyInequality,
}

impl<'a> Body<'a> {
    pub(super) fn new(values: &'a mut Values, text: &'a str) -> Self {
        Self {
            values,
            text,
            known: FxHashMap::default(),
            aliases: FxHashMap::default(),
            steps: Vec::new(),
            premise: 0,
            slots: 0,
            dead: false,
            early_inequality: EarlyInequality::NeverHolds,
        }
    }

    /// The number of registers.
    pub(super) fn slots(&self) -> u16 {
        self.slots
    }

    pub(super) fn slot(&mut self) -> Slot {
        let slot = self.slots;
        self.slots = self.slots.saturating_add(1);
        slot
    }

    pub(super) fn push(&mut self, kind: StepKind) {
        if !self.dead {
            self.dead = matches!(kind, StepKind::Fail(_) | StepKind::Never);
            self.steps.push(Step { premise: self.premise, kind });
        }
    }

    /// Adds a step that stops the engine. Later steps are unreachable.
    pub(super) fn fail(&mut self, failure: impl Into<std::borrow::Cow<'static, str>>) {
        self.push(StepKind::Fail(Failure::wrong(failure)));
    }

    /// The representative of a variable.
    pub(super) fn root(&self, mut name: Symbol) -> Symbol {
        while let Some(&other) = self.aliases.get(&name) {
            name = other;
        }
        name
    }

    /// The registers of variables, sorted by variable name.
    pub(super) fn variables(&self) -> Box<[(Symbol, Slot)]> {
        let names = self.known.keys().chain(self.aliases.keys());
        let of = names.filter_map(|&name| match self.lookup(name)? {
            ValueSource::Slot(slot) => Some((name, slot)),
            ValueSource::Value(_) => None,
        });
        let mut all: Vec<_> = of.collect();
        all.sort_unstable_by(|(one, _), (other, _)| one.as_str().cmp(other.as_str()));
        all.dedup();
        all.into()
    }

    /// The value of a variable, if it has one.
    pub(super) fn lookup(&self, name: Symbol) -> Option<ValueSource> {
        self.known.get(&self.root(name)).copied()
    }

    pub(super) fn define(&mut self, name: Symbol, source: ValueSource) {
        let root = self.root(name);
        self.known.insert(root, source);
    }

    /// Allocates a register for a variable.
    pub(super) fn bind(&mut self, name: Symbol) -> Slot {
        let slot = self.slot();
        self.define(name, ValueSource::Slot(slot));
        slot
    }

    /// Adds the step of a stored atom, negated or not.
    pub(super) fn stored(&mut self, relation: RelationId, atom: &Atom, negated: bool) {
        let Some(found) = self.pattern(relation, &atom.args, negated) else { return };
        self.push(if negated { StepKind::Absent(found) } else { StepKind::Match(found) });
    }

    /// Adds the step of an atom that is evaluated on demand. A negated one adds no step: the engine
    /// searches the stored facts, which do not contain the predicate.
    pub(super) fn call(&mut self, relation: RelationId, atom: &Atom, negated: bool) {
        if negated {
            return;
        }
        if let Some(found) = self.pattern(relation, &atom.args, false) {
            self.push(StepKind::Call(found));
        }
    }

    /// The pattern of matching tuples of a relation. Binds unbound variables, unless the premise is
    /// negated.
    pub(super) fn pattern(&mut self, relation: RelationId, args: &[Term], negated: bool) -> Option<Lookup> {
        let (mut columns, mut key, mut far) = (0, Vec::new(), Vec::new());
        let (mut binds, mut same) = (Vec::new(), Vec::new());
        let mut first: FxHashMap<Symbol, u16> = FxHashMap::default();
        let mut new: Vec<(Symbol, u16)> = Vec::new();
        for (at, term) in (0u16..).zip(args) {
            match self.value(term)? {
                Some(source) if at < 64 => {
                    columns |= 1 << at;
                    key.push(source);
                }
                Some(source) => far.push((at, source)),
                None => {
                    let Some(name) = term.variable().map(|name| self.root(name)) else { continue };
                    match first.get(&name) {
                        Some(&before) => same.push((before, at)),
                        None => {
                            first.insert(name, at);
                            new.push((name, at));
                        }
                    }
                }
            }
        }
        if !negated {
            binds.extend(new.into_iter().map(|(name, at)| (at, self.bind(name))));
        }
        Some(Lookup {
            relation,
            columns,
            key: key.into(),
            binds: binds.into(),
            same: same.into(),
            far: far.into(),
            when: None,
            ends: (None, None),
            replaced_ends: None,
        })
    }

    /// Adds the steps of a built-in predicate.
    pub(super) fn builtin(&mut self, atom: &Atom, negated: bool) {
        let Some(builtin) = Builtin::from_name(atom.name.as_str()) else {
            return self.fail(format!("`{}` is no built-in predicate", atom.name.as_str()));
        };
        let (mut args, mut outputs) = (Vec::new(), Vec::new());
        let mut new: Vec<(Symbol, Slot)> = Vec::new();
        let mut twice = Vec::new();
        for term in &atom.args {
            let Some(source) = self.value(term) else { return };
            args.push(source);
            if source.is_some() {
                continue;
            }
            let slot = self.slot();
            outputs.push(slot);
            let Some(name) = term.variable().map(|name| self.root(name)) else { continue };
            match new.iter().find(|(known, _)| *known == name) {
                Some(&(_, before)) => twice.push((before, slot)),
                None => new.push((name, slot)),
            }
        }
        self.push(StepKind::Solve {
            builtin,
            name: atom.name.symbol,
            args: args.into(),
            outputs: outputs.into(),
            negated,
        });
        if negated {
            return;
        }
        for (left, right) in twice {
            let (left, right) = (ValueSource::Slot(left), ValueSource::Slot(right));
            self.push(StepKind::Compare { operator: Operator::Equal, left, right });
        }
        for (name, slot) in new {
            self.define(name, ValueSource::Slot(slot));
        }
    }

    /// Adds `:match_prefix(X, /prefix)` in place of a predicate that reflects names.
    pub(super) fn reflected(&mut self, atom: &Atom, prefix: Symbol) {
        const TEST: &str = ":match_prefix";
        let Some(builtin) = Builtin::from_name(TEST) else { return };
        let Some(first) = atom.args.first() else { return self.fail("there is nothing to match") };
        let Some(source) = self.value(first) else { return };
        let prefix = self.values.name(prefix.as_str());
        let args = [source, Some(ValueSource::Value(prefix))].into();
        self.push(StepKind::Solve {
            builtin,
            name: Symbol::new(TEST),
            args,
            outputs: Box::new([]),
            negated: false,
        });
    }

    /// Adds the steps of a comparison.
    pub(super) fn comparison(&mut self, comparison: &Comparison) {
        let Comparison { left, right, operator, .. } = comparison;
        let (Some(left_value), Some(right_value)) = (self.value(left), self.value(right)) else { return };
        match (operator, left_value, right_value) {
            (_, Some(left), Some(right)) => self.push(StepKind::Compare { operator: *operator, left, right }),
            (Operator::Equal, _, _) => self.unify(left, left_value, right, right_value),
            (Operator::NotEqual, _, _) => match self.early_inequality {
                // An unbound variable is equal to any value, so the inequality never holds.
                EarlyInequality::NeverHolds => self.push(StepKind::Never),
                EarlyInequality::Delayed => self.fail("a compared variable is unbound"),
            },
            _ => self.fail("a compared variable is unbound"),
        }
    }

    fn unify(
        &mut self,
        left: &Term,
        left_value: Option<ValueSource>,
        right: &Term,
        right_value: Option<ValueSource>,
    ) {
        match (left.variable(), right.variable()) {
            (Some(name), _) if right_value.is_some() => {
                right_value.into_iter().for_each(|source| self.define(name, source));
            }
            (_, Some(name)) if left_value.is_some() => {
                left_value.into_iter().for_each(|source| self.define(name, source));
            }
            (Some(one), Some(other)) => {
                let (one, other) = (self.root(one), self.root(other));
                if one != other {
                    self.aliases.insert(one, other);
                }
            }
            // `_` is equal to any value.
            _ => {}
        }
    }
}

impl Body<'_> {
    /// The source of the value of a term. `Some(None)` for an unbound variable or `_`. `None` if
    /// the evaluation cannot continue after this term.
    pub(super) fn value(&mut self, term: &Term) -> Option<Option<ValueSource>> {
        match &term.kind {
            TermKind::Variable(name) => Some(self.lookup(*name)),
            TermKind::Wildcard => Some(None),
            TermKind::Apply(apply) => self.application(apply).map(Some),
            _ => self.constant(term).map(|value| Some(ValueSource::Value(value))),
        }
    }

    fn constant(&mut self, term: &Term) -> Option<ValueId> {
        let value = evaluate(term, self.text, self.values, None).ok().flatten();
        if value.is_none() {
            self.fail("this term cannot be read");
        }
        value
    }

    /// Adds the steps that compute an application. Lowering limits the depth of terms.
    fn application(&mut self, apply: &Apply) -> Option<ValueSource> {
        let name = apply.function.as_str();
        let is_type = matches!(apply.form, ApplyForm::DotType | ApplyForm::Optional);
        let Some(function) = Function::from_name(name).filter(|_| !is_type) else {
            self.fail(format!("`{name}` is no function"));
            return None;
        };
        let mut args = Vec::with_capacity(apply.args.len());
        for arg in &apply.args {
            let Some(source) = self.value(arg)? else {
                self.fail(match arg.variable() {
                    Some(name) => format!("`{name}` is unbound"),
                    None => "`_` is unbound".to_owned(),
                });
                return None;
            };
            args.push(source);
        }
        let slot = self.slot();
        self.push(StepKind::Compute { slot, function, args: args.into() });
        Some(ValueSource::Slot(slot))
    }
}

/// The premises in the order of evaluation.
pub(super) fn order(clause: &Clause, reading: Reading, rewriting: &Rewriting) -> Vec<rewrite::Step> {
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
    order: Vec<rewrite::Step>,
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

    fn order(mut self, rewriting: &Rewriting) -> Vec<rewrite::Step> {
        for (index, premise) in (0u32..).zip(&self.clause.premises) {
            if waits(premise) {
                self.waiting.push(index);
            } else {
                self.order.push(rewrite::Step { premise: index, reflected: rewriting.reflected(index) });
                self.bind(premise);
            }
            self.release();
        }
        let left = std::mem::take(&mut self.waiting);
        self.order.extend(left.into_iter().map(|premise| rewrite::Step { premise, reflected: None }));
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
        self.order.extend(ready.map(|premise| rewrite::Step { premise, reflected: None }));
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
