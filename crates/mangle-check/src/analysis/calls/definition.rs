//! Definitions of deferred predicates that calls cannot use.

use crate::analysis::CheckContext;
use mangle_syntax::lint::{Finding, Rule, rule};
use mangle_syntax::syntax::ast::{Clause, Declaration};

pub(super) static DEFERRED_WITHOUT_MODE: Rule = rule!("deferred-without-mode.md");

pub(super) static DEFERRED_FACT: Rule = rule!("deferred-fact.md");

/// Reports deferred predicates without a mode. An invalid `mode` has its own finding.
pub(super) fn check(_: &CheckContext<'_>, declaration: &Declaration, out: &mut Vec<Finding>) {
    let mut descriptors = declaration.descriptors.iter();
    let Some(deferred) = descriptors.clone().find(|atom| atom.name.as_str() == "deferred") else { return };
    if descriptors.any(|atom| matches!(atom.name.as_str(), "mode" | "external")) {
        return;
    }
    let name = declaration.atom.name.as_str();
    let message = format!("deferred predicate `{name}` has no mode");
    let finding = Finding::new(&DEFERRED_WITHOUT_MODE, deferred.range, message)
        .note("the engine panics when a premise queries it");
    out.push(match declaration.atom.args.is_empty() {
        true => finding.note("a predicate without arguments cannot have a mode").help("remove `deferred()`"),
        false => finding.help("add a mode, as in `mode(\"+\")`"),
    });
}

/// Reports facts of a deferred predicate, which calls do not find.
pub(super) fn check_clause(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    if !clause.is_fact() {
        return;
    }
    let Some(predicate) = context.predicate(&clause.head).filter(|it| it.signature.deferred) else { return };
    let message = format!("fact of deferred predicate `{}` is never found", predicate.key.name);
    let finding = Finding::new(&DEFERRED_FACT, clause.head.name.range, message)
        .note("a call evaluates the rules of the predicate and ignores its facts")
        .help("write a rule whose body binds the values");
    out.push(match CheckContext::origin(predicate) {
        Some(origin) => finding.related(origin, "declared here"),
        None => finding,
    });
}
