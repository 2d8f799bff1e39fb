//! Binding analysis: the variables of a clause and the premises that bind them.
//!
//! The Go implementation has two notions. Its analysis computes if a variable is **bound**
//! ([`Variable::bound`]), and its evaluation computes if it has a **value** ([`Variable::value`]).
//! The same premise usually does both, with three exceptions:
//!
//! - a variable inside an expression is bound, but has no value;
//! - `X = Y` gives a value, but does not bind;
//! - a `"+"` position of an ordinary predicate gives a value, but does not bind.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::builtins::{self, Parameter};
use super::rewrite::{ClauseSignatures, Rewriting};
use super::{Mode, Signature};
use mangle_syntax::syntax::ast::{
    Atom, Clause, Comparison, Literal, Operator, Premise, Term, TermKind, TimeBoundKind,
};
use mangle_syntax::text::Symbol;

/// A position in a clause, in the order of evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BindingPlace {
    /// Before the first premise: the caller passes the value.
    Head,
    /// The premise with this index.
    Premise(u32),
}

/// The kind of term that binds a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BindingSource {
    /// The caller, for a `"+"` position of the head.
    HeadInput,
    /// An argument of a positive atom.
    Argument,
    /// A variable inside an expression in an argument of a positive atom. The analysis considers it
    /// bound, but the evaluation stops because it has no value.
    InsideExpression,
    /// An output position of a built-in.
    Output,
    /// `V = constant` or `V = expression`.
    Equality,
    /// `V = W`, if `W` has a value.
    Alias,
    /// A bound of the interval of a premise.
    Interval,
}

/// The position and kind of a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Binder {
    /// The position in the clause that binds the variable.
    pub place: BindingPlace,
    /// The kind of binding.
    pub how: BindingSource,
}

/// A named variable of a clause.
#[derive(Debug, Clone, Copy)]
pub struct Variable {
    /// The name.
    pub symbol: Symbol,
    /// The first binding according to the analysis of the Go implementation.
    pub bound: Option<Binder>,
    /// The first binding during evaluation.
    pub value: Option<Binder>,
    /// The group of variables that `V = W` has unified: an index into [`Bindings::groups`].
    group: usize,
}

/// Variables that are unified by `V = W`. Either all of them have a value or none.
#[derive(Debug, Default)]
struct Group {
    /// The representative: the right side of the last `V = W`.
    root: usize,
    members: SmallVec<[usize; 1]>,
}

/// The variables in the head and body of a clause.
#[derive(Debug, Default)]
pub struct Bindings {
    variables: SmallVec<[Variable; 8]>,
    /// The index of each variable in `variables`. Empty below [`MIN_HASHED_VARIABLES`] variables.
    places: FxHashMap<Symbol, usize>,
    /// One group per variable. Groups that were merged into another group are empty.
    groups: SmallVec<[Group; 8]>,
}

/// The minimum number of variables for lookup with a hash map.
const MIN_HASHED_VARIABLES: usize = 24;

impl Bindings {
    /// Analyzes `clause` in the order of `rewriting`. Steps that the Go implementation rejects are
    /// treated as valid, so that one mistake is reported once.
    #[must_use]
    pub fn new(clause: &Clause, signatures: &ClauseSignatures<'_>, rewriting: &Rewriting) -> Self {
        let mut bindings = Self::default();
        bindings.enter_head(clause, signatures.head);
        for (index, premise) in (0..).zip(&clause.premises) {
            match premise {
                Premise::Literal(literal) if literal.is_negated() || rewriting.reflected(index).is_some() => {
                    bindings.add_variables(&literal.atom.args);
                }
                Premise::Literal(literal) if literal.atom.is_builtin() => {
                    bindings.enter_builtin(index, literal);
                }
                Premise::Literal(literal) => {
                    bindings.enter_literal(index, literal, signatures.premise(index));
                }
                Premise::Comparison(comparison) => bindings.enter_comparison(index, comparison),
                Premise::Broken(_, terms) => bindings.add_variables(terms),
            }
        }
        bindings
    }

    /// The variables in the order of their first occurrence, starting with the head. Variables that
    /// occur only in transforms are excluded.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The bindings of a variable.
    #[must_use]
    pub fn get(&self, symbol: Symbol) -> Option<&Variable> {
        self.variables.get(self.place(symbol)?)
    }

    /// True if the analysis considers the variable bound at the end of the body. After `V = W`,
    /// this includes a variable whose representative is bound.
    #[must_use]
    pub fn is_bound(&self, symbol: Symbol) -> bool {
        self.get(symbol).is_some_and(|variable| {
            variable.bound.is_some() || self.root(variable).is_some_and(|root| root.bound.is_some())
        })
    }

