//! Checks of comparisons and reducers over values of the wrong type (`MG415`, `MG601`).

use super::wording::{QUOTED, error_if, found, is_column_confirmed, kind, noun, stops, with_origin};
use crate::analysis::CheckContext;
use crate::analysis::wording::code;
use mangle_engine::program::builtins;
use mangle_engine::types::{Base, Type, TypeProblem};
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Operator, Premise, Term};
use mangle_syntax::text::{Symbol, TextRange};

/// For example `X > 1.5`.
///
/// The finding is a warning if one side can be an integer. Bounds in running programs are often
/// wrong, because the engine does not check them.
pub(super) static COMPARE_NON_NUMBER: Rule = rule!("compare-non-number.md");

/// The position of a comparison, and its operands.
struct Place<'c> {
    range: TextRange,
    operator: Operator,
    sides: [&'c Term; 2],
}

/// The finding about one comparison. `left` is true if the left side is at fault.
pub(super) fn comparison(
    context: &CheckContext<'_>,
    clause: &Clause,
    problem: &TypeProblem,
    premise: u32,
    left: bool,
) -> Option<Finding> {
    let place = place_of(clause.premises.get(premise as usize)?)?;
    let shown = context.slice(problem.range);
    let side = place.sides.get(usize::from(!left))?;
    let actual = match problem.variable {
        Some(_) => found(context, problem),
        None => format!("{} {}", kind(&problem.found), code(context.slice(side.range), QUOTED)),
    };
    let message = format!("`{shown}` requires integers, found {actual}");
    let finding = Finding::new(&COMPARE_NON_NUMBER, problem.range, message);
    let finding = finding.note("the engine aborts when it evaluates this comparison");
    let mut finding = with_origin(finding, context, clause, problem);
    let other = place.sides.get(usize::from(left));
    let meets_fact = || other.is_some_and(|other| is_bound_by_fact(context, clause, premise, other));
    finding = error_if(is_certain(context, clause, problem, meets_fact), finding);
    match replacement(context, &place, [&problem.found, &problem.wanted]) {
        Some(premise) => {
            let title = format!("write `{premise}`");
            Some(finding.fix(Fix::guess(title).replace(place.range, premise)))
        }
        None => Some(finding),
    }
}

/// True if the evaluation certainly aborts at the comparison. The value of a literal does not
/// depend on declarations. A float literal can stand for an integer, because the runtime can
/// convert floats, unless the other side comes from a fact of the program.
fn is_certain(
    context: &CheckContext<'_>,
    clause: &Clause,
    problem: &TypeProblem,
    meets_fact: impl Fn() -> bool,
) -> bool {
    let number = Type::Base(Base::Number);
    let is_literal = problem.variable.is_none();
    let is_float = problem.found == Type::Base(Base::Float) && problem.wanted.overlaps(&number);
    is_literal && (!is_float || meets_fact()) || stops(context, clause, problem, &number)
}

/// True if an earlier premise binds the variable to values from facts of the program.
fn is_bound_by_fact(context: &CheckContext<'_>, clause: &Clause, premise: u32, term: &Term) -> bool {
    let Some(name) = term.variable() else { return false };
    clause.premises.iter().take(premise as usize).any(|before| {
        let Premise::Literal(literal) = before else { return false };
        let mut columns = (0u32..).zip(&literal.atom.args).filter(|(_, arg)| arg.variable() == Some(name));
        let has_facts = || {
            let id = context.program.id_of(context.file, &literal.atom);
            id.is_some_and(|id| !context.types.rows(id).facts.is_empty())
        };
        !literal.is_negated()
            && columns.any(|(at, _)| is_column_confirmed(context, &literal.atom, at) || has_facts())
    })
}

fn place_of(premise: &Premise) -> Option<Place<'_>> {
    match premise {
        Premise::Comparison(comparison) => Some(Place {
            range: comparison.range,
            operator: comparison.operator,
            sides: [&comparison.left, &comparison.right],
        }),
        Premise::Literal(literal) => {
            let [left, right] = literal.atom.args.as_slice() else { return None };
            let operator = ordering(literal.atom.name.as_str())?;
            Some(Place { range: literal.atom.range, operator, sides: [left, right] })
        }
        Premise::Broken(..) => None,
    }
}

/// The operator that corresponds to a built-in.
fn ordering(name: &str) -> Option<Operator> {
    match name {
        ":lt" => Some(Operator::Less),
        ":le" => Some(Operator::LessEqual),
        ":gt" => Some(Operator::Greater),
        ":ge" => Some(Operator::GreaterEqual),
        _ => None,
    }
}

/// The comparison for instants or durations, if the types allow one.
fn replacement(context: &CheckContext<'_>, place: &Place<'_>, types: [&Type; 2]) -> Option<String> {
    let all = |base: Base| types.iter().all(|ty| ty.is_any() || **ty == Type::Base(base));
    let family = match () {
        () if all(Base::Time) => "time",
        () if all(Base::Duration) => "duration",
        () => return None,
    };
    let name = match place.operator {
        Operator::Less => "lt",
        Operator::LessEqual => "le",
        Operator::Greater => "gt",
        Operator::GreaterEqual => "ge",
        Operator::Equal | Operator::NotEqual => return None,
    };
    let [left, right] = place.sides.map(|side| context.slice(side.range));
    Some(format!(":{family}:{name}({left}, {right})"))
}

/// For example `fn:max(X)` over floats.
pub(in crate::analysis) static REDUCER_TYPE: Rule = rule!("reducer-type.md");

/// The finding about one reducer.
pub(super) fn reducer(
    context: &CheckContext<'_>,
    clause: &Clause,
    problem: &TypeProblem,
    function: Symbol,
) -> Option<Finding> {
    // Another rule covers expressions as arguments.
    problem.variable?;
    let message = format!("`{function}` takes {}, found {}", noun(&problem.wanted), found(context, problem));
    let finding = Finding::new(&REDUCER_TYPE, problem.range, message);
    let finding = finding.note("the engine aborts when it evaluates this aggregation");
    let finding = with_origin(finding, context, clause, problem);
    let finding = error_if(stops(context, clause, problem, &problem.wanted), finding);
    match counterpart(function.as_str(), &problem.found) {
        Some(right) => Some(finding.fix(Fix::safe(format!("write `{right}`")).replace(problem.range, right))),
        None => Some(finding),
    }
}

/// The reducer for values of `ty` that corresponds to `function`.
fn counterpart(function: &str, ty: &Type) -> Option<&'static str> {
    let family = match ty {
        Type::Base(Base::Number) => "",
        Type::Base(Base::Float) => "float:",
        Type::Base(Base::Duration) => "duration:",
        Type::Base(Base::Time) => "time:",
        _ => return None,
    };
    let operation = function.strip_prefix("fn:")?.rsplit(':').next()?;
    Some(builtins::function(&format!("fn:{family}{operation}"))?.name)
}
