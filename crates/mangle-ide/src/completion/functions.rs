//! Completions of functions, reducers and `fn:group_by`.

use super::variables::column;
use super::{Completion, CompletionKind, CompletionSubject, Insertion, Request};
use crate::cursor::{Bracket, CursorPart};
use mangle_engine::program::builtins::{self, Arity, BuiltinFunction, FUNCTIONS, FunctionRole};
use mangle_engine::types::Type;

/// True for a reducer that takes no list.
pub(super) fn is_reducer(name: &str) -> bool {
    builtins::function(name).is_some_and(BuiltinFunction::is_reducer)
}

/// Adds functions at a term position.
pub(super) fn functions(request: &Request<'_>, items: &mut Vec<Completion>) {
    // Functions in premise arguments are rare and require bound variables.
    let likely = match (request.cursor.before.part, request.cursor.before.frame()) {
        (CursorPart::Body, None) | (CursorPart::Transform, _) => 0.15,
        (_, Some(frame)) if frame.bracket != Bracket::Call => 0.02,
        (_, Some(frame)) if frame.callee.is_some_and(|callee| callee.name.as_str().starts_with("fn:")) => {
            0.03
        }
        _ => 0.001,
    };
    let wanted = wanted(request);
    for function in usable(request).filter(|function| function.role == FunctionRole::Function) {
        let fits = wanted.as_ref().is_none_or(|wanted| Type::named(function.result).overlaps(wanted));
        items.push(item(request, function, if fits { likely } else { likely / 20.0 }));
    }
}

/// Adds reducers at the value of a `let`.
pub(super) fn reducers(request: &Request<'_>, items: &mut Vec<Completion>) {
    if request.cursor.before.groups {
        items.extend(
            usable(request).filter(|function| function.is_reducer()).map(|it| item(request, it, 0.6)),
        );
    }
}

/// Adds the functions that are allowed after `do`.
pub(super) fn grouping(request: &Request<'_>, items: &mut Vec<Completion>) {
    items.extend(
        usable(request).filter(|it| it.role == FunctionRole::Grouping).map(|it| item(request, it, 1.0)),
    );
}

/// Returns the functions that the engine of this program can compute and its analysis accepts.
fn usable(request: &Request<'_>) -> impl Iterator<Item = &'static BuiltinFunction> {
    FUNCTIONS.iter().filter(|function| function.usable() && request.has(function.since))
}

/// Returns the required type of the argument at the cursor.
fn wanted(request: &Request<'_>) -> Option<Type> {
    if request.cursor.before.frames.is_empty() && request.cursor.before.ordering {
        return Some(Type::number());
    }
    let frame = request.cursor.before.frame()?;
    let callee = frame.callee?;
    let name = callee.name.as_str();
    if let Some(function) = builtins::function(name) {
        let at = if matches!(function.arity, Arity::Exactly(_)) { frame.commas } else { 0 };
        return function.parameters.get(at).map(|text| Type::named(text));
    }
    column(request, callee.name, frame.commas, request.cursor.arguments)
}

fn item(request: &Request<'_>, function: &BuiltinFunction, score: f64) -> Completion {
    let name = function.name;
    let arguments = arguments(request, function);
    let insertion = match request.is_called() {
        true => Insertion::plain(name),
        false => Insertion::call(name, &arguments),
    };
    let kind = if function.is_reducer() { CompletionKind::Reducer } else { CompletionKind::Function };
    let mut item = Completion::new(name, kind, popularity(name) * score)
        .inserting(insertion)
        .about(CompletionSubject::Function(name.to_owned()))
        .note(function.result);
    let variadic = if matches!(function.arity, Arity::Exactly(_)) { "" } else { ", …" };
    item.signature = Some(format!("({}{variadic})", function.parameters.join(", ")));
    item
}

/// Returns a prior by frequency of use in typical programs.
fn popularity(name: &str) -> f64 {
    match name {
        "fn:count" | "fn:group_by" | "fn:plus" | "fn:minus" | "fn:sum" | "fn:max" | "fn:string:concat" => 1.0,
        "fn:mult" | "fn:div" | "fn:min" | "fn:avg" | "fn:collect" | "fn:list:get" | "fn:list:len" => 0.7,
        _ if name.matches(':').count() == 1 => 0.4,
        _ => 0.3,
    }
}

fn arguments(request: &Request<'_>, function: &BuiltinFunction) -> Vec<String> {
    if function.role == FunctionRole::Grouping {
        return groups(request);
    }
    match function.arity {
        Arity::Exactly(1) => vec!["X".into()],
        Arity::Exactly(count) => (1..=count).map(|at| format!("X{at}")).collect(),
        Arity::AtLeast(0 | 1) if function.is_reducer() => vec!["X".into()],
        Arity::AtLeast(_) | Arity::Pairs => vec!["X1".into(), "X2".into()],
    }
}

/// Returns the head variables that the body binds: the candidates for grouping.
pub(super) fn groups(request: &Request<'_>) -> Vec<String> {
    let all = &request.cursor.whole.variables;
    let in_body =
        |name| all.iter().any(|it| it.variable == name && it.part == CursorPart::Body && !it.negated);
    let mut groups: Vec<String> = Vec::new();
    for occurrence in all.iter().filter(|it| it.part == CursorPart::Head && in_body(it.variable)) {
        let name = occurrence.variable.as_str().to_owned();
        if !groups.contains(&name) {
            groups.push(name);
        }
    }
    groups
}
