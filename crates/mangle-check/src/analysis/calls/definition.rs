//! Definitions of deferred predicates that a call cannot use.

use crate::analysis::CheckContext;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Declaration};

pub(super) static DEFERRED_WITHOUT_MODE: Rule = rule!("deferred-without-mode.md");

pub(super) static DEFERRED_FACT: Rule = rule!("deferred-fact.md");

/// Reports deferred predicates without a mode. A `mode` that is wrong has a finding of its own.
pub(super) fn check(_: &CheckContext<'_>, declaration: &Declaration, out: &mut Vec<Finding>) {
    let mut descriptors = declaration.descriptors.iter();
    let Some(deferred) = descriptors.clone().find(|atom| atom.name.as_str() == "deferred") else { return };
    if descriptors.any(|atom| matches!(atom.name.as_str(), "mode" | "external")) {
        return;
    }
    let name = declaration.atom.name.as_str();
    let message = if declaration.atom.args.is_empty() {
        format!(
            "A deferred predicate needs a mode, and one without arguments cannot have any: the engine crashes \
             where a premise asks for `{name}`. Leave `deferred()` out."
        )
    } else {
        format!(
            "`{name}` is deferred and has no mode, such as `mode(\"+\")`: the engine crashes where a premise \
             asks for it."
        )
    };
    out.push(Finding::new(&DEFERRED_WITHOUT_MODE, deferred.range, message));
}

/// Reports facts that calls do not find.
pub(super) fn check_clause(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    if !clause.is_fact() {
        return;
    }
    let Some(predicate) = context.predicate(&clause.head).filter(|it| it.signature.deferred) else { return };
    let message = format!(
        "`{}` is deferred: a call goes through its rules and never finds this fact. Write it as a rule whose \
         body gives the values.",
        predicate.key.name
    );
    let finding = Finding::new(&DEFERRED_FACT, clause.head.name.range, message);
    out.push(match CheckContext::origin(predicate) {
        Some(origin) => finding.related(origin, "the declaration"),
        None => finding,
    });
}
