//! Completions of keywords, functions, reducers, `fn:group_by`, and packages after `Use`.

use super::constants::column;
use super::{Completion, CompletionKind, CompletionSubject, Insertion, Request};
use crate::cursor::{Bracket, CursorPart, DECLARATION_PARTS};
use mangle_engine::program::builtins::{self, Arity, BuiltinFunction, FUNCTIONS, FunctionRole};
use mangle_engine::types::Type;
use mangle_syntax::syntax::ast::{Item, StatementKind};

/// Engine date that introduced the temporal syntax.
const TEMPORAL: &str = "2026-02-09";

fn word(word: &str, score: f64) -> Completion {
    Completion::new(word, CompletionKind::Keyword, score).about(CompletionSubject::Word(word.to_owned()))
}

/// Adds `Decl`, and at the start of a file `Package` and `Use`.
pub(super) fn statement(request: &Request<'_>, items: &mut Vec<Completion>) {
    if request.is_called() {
        return;
    }
    let all = &request.place.file.items;
    let at = all.partition_point(|item| item.start < request.cursor.start);
    let before = all.get(..at).unwrap_or_default();
    let is_head =
        |item: &Item| matches!(item.statement.kind, StatementKind::Package(_) | StatementKind::Use(_));
    let is_declaration = |item: &Item| item.statement.declaration().is_some();
    // Declarations usually stand next to each other.
    let near = before.last().into_iter().chain(all.get(at + 1));
    let among = near.filter(|item| is_declaration(item)).count() > 0;
    let name = Insertion::snippet("Decl ", &["Decl ", "name", "(", "X", ") bound [", "/any", "]."]);
    items.push(word("Decl", if among { 0.9 } else { 0.1 }).inserting(name));
    if before.iter().all(is_head) {
        let package = Insertion::snippet("Use ", &["Use ", "package", "!"]);
        items.push(word("Use", 0.3).inserting(package));
    }
    if before.is_empty() && request.place.file.package.is_none_or(|_| !is_package_elsewhere(request)) {
        let package = Insertion::snippet("Package ", &["Package ", "name", "!"]);
        items.push(word("Package", 0.3).inserting(package));
    }
}

/// True if the file already has a `Package` statement.
fn is_package_elsewhere(request: &Request<'_>) -> bool {
    let mut items = request.place.file.items.iter();
    items.any(|item| {
        matches!(item.statement.kind, StatementKind::Package(_)) && item.start != request.cursor.start
    })
}

/// Adds the parts of a declaration that may still follow, in grammar order.
pub(super) fn declaration_parts(request: &Request<'_>, items: &mut Vec<Completion>) {
    let (before, whole) = (&request.cursor.before, &request.cursor.whole);
    let arity = before.head.map_or(0, |head| {
        let first = before
            .variables
            .iter()
            .filter(|occurrence| occurrence.argument.is_some_and(|(callee, _)| callee.range == head.range));
        first.count()
    });
    for (at, part) in DECLARATION_PARTS.into_iter().enumerate() {
        let behind = before.seen.iter().skip(at + 1).any(|seen| *seen);
        let again = part != "bound" && whole.seen.get(at).copied().unwrap_or(false);
        if behind || again || part == "temporal" && !request.has(TEMPORAL) {
            continue;
        }
        let types = vec!["/any"; arity].join(", ");
        let insertion = match part {
            "descr" => Insertion::snippet("descr [", &["descr [", "", "]"]),
            "bound" => Insertion::snippet("bound [", &["bound [", &types, "]"]),
            "inclusion" => Insertion::snippet("inclusion [", &["inclusion [", "", "]"]),
            _ => Insertion::plain(part),
        };
        let score = match (part, before.bounds) {
            ("bound", 0) => 0.9,
            ("descr", _) => 0.6,
            _ => 0.3,
        };
        items.push(word(part, score).inserting(insertion));
    }
}

/// Adds `opt`, before a label.
pub(super) fn optional(_: &Request<'_>, items: &mut Vec<Completion>) {
    let insertion = Insertion::snippet("opt ", &["opt /", "label", " : ", "/any", ""]);
    items.push(word("opt", 0.4).inserting(insertion));
}

