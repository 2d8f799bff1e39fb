//! Completions of keywords.

use super::functions::groups;
use super::{Completion, CompletionKind, CompletionSubject, Insertion, Request};
use crate::cursor::{Bracket, CursorPart, DECLARATION_PARTS};
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
            .filter(|it| it.argument.is_some_and(|(callee, _)| callee.range == head.range));
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
    let has_value = |name| all.iter().any(|it| it.variable == name && it.part != CursorPart::Head);
    let head = all.iter().filter(|it| it.part == CursorPart::Head && !has_value(it.variable));
    head.map(|it| it.variable.as_str().to_owned()).collect()
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
    let mut known: Vec<_> = request.cursor.whole.variables.iter().map(|it| it.variable).collect();
    known.sort_unstable();
    known.dedup();
    items.extend(known.iter().map(|name| Completion::new(name.as_str(), CompletionKind::Variable, 0.4)));
}
