//! Predicates that rules derive and nothing asks for.

use crate::analysis::ProgramFindings;
use mangle_engine::program::Program;
use mangle_syntax::lint::{Finding, FixKind, Group, Rule};

pub(super) static PREDICATE_UNUSED: Rule = Rule {
    code: "MG810",
    name: "predicate-unused",
    group: Group::Quality,
    severity: None,
    summary: "A predicate that rules derive and nothing asks for.",
    rationale: "No premise of the program asks for it, so it matters only if the host reads it. Off by default, \
        because what the host reads is not in the program.",
    bad: "crew(/p/ann, 3).\nbusy(P) :- crew(P, N), N > 2.\n",
    good: "crew(/p/ann, 3).\nbusy(P) :- crew(P, N), N > 2.\ncrew(/p/bob, 1) :- busy(/p/ann).\n",
    fix: FixKind::None,
};

pub(super) fn check(program: &Program, out: &mut ProgramFindings) {
    if !out.wants(&PREDICATE_UNUSED) {
        return;
    }
    for predicate in &program.predicates {
        let signature = &predicate.signature;
        if !signature.has_rules || signature.host || program.uses(predicate).next().is_some() {
            continue;
        }
        let Some(site) = program.clauses(predicate).find(|site| !site.item.statement.damaged) else {
            continue;
        };
        let message =
            format!("No premise asks for `{}`. It matters only if the host reads it.", predicate.key.name);
        out.push(site.file.id, site.item.statement.id, Finding::new(&PREDICATE_UNUSED, site.range, message));
    }
}
