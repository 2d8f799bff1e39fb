//! Scope of the statements of a transform: keys, earlier lets, variables of the clause.
//!
//! Lookups walk the clause, because clauses are short and most have no transform.

use smallvec::SmallVec;

use crate::analysis::CheckContext;
use mangle_engine::program::Mode;
use mangle_engine::program::builtins::{self, BuiltinFunction, FunctionRole};
use mangle_syntax::syntax::ast::{
    Apply, Clause, Literal, Name, Operator, Premise, Term, TermKind, TimeBound, TimeBoundKind, Transform,
    TransformStatement,
};
use mangle_syntax::text::Symbol;

/// Maximum number of statements, of variables in a statement, of keys, and of columns in a premise.
/// Transforms beyond the limit are not checked, because lookups are linear.
pub(super) const MAX_ITEMS: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TransformKind {
    /// `let …`: one result row per row.
    Let,
    /// `do fn:group_by(…)`: one result row per group.
    Group,
    /// `do` with a function that does not group.
    OtherDo,
}

/// A clause with its first transform.
pub(super) struct TransformScope<'c> {
    pub(super) context: &'c CheckContext<'c>,
    pub(super) clause: &'c Clause,
    pub(super) kind: TransformKind,
    /// The statement after `do`.
    pub(super) action: Option<Statement<'c>>,
    /// The `let` statements in order.
    pub(super) lets: SmallVec<[Statement<'c>; 4]>,
    /// The variables defined by the lets of all transforms.
    defined: SmallVec<[Symbol; 4]>,
}

/// A statement whose right side is an application.
#[derive(Clone, Copy)]
pub(super) struct Statement<'c> {
    /// The variable of a `let`. `None` for `let _` and for `do`.
    pub(super) variable: Option<Name>,
    pub(super) value: &'c Term,
    /// The application on the right side.
    pub(super) apply: &'c Apply,
    /// The applied function. `None` if the engine has no such function.
    pub(super) function: Option<&'static BuiltinFunction>,
}

impl<'c> Statement<'c> {
    fn new(statement: &'c TransformStatement) -> Option<Self> {
        let apply = statement.value.apply()?;
        let variable = statement
            .variable
            .as_ref()
            .and_then(|term| Some(Name { symbol: term.variable()?, range: term.range }));
        let function = builtins::function(apply.function.as_str());
        Some(Self { variable, value: &statement.value, apply, function })
    }

    /// True if the function reduces the rows of a group. With the wrong arity, a reducer is an
    /// ordinary function to the engine.
    pub(super) fn reduces_rows(&self, scope: &TransformScope<'_>) -> bool {
        let arity_fits = |known: &BuiltinFunction| known.arity.accepts(self.apply.args.len());
        scope.kind == TransformKind::Group
            && self.function.is_some_and(|known| known.is_reducer() && arity_fits(known))
    }
}

