//! Inclusion constraints (`MG127` and `MG128`): what `Decl … inclusion […]` asks to be true of
//! every fact.
//!
//! Takes the declarations of a program; gives constraints that no fact can satisfy. The engine
//! neither resolves them when it analyses a program nor checks them when it evaluates one: a host
//! that wants them checked calls a checker of its own, which looks each constraint up among the
//! facts, with the arguments of the fact in place of the parameters.

use super::predicates::Vocabulary;
use super::wording::counted;
use super::{CheckContext, Family, ProgramFindings};
use mangle_engine::program::{Predicate, PredicateKey, Program, Site};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Atom, Declaration, Term, TermKind};
use mangle_syntax::text::{Symbol, TextRange, nearest};

/// The rules about inclusion constraints.
pub(super) const FAMILY: Family = Family {
    rules: &[&INCLUSION_UNDEFINED, &INCLUSION_UNKNOWN_VAR],
    clause: None,
    declaration: None,
    program: Some(check),
};

static INCLUSION_UNDEFINED: Rule = rule!("inclusion-undefined.md");

static INCLUSION_UNKNOWN_VAR: Rule = rule!("inclusion-unknown-var.md");

fn check(program: &Program, out: &mut ProgramFindings) {
    let mut vocabulary = None;
    for predicate in program.predicates.iter().filter(|predicate| predicate.signature.constrained) {
        for site in program.declarations(predicate) {
            let statement = &site.item.statement;
            let Some(declaration) = statement.declaration().filter(|_| !statement.damaged) else { continue };
            for atom in &declaration.inclusion {
                let vocabulary = vocabulary.get_or_insert_with(|| Vocabulary::new(program));
                let finding = check_predicate(program, &site, atom, vocabulary);
                finding.into_iter().for_each(|finding| out.push(site.file.id, statement.id, finding));
                check_variables(declaration, atom, &mut |finding| {
                    out.push(site.file.id, statement.id, finding);
                });
            }
        }
    }
}

/// Whether the facts that a constraint asks for can exist.
fn check_predicate(
    program: &Program,
    site: &Site<'_>,
    atom: &Atom,
    vocabulary: &mut Vocabulary<'_>,
) -> Option<Finding> {
    let written = atom.name.symbol;
    let finding = |range, message| Finding::new(&INCLUSION_UNDEFINED, range, message);
    if atom.is_builtin() {
        let message = format!(
            "A constraint is looked up among the facts, and `{written}` has none: no fact of this predicate \
             passes. Only facts can be asked for here."
        );
        return Some(finding(atom.name.range, message));
    }
    // The engine qualifies the names of clauses, not those of constraints.
    let key = PredicateKey { name: written, arity: atom.arity() };
    let exists = |key| program.predicate(key).is_some_and(Predicate::exists);
    if exists(key) {
        return None;
    }
    if let Some(full) = site.file.package.map(|package| key.within(package)).filter(|&key| exists(key)) {
        let message = format!(
            "In a constraint the engine takes `{written}` as it stands, and the predicate of this package is \
             `{}`: no fact of this predicate passes.",
            full.name
        );
        let fix = Fix::safe(format!("Write `{}`", full.name));
        return Some(finding(atom.name.range, message).fix(fix.replace(atom.name.range, full.name.as_str())));
    }
    let others: Vec<_> = program.named(written).filter(|other| other.exists()).take(2).collect();
    if let [other, ..] = others.as_slice() {
        let wanted = counted(usize::from(other.key.arity), "argument");
        let message = format!(
            "`{written}` has {wanted}, and this constraint gives it {}: no fact of this predicate passes.",
            atom.args.len()
        );
        let finding = finding(atom.range, message);
        let origin = CheckContext::origin(other);
        return Some(match origin {
            Some(origin) => finding.related(origin, format!("`{}` is here", other.key)),
            None => finding,
        });
    }
    let missing = format!("`{written}/{}` is neither declared nor defined in this program", atom.args.len());
    let near = vocabulary.near(site.file, written.as_str(), atom.arity());
    let Some(names) = near.list() else {
        let message = format!("{missing}, so that no fact of this predicate passes the constraint.");
        return Some(finding(atom.name.range, message));
    };
    let finding = finding(atom.name.range, format!("{missing}. Did you mean {names}?"));
    Some(match near.certain() {
        Some(meant) => finding.fix(Fix::guess(format!("Write `{meant}`")).replace(atom.name.range, meant)),
        None => finding,
    })
}

/// Whether the variables of a constraint are parameters.
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
    let message = format!(
        "`_` has no value here: whoever checks this constraint stops at the first fact of `{}`. Ask a helper \
         predicate that leaves the column out.",
        declaration.atom.name.as_str()
    );
    Finding::new(&INCLUSION_UNKNOWN_VAR, range, message)
}

fn unknown(declaration: &Declaration, parameters: &[Symbol], symbol: Symbol, range: TextRange) -> Finding {
    let name = declaration.atom.name.as_str();
    let message = format!(
        "`{symbol}` is no parameter of `{name}`: whoever checks this constraint stops at the first fact of \
         `{name}`."
    );
    let finding = Finding::new(&INCLUSION_UNKNOWN_VAR, range, message)
        .related(Span::here(declaration.atom.range), "the parameters");
    let near = nearest(symbol.as_str(), parameters.iter().map(|parameter| parameter.as_str()));
    let unused = only_unused(declaration, parameters);
    match near.filter(|_| symbol.as_str().len() > 2).or(unused) {
        Some(meant) => finding.fix(Fix::guess(format!("Write `{meant}`")).replace(range, meant)),
        None => finding,
    }
}

/// The parameter that no constraint mentions, if there is just one.
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
