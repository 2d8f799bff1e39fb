//! Completions of variables: existing variables of the statement, and new ones named after the
//! parameter.

use rustc_hash::FxHashMap;

use super::constants::{self, ArgumentUsage, column};
use super::context::TermSlot;
use super::{Completion, CompletionKind, Request};
use crate::cursor::CursorPart;
use mangle_check::describe;
use mangle_engine::program::builtins;
use mangle_engine::types::Type;
use mangle_syntax::text::Symbol;

/// Occurrences of a variable in the statement.
#[derive(Debug, Default, Clone, Copy)]
struct VariableUse {
    /// Number of occurrences in the head.
    head: u32,
    /// Number of occurrences in positive premises, before and after the cursor.
    body: u32,
    /// Number of other occurrences.
    elsewhere: u32,
    /// True if the variable is already an argument of the same atom.
    here: bool,
    /// Number of premises since the last use.
    distance: usize,
}

fn known(request: &Request<'_>) -> FxHashMap<Symbol, VariableUse> {
    let cursor = request.cursor;
    let mut all: FxHashMap<Symbol, VariableUse> = FxHashMap::default();
    let fresh = VariableUse { distance: usize::MAX, ..VariableUse::default() };
    for occurrence in &cursor.whole.variables {
        let known = all.entry(occurrence.variable).or_insert(fresh);
        match occurrence.part {
            CursorPart::Head => known.head += 1,
            CursorPart::Body if !occurrence.negated && occurrence.argument.is_some() => known.body += 1,
            _ => known.elsewhere += 1,
        }
        let same = occurrence.part == cursor.before.part && occurrence.premise == cursor.before.premise;
        known.here |= same && occurrence.part != CursorPart::Transform;
        known.distance = known.distance.min(occurrence.premise.abs_diff(cursor.before.premise));
    }
    all
}

/// Adds variables at a term position. `left` is the other side of a comparison; `seen` is the usage
/// of this argument.
pub(super) fn terms(
    request: &Request<'_>,
    hole: TermSlot,
    left: Option<Symbol>,
    seen: Option<&ArgumentUsage>,
    items: &mut Vec<Completion>,
) {
    let parameter = hole.callee.and_then(|callee| parameter(request, hole, callee.name));
    let wanted = wanted_type(request, hole, left);
    let all = known(request);
    let share = variable_share(request, seen);
    let mut weights: Vec<(Symbol, f64)> = Vec::new();
    for (&variable, known) in &all {
        if Some(variable) == left {
            continue;
        }
        let mut weight = weight(request, *known, hole);
        weight *= likeness(variable.as_str(), parameter);
        if let Some(seen) = seen {
            weight *= 1.0
                + 8.0 * seen.variables.get(&variable).copied().unwrap_or(0.0) / (seen.all_variables + 1.0);
        }
        if request.cursor.before.part == CursorPart::Transform {
            weight *= in_transform(request, variable, *known);
        }
        if wanted.as_ref().is_some_and(|wanted| !fits(request, variable, wanted)) {
            weight *= 0.15;
        }
        weights.push((variable, weight));
    }
    let sum: f64 = weights.iter().map(|(_, weight)| weight).sum::<f64>() + 1.0;
    for (variable, weight) in weights {
        items.push(Completion::new(variable.as_str(), CompletionKind::Variable, share * weight / sum));
    }
    if hole.callee.is_some_and(|callee| !callee.name.as_str().starts_with("fn:")) && !hole.nested {
        new_variables(request, &all, parameter, seen, share / sum, items);
        wildcard(request, seen, items);
    }
}

/// Returns the probability that the term is a variable.
fn variable_share(request: &Request<'_>, seen: Option<&ArgumentUsage>) -> f64 {
    let share = seen.map_or(0.7, |seen| (seen.all_variables + 0.5) / (seen.total + 1.0));
    let clause = &request.cursor.whole;
    match clause.part {
        CursorPart::Body if seen.is_some() => share.max(0.2),
        CursorPart::Head if !clause.variables.is_empty() => share.max(0.5),
        _ => share,
    }
}

