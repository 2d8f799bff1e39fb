//! Checks for premises that never hold or abort the evaluation because of the types or values of their
//! arguments (`MG602`, `MG604`, `MG606`, `MG710`).

use super::each_application;
use super::wording::{
    QUOTED, atom_of, declared_type, described, error_if, found, has_fact, is_column_confirmed, is_confirmed,
    noun, place, rewrite_literal, stops, undeclared, with_origin,
};
use crate::analysis::CheckContext;
use crate::analysis::wording::{code, counted};
use mangle_engine::kernel::{Clock, Failure, Function, ValueId, Values, evaluate};
use mangle_engine::program::builtins;
use mangle_engine::types::{Base, Type, TypeProblem};
use mangle_syntax::lint::{Finding, Rule, Severity, rule};
use mangle_syntax::syntax::ast::{Apply, Clause, Comparison, Premise, Term, TermKind};
use mangle_syntax::text::Symbol;

/// For example `ok(A) :- van(A), :time:lt(A, A).` over strings.
pub(super) static TYPE_PREMISE_IMPOSSIBLE: Rule = rule!("type-premise-impossible.md");

/// For example `X = 5` over strings.
pub(super) static EQ_NEVER: Rule = rule!("eq-never.md");

/// For example `q(X)@[T, T] :- p(X, T).` if `T` is an integer.
pub(in crate::analysis) static INTERVAL_TYPE: Rule = rule!("interval-type.md");

/// An argument of a premise that its relation never contains.
pub(super) fn premise(
    context: &CheckContext<'_>,
    clause: &Clause,
    problem: &TypeProblem,
    premise: u32,
    argument: u32,
    negated: bool,
) -> Option<Finding> {
    let atom = atom_of(clause, premise)?;
    let term = atom.args.get(argument as usize)?;
    let predicate = context.predicate(atom);
    let declared = predicate.is_none_or(|predicate| super::wording::is_declared(context, predicate));
    let (at, asked) = (argument + 1, described(context, atom));
    let promised = declared_type(context, predicate, problem, argument);
    let (wanted, found) = (noun(&problem.wanted), found(context, problem));
    let (message, admitted) = match (predicate, declared) {
        (None, _) => (format!("argument {at} of {asked} takes {wanted}, found {found}"), None),
        (_, true) => undeclared(&format!("argument {at} of {asked}"), &promised, &found),
        (_, false) => (format!("argument {at} of {asked} is always {wanted}, found {found}"), None),
    };
    let aborts = predicate.is_none()
        && builtins::predicate(atom.name.as_str())
            .is_some_and(|builtin| builtin.aborts_at(argument as usize));
    let verdict = match (predicate.is_some() && declared, negated) {
        _ if aborts => "the engine aborts when it evaluates this premise",
        (true, false) => "no fact that conforms to the declaration matches",
        (true, true) => "the negation holds for every fact that conforms to the declaration",
        (false, false) => "this premise never holds",
        (false, true) => "the negation always holds",
    };
    let finding = Finding::new(&TYPE_PREMISE_IMPOSSIBLE, problem.range, message).note(verdict);
    let mut finding = admitted.into_iter().fold(finding, Finding::note);
    if let Some((span, what)) = predicate.and_then(|predicate| place(context, predicate, 0, argument)) {
        finding = finding.related(span, what);
    }
    finding = with_origin(finding, context, clause, problem);
    let is_confirmed = is_column_confirmed(context, atom, argument) && !are_names(problem);
    let is_stopped = aborts && (term.is_constant() || stops(context, clause, problem, &problem.wanted));
    finding = error_if(term.is_constant() && is_confirmed || is_stopped, finding);
    match rewrite_literal(context, term, &promised) {
        Some(fix) => Some(finding.fix(fix)),
        None => Some(finding),
    }
}

/// True if expected and actual value are both names. The host can add facts with names that a
/// declaration does not list.
fn are_names(problem: &TypeProblem) -> bool {
    let names = Type::Base(Base::Name);
    problem.found.overlaps(&names) && problem.wanted.overlaps(&names)
}

/// An argument that a function does not accept.
pub(super) fn argument(
    context: &CheckContext<'_>,
    clause: &Clause,
    problem: &TypeProblem,
    function: Symbol,
    argument: u32,
) -> Finding {
    let message = format!("`{function}` takes {}, found {}", noun(&problem.wanted), found(context, problem));
    let finding = Finding::new(&TYPE_PREMISE_IMPOSSIBLE, problem.range, message);
    let finding = finding.note("the engine aborts when it evaluates this call");
    // The value of a literal does not depend on declarations.
    let is_known = problem.variable.is_none() || stops(context, clause, problem, &problem.wanted);
    let is_certain = is_known && takes_one_kind(function, argument as usize, &problem.found);
    error_if(is_certain, with_origin(finding, context, clause, problem))
}

