//! Places where the engine looks at stored facts although the predicate has to be called.

use super::calls;
use crate::analysis::CheckContext;
use mangle_engine::program::Signature;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Literal, Term};

pub(super) static CALL_NOT_MADE: Rule = rule!("call-not-made.md");

pub(super) fn check(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    let alone = clause.aggregates() && clause.premises.len() == 1;
    for (_, literal, signature) in calls(context, clause) {
        // A negation with `_` is dropped, and reported as such.
        let dropped = literal.atom.args.iter().any(Term::is_wildcard);
        if (literal.is_negated() && !dropped) || alone {
            out.push(finding(literal, signature));
        }
    }
}

fn finding(literal: &Literal, signature: &Signature) -> Finding {
    let name = literal.atom.name.as_str();
    let (kind, facts) = if signature.deferred {
        ("deferred", "has no facts")
    } else {
        ("external", "has only the facts of earlier calls")
    };
    let (place, effect) = match (literal.is_negated(), signature.deferred) {
        (true, true) => ("Under `!`", "this always holds"),
        (true, false) => ("Under `!`", "this holds although the host may know better"),
        (false, true) => ("As the only premise of an aggregation", "there is nothing to aggregate"),
        (false, false) => ("As the only premise of an aggregation", "the host is not asked"),
    };
    let message = format!(
        "{place} the engine does not call `{name}`, which is {kind} and {facts}: {effect}. Ask a helper rule \
         that makes the call."
    );
    Finding::new(&CALL_NOT_MADE, literal.range, message)
}