/// Returns the weight of a variable, from its existing occurrences.
fn weight(request: &Request<'_>, known: VariableUse, hole: TermSlot) -> f64 {
    let mut weight = 1.0;
    if known.here && !hole.nested {
        weight *= 0.08;
    }
    match request.cursor.before.part {
        // Unbound variables need a premise, and variables that occur once need a second use.
        CursorPart::Body if request.cursor.before.negated => {
            weight *= if known.body > 0 { 2.0 } else { 1.0 };
        }
        CursorPart::Body => {
            if known.head > 0 && known.body == 0 {
                weight *= 2.5;
            } else if known.head + known.body + known.elsewhere == 1 {
                weight *= 2.0;
            }
            if known.distance == 1 {
                weight *= 1.3;
            }
        }
        CursorPart::Head if known.head == 0 => weight *= 2.0,
        _ => {}
    }
    weight
}

/// A transform can use variables bound by the body and defined by an earlier `let`. Grouping uses
/// head variables.
fn in_transform(request: &Request<'_>, variable: Symbol, known: VariableUse) -> f64 {
    let scan = &request.cursor.before;
    let defined = scan
        .variables
        .iter()
        .any(|occurrence| occurrence.variable == variable && occurrence.part == CursorPart::Transform);
    if known.body == 0 && !defined {
        return 0.02;
    }
    let groups = scan
        .frame()
        .and_then(|frame| frame.callee)
        .is_some_and(|callee| callee.name.as_str() == "fn:group_by");
    match (groups, scan.grouping.contains(&variable), known.head > 0) {
        (true, true, _) => 0.05,
        (true, false, true) => 4.0,
        (false, true, _) => 0.3,
        _ => 1.0,
    }
}

/// Returns the similarity of the names of a variable and a parameter.
fn likeness(variable: &str, parameter: Option<&str>) -> f64 {
    let Some(parameter) = parameter else { return 1.0 };
    if variable.eq_ignore_ascii_case(parameter) {
        return 12.0;
    }
    let (one, other) = (variable.to_ascii_lowercase(), parameter.to_ascii_lowercase());
    // Single letters are not compared.
    let long = one.len() > 1 && other.len() > 1;
    if long && (one.ends_with(&other) || other.ends_with(&one)) {
        5.0
    } else if long && (one.starts_with(&other) || other.starts_with(&one)) {
        3.0
    } else {
        1.0
    }
}

/// Adds new variables: the parameter name, and the names in other clauses.
fn new_variables(
    request: &Request<'_>,
    all: &FxHashMap<Symbol, VariableUse>,
    parameter: Option<&str>,
    seen: Option<&ArgumentUsage>,
    scale: f64,
    items: &mut Vec<Completion>,
) {
    // Facts have no variables.
    if request.cursor.whole.part == CursorPart::Head
        && request.cursor.whole.variables.is_empty()
        && !is_rule(seen)
    {
        return;
    }
    let mut proposed: Vec<(Symbol, f64)> = Vec::new();
    if let Some(seen) = seen {
        let share = |weight: f64| weight / (seen.all_variables + 1.0);
        proposed.extend(seen.variables.iter().map(|(name, weight)| (*name, 2.5 * share(*weight))));
        proposed.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        proposed.truncate(5);
    }
    if let Some(parameter) = parameter {
        let parameter = Symbol::new(parameter);
        match proposed.iter_mut().find(|(name, _)| *name == parameter) {
            Some((_, weight)) => *weight += 0.8,
            None => proposed.push((parameter, 0.8)),
        }
    }
    for (name, weight) in proposed.into_iter().filter(|(name, _)| !all.contains_key(name)) {
        items.push(Completion::new(name.as_str(), CompletionKind::Variable, weight * scale).note("new"));
    }
}

/// True if the predicate appears to have rules.
fn is_rule(seen: Option<&ArgumentUsage>) -> bool {
    seen.is_some_and(|seen| seen.all_variables > 0.0)
}

fn wildcard(request: &Request<'_>, seen: Option<&ArgumentUsage>, items: &mut Vec<Completion>) {
    let scan = &request.cursor.before;
    // The engine rejects `_` in a head, and drops a negated premise with `_`.
    if scan.part != CursorPart::Body || scan.negated {
        return;
    }
    let share = seen.map_or(0.1, |seen| (seen.wildcards + 0.2) / (seen.total + 1.0));
    items.push(Completion::new("_", CompletionKind::Variable, share).note("any value"));
}

