//! What the statements of a transform can see: keys, earlier lets, variables of the clause.
//!
//! Looks things up by walking the clause: clauses are short, and most have no transform.

use smallvec::SmallVec;

use crate::analysis::CheckContext;
use mangle_engine::program::Mode;
use mangle_engine::program::builtins::{self, BuiltinFunction, FunctionRole};
use mangle_syntax::syntax::ast::{
    Apply, Clause, Literal, Name, Operator, Premise, Term, TermKind, TimeBound, TimeBoundKind, Transform,
    TransformStatement,
};
use mangle_syntax::text::Symbol;

/// Transforms with more statements are not judged, nor are more variables in a statement, keys of
/// a group or columns of a premise compared with each other: nobody wrote those, and looking things
/// up by walking would take too long.
pub(super) const MANY: usize = 256;

/// What a transform does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TransformKind {
    /// `let …`: one row from each row.
    Let,
    /// `do fn:group_by(…)`: one row from each group.
    Group,
    /// `do` and a function that groups nothing.
    OtherDo,
}

/// A clause with its first transform.
pub(super) struct TransformScope<'c> {
    pub(super) context: &'c CheckContext<'c>,
    pub(super) clause: &'c Clause,
    pub(super) kind: TransformKind,
    /// The statement behind `do`.
    pub(super) action: Option<Statement<'c>>,
    /// The `let` statements in order.
    pub(super) lets: SmallVec<[Statement<'c>; 4]>,
    /// The variables of the lets of all transforms.
    defined: SmallVec<[Symbol; 4]>,
}

/// A statement whose right side is an application.
#[derive(Clone, Copy)]
pub(super) struct Statement<'c> {
    /// The variable of a `let`; `None` for `let _` and for `do`.
    pub(super) variable: Option<Name>,
    /// The right side.
    pub(super) value: &'c Term,
    /// The right side again.
    pub(super) apply: &'c Apply,
    /// What is applied, if the engine has it.
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

    /// Whether it reduces the rows of a group. With the wrong number of arguments a reducer is an
    /// ordinary function to the engine.
    pub(super) fn reduces_rows(&self, scope: &TransformScope<'_>) -> bool {
        let arity_fits = |known: &BuiltinFunction| known.arity.accepts(self.apply.args.len());
        scope.kind == TransformKind::Group
            && self.function.is_some_and(|known| known.is_reducer() && arity_fits(known))
    }
}

impl<'c> TransformScope<'c> {
    /// `None` for a transform that cannot be judged: one that is broken, or whose `do` applies an
    /// unknown function, which is reported as such.
    pub(super) fn new(
        context: &'c CheckContext<'c>,
        clause: &'c Clause,
        transform: &'c Transform,
    ) -> Option<Self> {
        if transform.statements.len() > MANY {
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

    /// The keys of the group.
    pub(super) fn keys(&self) -> impl Iterator<Item = Symbol> {
        let args = self.action.into_iter().flat_map(|action| &action.apply.args);
        args.take(MANY).filter_map(Term::variable)
    }

    /// Whether a variable is a key of the group.
    pub(super) fn is_key(&self, symbol: Symbol) -> bool {
        self.keys().any(|key| key == symbol)
    }

    /// Whether a `let` of any transform of the clause defines a variable.
    pub(super) fn is_defined(&self, symbol: Symbol) -> bool {
        self.defined.contains(&symbol)
    }

    /// Whether one of the first `before` lets defines a variable.
    pub(super) fn is_defined_before(&self, symbol: Symbol, before: usize) -> bool {
        let earlier = self.lets.iter().take(before);
        earlier.filter_map(|statement| statement.variable).any(|variable| variable.symbol == symbol)
    }

    /// Whether the body, or a caller through a `"+"` position of the head, gives a variable its
    /// value.
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

    /// Whether a variable occurs in head or body at all.
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

/// Whether a variable occurs in a term.
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
