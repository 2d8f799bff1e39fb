//! Check for clauses of a predicate that another file owns.

use crate::analysis::ProgramFindings;
use mangle_engine::program::{Predicate, Program, Site};
use mangle_syntax::lint::{Finding, Rule, Span, rule};

/// For example `p(1).` in one file and `p(X) :- q(X).` in another.
pub(super) static REDEFINED_KNOWN: Rule = rule!("redefined-known.md");

/// Compares the first declaration or clause of a predicate with its clauses.
pub(super) fn check(program: &Program, predicate: &Predicate, findings: &mut ProgramFindings) {
    if predicate.files.len() < 2 || !findings.is_enabled(&REDEFINED_KNOWN) {
        return;
    }
    let Some(owner) = owner(program, predicate) else { return };
    for site in program.clauses(predicate).filter(|site| site.file.id != owner.file.id) {
        let statement = &site.item.statement;
        let Some(clause) = statement.clause().filter(|_| !statement.damaged) else { continue };
        if clause.is_fact() && predicate.signature.extensional {
            continue;
        }
        let message = format!("clause for `{}`, which an earlier file defines", predicate.key);
        let (file, owning, range) = owner.place();
        let finding = Finding::new(&REDEFINED_KNOWN, site.range, message)
            .related(Span::new(file, owning, range), "defined here first")
            .note("a host that loads the files one by one rejects this clause");
        findings.push(site.file.id, statement.id, finding);
    }
}

/// The first declaration or clause of a predicate, in the order of files.
fn owner<'p>(program: &'p Program, predicate: &'p Predicate) -> Option<Site<'p>> {
    let declared = program.declarations(predicate).next();
    let defined = program.clauses(predicate).next();
    declared.into_iter().chain(defined).min_by_key(|site| (site.file.id, site.item.start))
}