/// Adds `do` and `let`, after `|>`.
pub(super) fn transforms(request: &Request<'_>, items: &mut Vec<Completion>) {
    let groups = groups(request).join(", ");
    let results = results(request);
    let result = results.first().map_or("N", String::as_str);
    let parts = ["do fn:group_by(", &groups, "), let ", result, " = fn:", "count()", ""];
    items.push(word("do", 0.8).inserting(Insertion::snippet("do ", &parts)));
    let parts = ["let ", result, " = fn:", "plus(X, 1)", ""];
    items.push(word("let", 0.5).inserting(Insertion::snippet("let ", &parts)));
}

/// Adds `let`, after a comma.
pub(super) fn next_let(request: &Request<'_>, items: &mut Vec<Completion>) {
    let results = results(request);
    let result = results.first().map_or("N", String::as_str);
    let parts = ["let ", result, " = fn:", "", ""];
    items.push(word("let", 1.0).inserting(Insertion::snippet("let ", &parts)));
}

/// Returns the head variables without a value.
fn results(request: &Request<'_>) -> Vec<String> {
    let all = &request.cursor.whole.variables;
    let has_value = |name| {
        all.iter().any(|occurrence| occurrence.variable == name && occurrence.part != CursorPart::Head)
    };
    let head = all
        .iter()
        .filter(|occurrence| occurrence.part == CursorPart::Head && !has_value(occurrence.variable));
    head.map(|occurrence| occurrence.variable.as_str().to_owned()).collect()
}

/// Adds bounds of intervals.
pub(super) fn times(request: &Request<'_>, items: &mut Vec<Completion>) {
    if !request.has(TEMPORAL) {
        return;
    }
    let scan = &request.cursor.before;
    // The bounds of a temporal operator are durations.
    let operator = scan.frame().is_some_and(|frame| frame.bracket == Bracket::Span);
    items.push(word("now", 0.6));
    items.push(word("_", 0.5));
    let proposals: &[&str] = if operator { &["0s", "1h", "7d", "30d"] } else { &["2026-01-01"] };
    for (index, time) in (0u32..).zip(proposals) {
        let score = if operator { 0.7 } else { 0.3 } - 0.01 * f64::from(index);
        items.push(Completion::new(*time, CompletionKind::Snippet, score));
    }
    let mut known: Vec<_> =
        request.cursor.whole.variables.iter().map(|occurrence| occurrence.variable).collect();
    known.sort_unstable();
    known.dedup();
    items.extend(known.iter().map(|name| Completion::new(name.as_str(), CompletionKind::Variable, 0.4)));
}

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
            usable(request)
                .filter(|function| function.is_reducer())
                .map(|function| item(request, function, 0.6)),
        );
    }
}

/// Adds the functions that are allowed after `do`.
pub(super) fn grouping(request: &Request<'_>, items: &mut Vec<Completion>) {
    items.extend(
        usable(request)
            .filter(|function| function.role == FunctionRole::Grouping)
            .map(|function| item(request, function, 1.0)),
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
    let in_body = |name| {
        all.iter().any(|occurrence| {
            occurrence.variable == name && occurrence.part == CursorPart::Body && !occurrence.negated
        })
    };
    let mut groups: Vec<String> = Vec::new();
    for occurrence in
        all.iter().filter(|occurrence| occurrence.part == CursorPart::Head && in_body(occurrence.variable))
    {
        let name = occurrence.variable.as_str().to_owned();
        if !groups.contains(&name) {
            groups.push(name);
        }
    }
    groups
}

/// Adds the packages of the program that this file does not use yet.
pub(super) fn packages(request: &Request<'_>, items: &mut Vec<Completion>) {
    let (program, file) = (request.place.program(), request.place.file);
    let mut packages: Vec<_> = program.files.iter().filter_map(|file| file.package).collect();
    packages.sort_unstable();
    packages.dedup();
    for package in packages.into_iter().filter(|package| Some(*package) != file.package) {
        let used = file.used_packages.iter().any(|(name, item)| {
            let statement = file.items.get(*item as usize);
            *name == package && statement.is_some_and(|item| item.start != request.cursor.start)
        });
        if used {
            continue;
        }
        let insertion = match request.cursor.has_rest {
            true => Insertion::plain(package.as_str()),
            false => Insertion::plain(format!("{package}!")),
        };
        items.push(Completion::new(package.as_str(), CompletionKind::Package, 1.0).inserting(insertion));
    }
}
