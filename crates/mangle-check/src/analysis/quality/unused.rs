//! Check for derived predicates without uses.

use crate::analysis::ProgramFindings;
use mangle_engine::program::{Predicate, Program};
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) static PREDICATE_UNUSED: Rule = rule!("predicate-unused.md");

pub(super) fn check(program: &Program, predicate: &Predicate, out: &mut ProgramFindings) {
    let signature = &predicate.signature;
    let is_used = || program.uses(predicate).next().is_some();
    if !out.is_enabled(&PREDICATE_UNUSED) || !signature.has_rules || signature.host || is_used() {
        return;
    }
    let Some(site) = program.clauses(predicate).find(|site| !site.item.statement.damaged) else { return };
    let message = format!("no premise queries `{}`", predicate.key.name);
    let finding = Finding::new(&PREDICATE_UNUSED, site.range, message);
    let finding = finding.note("its facts matter only if the host reads them");
    out.push(site.file.id, site.item.statement.id, finding);
}