/// True if the parameter only accepts one kind of value for all other arguments, or never accepts
/// values like `found`.
fn takes_one_kind(function: Symbol, argument: usize, found: &Type) -> bool {
    let parameters = builtins::function(function.as_str()).map_or(&[][..], |function| function.parameters);
    let Some(ty) = parameters.get(argument).or(parameters.last()) else { return false };
    let has_parts = |ty: &Type| !matches!(ty, Type::Base(_)) && !ty.is_name();
    let takes_parts =
        [".List<", ".Map<", ".Pair<", ".Struct<"].into_iter().any(|start| ty.starts_with(start));
    ty.starts_with('/') && *ty != "/any"
        || takes_parts && !found.is_any() && !found.members().iter().any(has_parts)
}

/// Reports a missing field of a struct.
pub(super) fn field(
    context: &CheckContext<'_>,
    clause: &Clause,
    problem: &TypeProblem,
    label: Symbol,
) -> Finding {
    let mut subject = None;
    each_application(clause, &mut |apply| {
        let is_here =
            |label: &Term| label.range == problem.range && apply.function.as_str() == "fn:struct:get";
        if apply.args.get(1).is_some_and(is_here) {
            subject = apply.args.first();
        }
    });
    let is_struct = |term: &Term| term.apply().is_some_and(|apply| apply.function.as_str() == "fn:struct");
    let lacks =
        |ty: &Type| matches!(ty, Type::Struct(fields) if fields.iter().all(|field| field.label != label));
    let is_stopped =
        subject.is_some_and(is_struct) || subject.is_some() && has_fact(context, clause, problem, lacks);
    let owner = match (problem.variable, subject) {
        (Some(name), _) => format!("`{name}`"),
        (None, Some(subject)) => code(context.slice(subject.range), QUOTED),
        (None, None) => noun(&problem.found),
    };
    let finding =
        Finding::new(&TYPE_PREMISE_IMPOSSIBLE, problem.range, format!("unknown field `{label}` of {owner}"));
    let finding = match subject {
        Some(_) => finding.note("the engine aborts when it evaluates this call"),
        None => finding.note("the premise never holds"),
    };
    error_if(is_stopped, with_origin(finding, context, clause, problem))
}

/// Reports the sides of `=` or `!=` if their types have no common value.
pub(super) fn equality(
    context: &CheckContext<'_>,
    clause: &Clause,
    problem: &TypeProblem,
    premise: u32,
    negated: bool,
) -> Option<Finding> {
    let Premise::Comparison(comparison) = clause.premises.get(premise as usize)? else { return None };
    let Comparison { left, right, .. } = comparison;
    let verdict = if negated { "`!=` always holds" } else { "`=` never holds" };
    let (found, wanted) = (found(context, problem), noun(&problem.wanted));
    let finding =
        Finding::new(&EQ_NEVER, problem.range, format!("{verdict}: {found} compared with {wanted}"))
            .note("values of different types are never equal");
    let finding = with_origin(finding, context, clause, problem);
    let has_constant = left.is_constant() || right.is_constant();
    let is_certain = has_constant && is_confirmed(context, clause, problem) && !are_names(problem);
    let finding = error_if(is_certain, finding);
    let fix = [left, right].into_iter().find_map(|side| rewrite_literal(context, side, &problem.found));
    match fix {
        Some(fix) => Some(finding.fix(fix)),
        None => Some(finding),
    }
}

/// Reports a variable of the wrong type in a bound of an interval.
pub(super) fn interval(context: &CheckContext<'_>, clause: &Clause, problem: &TypeProblem) -> Finding {
    let message = format!("interval bounds are instants, found {}", found(context, problem));
    let finding = Finding::new(&INTERVAL_TYPE, problem.range, message)
        .note("a premise with this interval never matches, and a head with it gets no interval");
    with_origin(finding, context, clause, problem)
}

/// An index beyond the end of a list literal.
pub(super) fn index(clause: &Clause, findings: &mut Vec<Finding>) {
    // Another rule covers functions in facts.
    if clause.is_fact() {
        return;
    }
    each_application(clause, &mut |apply| {
        let ("fn:list:get", [list, index]) = (apply.function.as_str(), apply.args.as_slice()) else { return };
        let (Some(list), TermKind::Number(Some(number))) = (list.apply(), &index.kind) else { return };
        let len = list.args.len();
        if list.function.as_str() != "fn:list" || usize::try_from(*number).is_ok_and(|at| at < len) {
            return;
        }
        let message = format!("index {number} is outside of a list of {}", counted(len, "element"));
        let finding = Finding::new(&TYPE_PREMISE_IMPOSSIBLE, index.range, message)
            .note("the engine aborts when it evaluates this call")
            .note("the first element has the index 0");
        findings.push(finding.severity(Severity::Error));
    });
}

