//! Bodies that fall into parts which share no variable: every row of one with every row of the
//! other.

use super::join_order::Parts;
use crate::analysis::Context;
use mangle_syntax::lint::{Finding, FixKind, Group, Rule, Span};
use mangle_syntax::syntax::ast::Clause;

pub(super) static CARTESIAN_PRODUCT: Rule = Rule {
    code: "MG808",
    name: "cartesian-product",
    group: Group::Quality,
    severity: None,
    summary: "Two premises that share no variable, directly or through others.",
    rationale: "The engine pairs every row of the one with every row of the other. Where both are large that is \
        slow, and often a variable was meant to be the same. Off by default: many rules want every pair.",
    bad: "crew(/p/ann, 3).\nboat(/b/one, 3).\nfits(P, B) :- crew(P, N), boat(B, M).\n",
    good: "crew(/p/ann, 3).\nboat(/b/one, 3).\nfits(P, B) :- crew(P, N), boat(B, N).\n",
    fix: FixKind::None,
};

pub(super) fn check(context: &Context<'_>, clause: &Clause, out: &mut Vec<Finding>) {
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
