//! Completions of name constants and strings: values seen in the same argument, and values listed
//! in its type.

use super::context::TermSlot;
use super::predicates::is_here;
use super::usage::{self, ArgumentUsage, STRINGS, UsageCount};
use super::variables::column;
use super::{Completion, CompletionKind, Request};
use crate::mention::{self, Entity};
use mangle_engine::types::Type;
use mangle_syntax::text::Symbol;

/// Longer strings are rarely repeated.
const STRING_LENGTH: usize = 40;

/// Maximum number of names proposed from types, in addition to the names seen in the program.
const MAX_TYPE_NAMES: usize = 100;

pub(super) fn terms(
    request: &Request<'_>,
    hole: TermSlot,
    seen: Option<&ArgumentUsage>,
    items: &mut Vec<Completion>,
) {
    let Some(seen) = seen else { return };
    push(request, seen, items);
    let Some(callee) = hole.callee else { return };
    let ty = column_as_written(request, callee.name, hole.index);
    for name in
        ty.iter().flat_map(singleton_names).filter(|name| !seen.names.contains_key(name)).take(MAX_TYPE_NAMES)
    {
        let score = 0.5 / (seen.total + 1.0);
        items.push(Completion::new(name.as_str(), CompletionKind::Name, score).note("declared"));
    }
    for prefix in ty.iter().flat_map(prefixes) {
        let score = 0.2 / (seen.total + 1.0);
        items.push(Completion::new(format!("{prefix}/"), CompletionKind::Name, score).note("prefix"));
    }
}

pub(super) fn compared(request: &Request<'_>, left: Option<Symbol>, items: &mut Vec<Completion>) {
    let Some(left) = left else { return };
    push(request, &usage::of_variable(request, left), items);
}

fn push(request: &Request<'_>, seen: &ArgumentUsage, items: &mut Vec<Completion>) {
    let total = seen.total + 1.0;
    for (name, count) in &seen.names {
        let item = Completion::new(name.as_str(), CompletionKind::Name, count.weight / total);
        items.push(item.note(times(*count)));
    }
    // After a slash, only names are possible.
    if seen.strings.len() <= STRINGS && !request.typed.starts_with('/') {
        for (text, count) in seen.strings.iter().filter(|(text, _)| text.len() <= STRING_LENGTH) {
            let item = Completion::new(text.clone(), CompletionKind::String, count.weight / total);
            items.push(item.note(times(*count)));
        }
    }
}

fn times(count: UsageCount) -> String {
    match count.places {
        0 => "from a joined argument".to_owned(),
        1 => "1 use".to_owned(),
        places => format!("{places} uses"),
    }
}

/// Adds all other names of the file and of the program's types. Used if the user typed a slash,
/// because the name may be missing from the same argument.
pub(super) fn others(request: &Request<'_>, items: &mut Vec<Completion>) {
    if !request.typed.starts_with('/') {
        return;
    }
    let mut names = rustc_hash::FxHashSet::default();
    for item in request.place.file.items.iter().filter(|item| !is_here(request, request.place.file, item)) {
        mention::each(item, &mut |mention| {
            if let Entity::Name(name) = mention.entity {
                names.insert(name);
            }
        });
    }
    let program = request.place.program();
    let types = request.place.analysis.types();
    for id in program.predicates.iter().filter_map(|predicate| program.id(predicate.key)) {
        for ty in types.rows(id).alternatives.iter().flatten() {
            names.extend(singleton_names(ty));
        }
    }
    items.extend(names.iter().map(|name| Completion::new(name.as_str(), CompletionKind::Name, 1e-5)));
}

/// Returns the type of a column, including its listed names.
fn column_as_written(request: &Request<'_>, name: Symbol, index: usize) -> Option<Type> {
    // Cheap check that type information exists.
    column(request, name, index, request.cursor.arguments)?;
    let program = request.place.program();
    let types = request.place.analysis.types();
    let predicates = usage::called(request, name, index, request.cursor.arguments);
    let columns = predicates.into_iter().filter_map(|predicate| program.id(predicate.key));
    Some(Type::union(columns.map(|id| types.rows(id).column(index))))
}

/// Returns the names listed in a type.
fn singleton_names(ty: &Type) -> impl Iterator<Item = Symbol> {
    ty.members().iter().filter_map(Type::constant)
}

/// Returns the name prefixes of a type.
fn prefixes(ty: &Type) -> impl Iterator<Item = Symbol> {
    ty.members().iter().filter_map(|member| match member {
        Type::Prefix(name) => Some(*name),
        _ => None,
    })
}

/// Adds the labels of all struct types of the program.
pub(super) fn labels(request: &Request<'_>, items: &mut Vec<Completion>) {
    let program = request.place.program();
    let mut labels = rustc_hash::FxHashSet::default();
    for declaration in program.predicates.iter().filter_map(|predicate| program.declaration(predicate)) {
        for ty in declaration.bounds.iter().flat_map(|row| &row.types) {
            ty.walk(&mut |term| {
                if let Some(apply) = term.apply().filter(|apply| apply.function.as_str() == "fn:Struct") {
                    labels.extend(apply.args.iter().step_by(2).filter_map(|label| match label.kind {
                        mangle_syntax::syntax::ast::TermKind::Name(name) => Some(name),
                        _ => None,
                    }));
                }
            });
        }
    }
    items.extend(labels.iter().map(|label| Completion::new(label.as_str(), CompletionKind::Name, 0.5)));
}