/// Returns the name of the parameter at the cursor.
fn parameter(request: &Request<'_>, hole: TermSlot, name: Symbol) -> Option<&'static str> {
    let predicates = constants::predicates_named(request, name, hole.index, request.cursor.arguments);
    let program = request.place.program();
    predicates.into_iter().find_map(|predicate| describe::parameter_name(program, predicate, hole.index))
}

/// Returns the required type at the cursor, unless it is `Any`.
fn wanted_type(request: &Request<'_>, hole: TermSlot, left: Option<Symbol>) -> Option<Type> {
    if let Some(left) = left {
        return type_of(request, left);
    }
    let callee = hole.callee?;
    let name = callee.name.as_str();
    if let Some(function) = builtins::function(name) {
        let at = match function.arity {
            builtins::Arity::Exactly(_) => hole.index,
            builtins::Arity::AtLeast(_) => 0,
            builtins::Arity::Pairs => hole.index % 2,
        };
        return function.parameters.get(at).map(|text| Type::named(text)).filter(says_something);
    }
    if let Some(builtin) = builtins::predicate(name) {
        return builtin
            .parameters
            .get(hole.index)
            .map(|parameter| Type::named(parameter.ty))
            .filter(says_something);
    }
    column(request, callee.name, hole.index, request.cursor.arguments)
}

fn says_something(ty: &Type) -> bool {
    !ty.is_any()
}

/// Returns the type of a variable of the statement, from the arguments where it occurs.
fn type_of(request: &Request<'_>, variable: Symbol) -> Option<Type> {
    let occurrences = request.cursor.whole.variables.iter();
    let positive = occurrences.filter(|occurrence| {
        occurrence.variable == variable && occurrence.part == CursorPart::Body && !occurrence.negated
    });
    let mut found: Option<Type> = None;
    for (callee, index) in positive.filter_map(|occurrence| occurrence.argument) {
        if let Some(ty) = column(request, callee.name, index, None) {
            found = Some(found.map_or(ty.clone(), |known| known.meet(&ty)));
        }
    }
    found
}

fn fits(request: &Request<'_>, variable: Symbol, wanted: &Type) -> bool {
    type_of(request, variable).is_none_or(|ty| ty.overlaps(wanted))
}

/// Adds variables that can start a comparison.
pub(super) fn starters(request: &Request<'_>, items: &mut Vec<Completion>) {
    if request.cursor.before.negated || request.cursor.before.temporal {
        return;
    }
    for (variable, known) in known(request) {
        let bound = if known.body > 0 { 0.02 } else { 0.005 };
        items.push(Completion::new(variable.as_str(), CompletionKind::Variable, bound));
    }
}

/// Adds variables that no earlier premise binds.
pub(super) fn fresh(request: &Request<'_>, items: &mut Vec<Completion>) {
    let before = &request.cursor.before.variables;
    for (variable, known) in known(request) {
        let bound = before.iter().any(|occurrence| {
            occurrence.variable == variable
                && occurrence.part == CursorPart::Body
                && !occurrence.negated
                && occurrence.argument.is_some()
        });
        if !bound {
            let score = if known.head > 0 { 0.8 } else { 0.6 };
            items.push(Completion::new(variable.as_str(), CompletionKind::Variable, score));
        }
    }
}

/// Adds the head variables that the body does not bind, as targets of a `let`.
pub(super) fn results(request: &Request<'_>, items: &mut Vec<Completion>) {
    let mut defined =
        request.cursor.whole.variables.iter().filter(|occurrence| occurrence.part == CursorPart::Transform);
    let all = known(request);
    for (variable, known) in &all {
        if known.head > 0 && known.body == 0 {
            let used = defined.any(|occurrence| occurrence.variable == *variable);
            items.push(Completion::new(
                variable.as_str(),
                CompletionKind::Variable,
                if used { 0.5 } else { 1.0 },
            ));
        }
    }
}
