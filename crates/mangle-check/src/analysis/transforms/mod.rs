//! Rules about transforms, `|>` (`MG401` to `MG420`): variables in scope, grouping, position of
//! reducers, and counted rows.
//!
//! The safety rules check the variables of the body; this family checks the variables of the
//! transform. Only the first transform of a clause is checked, because a second one is an error.

mod grouping;
mod reducers;
mod variables;

use smallvec::SmallVec;

use super::{CheckContext, Family, ProgramCheck};
use mangle_engine::program::builtins::{BuiltinFunction, FunctionRole};
use mangle_engine::program::{Mode, builtins};
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::syntax::ast::{
    Apply, Clause, Literal, Name, Operator, Premise, Term, TermKind, TimeBound, TimeBoundKind, Transform,
    TransformStatement,
};
use mangle_syntax::text::{Symbol, TextRange};

pub(super) const FAMILY: Family = Family {
    rules: &[
        &MULTIPLE_TRANSFORMS,
        &grouping::DO_WITHOUT_GROUP_BY,
        &grouping::GROUP_BY_NOT_VARIABLE,
        &grouping::GROUP_BY_REPEATED,
        &reducers::GROUP_BY_MISPLACED,
        &variables::TRANSFORM_REDEFINES,
        &variables::LET_REDEFINED,
        &variables::TRANSFORM_UNBOUND_USE,
        &variables::LET_ORDER,
        &grouping::HEAD_VAR_NOT_GROUPED,
        &variables::FUNCTION_OVER_UNGROUPED,
        &reducers::REDUCER_IN_LET,
        &reducers::REDUCER_IN_BODY,
        &reducers::REDUCER_ARG_NOT_VARIABLE,
        &super::types::REDUCER_TYPE,
        &reducers::REDUCER_OVER_LET,
        &grouping::GROUP_WILDCARD_MULTIPLICITY,
        &grouping::GROUP_REPEATED_VARIABLE,
        &grouping::GROUP_RELATION_SHARED,
    ],
    clause: Some(check_clause),
    declaration: None,
    program: &[ProgramCheck::Predicate(grouping::check_shared_relations)],
};

/// For example `|> do … |> let …`.
static MULTIPLE_TRANSFORMS: Rule = rule!("multiple-transforms.md");

fn check_clause(context: &CheckContext<'_>, clause: &Clause, findings: &mut Vec<Finding>) {
    reducers::check_expressions(context, clause, findings);
    let Some((transform, others)) = clause.transforms.split_first() else { return };
    if let (Some(second), Some(last)) = (others.first(), others.last()) {
        findings.push(multiple(transform, second, last));
    }
    let Some(scope) = TransformScope::new(context, clause, transform) else { return };
    if scope.kind == TransformKind::OtherDo {
        grouping::check_do(&scope, findings);
        return;
    }
    variables::check(&scope, findings);
    reducers::check(&scope, findings);
    if scope.kind == TransformKind::Group {
        grouping::check(&scope, findings);
        grouping::check_rows(&scope, findings);
    }
}

fn multiple(first: &Transform, second: &Transform, last: &Transform) -> Finding {
    let range = TextRange::new(second.range.start(), last.range.end());
    let finding = Finding::new(&MULTIPLE_TRANSFORMS, range, "clause has more than one transform")
        .label("only one `|>` is allowed")
        .note("the engine rejects the program");
    // A `let` can follow in the first transform.
    if second.range != last.range || second.is_do() || second.statements.is_empty() {
        return finding.help("move what needs another grouping to a rule of its own");
    }
    let pipe = TextRange::at(second.range.start(), 2.into());
    finding.fix(Fix::guess("append to the first transform").insert(first.range.end(), ",").replace(pipe, ""))
}

/// Maximum number of statements, of variables in a statement, of keys, and of columns in a premise.
/// Transforms beyond the limit are not checked, because lookups are linear.
const MAX_ITEMS: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TransformKind {
    /// `let …`: one result row per row.
    Let,
    /// `do fn:group_by(…)`: one result row per group.
    Group,
    /// `do` with a function that does not group.
    OtherDo,
}

/// A clause with its first transform.
struct TransformScope<'c> {
    context: &'c CheckContext<'c>,
    clause: &'c Clause,
    kind: TransformKind,
    /// The statement after `do`.
    action: Option<Statement<'c>>,
    /// The `let` statements in order.
    lets: SmallVec<[Statement<'c>; 4]>,
    /// The variables defined by the lets of all transforms.
    defined: SmallVec<[Symbol; 4]>,
}

/// A statement whose right side is an application.
#[derive(Clone, Copy)]
struct Statement<'c> {
    /// The variable of a `let`. `None` for `let _` and for `do`.
    variable: Option<Name>,
    value: &'c Term,
    /// The application on the right side.
    apply: &'c Apply,
    /// The applied function. `None` if the engine has no such function.
    function: Option<&'static BuiltinFunction>,
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
    fn reduces_rows(&self, scope: &TransformScope<'_>) -> bool {
        let arity_fits = |known: &BuiltinFunction| known.arity.accepts(self.apply.args.len());
        scope.kind == TransformKind::Group
            && self.function.is_some_and(|known| known.is_reducer() && arity_fits(known))
    }
}

impl<'c> TransformScope<'c> {
    /// `None` if the transform cannot be checked: it has syntax errors, or its `do` applies an
    /// unknown function, which has its own finding.
    fn new(context: &'c CheckContext<'c>, clause: &'c Clause, transform: &'c Transform) -> Option<Self> {
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

    fn keys(&self) -> impl Iterator<Item = Symbol> {
        let args = self.action.into_iter().flat_map(|action| &action.apply.args);
        args.take(MAX_ITEMS).filter_map(Term::variable)
    }

    /// True if the variable is a key of the group.
    fn is_key(&self, symbol: Symbol) -> bool {
        self.keys().any(|key| key == symbol)
    }

    /// True if a `let` of any transform of the clause defines the variable.
    fn is_defined(&self, symbol: Symbol) -> bool {
        self.defined.contains(&symbol)
    }

    /// True if one of the first `before` lets defines the variable.
    fn is_defined_before(&self, symbol: Symbol, before: usize) -> bool {
        let earlier = self.lets.iter().take(before);
        earlier.filter_map(|statement| statement.variable).any(|variable| variable.symbol == symbol)
    }

    /// True if the body, or a caller through a `"+"` position of the head, binds the variable.
    fn is_bound(&self, symbol: Symbol) -> bool {
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
    fn occurs(&self, symbol: Symbol) -> bool {
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

#[cfg(test)]
mod tests;
