//! Lookups of stored facts for predicates that the engine must call.

use super::calls;
use crate::analysis::CheckContext;
use mangle_engine::program::Signature;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Literal, Term};

pub(super) static CALL_NOT_MADE: Rule = rule!("call-not-made.md");

pub(super) fn check(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    let alone = clause.aggregates() && clause.premises.len() == 1;
    for (_, literal, signature) in calls(context, clause) {
        // A negation with `_` is dropped by the engine and has its own finding.
        let dropped = literal.atom.args.iter().any(Term::is_wildcard);
        if (literal.is_negated() && !dropped) || alone {
            out.push(finding(literal, signature));
        }
    }
}

fn finding(literal: &Literal, signature: &Signature) -> Finding {
    let name = literal.atom.name.as_str();
    let kind = if signature.deferred { "deferred" } else { "external" };
    let (place, effect) = match (literal.is_negated(), signature.deferred) {
        (true, true) => ("negation", "a deferred predicate has no facts, so the negation always holds"),
        (true, false) => ("negation", "the negation holds unless an earlier call returned such a fact"),
        (false, true) => ("aggregation", "a deferred predicate has no facts, so nothing is aggregated"),
        (false, false) => ("aggregation", "only the facts of earlier calls are aggregated"),
    };
    Finding::new(
        &CALL_NOT_MADE,
        literal.range,
        format!("{place} does not call the {kind} predicate `{name}`"),
    )
    .note(effect)
    .help("query a helper rule that makes the call")
}
