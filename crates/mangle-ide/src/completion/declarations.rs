//! Completions of missing `Decl`s: for undeclared predicates that have clauses or uses. Parameter
//! names and bounds are inferred from the program.

use super::predicates::{arguments, is_here};
use super::{Completion, CompletionKind, CompletionSubject, Insertion, Request};
use mangle_check::describe::bounds;
use mangle_engine::program::Predicate;

/// Adds whole declarations of predicates mentioned in this file, at the start of a statement.
pub(super) fn statements(request: &Request<'_>, items: &mut Vec<Completion>) {
    if request.is_called() {
        return;
    }
    for predicate in undeclared(request).filter(|predicate| is_mentioned(request, predicate)) {
        let (head, bounds) = parts(request, predicate);
        let mut item = Completion::new(format!("Decl {head}"), CompletionKind::Snippet, 0.04)
            .inserting(Insertion::plain(format!("Decl {head}{bounds}.")))
            .about(CompletionSubject::Predicate(predicate.key));
        item.note = Some("not declared".into());
        items.push(item);
    }
}

/// Adds atoms after `Decl`.
pub(super) fn atoms(request: &Request<'_>, items: &mut Vec<Completion>) {
    for predicate in undeclared(request) {
        let (head, bounds) = parts(request, predicate);
        let name = own_name(request, predicate);
        let insertion = match (request.is_called(), request.cursor.has_rest) {
            (true, _) => name.clone(),
            (false, true) => head.clone(),
            (false, false) => format!("{head}{bounds}."),
        };
        let score = if is_mentioned(request, predicate) { 0.8 } else { 0.3 };
        let mut item = Completion::new(name.clone(), CompletionKind::Predicate, score)
            .inserting(Insertion::plain(insertion))
            .about(CompletionSubject::Predicate(predicate.key));
        item.signature = head.strip_prefix(name.as_str()).map(str::to_owned);
        item.note = Some("not declared".into());
        items.push(item);
    }
}

/// Returns the undeclared predicates of this file's package. The statement at the cursor does not
/// count as a mention.
fn undeclared<'a>(request: &'a Request<'_>) -> impl Iterator<Item = &'a Predicate> {
    let program = request.place.program();
    let own = request.place.file.package.map_or("", |package| package.as_str());
    program.predicates.iter().filter(move |predicate| {
        predicate.key.package() == own
            && predicate.signature.declared.is_none()
            && !predicate.signature.host
            && (program.clauses(predicate).any(|site| !is_here(request, site.file, site.item))
                || program.uses(predicate).any(|(site, _)| !is_here(request, site.file, site.item)))
    })
}

fn is_mentioned(request: &Request<'_>, predicate: &Predicate) -> bool {
    let program = request.place.program();
    let file = request.place.file.id;
    predicate
        .files
        .iter()
        .any(|(index, _)| program.files.get(*index as usize).is_some_and(|there| there.id == file))
}

fn own_name(request: &Request<'_>, predicate: &Predicate) -> String {
    let name = predicate.key.name.as_str();
    let package = request.place.file.package.map(|package| format!("{package}."));
    package.and_then(|package| name.strip_prefix(&package)).unwrap_or(name).to_owned()
}

/// Returns the atom and the bounds, for example `p(A, B)` and ` bound [/name, /any]`.
fn parts(request: &Request<'_>, predicate: &Predicate) -> (String, String) {
    let name = own_name(request, predicate);
    let head = format!("{name}({})", number_duplicates(arguments(request, predicate)).join(", "));
    let columns = bounds(request.place.analysis, predicate);
    let part = if columns.is_empty() { String::new() } else { format!(" bound [{}]", columns.join(", ")) };
    (head, part)
}

/// Numbers duplicate names, because parameters must be distinct.
fn number_duplicates(names: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        let mut candidate = name.clone();
        let mut count = 2;
        while out.contains(&candidate) {
            candidate = format!("{name}{count}");
            count += 1;
        }
        out.push(candidate);
    }
    out
}
