//! Rules about `Decl`s (`MG1xx`): one declaration per predicate, with valid parameters,
//! documentation, bounds, modes and descriptors.
//!
//! Most checks need only the declaration. Checks of duplicates, of overloads, and of claims about
//! rules and other predicates need the program.

mod bounds;
mod descriptors;
mod documentation;
mod modes;
mod parameters;
mod uniqueness;

use super::{CheckContext, Family, ProgramCheck, ProgramContext, ProgramFindings};
use mangle_engine::program::PredicateId;
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::ast::{Atom, Clause, Declaration};
use mangle_syntax::text::TextRange;

pub(super) const FAMILY: Family = Family {
    rules: &[
        &uniqueness::DUPLICATE_DECL,
        &uniqueness::DECL_OVERLOAD,
        &parameters::DECL_PARAM_REPEATED,
        &documentation::DOC_REPEATED,
        &documentation::DOC_EMPTY,
        &documentation::DOC_NOT_STRING,
        &documentation::ARG_UNKNOWN,
        &documentation::ARG_TOO_SHORT,
        &documentation::ARG_NOT_STRING,
        &documentation::ARG_INCOMPLETE,
        &modes::EXTERNAL_MODE_COUNT,
        &bounds::BOUND_COUNT,
        &bounds::BOUND_MALFORMED,
        &bounds::BOUND_PREDICATE_STRING,
        &bounds::BOUND_NOT_TYPE,
        &bounds::SUSPICIOUS_TYPE_NAME,
        &modes::MODE_INVALID,
        &modes::MODE_INPUT_BOTTOM_UP,
        &descriptors::DESCR_UNKNOWN,
        &descriptors::DESCR_INTERNAL,
        &descriptors::FUNDEP_UNKNOWN_VAR,
        &descriptors::MERGE_BAD_TARGET,
        &descriptors::EXTENSIONAL_HAS_RULES,
        &documentation::ARG_REPEATED,
        &bounds::BOUND_UNCHECKED,
        &uniqueness::DECL_UNUSED,
        &descriptors::REFLECTS_MALFORMED,
        &descriptors::FUNDEP_WITHOUT_MERGE,
    ],
    clause: Some(check_clause),
    declaration: Some(check_declaration),
    program: &[ProgramCheck::Predicate(check_predicate)],
};

fn check_declaration(context: &CheckContext<'_>, declaration: &Declaration, out: &mut Vec<Finding>) {
    parameters::check(declaration, out);
    documentation::check(context, declaration, out);
    modes::check(context, declaration, out);
    bounds::check(context, declaration, out);
    descriptors::check(context, declaration, out);
}

fn check_clause(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    descriptors::check_clause(context, clause, out);
}

fn check_predicate(context: &ProgramContext<'_>, id: PredicateId, out: &mut ProgramFindings) {
    let program = context.program;
    let predicate = program.get(id);
    uniqueness::check(program, predicate, out);
    modes::check_predicate(program, predicate, out);
    descriptors::check_predicate(program, predicate, out);
}

/// The descriptors with this name.
fn descriptors<'a>(declaration: &'a Declaration, name: &'a str) -> impl Iterator<Item = &'a Atom> {
    declaration.descriptors.iter().filter(move |atom| atom.name.as_str() == name)
}

/// The range to delete for the descriptor at `index`, including its comma. `None` if the range
/// contains a comment.
fn removal(context: &CheckContext<'_>, declaration: &Declaration, index: usize) -> Option<TextRange> {
    let atoms = &declaration.descriptors;
    let atom = atoms.get(index)?;
    let before = index.checked_sub(1).and_then(|index| atoms.get(index));
    let (gap, whole) = match (before.map(|before| before.range.end()), atoms.get(index + 1)) {
        (Some(before), _) => {
            (TextRange::new(before, atom.range.start()), TextRange::new(before, atom.range.end()))
        }
        (None, Some(after)) => {
            let after = after.range.start();
            (TextRange::new(atom.range.end(), after), TextRange::new(atom.range.start(), after))
        }
        (None, None) => return Some(atom.range),
    };
    (!context.slice(gap).contains('#')).then_some(whole)
}

/// True if the source code has `synthetic()`, which disables some checks of the engine.
fn is_synthetic(declaration: &Declaration) -> bool {
    descriptors(declaration, "synthetic").next().is_some()
}

#[cfg(test)]
mod tests;
