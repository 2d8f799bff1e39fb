//! Type inference for one premise: narrows the types of its variables.

use super::expression::{Bindings, Projection, field, field_problem, type_of};
use super::state::{Conflict, TypeOrigin, TypeProblem, TypeProblemKind, TypeState, conflict};
use super::{Inference, Relation};
use crate::program::binding::builtin_parameters;
use crate::program::builtins::{self, Parameter};
use crate::types::{Base, Rows, Type};
use mangle_syntax::syntax::ast::{
    Atom, Comparison, Literal, Operator, Premise, Term, TermKind, TimeBoundKind,
};
use mangle_syntax::text::{Symbol, TextRange};

type Step = Result<(), Box<TypeProblem>>;

#[derive(Clone, Copy)]
struct PremisePosition {
    premise: u32,
    negated: bool,
}

impl Inference {
    pub(super) fn infer_premise<'p>(
        &mut self,
        index: u32,
        premise: &Premise,
        relation: impl Fn(&Atom) -> Relation<'p>,
    ) {
        match premise {
            Premise::Literal(literal) => self.literal(index, literal, relation),
            Premise::Comparison(comparison) => self.comparison(index, comparison),
            Premise::Broken(..) => {}
        }
    }

    fn literal<'p>(&mut self, index: u32, literal: &Literal, relation: impl Fn(&Atom) -> Relation<'p>) {
        let atom = &literal.atom;
        let place = PremisePosition { premise: index, negated: literal.is_negated() };
        let forget = |state: &mut TypeState| forget_all(state, &atom.args);
        if atom.is_builtin() {
            if let Some(parameters) = builtin_parameters(atom) {
                self.step(|state, next| builtin(place, atom, parameters, state, next), forget);
            }
            return;
        }
        let relation = relation(atom);
        let reflects = relation.signature.and_then(|signature| signature.reflects);
        if let (Some(prefix), [only], false) = (reflects, atom.args.as_slice(), place.negated) {
            let row = vec![Type::Prefix(prefix)];
            self.step(
                |state, next| unify_row(place, std::slice::from_ref(only), &row, &[], state, next),
                forget,
            );
        } else {
            self.step(|state, next| rows(place, atom, &relation.rows, state, next), forget);
        }
        for bound in literal.interval.iter().flat_map(|interval| &interval.bounds) {
            if let TimeBoundKind::Variable(name) = bound.kind {
                self.interval_bound(name, bound.range);
            }
        }
    }

    /// Narrows a variable of an interval to instants.
    pub(super) fn interval_bound(&mut self, name: Symbol, range: TextRange) {
        let time = Type::Base(Base::Time);
        let step = |state: &TypeState, next: &mut Vec<TypeState>| {
            let mut state = state.clone();
            state
                .narrow(name, &time, TypeOrigin::Interval(range))
                .map_err(|conflict| problem(TypeProblemKind::Interval, range, Some(name), conflict, &time))?;
            next.push(state);
            Ok(())
        };
        self.step(step, |state| state.set(name, Type::Any, None));
    }

    fn comparison(&mut self, index: u32, comparison: &Comparison) {
        let forget = |state: &mut TypeState| forget_all(state, [&comparison.left, &comparison.right]);
        match comparison.operator {
            Operator::Equal => self.step(|state, next| equal(index, comparison, state, next), forget),
            Operator::NotEqual => self.step(|state, next| unequal(index, comparison, state, next), forget),
            _ => {
                let sides = [&comparison.left, &comparison.right];
                let range = comparison.operator_range;
                self.step(
                    |state, next| ordering(index, sides, range, state, next),
                    |state| forget_unless_number(state, sides),
                );
            }
        }
    }
}

fn forget_all<'t>(state: &mut TypeState, terms: impl IntoIterator<Item = &'t Term>) {
    for term in terms {
        term.variables(&mut |name, _| state.set(name, Type::Any, None));
    }
}

/// Clears the types of both sides of an ordering unless they can be integers.
fn forget_unless_number(state: &mut TypeState, sides: [&Term; 2]) {
    for name in sides.into_iter().filter_map(Term::variable) {
        if !state.get(name).overlaps(&Type::number()) {
            state.set(name, Type::Any, None);
        }
    }
}