    /// True if the analysis considers the variable bound before `place`.
    #[must_use]
    pub fn is_bound_before(&self, symbol: Symbol, place: BindingPlace) -> bool {
        self.get(symbol).and_then(|variable| variable.bound).is_some_and(|binder| binder.place < place)
    }

    /// True if the variable has a value before `place` during evaluation.
    #[must_use]
    pub fn has_value_before(&self, symbol: Symbol, place: BindingPlace) -> bool {
        self.get(symbol).and_then(|variable| variable.value).is_some_and(|binder| binder.place < place)
    }

    /// The variables that the analysis considers bound before `place`.
    pub fn bound_before(&self, place: BindingPlace) -> impl Iterator<Item = Symbol> {
        self.variables
            .iter()
            .filter(move |variable| variable.bound.is_some_and(|binder| binder.place < place))
            .map(|variable| variable.symbol)
    }

    /// True if `V = W` unifies the two variables, directly or transitively.
    #[must_use]
    pub fn are_equated(&self, one: Symbol, other: Symbol) -> bool {
        let group = |symbol| self.get(symbol).map(|variable| variable.group);
        one == other || group(one).is_some_and(|group_of_one| group(other) == Some(group_of_one))
    }

    /// True if `V = W` unifies the variable with any other variable.
    #[must_use]
    pub fn is_equated(&self, symbol: Symbol) -> bool {
        let group = self.get(symbol).and_then(|variable| self.groups.get(variable.group));
        group.is_some_and(|group| group.members.len() > 1)
    }

    /// The representative of a variable after all `V = W`.
    fn root(&self, variable: &Variable) -> Option<&Variable> {
        self.variables.get(self.groups.get(variable.group)?.root)
    }

    fn enter_head(&mut self, clause: &Clause, signature: Option<&Signature>) {
        self.add_variables(&clause.head.args);
        for bound in clause.interval.iter().flat_map(|interval| &interval.bounds) {
            if let TimeBoundKind::Variable(symbol) = bound.kind {
                self.add_variable(symbol);
            }
        }
        let Some(signature) = signature else { return };
        let binder = Binder { place: BindingPlace::Head, how: BindingSource::HeadInput };
        for (term, mode) in clause.head.args.iter().zip(&signature.modes) {
            let Some(symbol) = term.variable() else { continue };
            match mode {
                Mode::Input => self.bind(symbol, binder),
                // Only predicates that are evaluated on demand are called with values.
                Mode::Either if signature.deferred => self.give_value(symbol, binder),
                _ => {}
            }
        }
    }

    fn enter_literal(&mut self, premise: u32, literal: &Literal, signature: Option<&Signature>) {
        let place = BindingPlace::Premise(premise);
        let argument = Binder { place, how: BindingSource::Argument };
        let inside = Binder { place, how: BindingSource::InsideExpression };
        // The engine ignores modes if the premise has an interval or a temporal operator.
        let signature = signature.filter(|_| !literal.is_temporal());
        let modes = signature.map_or(&[][..], |signature| &signature.modes);
        let looked_up = !signature.is_some_and(|signature| signature.external || signature.deferred);
        for (at, term) in literal.atom.args.iter().enumerate() {
            let binds = modes.is_empty() || modes.get(at).is_some_and(|mode| mode.binds());
            match term.variable() {
                Some(symbol) if binds => self.bind(symbol, argument),
                Some(symbol) if looked_up => self.give_value(symbol, argument),
                Some(symbol) => self.add_variable(symbol),
                None => term.variables(&mut |symbol, _| {
                    let at = self.index(symbol);
                    if modes.is_empty() {
                        self.set_bound(at, inside);
                    }
                }),
            }
        }
        let bounds = literal.interval.iter().flat_map(|interval| &interval.bounds);
        let operator = literal.operator.iter().flat_map(|operator| &operator.bounds);
        for (bound, binds) in bounds.map(|bound| (bound, true)).chain(operator.map(|bound| (bound, false))) {
            match bound.kind {
                TimeBoundKind::Variable(symbol) if binds => {
                    self.bind(symbol, Binder { place, how: BindingSource::Interval });
                }
                TimeBoundKind::Variable(symbol) => self.add_variable(symbol),
                _ => {}
            }
        }
    }

    fn enter_builtin(&mut self, premise: u32, literal: &Literal) {
        self.add_variables(&literal.atom.args);
        let binder = Binder { place: BindingPlace::Premise(premise), how: BindingSource::Output };
        let parameters = builtin_parameters(&literal.atom);
        for (at, term) in literal.atom.args.iter().enumerate() {
            // An unknown built-in is reported itself. Its variables count as bound.
            let binds = parameters.is_none_or(|list| list.get(at).is_some_and(|one| one.mode.binds()));
            if let Some(symbol) = term.variable().filter(|_| binds) {
                self.bind(symbol, binder);
            }
        }
    }

