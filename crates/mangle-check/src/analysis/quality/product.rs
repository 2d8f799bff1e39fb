//! Bodies that fall into parts which share no variable: every row of one with every row of the
//! other.

use super::join_order::Parts;
use crate::analysis::CheckContext;
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::Clause;

pub(super) static CARTESIAN_PRODUCT: Rule = rule!("cartesian-product.md");

pub(super) fn check(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    let mut parts = Parts::new(clause);
    parts.link_all(clause);
    let Some((first, second)) = parts.apart(clause) else { return };
    let message = format!(
        "`{}` and `{}` share no variable: the engine pairs every row of the one with every row of the other.",
        context.slice(first.range),
        context.slice(second.range)
    );
    let finding = Finding::new(&CARTESIAN_PRODUCT, second.range, message);
    out.push(finding.related(Span::here(first.range), "the other part"));
}
