//! Visitor of all ranges of a statement, for moving them.

use super::{
    Atom, BoundRow, Comparison, Interval, Literal, Name, Premise, Statement, StatementKind, TemporalOperator,
    Term, TermKind, TimeBound, Transform, TransformStatement,
};
use crate::text::TextRange;

/// A callback for each range.
type Visit<'v> = &'v mut dyn FnMut(&mut TextRange);

/// Visits each range of a statement, except the ranges of its findings.
pub(in crate::syntax) fn each_range(statement: &mut Statement, visit: Visit<'_>) {
    match &mut statement.kind {
        StatementKind::Package(package) | StatementKind::Use(package) => {
            name(&mut package.name, visit);
            atoms(&mut package.attributes, visit);
        }
        StatementKind::Declaration(declaration) => {
            atom(&mut declaration.atom, visit);
            declaration.temporal.iter_mut().for_each(&mut *visit);
            atoms(&mut declaration.descriptors, visit);
            for BoundRow { range, types } in &mut declaration.bounds {
                visit(range);
                terms(types, visit);
            }
            atoms(&mut declaration.inclusion, visit);
        }
        StatementKind::Clause(clause) => {
            atom(&mut clause.head, visit);
            clause.interval.iter_mut().for_each(|part| interval(part, visit));
            clause.arrow.iter_mut().for_each(&mut *visit);
            clause.premises.iter_mut().for_each(|part| premise(part, visit));
            for Transform { range, statements } in &mut clause.transforms {
                visit(range);
                statements.iter_mut().for_each(|part| transform(part, visit));
            }
        }
        StatementKind::Broken => {}
    }
}

fn name(name: &mut Name, visit: Visit<'_>) {
    visit(&mut name.range);
}

fn atoms(all: &mut [Atom], visit: Visit<'_>) {
    all.iter_mut().for_each(|part| atom(part, visit));
}

fn atom(atom: &mut Atom, visit: Visit<'_>) {
    name(&mut atom.name, visit);
    visit(&mut atom.range);
    terms(&mut atom.args, visit);
}

fn terms(all: &mut [Term], visit: Visit<'_>) {
    all.iter_mut().for_each(|part| term(part, visit));
}

/// The depth of terms is limited by the lowering.
fn term(term: &mut Term, visit: Visit<'_>) {
    visit(&mut term.range);
    if let TermKind::Apply(apply) = &mut term.kind {
        name(&mut apply.function, visit);
        terms(&mut apply.args, visit);
    }
}

fn premise(premise: &mut Premise, visit: Visit<'_>) {
    match premise {
        Premise::Literal(part) => literal(part, visit),
        Premise::Comparison(Comparison { range, operator_range, left, right, .. }) => {
            visit(range);
            visit(operator_range);
            term(left, visit);
            term(right, visit);
        }
        Premise::Broken(range, inner) => {
            visit(range);
            terms(inner, visit);
        }
    }
}

fn literal(literal: &mut Literal, visit: Visit<'_>) {
    visit(&mut literal.range);
    literal.negation.iter_mut().for_each(&mut *visit);
    if let Some(operator) = &mut literal.operator {
        let TemporalOperator { range, bounds: inner, .. } = &mut **operator;
        visit(range);
        bounds(inner, visit);
    }
    atom(&mut literal.atom, visit);
    literal.interval.iter_mut().for_each(|part| interval(part, visit));
}

fn interval(interval: &mut Interval, visit: Visit<'_>) {
    visit(&mut interval.range);
    bounds(&mut interval.bounds, visit);
}

fn bounds(all: &mut [TimeBound], visit: Visit<'_>) {
    all.iter_mut().for_each(|bound| visit(&mut bound.range));
}

fn transform(statement: &mut TransformStatement, visit: Visit<'_>) {
    visit(&mut statement.range);
    statement.variable.iter_mut().for_each(|part| term(part, visit));
    term(&mut statement.value, visit);
}
