//! Name rules (`MG301` to `MG349`): unknown predicates, built-ins and functions, and wrong arity.
//!
//! The checks use the program's index by name and the table of built-ins. Built-ins and functions
//! are checked for each clause. Undefined predicates and arities depend on other files and are
//! checked once per program; the index makes this free for correct programs.

mod columns;
mod definitions;
mod existence;
mod functions;
mod near;
#[cfg(test)]
mod tests;

pub(super) use functions::{FACTS, wrong_arity};
pub(crate) use near::Vocabulary;

use super::{CheckContext, Family, ProgramCheck, ProgramContext, ProgramFindings};
use mangle_engine::program::PredicateId;
use mangle_syntax::lint::Finding;
use mangle_syntax::syntax::ast::{Clause, Premise};

pub(super) const FAMILY: Family = Family {
    rules: &[
        &existence::UNDEFINED_PREDICATE,
        &existence::ARITY_MISMATCH,
        &definitions::HEAD_ARITY_CONFLICT,
        &functions::UNKNOWN_BUILTIN_PREDICATE,
        &functions::BUILTIN_ARITY,
        &functions::UNKNOWN_FUNCTION,
        &functions::FUNCTION_ARITY,
        &functions::TYPE_CONSTRUCTOR_AS_VALUE,
        &functions::DUPLICATE_KEY,
        &existence::NEVER_DERIVED,
        &definitions::UNDECLARED_HEAD,
        &definitions::RESERVED_SUFFIX,
        &definitions::DECL_BUILTIN,
        &definitions::DUPLICATE_CLAUSE,
        &definitions::REDEFINED_KNOWN,
    ],
    clause: Some(check_clause),
    declaration: None,
    program: &[ProgramCheck::Predicate(check_predicate)],
};

fn check_clause(context: &CheckContext<'_>, clause: &Clause, findings: &mut Vec<Finding>) {
    functions::check_terms(context, &clause.head.args, functions::ApplicationPlace::Head, findings);
    for premise in &clause.premises {
        match premise {
            Premise::Literal(literal) => {
                functions::check_builtin(literal, findings);
                functions::check_terms(
                    context,
                    &literal.atom.args,
                    functions::ApplicationPlace::Body,
                    findings,
                );
            }
            Premise::Comparison(comparison) => {
                for side in [&comparison.left, &comparison.right] {
                    functions::check_term(context, side, functions::ApplicationPlace::Body, findings);
                }
            }
            Premise::Broken(..) => {}
        }
    }
    // A second `|>` has its own finding.
    for statement in clause.transforms.iter().take(1).flat_map(|transform| &transform.statements) {
        let place = match statement.variable {
            Some(_) => functions::ApplicationPlace::Let,
            None => functions::ApplicationPlace::Do,
        };
        functions::check_term(context, &statement.value, place, findings);
    }
}

fn check_predicate(context: &ProgramContext<'_>, id: PredicateId, findings: &mut ProgramFindings) {
    let program = context.program;
    let predicate = program.get(id);
    existence::check(context, predicate, findings);
    definitions::check_heads(program, predicate, findings);
    definitions::check_duplicates(program, predicate, findings);
    definitions::check_redefinition(program, predicate, findings);
}