    fn enter_comparison(&mut self, premise: u32, comparison: &Comparison) {
        let Comparison { left, right, .. } = comparison;
        self.add_variables([left, right]);
        if comparison.operator != Operator::Equal {
            return;
        }
        let place = BindingPlace::Premise(premise);
        let binder = Binder { place, how: BindingSource::Equality };
        match (left.variable(), right.variable()) {
            (Some(left), Some(right)) => self.equate(left, right, place),
            (Some(symbol), None) if gives_value(right) => self.bind(symbol, binder),
            (None, Some(symbol)) if gives_value(left) => self.bind(symbol, binder),
            _ => {}
        }
    }

    /// Unifies two variables. The right one becomes the representative.
    fn equate(&mut self, left: Symbol, right: Symbol, place: BindingPlace) {
        let (left, right) = (self.index(left), self.index(right));
        let of = |bindings: &Self, at: usize| bindings.variables.get(at).copied();
        let (Some(left), Some(right)) = (of(self, left), of(self, right)) else { return };
        match (left.value.is_some(), right.value.is_some()) {
            (true, false) => self.share_value(right.group, place),
            (false, true) => self.share_value(left.group, place),
            _ => {}
        }
        self.join(left.group, right.group);
    }

    /// Merges two groups, under the root of the second. Moves the members of the smaller group.
    fn join(&mut self, left: usize, right: usize) {
        let len = |group: usize| self.groups.get(group).map_or(0, |group| group.members.len());
        let root = self.groups.get(right).map_or(0, |group| group.root);
        let (from, to) = if len(left) > len(right) { (right, left) } else { (left, right) };
        if from == to {
            return;
        }
        let moved = self.groups.get_mut(from).map(std::mem::take).unwrap_or_default();
        for at in &moved.members {
            if let Some(variable) = self.variables.get_mut(*at) {
                variable.group = to;
            }
        }
        if let Some(group) = self.groups.get_mut(to) {
            group.members.extend(moved.members);
            group.root = root;
        }
    }

    fn share_value(&mut self, group: usize, place: BindingPlace) {
        let binder = Binder { place, how: BindingSource::Alias };
        for at in self.groups.get(group).into_iter().flat_map(|group| &group.members) {
            if let Some(variable) = self.variables.get_mut(*at) {
                variable.value.get_or_insert(binder);
            }
        }
    }

    fn bind(&mut self, symbol: Symbol, binder: Binder) {
        let at = self.index(symbol);
        self.set_bound(at, binder);
        self.give_value(symbol, binder);
    }

    fn set_bound(&mut self, at: usize, binder: Binder) {
        if let Some(variable) = self.variables.get_mut(at) {
            variable.bound.get_or_insert(binder);
        }
    }

    fn give_value(&mut self, symbol: Symbol, binder: Binder) {
        let at = self.index(symbol);
        let Some(variable) = self.variables.get_mut(at) else { return };
        if variable.value.is_none() {
            variable.value = Some(binder);
            let group = variable.group;
            self.share_value(group, binder.place);
        }
    }

    fn add_variables<'t>(&mut self, terms: impl IntoIterator<Item = &'t Term>) {
        for term in terms {
            term.variables(&mut |symbol, _| self.add_variable(symbol));
        }
    }

    fn add_variable(&mut self, symbol: Symbol) {
        let _ = self.index(symbol);
    }

    fn index(&mut self, symbol: Symbol) -> usize {
        if let Some(at) = self.place(symbol) {
            return at;
        }
        let at = self.variables.len();
        self.variables.push(Variable { symbol, bound: None, value: None, group: at });
        self.groups.push(Group { root: at, members: SmallVec::from_slice(&[at]) });
        if at + 1 == MIN_HASHED_VARIABLES {
            self.places =
                self.variables.iter().enumerate().map(|(at, variable)| (variable.symbol, at)).collect();
        } else if at + 1 > MIN_HASHED_VARIABLES {
            self.places.insert(symbol, at);
        }
        at
    }

    fn place(&self, symbol: Symbol) -> Option<usize> {
        if self.variables.len() < MIN_HASHED_VARIABLES {
            return self.variables.iter().position(|variable| variable.symbol == symbol);
        }
        self.places.get(&symbol).copied()
    }
}

/// True if a side of `=` gives the variable on the opposite side a value. `_` does not.
fn gives_value(term: &Term) -> bool {
    term.is_constant() || matches!(term.kind, TermKind::Apply(_) | TermKind::Broken)
}

