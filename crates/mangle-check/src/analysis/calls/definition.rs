//! Definitions of deferred predicates that a call cannot use.

use crate::analysis::Context;
use mangle_syntax::lint::{Finding, FixKind, Group, Rule, Severity};
use mangle_syntax::syntax::ast::{Clause, Declaration};

pub(super) static DEFERRED_WITHOUT_MODE: Rule = Rule {
    code: "MG131",
    name: "deferred-without-mode",
    group: Group::Declarations,
    severity: Some(Severity::Error),
    summary: "A deferred predicate has no mode",
    rationale: "`deferred()` makes the engine call the predicate, and its first `mode` says which arguments the \
                caller brings. The engine crashes at the first call of one that has none.",
    bad: "Decl limit(Weight) descr [deferred()].\nlimit(Weight) :- Weight = 40.\n",
    good: "Decl limit(Weight) descr [deferred(), mode(\"-\")].\nlimit(Weight) :- Weight = 40.\n",
    fix: FixKind::None,
};

pub(super) static DEFERRED_FACT: Rule = Rule {
    code: "MG132",
    name: "deferred-fact",
    group: Group::Declarations,
    severity: Some(Severity::Error),
    summary: "A fact of a deferred predicate, which no call finds",
    rationale: "A call of a deferred predicate goes through its rules and never looks at its facts. Write the \
                fact as a rule: `limit(/a, N) :- N = 3.`",
    bad: "Decl limit(Line, Count) descr [deferred(), mode(\"+\", \"-\")].\nlimit(/l/7, 40).\n",
    good: "Decl limit(Line, Count) descr [deferred(), mode(\"+\", \"-\")].\n\
           limit(Line, Count) :- Line = /l/7, Count = 40.\n",
    fix: FixKind::None,
};

/// Reports deferred predicates without a mode. A `mode` that is wrong has a finding of its own.
pub(super) fn check(_: &Context<'_>, declaration: &Declaration, out: &mut Vec<Finding>) {
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
pub(super) fn check_clause(context: &Context<'_>, clause: &Clause, out: &mut Vec<Finding>) {
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
    out.push(match Context::origin(predicate) {
        Some(origin) => finding.related(origin, "the declaration"),
        None => finding,
    });
}
