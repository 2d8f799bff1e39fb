//! Hover on variables: type and origin.

use crate::Place;
use crate::markup::Markup;
use crate::mention::StatementPart;
use mangle_check::describe::Callable;
use mangle_engine::program::binding::{Binder, BindingSource, Bindings};
use mangle_engine::program::rewrite::{ClauseSignatures, Rewriting};
use mangle_engine::types::{ClauseTypes, Type};
use mangle_report::sink::code_span;
use mangle_syntax::syntax::ast::{Clause, Declaration, Item};
use mangle_syntax::text::{Symbol, TextRange, slice};

/// Returns the whole hover. `part` is the part of the statement at the cursor.
pub(super) fn markup(place: Place<'_>, name: Symbol, part: StatementPart) -> Option<Markup> {
    let item = place.item()?;
    let statement = &item.statement;
    if let Some(declaration) = statement.declaration() {
        return parameter(place, declaration, name, part);
    }
    let clause = statement.clause()?;
    if statement.damaged {
        return Some(Markup::default().code(name.as_str()));
    }
    let ty = type_of(place, clause, name);
    let code = if ty == Type::Any { name.as_str().to_owned() } else { format!("{name}: {ty}") };
    Some(Markup::default().code(code).text(source(place, item, clause, name)))
}

/// Returns the hover of a `Decl` parameter.
fn parameter(
    place: Place<'_>,
    declaration: &Declaration,
    name: Symbol,
    part: StatementPart,
) -> Option<Markup> {
    let at = declaration.atom.args.iter().position(|arg| arg.variable() == Some(name));
    let Some(at) = at else {
        let is_type = part == StatementPart::Bound;
        return is_type.then(|| Markup::default().code(name.as_str()).text("A type variable: any type."));
    };
    let predicate = place.program().predicate_of(place.file, &declaration.atom)?;
    let callable = Callable::predicate(place.analysis, predicate);
    let parameter = callable.parameters.get(at)?;
    let markup = Markup::default().code(parameter.to_string());
    Some(parameter.documentation.iter().fold(markup, |markup, said| markup.untrusted(said.as_str())))
}

/// Returns the inferred type of a variable.
fn type_of(place: Place<'_>, clause: &Clause, name: Symbol) -> Type {
    let (program, types) = (place.program(), place.analysis.types());
    let inferred = ClauseTypes::infer(clause, |atom| types.relation(program, place.file, atom));
    match inferred.states.as_slice() {
        [] => Type::Any,
        states => Type::union(states.iter().map(|state| state.get(name))),
    }
}

/// Describes the place that binds a variable.
fn source(place: Place<'_>, item: &Item, clause: &Clause, name: Symbol) -> String {
    let lookup = |atom: &_| Some(&place.program().predicate_of(place.file, atom)?.signature);
    let signatures = ClauseSignatures::new(clause, lookup);
    let capabilities = place.program().embedding.capabilities();
    let rewriting = Rewriting::new(clause, &signatures, capabilities);
    let bindings = Bindings::new(clause, &signatures, &rewriting);
    let text = place.file.statement_text(item);
    let letting = clause.transforms.iter().flat_map(|transform| &transform.statements);
    let mut letting =
        letting.filter(|statement| statement.variable.as_ref().and_then(|v| v.variable()) == Some(name));
    if let Some(statement) = letting.next() {
        return format!("Bound by {}.", code_span(&excerpt(text, statement.range)));
    }
    match bindings.get(name).and_then(|variable| variable.value) {
        Some(binder) => bound_by(clause, text, binder),
        None if clause.is_fact() => "A fact cannot have variables.".to_owned(),
        None => "It is unbound.".to_owned(),
    }
}

fn bound_by(clause: &Clause, text: &str, Binder { place, how }: Binder) -> String {
    use mangle_engine::program::binding::BindingPlace;
    let premise = match place {
        BindingPlace::Head => return "The caller binds it.".to_owned(),
        BindingPlace::Premise(index) => clause.premises.get(index as usize),
    };
    let excerpt = premise.map_or("", |premise| slice(text, premise.range()));
    let excerpt = code_span(&shortened(excerpt));
    match how {
        BindingSource::HeadInput => "The caller binds it.".to_owned(),
        BindingSource::Argument | BindingSource::Output | BindingSource::Interval => {
            format!("Bound by {excerpt}.")
        }
        BindingSource::InsideExpression => {
            format!("Inside an expression in {excerpt}, which does not bind it.")
        }
        BindingSource::Equality | BindingSource::Alias => format!("Bound by {excerpt}."),
    }
}

fn excerpt(text: &str, range: TextRange) -> String {
    shortened(slice(text, range))
}

/// Shortens a text to one line.
fn shortened(text: &str) -> String {
    const MAX_LEN: usize = 60;
    let words: Vec<_> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(MAX_LEN) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or("")),
        None => line,
    }
}