/// The parameters of a built-in predicate that has the right number of arguments. `None` for any
/// other atom.
#[must_use]
pub fn builtin_parameters(atom: &Atom) -> Option<&'static [Parameter]> {
    let parameters = builtins::predicate(atom.name.as_str())?.parameters;
    (parameters.len() == atom.args.len()).then_some(parameters)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fmt::Write as _;
    use std::sync::Arc;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::program::{FileSummary, Program};
    use mangle_syntax::syntax::SourceFile;
    use mangle_syntax::text::FileId;

    /// Prints the bindings of each variable of the last clause of `text`.
    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let file = Arc::new(FileSummary::new(FileId(0), &SourceFile::parse(text.into())));
        let program = Program::new(vec![Arc::clone(&file)]);
        let clause = file.items.last().unwrap().statement.clause().unwrap();
        let lookup = |atom: &Atom| Some(&program.predicate_of(&file, atom)?.signature);
        let signatures = ClauseSignatures::new(clause, lookup);
        let bindings = Bindings::new(
            clause,
            &signatures,
            &Rewriting::new(clause, &signatures, program.embedding.capabilities()),
        );
        let mut out = String::new();
        for variable in bindings.variables() {
            let show = |binder: Option<Binder>| match binder {
                Some(Binder { place: BindingPlace::Head, how }) => format!("{how:?} of head"),
                Some(Binder { place: BindingPlace::Premise(at), how }) => format!("{how:?} of {at}"),
                None => "never".to_owned(),
            };
            let (bound, value) = (show(variable.bound), show(variable.value));
            let end = if bindings.is_bound(variable.symbol) { "" } else { "; unbound" };
            writeln!(out, "{}: bound {bound}, value {value}{end}", variable.symbol).unwrap();
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn arguments_and_outputs_bind() {
        check(
            "p(X, T) :- a(L), :match_cons(L, X, T), !n(Z), Z < W.",
            expect![[r#"
                X: bound Output of 1, value Output of 1
                T: bound Output of 1, value Output of 1
                L: bound Argument of 0, value Argument of 0
                Z: bound never, value never; unbound
                W: bound never, value never; unbound
            "#]],
        );
    }

    #[test]
    fn expressions_in_arguments_are_bound_without_a_value() {
        check(
            "p(X) :- a([X]).",
            expect![[r#"
            X: bound InsideExpression of 0, value never
        "#]],
        );
    }

    #[test]
    fn equality_between_variables_goes_from_right_to_left() {
        check(
            "p(X, Y) :- X = Y, a(Y).",
            expect![[r#"
            X: bound never, value Alias of 1
            Y: bound Argument of 1, value Argument of 1
        "#]],
        );
        check(
            "p(X, Y) :- a(X), X = Y.",
            expect![[r#"
            X: bound Argument of 0, value Argument of 0
            Y: bound never, value Alias of 1; unbound
        "#]],
        );
        check(
            "p(X, Y) :- X = Y, Z = Y, Y = W, a(X), b(W).",
            expect![[r#"
            X: bound Argument of 3, value Argument of 3
            Y: bound never, value Alias of 3
            Z: bound never, value Alias of 3
            W: bound Argument of 4, value Alias of 3
        "#]],
        );
    }

    #[test]
    fn modes_decide_which_arguments_bind() {
        let declared = r#"Decl m(K, V) descr [mode("+", "-")]. Decl x(K) descr [mode("+"), external()]. "#;
        check(
            &format!("{declared}p(V) :- m(K, V), x(J)."),
            expect![[r#"
            V: bound Argument of 0, value Argument of 0
            K: bound never, value Argument of 0; unbound
            J: bound never, value never; unbound
        "#]],
        );
        check(
            &format!("{declared}m(K, V) :- V = fn:plus(K, 1)."),
            expect![[r#"
            K: bound HeadInput of head, value HeadInput of head
            V: bound Equality of 0, value Equality of 0
        "#]],
        );
    }

    #[test]
    fn intervals_bind_and_operators_do_not() {
        check(
            "p(X, S) :- e(X)@[S, _], <-[A, 7d] e(Y).",
            expect![[r#"
            X: bound Argument of 0, value Argument of 0
            S: bound Interval of 0, value Interval of 0
            Y: bound Argument of 1, value Argument of 1
            A: bound never, value never; unbound
        "#]],
        );
    }

    #[test]
    fn reflected_premises_bind_nothing() {
        let declared = r#"Decl t(X) descr [reflects(/pre), mode("+")]. "#;
        check(
            &format!("{declared}p(X) :- t(X)."),
            expect![[r#"
            X: bound never, value never; unbound
        "#]],
        );
    }

    #[test]
    fn an_unknown_built_in_binds_all_that_it_could() {
        check(
            "p(X, Y) :- :nosuch(X), :lt(Y).",
            expect![[r#"
            X: bound Output of 0, value Output of 0
            Y: bound Output of 1, value Output of 1
        "#]],
        );
    }
}
