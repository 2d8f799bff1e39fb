//! Rules about inclusion constraints (`MG127` and `MG128`): the conditions that `Decl … inclusion
//! […]` requires of every fact.
//!
//! The checks report constraints that no fact can satisfy. The engine neither resolves constraints
//! during analysis nor checks them during evaluation.
//!
//! A host can call a separate checker. The checker looks up each constraint among the facts, after
//! it replaces the parameters with the arguments of the fact.

use super::predicates::Vocabulary;
use super::wording::counted;
use super::{CheckContext, Family, ProgramCheck, ProgramContext, ProgramFindings};
use mangle_engine::program::{Predicate, PredicateId, PredicateKey, Program, Site};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Atom, Declaration, Term, TermKind};
use mangle_syntax::text::{Symbol, TextRange, nearest};

pub(super) const FAMILY: Family = Family {
    rules: &[&INCLUSION_UNDEFINED, &INCLUSION_UNKNOWN_VAR],
    clause: None,
    declaration: None,
    program: &[ProgramCheck::Predicate(check)],
};

static INCLUSION_UNDEFINED: Rule = rule!("inclusion-undefined.md");

static INCLUSION_UNKNOWN_VAR: Rule = rule!("inclusion-unknown-var.md");

fn check(context: &ProgramContext<'_>, id: PredicateId, out: &mut ProgramFindings) {
    let ProgramContext { program, vocabulary, .. } = *context;
    let predicate = program.get(id);
    if predicate.signature.constrained {
        for site in program.declarations(predicate) {
            let statement = &site.item.statement;
            let Some(declaration) = statement.declaration().filter(|_| !statement.damaged) else { continue };
            for atom in &declaration.inclusion {
                let finding = check_predicate(program, &site, atom, vocabulary);
                let name = declaration.atom.name.as_str();
                let finding =
                    finding.map(|finding| finding.note(format!("no fact of `{name}` passes the constraint")));
                finding.into_iter().for_each(|finding| out.push(site.file.id, statement.id, finding));
                check_variables(declaration, atom, &mut |finding| {
                    out.push(site.file.id, statement.id, finding);
                });
            }
        }
    }
}

/// Checks that the facts required by a constraint can exist.
fn check_predicate(
    program: &Program,
    site: &Site<'_>,
    atom: &Atom,
    vocabulary: &Vocabulary,
) -> Option<Finding> {
    let written = atom.name.symbol;
    let finding = |range, message| Finding::new(&INCLUSION_UNDEFINED, range, message);
    if atom.is_builtin() {
        let message = format!("inclusion constraint on built-in `{written}`, which has no facts");
        return Some(finding(atom.name.range, message).help("use a predicate that has facts"));
    }
    // The engine qualifies the names of clauses, but not the names of constraints.
    let key = PredicateKey { name: written, arity: atom.arity() };
    let exists = |key| program.predicate(key).is_some_and(Predicate::exists);
    if exists(key) {
        return None;
    }
    if let Some(full) = site.file.package.map(|package| key.within(package)).filter(|&key| exists(key)) {
        let message = format!("inclusion constraint requires the full name `{}`", full.name);
        let fix = Fix::safe(format!("write `{}`", full.name));
        let fix = fix.replace(atom.name.range, full.name.as_str());
        let note = "the engine adds no package to the names in constraints";
        return Some(finding(atom.name.range, message).note(note).fix(fix));
    }
    let others: Vec<_> = program.named(written).filter(|other| other.exists()).take(2).collect();
    if let [other, ..] = others.as_slice() {
        let wanted = counted(usize::from(other.key.arity), "argument");
        let message = format!("`{written}` has {wanted}, found {}", atom.args.len());
        let finding = finding(atom.range, message);
        let origin = CheckContext::origin(other);
        return Some(match origin {
            Some(origin) => {
                let made = if other.signature.declared.is_some() { "declared" } else { "defined" };
                finding.related(origin, format!("`{}` is {made} here", other.key))
            }
            None => finding,
        });
    }
    let message = format!("undefined predicate `{written}/{}` in an inclusion constraint", atom.args.len());
    let finding = finding(atom.name.range, message);
    let near = vocabulary.near(program, site.file, written.as_str(), atom.arity());
    let Some(names) = near.list() else { return Some(finding) };
    let finding = finding.help(format!("did you mean {names}?"));
    Some(match near.unique_best() {
        Some(meant) => finding.fix(Fix::guess(format!("write `{meant}`")).replace(atom.name.range, meant)),
        None => finding,
    })
}

/// Checks that the variables of a constraint are parameters.
fn check_variables(declaration: &Declaration, atom: &Atom, report: &mut dyn FnMut(Finding)) {
    let parameters: Vec<Symbol> = declaration.atom.args.iter().filter_map(Term::variable).collect();
    for term in &atom.args {
        term.walk(&mut |term| match term.kind {
            TermKind::Wildcard => report(wildcard(declaration, term.range)),
            TermKind::Variable(symbol) if !parameters.contains(&symbol) => {
                report(unknown(declaration, &parameters, symbol, term.range));
            }
            _ => {}
        });
    }
}

fn wildcard(declaration: &Declaration, range: TextRange) -> Finding {
    Finding::new(&INCLUSION_UNKNOWN_VAR, range, "`_` is unbound in an inclusion constraint")
        .note(aborts(declaration))
        .help("query a helper predicate without this argument")
}

/// The effect of an unbound variable.
fn aborts(declaration: &Declaration) -> String {
    format!("a host that checks constraints aborts at the first fact of `{}`", declaration.atom.name.as_str())
}

fn unknown(declaration: &Declaration, parameters: &[Symbol], symbol: Symbol, range: TextRange) -> Finding {
    let name = declaration.atom.name.as_str();
    let message = format!("`{symbol}` is not a parameter of `{name}`");
    let finding = Finding::new(&INCLUSION_UNKNOWN_VAR, range, message)
        .related(Span::here(declaration.atom.range), "parameters")
        .note(aborts(declaration));
    let near = nearest(symbol.as_str(), parameters.iter().map(|parameter| parameter.as_str()));
    let unused = only_unused(declaration, parameters);
    match near.filter(|_| symbol.as_str().len() > 2).or(unused) {
        Some(meant) => finding.fix(Fix::guess(format!("write `{meant}`")).replace(range, meant)),
        None => finding,
    }
}

/// The only parameter that no constraint mentions. `None` if there are several.
fn only_unused(declaration: &Declaration, parameters: &[Symbol]) -> Option<&'static str> {
    let mentioned = |parameter: Symbol| {
        let mut found = false;
        for term in declaration.inclusion.iter().flat_map(|atom| &atom.args) {
            term.variables(&mut |symbol, _| found |= symbol == parameter);
        }
        found
    };
    let mut unused = parameters.iter().copied().filter(|&parameter| !mentioned(parameter));
    let only = unused.next()?;
    unused.next().is_none().then_some(only.as_str())
}

#[cfg(test)]
mod tests;