impl<'c> TransformScope<'c> {
    /// `None` if the transform cannot be checked: it has syntax errors, or its `do` applies an
    /// unknown function, which has its own finding.
    pub(super) fn new(
        context: &'c CheckContext<'c>,
        clause: &'c Clause,
        transform: &'c Transform,
    ) -> Option<Self> {
        if transform.statements.len() > MAX_ITEMS {
            return None;
        }
        let mut statements = transform.statements.iter().map(Statement::new);
        let mut action = None;
        let mut kind = TransformKind::Let;
        if transform.is_do() {
            let first = statements.next()??;
            kind = match first.function?.role {
                FunctionRole::Grouping => TransformKind::Group,
                _ => TransformKind::OtherDo,
            };
            action = Some(first);
        }
        let all = clause.transforms.iter().flat_map(|transform| &transform.statements);
        let defined = all.filter_map(|statement| statement.variable.as_ref()?.variable()).collect();
        Some(Self { context, clause, kind, action, lets: statements.collect::<Option<_>>()?, defined })
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = Symbol> {
        let args = self.action.into_iter().flat_map(|action| &action.apply.args);
        args.take(MAX_ITEMS).filter_map(Term::variable)
    }

    /// True if the variable is a key of the group.
    pub(super) fn is_key(&self, symbol: Symbol) -> bool {
        self.keys().any(|key| key == symbol)
    }

    /// True if a `let` of any transform of the clause defines the variable.
    pub(super) fn is_defined(&self, symbol: Symbol) -> bool {
        self.defined.contains(&symbol)
    }

    /// True if one of the first `before` lets defines the variable.
    pub(super) fn is_defined_before(&self, symbol: Symbol, before: usize) -> bool {
        let earlier = self.lets.iter().take(before);
        earlier.filter_map(|statement| statement.variable).any(|variable| variable.symbol == symbol)
    }

    /// True if the body, or a caller through a `"+"` position of the head, binds the variable.
    pub(super) fn is_bound(&self, symbol: Symbol) -> bool {
        self.is_head_input(symbol) || self.clause.premises.iter().any(|premise| self.binds(premise, symbol))
    }

    fn is_head_input(&self, symbol: Symbol) -> bool {
        let Some(predicate) = self.context.predicate(&self.clause.head) else { return false };
        let modes = &predicate.signature.modes;
        self.clause
            .head
            .args
            .iter()
            .zip(modes)
            .any(|(arg, mode)| *mode == Mode::Input && arg.variable() == Some(symbol))
    }

    fn binds(&self, premise: &Premise, symbol: Symbol) -> bool {
        match premise {
            Premise::Literal(literal) => !literal.is_negated() && self.literal_binds(literal, symbol),
            Premise::Comparison(comparison) if comparison.operator == Operator::Equal => {
                contains(&comparison.left, symbol) || contains(&comparison.right, symbol)
            }
            Premise::Comparison(_) | Premise::Broken(..) => false,
        }
    }

    fn literal_binds(&self, literal: &Literal, symbol: Symbol) -> bool {
        let intervals = literal.interval.iter().flat_map(|interval| &interval.bounds);
        if !literal.atom.args.iter().any(|arg| contains(arg, symbol)) {
            return bounds_contain(intervals, symbol);
        }
        let predicate = self.context.predicate(&literal.atom);
        let modes = predicate.map_or(&[][..], |predicate| &predicate.signature.modes);
        let binds = |(at, arg): (usize, &Term)| contains(arg, symbol) && modes.get(at) != Some(&Mode::Input);
        literal.atom.args.iter().enumerate().any(binds)
    }

    /// True if the variable occurs in the head or the body.
    pub(super) fn occurs(&self, symbol: Symbol) -> bool {
        let head_bounds = self.clause.interval.iter().flat_map(|interval| &interval.bounds);
        self.clause.head.args.iter().any(|arg| contains(arg, symbol))
            || bounds_contain(head_bounds, symbol)
            || self.clause.premises.iter().any(|premise| mentions(premise, symbol))
    }
}

fn mentions(premise: &Premise, symbol: Symbol) -> bool {
    match premise {
        Premise::Literal(literal) => {
            let interval = literal.interval.iter().flat_map(|interval| &interval.bounds);
            let operator = literal.operator.iter().flat_map(|operator| &operator.bounds);
            literal.atom.args.iter().any(|arg| contains(arg, symbol))
                || bounds_contain(interval.chain(operator), symbol)
        }
        Premise::Comparison(comparison) => {
            contains(&comparison.left, symbol) || contains(&comparison.right, symbol)
        }
        Premise::Broken(_, terms) => terms.iter().any(|term| contains(term, symbol)),
    }
}

/// True if the variable occurs in the term.
fn contains(term: &Term, symbol: Symbol) -> bool {
    match &term.kind {
        TermKind::Variable(variable) => *variable == symbol,
        TermKind::Apply(apply) => apply.args.iter().any(|arg| contains(arg, symbol)),
        _ => false,
    }
}

fn bounds_contain<'b>(mut bounds: impl Iterator<Item = &'b TimeBound>, symbol: Symbol) -> bool {
    bounds.any(|bound| bound.kind == TimeBoundKind::Variable(symbol))
}