fn problem(
    kind: TypeProblemKind,
    range: TextRange,
    variable: Option<Symbol>,
    conflict: Conflict,
    wanted: &Type,
) -> Box<TypeProblem> {
    let Conflict { found, origin, names } = conflict;
    Box::new(TypeProblem {
        kind,
        range,
        variable,
        found,
        origin,
        wanted: wanted.clone(),
        differs_only_in_names: names,
    })
}

/// Adds one state for each possible alternative of the relation.
fn rows(
    place: PremisePosition,
    atom: &Atom,
    rows: &Rows,
    state: &TypeState,
    next: &mut Vec<TypeState>,
) -> Step {
    if rows.is_unknown() {
        next.push(unknown(&atom.args, state)?);
        return Ok(());
    }
    let before = next.len();
    let mut nearest: Option<Box<TypeProblem>> = None;
    for row in rows.alternatives.iter() {
        if let Err(problem) = unify_row(place, &atom.args, row, &rows.contradicted, state, next)
            && nearest.as_ref().is_none_or(|known| is_nearer(&problem, known))
        {
            nearest = Some(problem);
        }
        // A negated premise does not narrow its variables, so one possible alternative is enough.
        if place.negated && next.len() > before {
            break;
        }
    }
    match nearest {
        Some(problem) if next.len() == before => Err(problem),
        _ => Ok(()),
    }
}

/// True if `one` is the more likely cause: the problem of the row that matched more arguments.
fn is_nearer(one: &TypeProblem, other: &TypeProblem) -> bool {
    (one.differs_only_in_names, one.range.start()) > (other.differs_only_in_names, other.range.start())
}

fn unknown(args: &[Term], state: &TypeState) -> Result<TypeState, Box<TypeProblem>> {
    for arg in args {
        type_of(arg, state)?;
    }
    Ok(state.clone())
}

/// Narrows the arguments of an atom to the columns of one alternative.
fn unify_row(
    place: PremisePosition,
    args: &[Term],
    row: &[Type],
    contradicted: &[Option<Base>],
    state: &TypeState,
    next: &mut Vec<TypeState>,
) -> Step {
    let mut state = state.clone();
    for ((at, term), wanted) in (0u32..).zip(args).zip(row) {
        // If most literals contradict the declaration, the declaration is wrong, not this literal.
        if term.is_constant() && contradicted.get(at as usize).is_some_and(Option::is_some) {
            continue;
        }
        narrow(place, at, term, wanted, &mut state)?;
    }
    next.push(state);
    Ok(())
}

/// Narrows one argument of a premise to `wanted`.
fn narrow(place: PremisePosition, argument: u32, term: &Term, wanted: &Type, state: &mut TypeState) -> Step {
    let PremisePosition { premise, negated } = place;
    let kind = TypeProblemKind::Premise { premise, argument, negated };
    match term.variable() {
        // A negated premise is only compared, and narrows no variable.
        Some(name) if negated => {
            let (found, origin) = (state.get(name), state.origin(name));
            check(kind, term, &found, origin, wanted)
        }
        Some(name) => state
            .narrow(name, wanted, TypeOrigin::Argument { premise, argument })
            .map_err(|conflict| problem(kind, term.range, Some(name), conflict, wanted)),
        None if term.is_wildcard() || has_unknown(term, state) => Ok(()),
        None => check(kind, term, &type_of(term, state)?, None, wanted),
    }
}

/// True if an expression has an unbound variable. Another rule reports unbound variables.
fn has_unknown(term: &Term, state: &TypeState) -> bool {
    let mut unknown = false;
    term.variables(&mut |name, _| unknown |= state.origin(name).is_none());
    unknown
}

/// Checks that a value of type `found` can also have type `wanted`.
fn check(
    kind: TypeProblemKind,
    term: &Term,
    found: &Type,
    origin: Option<TypeOrigin>,
    wanted: &Type,
) -> Step {
    if found.is_bottom() || wanted.is_bottom() || found.overlaps(wanted) {
        return Ok(());
    }
    Err(problem(kind, term.range, term.variable(), conflict(found, origin, wanted), wanted))
}