/// For example `fn:div(X, 0)`.
pub(super) static DIVISION_BY_ZERO: Rule = rule!("division-by-zero.md");

/// Checks every expression of a clause.
pub(super) fn check_division(clause: &Clause, findings: &mut Vec<Finding>) {
    each_application(clause, &mut |apply| {
        let Some(zero) = zero_divisor(apply) else { return };
        let name = apply.function.symbol;
        let consequence = match clause.is_fact() {
            true => "the engine rejects the program",
            false => "the engine aborts when it evaluates this division",
        };
        let finding = Finding::new(&DIVISION_BY_ZERO, zero.range, format!("`{name}` divides by zero"));
        findings.push(finding.note(consequence).rejected_if(clause.is_fact()));
    });
}

/// The literal zero that an application certainly divides by.
pub(in crate::analysis) fn zero_divisor(apply: &Apply) -> Option<&Term> {
    let name = apply.function.as_str();
    let divisor = match (name, apply.args.as_slice()) {
        // With one argument N, the result is 1/N.
        ("fn:div" | "fn:float:div", [only]) => only,
        // The division ends if an integer quotient reaches 0, before later divisors are used.
        ("fn:div", [_, first, ..]) => first,
        ("fn:mod", [_, divisor]) => divisor,
        ("fn:float:div", [_, divisors @ ..]) => divisors.iter().find(|divisor| is_zero(divisor))?,
        _ => return None,
    };
    let takes_float = builtins::function(name)?.result == "/float64";
    let fits = takes_float || !matches!(divisor.kind, TermKind::Float(_));
    (fits && is_zero(divisor)).then_some(divisor)
}

fn is_zero(term: &Term) -> bool {
    match term.kind {
        TermKind::Number(number) => number == Some(0),
        TermKind::Float(float) => float == 0.0,
        _ => false,
    }
}

/// Reports calls of time functions with an unknown unit, an unknown time zone or an invalid text.
pub(super) fn check_units(context: &CheckContext<'_>, clause: &Clause, findings: &mut Vec<Finding>) {
    // Another rule covers functions in facts.
    if clause.is_fact() {
        return;
    }
    each_application(clause, &mut |apply| findings.extend(call(context, apply)));
}

fn call(context: &CheckContext<'_>, apply: &Apply) -> Option<Finding> {
    let name = apply.function.as_str();
    if !name.starts_with("fn:time:") && !name.starts_with("fn:duration:") {
        return None;
    }
    let (function, table) = (Function::from_name(name)?, builtins::function(name)?);
    if function.reads_clock() || table.parameters.len() != apply.args.len() {
        return None;
    }
    let mut values = Values::new();
    let args = apply.args.iter().zip(table.parameters);
    let args: Option<Vec<ValueId>> =
        args.map(|(term, wanted)| evaluated_argument(context, &mut values, term, wanted)).collect();
    let failure = function.apply(&mut values, &args?, &Clock { now_ns: 0 }).err()?;
    let Failure::Wrong(reason) = &failure else { return None };
    // The last constant is the relevant argument: the unit, or the text.
    let is_text = |term: &&Term| matches!(term.kind, TermKind::Name(_) | TermKind::String);
    let term = apply.args.iter().rfind(is_text)?;
    let headline = format!("`{name}` does not take {}", code(context.slice(term.range), 24));
    let finding = Finding::new(&TYPE_PREMISE_IMPOSSIBLE, term.range, headline)
        .note("the engine aborts when it evaluates this call")
        .note(reason.to_string());
    Some(finding.severity(Severity::Error))
}

/// The value of an argument: a constant of the wanted type, or an arbitrary instant, duration or
/// number for a variable.
fn evaluated_argument(
    context: &CheckContext<'_>,
    values: &mut Values,
    term: &Term,
    wanted: &str,
) -> Option<ValueId> {
    match (&term.kind, wanted) {
        (TermKind::Name(_), "/name") | (TermKind::String, "/string") => {
            evaluate(term, context.file.statement_text(context.item), values, None).ok().flatten()
        }
        (TermKind::Variable(_) | TermKind::Apply(_), "/time") => Some(values.time(0)),
        (TermKind::Variable(_) | TermKind::Apply(_), "/duration") => Some(values.duration(0)),
        (TermKind::Variable(_) | TermKind::Apply(_), "/number") => Some(values.number(1)),
        _ => None,
    }
}
