//! Check for bodies with unconnected parts, which produce a Cartesian product.

use super::join_order::Parts;
use crate::analysis::CheckContext;
use crate::analysis::wording::code;
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::Clause;

pub(super) static CARTESIAN_PRODUCT: Rule = rule!("cartesian-product.md");

pub(super) fn check(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    let mut parts = Parts::new(clause);
    parts.link_all(clause);
    let Some((first, second)) = parts.unconnected_head_atoms(clause) else { return };
    let [one, other] = [first, second].map(|literal| code(context.slice(literal.range), 24));
    let finding =
        Finding::new(&CARTESIAN_PRODUCT, second.range, format!("{one} and {other} share no variable"))
            .related(Span::here(first.range), "other premise")
            .note("the engine pairs every fact of the one with every fact of the other");
    out.push(finding);
}