fn builtin(
    place: PremisePosition,
    atom: &Atom,
    parameters: &[Parameter],
    state: &TypeState,
    next: &mut Vec<TypeState>,
) -> Step {
    let name = atom.name.as_str();
    match (name, atom.args.as_slice()) {
        (":match_field", [subject, label, value]) => {
            return match_field(place, [subject, label, value], state, next);
        }
        (":match_prefix", [subject, Term { kind: TermKind::Name(prefix), .. }]) => {
            return match_prefix(place, subject, *prefix, state, next);
        }
        (_, [left, right]) if is_integer_ordering(name) => {
            return ordering(place.premise, [left, right], atom.name.range, state, next);
        }
        _ => {}
    }
    let mut state = state.clone();
    let mut bindings = Bindings::default();
    for ((at, term), parameter) in (0u32..).zip(&atom.args).zip(parameters) {
        if parameter.mode.binds() {
            continue;
        }
        let wanted = parameter_type(name, parameter);
        narrow(place, at, term, &bindings.fill(&wanted), &mut state)?;
        let found = type_of(term, &state)?;
        bindings.accept(&wanted, &found);
    }
    for ((at, term), parameter) in (0u32..).zip(&atom.args).zip(parameters) {
        if parameter.mode.binds() {
            let given = bindings.fill(&Type::named(parameter.ty));
            narrow(place, at, term, &given, &mut state)?;
        }
    }
    next.push(state);
    Ok(())
}

fn is_integer_ordering(name: &str) -> bool {
    builtins::predicate(name).is_some_and(builtins::BuiltinPredicate::is_integer_ordering)
}

/// The parameter type of a built-in predicate. For intervals, the bounds check of the engine
/// declares pairs of instants, but its evaluation aborts unless the value is a pair of numbers.
fn parameter_type(name: &str, parameter: &Parameter) -> Type {
    match name.starts_with(":interval:") {
        true => Type::pair(Type::Base(Base::Number), Type::Base(Base::Number)),
        false => Type::named(parameter.ty),
    }
}

fn match_field(
    place: PremisePosition,
    [subject, label, value]: [&Term; 3],
    state: &TypeState,
    next: &mut Vec<TypeState>,
) -> Step {
    let found = type_of(subject, state)?;
    let TermKind::Name(name) = label.kind else {
        next.push(state.clone());
        return Ok(());
    };
    let kind = TypeProblemKind::Premise { premise: place.premise, argument: 0, negated: place.negated };
    let ty = match field(&found, name) {
        Projection::Type(ty) => ty,
        Projection::NoField => return Err(field_problem(subject, &found, name, label, state)),
        Projection::NoStruct => {
            let origin = subject.variable().and_then(|variable| state.origin(variable));
            let conflict = Conflict { found, origin, names: false };
            let wanted = Type::structure(Vec::new());
            return Err(problem(kind, subject.range, subject.variable(), conflict, &wanted));
        }
    };
    let mut state = state.clone();
    narrow(place, 2, value, &ty, &mut state)?;
    next.push(state);
    Ok(())
}

/// The engine compares names as text: `/ab` has the prefix `/a`.
fn match_prefix(
    place: PremisePosition,
    subject: &Term,
    prefix: Symbol,
    state: &TypeState,
    next: &mut Vec<TypeState>,
) -> Step {
    let mut state = state.clone();
    let found = type_of(subject, &state)?;
    let text = prefix.as_str();
    let by_text = found.members().iter().any(|member| match member {
        Type::Prefix(name) | Type::Singleton(name) | Type::Literal(name) => {
            name.as_str().starts_with(text) || text.starts_with(name.as_str())
        }
        _ => false,
    });
    let wanted = if by_text { Type::name() } else { Type::Prefix(prefix) };
    match subject.variable() {
        Some(name) if place.negated => {
            let rest = found.without(&Type::Prefix(prefix));
            if !rest.is_bottom() && matches!(found, Type::Union(_)) {
                state.set(name, rest, state.origin(name));
            }
        }
        _ => narrow(place, 0, subject, &wanted, &mut state)?,
    }
    next.push(state);
    Ok(())
}

