//! Place that binds a variable.

use crate::mention::{Entity, StatementPart, each};
use crate::variable::Variable;
use mangle_engine::program::binding::{Binder, BindingPlace, BindingSource, Bindings};
use mangle_engine::program::rewrite::{ClauseSignatures, Rewriting};
use mangle_engine::program::{FileSummary, Program};
use mangle_syntax::syntax::ast::{Clause, Item, Premise, StatementKind, Term};
use mangle_syntax::text::TextRange;

/// Returns the range that binds a variable, or the first occurrence of an unbound variable.
///
/// In a clause, the range is the argument, interval or equation that binds the variable in
/// evaluation order, or its `let`. In a declaration, the range is the parameter.
#[must_use]
pub fn origin_of_variable(program: &Program, variable: Variable) -> Option<TextRange> {
    let file = program.file(variable.file)?;
    let item = file.items.get(variable.item as usize)?;
    let places = occurrences(item, variable);
    let bound = match &item.statement.kind {
        StatementKind::Clause(clause) => {
            let within = |part| first(&places, part);
            in_body(program, file, clause, variable)
                .and_then(|(exact, around)| exact.or(around).and_then(within))
                .or_else(|| in_transform(clause, variable))
        }
        _ => None,
    };
    bound.map(|range| range + item.start).or_else(|| places.first().map(|range| *range + item.start))
}

/// Returns the occurrences of a variable, relative to the start of the statement, in order of its
/// parts.
fn occurrences(item: &Item, variable: Variable) -> Vec<TextRange> {
    let mut places = Vec::new();
    each(item, &mut |mention| {
        let of_types = mention.part == StatementPart::Bound;
        if mention.entity == Entity::Variable(variable.symbol) && of_types == variable.of_types {
            places.push(mention.range - item.start);
        }
    });
    places
}

fn first(places: &[TextRange], part: TextRange) -> Option<TextRange> {
    places.iter().copied().find(|place| part.contains_range(*place))
}

/// Returns the range that binds the variable in the head or body: the exact range if known, and an
/// enclosing range.
fn in_body(
    program: &Program,
    file: &FileSummary,
    clause: &Clause,
    variable: Variable,
) -> Option<(Option<TextRange>, Option<TextRange>)> {
    let lookup = |atom: &_| Some(&program.predicate_of(file, atom)?.signature);
    let signatures = ClauseSignatures::new(clause, lookup);
    let bindings = Bindings::new(
        clause,
        &signatures,
        &Rewriting::new(clause, &signatures, program.embedding.capabilities()),
    );
    let known = bindings.get(variable.symbol)?;
    let Binder { place, how } = known.value.or(known.bound)?;
    let alone = |terms: &[Term]| {
        let term = terms.iter().find(|term| term.variable() == Some(variable.symbol));
        term.map(|term| term.range)
    };
    let BindingPlace::Premise(index) = place else {
        return Some((alone(&clause.head.args), Some(clause.head.range)));
    };
    let premise = clause.premises.get(index as usize)?;
    let exact = match premise {
        Premise::Literal(literal) if how == BindingSource::Interval => {
            literal.interval.as_ref().map(|interval| interval.range)
        }
        Premise::Literal(literal) => alone(&literal.atom.args),
        Premise::Comparison(comparison) => [&comparison.left, &comparison.right]
            .into_iter()
            .find(|side| side.variable() == Some(variable.symbol))
            .map(|side| side.range),
        Premise::Broken(..) => None,
    };
    Some((exact, Some(premise.range())))
}

/// Returns the `let` that computes the variable.
fn in_transform(clause: &Clause, variable: Variable) -> Option<TextRange> {
    let statements = clause.transforms.iter().flat_map(|transform| &transform.statements);
    let mut variables = statements.filter_map(|statement| statement.variable.as_ref());
    variables.find(|term| term.variable() == Some(variable.symbol)).map(|term| term.range)
}
