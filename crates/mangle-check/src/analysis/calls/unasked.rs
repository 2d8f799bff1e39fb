//! Places where the engine looks at stored facts although the predicate has to be called.

use super::calls;
use crate::analysis::Context;
use mangle_engine::program::Signature;
use mangle_syntax::lint::{Finding, FixKind, Group, Rule, Severity};
use mangle_syntax::syntax::ast::{Clause, Literal, Term};

pub(super) static CALL_NOT_MADE: Rule = Rule {
    code: "MG218",
    name: "call-not-made",
    group: Group::Safety,
    severity: Some(Severity::Error),
    summary: "A deferred or external predicate where the engine does not call it",
    rationale: "Under `!`, and as the only premise of an aggregation, the engine looks at stored facts and calls \
                nobody. A deferred predicate has none, so its negation always holds and the aggregation is \
                empty; of an external one there are those that an earlier call brought. Ask a helper rule that \
                makes the call.",
    bad: "Decl heavy(Weight) descr [deferred(), mode(\"+\")].\nheavy(Weight) :- Weight > 40.\n\
          parcel(/p/one, 50).\nlight(ID) :- parcel(ID, Weight), !heavy(Weight).\n",
    good: "Decl heavy(Weight) descr [deferred(), mode(\"+\")].\nheavy(Weight) :- Weight > 40.\n\
           parcel(/p/one, 50).\nlifted(ID) :- parcel(ID, Weight), heavy(Weight).\n\
           light(ID) :- parcel(ID, _), !lifted(ID).\n",
    fix: FixKind::None,
};

pub(super) fn check(context: &Context<'_>, clause: &Clause, out: &mut Vec<Finding>) {
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