fn equal(premise: u32, comparison: &Comparison, state: &TypeState, next: &mut Vec<TypeState>) -> Step {
    let (left, right) = (&comparison.left, &comparison.right);
    let kind = TypeProblemKind::Equality { premise, negated: false };
    let mut state = state.clone();
    let origin = |other: &Term| TypeOrigin::Value(other.range);
    let apart = |name, wanted: &Type, conflict| {
        problem(kind, comparison.operator_range, Some(name), conflict, wanted)
    };
    match (left.variable(), right.variable()) {
        (Some(one), Some(other)) => {
            let wanted = state.get(other);
            state.equate(one, other, origin(right)).map_err(|conflict| apart(one, &wanted, conflict))?;
        }
        (Some(name), None) => {
            let ty = type_of(right, &state)?;
            state.narrow(name, &ty, origin(right)).map_err(|conflict| apart(name, &ty, conflict))?;
        }
        (None, Some(name)) => {
            let ty = type_of(left, &state)?;
            state.narrow(name, &ty, origin(left)).map_err(|conflict| apart(name, &ty, conflict))?;
        }
        (None, None) => compare_values(kind, comparison, &state)?,
    }
    next.push(state);
    Ok(())
}

/// Compares two sides that are not variables. Another rule reports pairs of constants.
fn compare_values(kind: TypeProblemKind, comparison: &Comparison, state: &TypeState) -> Step {
    let (left, right) = (&comparison.left, &comparison.right);
    let (found, wanted) = (type_of(left, state)?, type_of(right, state)?);
    if left.is_constant() && right.is_constant() || found.is_bottom() || wanted.is_bottom() {
        return Ok(());
    }
    if found.generalised().overlaps(&wanted.generalised()) {
        return Ok(());
    }
    let conflict = Conflict { found, origin: None, names: false };
    Err(problem(kind, comparison.operator_range, None, conflict, &wanted))
}

fn unequal(premise: u32, comparison: &Comparison, state: &TypeState, next: &mut Vec<TypeState>) -> Step {
    let kind = TypeProblemKind::Equality { premise, negated: true };
    let (left, right) = (&comparison.left, &comparison.right);
    let (found, wanted) = (type_of(left, state)?, type_of(right, state)?);
    let constants = left.is_constant() && right.is_constant();
    let known = !found.is_bottom() && !wanted.is_bottom();
    // Two different names are the usual case for `!=`, so their kinds are compared.
    if !constants && known && !found.generalised().overlaps(&wanted.generalised()) {
        let (term, found, wanted) =
            if left.variable().is_some() { (left, found, wanted) } else { (right, wanted, found) };
        let origin = term.variable().and_then(|name| state.origin(name));
        let conflict = Conflict { found, origin, names: false };
        return Err(problem(kind, comparison.operator_range, term.variable(), conflict, &wanted));
    }
    next.push(state.clone());
    Ok(())
}

/// `<`, `<=`, `>` and `>=` accept only integers.
fn ordering(
    premise: u32,
    sides: [&Term; 2],
    range: TextRange,
    state: &TypeState,
    next: &mut Vec<TypeState>,
) -> Step {
    let mut state = state.clone();
    let number = Type::number();
    let [left, right] = sides;
    let types = [type_of(left, &state)?, type_of(right, &state)?];
    let wrong = |ty: &Type| !ty.is_bottom() && !ty.overlaps(&number);
    let [of_left, of_right] = types;
    // Literals are reported first. The type of a variable may come from a distant declaration.
    let ways = [(left, &of_left, &of_right), (right, &of_right, &of_left)];
    let culprit =
        ways.into_iter().filter(|(_, ty, _)| wrong(ty)).min_by_key(|(side, ..)| side.variable().is_some());
    if let Some((side, found, other)) = culprit {
        let origin = side.variable().and_then(|name| state.origin(name));
        let conflict = Conflict { found: found.clone(), origin, names: false };
        let kind = TypeProblemKind::Ordering { premise, left: std::ptr::eq(side, left) };
        return Err(problem(kind, range, side.variable(), conflict, other));
    }
    for side in sides {
        if let Some(name) = side.variable() {
            let _ = state.narrow(name, &number, TypeOrigin::Value(range));
        }
    }
    next.push(state);
    Ok(())
}
