//! Checks of defined names: conflicting arities, missing declarations, reserved names, duplicate clauses
//! and predicates that another file owns.

use crate::analysis::{CheckContext, ProgramFindings};
use mangle_engine::program::builtins::Arity;
use mangle_engine::program::{Predicate, Program, Site};
use mangle_syntax::lint::{Finding, Rule, Span, rule};

/// For example `van(1). van(1, 2).`
pub(super) static HEAD_ARITY_CONFLICT: Rule = rule!("head-arity-conflict.md");

/// A clause for a predicate without `Decl`.
pub(super) static UNDECLARED_HEAD: Rule = rule!("undeclared-head.md");

/// For example `seats__tmp(1).`
pub(super) static RESERVED_SUFFIX: Rule = rule!("reserved-suffix.md");

/// For example `Decl :lt(X, Y).`
pub(super) static DECL_BUILTIN: Rule = rule!("decl-builtin.md");

/// Maximum number of findings per predicate and reason.
const REPORTED: usize = 3;

/// Maximum number of other arities of a name to compare. More than two are rare.
const MAX_COMPARED_ARITIES: usize = 16;

/// Checks the definitions of a predicate.
pub(super) fn check_heads(program: &Program, predicate: &Predicate, findings: &mut ProgramFindings) {
    let name = predicate.key.name.as_str();
    if name.ends_with("__tmp") {
        let message = format!("`{name}` has the reserved suffix `__tmp`");
        let note = "the engine gives such names to internal relations and may confuse the two";
        report_once(program, predicate, &RESERVED_SUFFIX, message, note, findings);
    }
    if name.starts_with(':') {
        let message = format!("`{name}` is reserved: a leading colon marks built-ins");
        let note = "the engine silently ignores the definition";
        report_once(program, predicate, &DECL_BUILTIN, message, note, findings);
    } else if predicate.signature.defined.is_some() && predicate.signature.declared.is_none() {
        check_arity(program, predicate, findings);
        if program.declares_any() && findings.is_enabled(&UNDECLARED_HEAD) {
            let message = format!("`{}` is defined without a `Decl`", predicate.key);
            let note = "its arguments are neither documented nor checked against types";
            report_once(program, predicate, &UNDECLARED_HEAD, message, note, findings);
        }
    }
}

/// Reports the finding at the declaration or first clause of the predicate.
fn report_once(
    program: &Program,
    predicate: &Predicate,
    rule: &'static Rule,
    message: String,
    note: &str,
    findings: &mut ProgramFindings,
) {
    let first = program.declarations(predicate).next().or_else(|| program.clauses(predicate).next());
    if let Some(site) = first.filter(|site| !site.item.statement.damaged) {
        let finding = Finding::new(rule, site.range, message).note(note);
        findings.push(site.file.id, site.item.statement.id, finding);
    }
}

/// Reports a defined, undeclared `predicate` if its name already has another arity.
fn check_arity(program: &Program, predicate: &Predicate, findings: &mut ProgramFindings) {
    let rivals =
        || program.named(predicate.key.name).filter(|other| other.exists() && other.key != predicate.key);
    if let Some(declared) = rivals().find(|rival| rival.signature.declared.is_some()) {
        report_clauses(program, predicate, declared, REPORTED, findings);
        return;
    }
    // Among undeclared predicates, the one with the most clauses is the intended one; with equal
    // counts, the first.
    let rank =
        |candidate: &Predicate| (std::cmp::Reverse(program.clauses(candidate).count()), candidate.defined_at);
    let meant = rivals().take(MAX_COMPARED_ARITIES).min_by_key(|rival| rank(rival));
    if let Some(meant) = meant.filter(|meant| rank(meant) < rank(predicate)) {
        report_clauses(program, predicate, meant, 1, findings);
    }
}

fn report_clauses(
    program: &Program,
    predicate: &Predicate,
    meant: &Predicate,
    limit: usize,
    findings: &mut ProgramFindings,
) {
    let undamaged = program.clauses(predicate).filter(|site| !site.item.statement.damaged);
    for site in undamaged.take(limit) {
        let finding = conflict(&site, predicate, meant);
        findings.push(site.file.id, site.item.statement.id, finding);
    }
}

fn conflict(site: &Site<'_>, predicate: &Predicate, meant: &Predicate) -> Finding {
    let declared = meant.signature.declared.is_some();
    let made = if declared { "declared" } else { "defined" };
    let wanted = Arity::Exactly(usize::from(meant.key.arity));
    let message = format!("`{}` is {made} with {wanted}, found {}", predicate.key.name, predicate.key.arity);
    let range = site.item.statement.clause().map_or(site.range, |clause| clause.head.range);
    let finding = Finding::new(&HEAD_ARITY_CONFLICT, range, message)
        .note(format!("the engine rejects the program without a `Decl` for `{}`", predicate.key));
    match CheckContext::origin(meant) {
        Some(origin) => finding.related(origin, format!("`{}` is {made} here", meant.key)),
        None => finding,
    }
}

/// For example `van(1). van(1).`
pub(super) static DUPLICATE_CLAUSE: Rule = rule!("duplicate-clause.md");

/// Compares the clauses of a predicate by their digests.
pub(super) fn check_duplicates(program: &Program, predicate: &Predicate, findings: &mut ProgramFindings) {
    if predicate.signature.defined.is_none() {
        return;
    }
    let mut clauses = Vec::new();
    collect(program, predicate, &mut clauses);
    clauses.sort_unstable();
    for equal in clauses.chunk_by(|one, other| one.digest == other.digest) {
        let Some((first, repeated)) = equal.split_first() else { continue };
        for clause in repeated {
            report_duplicates(program, predicate, first, clause, findings);
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

fn report_duplicates(
    program: &Program,
    predicate: &Predicate,
    first: &Clause,
    clause: &Clause,
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

/// For example `p(1).` in one file and `p(X) :- q(X).` in another.
pub(super) static REDEFINED_KNOWN: Rule = rule!("redefined-known.md");

/// Compares the first declaration or clause of a predicate with its clauses.
pub(super) fn check_redefinition(program: &Program, predicate: &Predicate, findings: &mut ProgramFindings) {
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
