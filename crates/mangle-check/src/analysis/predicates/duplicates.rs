//! Check for duplicate clauses.

use crate::analysis::ProgramFindings;
use mangle_engine::program::{Predicate, Program, Site};
use mangle_syntax::lint::{Finding, Rule, Span, rule};

/// For example `van(1). van(1).`
pub(super) static DUPLICATE_CLAUSE: Rule = rule!("duplicate-clause.md");

/// Compares the clauses of a predicate by their digests.
pub(super) fn check(program: &Program, predicate: &Predicate, findings: &mut ProgramFindings) {
    if predicate.signature.defined.is_none() {
        return;
    }
    let mut clauses = Vec::new();
    collect(program, predicate, &mut clauses);
    clauses.sort_unstable();
    for equal in clauses.chunk_by(|one, other| one.digest == other.digest) {
        let Some((first, repeated)) = equal.split_first() else { continue };
        for clause in repeated {
            report(program, predicate, (first, clause), findings);
        }
    }
}

/// A clause with its digest and position. Of two equal clauses, the earlier one is smaller.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Clause {
    digest: u64,
    file: u32,
    item: u32,
}

fn collect(program: &Program, predicate: &Predicate, clauses: &mut Vec<Clause>) {
    for (at, key) in &predicate.files {
        let Some(file) = program.files.get(*at as usize) else { continue };
        let Some(there) = file.predicates.get(key) else { continue };
        // Each test case has its own facts.
        let facts = if program.embedding.is_test(file.id) { &[] } else { there.facts.as_slice() };
        for &item in facts.iter().chain(&there.rules) {
            let statement = file.items.get(item as usize).map(|item| &item.statement);
            if let Some(statement) = statement.filter(|statement| !statement.damaged) {
                clauses.push(Clause { digest: statement.digest, file: *at, item });
            }
        }
    }
}

fn report(
    program: &Program,
    predicate: &Predicate,
    (first, clause): (&Clause, &Clause),
    findings: &mut ProgramFindings,
) {
    let (Some(first), Some(site)) = (site(program, first), site(program, clause)) else { return };
    let (file, statement, range) = first.place();
    let message = format!("duplicate clause of `{}`", predicate.key);
    let finding = Finding::new(&DUPLICATE_CLAUSE, site.item.statement.range(), message)
        .related(Span::new(file, statement, range), "first occurrence")
        .note("a repeated clause derives nothing new");
    findings.push(site.file.id, site.item.statement.id, finding);
}

fn site<'p>(program: &'p Program, clause: &Clause) -> Option<Site<'p>> {
    let file = program.files.get(clause.file as usize)?;
    let item = file.items.get(clause.item as usize)?;
    Some(Site { file, item, range: item.statement.clause()?.head.name.range })
}
