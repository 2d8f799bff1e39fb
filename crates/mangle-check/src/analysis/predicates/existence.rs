//! Checks for uses of undefined predicates and for wrong arity.
//!
//! The checks use the program's index by name, and only visit the uses of predicates without
//! declaration and definition.

use super::columns::columns;
use super::columns::runtime_declaration;
use super::near::Vocabulary;
use crate::analysis::{CheckContext, ProgramContext, ProgramFindings};
use mangle_engine::program::builtins::NameCorrection;
use mangle_engine::program::{FileSummary, Predicate, PredicateKey, Program, Site, UseKind, builtins};
use mangle_syntax::lint::{Finding, Fix, Rule, rule};
use mangle_syntax::syntax::ast::{Atom, TermKind};
use mangle_syntax::text::{Symbol, TextRange};

/// For example `busy(P) :- crw(P, _).`
pub(super) static UNDEFINED_PREDICATE: Rule = rule!("undefined-predicate.md");

/// For example `busy(P) :- crew(P).`
pub(super) static ARITY_MISMATCH: Rule = rule!("arity-mismatch.md");

/// For example `Decl seat(S).` without a clause.
pub(super) static NEVER_DERIVED: Rule = rule!("never-derived.md");

/// Maximum number of arities in a message.
const LISTED: usize = 8;

/// Maximum number of arguments that a fix adds. With more, their positions are a guess.
const ADDED: usize = 3;

/// Checks the uses of a predicate.
pub(super) fn check(context: &ProgramContext<'_>, predicate: &Predicate, findings: &mut ProgramFindings) {
    let signature = &predicate.signature;
    if !predicate.exists() {
        check_missing(context, predicate, findings);
    } else if signature.defined.is_none()
        && !(signature.extensional || signature.external || signature.host)
        && findings.is_enabled(&NEVER_DERIVED)
    {
        check_never_derived(context.program, predicate, findings);
    }
}

fn check_missing(context: &ProgramContext<'_>, predicate: &Predicate, findings: &mut ProgramFindings) {
    let ProgramContext { program, vocabulary, .. } = *context;
    for (site, kind) in program.uses(predicate) {
        let Some(atom) = site.literal().map(|literal| &literal.atom) else { continue };
        if !is_imported(program, site.file, predicate.key) {
            continue;
        }
        let others = other_arities(program, site.file, predicate.key);
        let finding = if others.is_empty() {
            undefined(program, &site, atom, vocabulary)
        } else {
            wrong_arity(program, atom, kind, &others)
        };
        let finding = match kind {
            UseKind::Temporal => finding.note("the engine accepts the temporal premise, which never holds"),
            _ => finding.note("the engine rejects the program").rejected_if(true),
        };
        findings.push(site.file.id, site.item.statement.id, finding);
    }
}

/// True if the file can use names from the predicate's package. A missing import has its own
/// finding.
fn is_imported(program: &Program, file: &FileSummary, key: PredicateKey) -> bool {
    let package = key.package();
    package.is_empty()
        || file.package.is_some_and(|own| own.as_str() == package)
        || program.uses_of(file.package).any(|used| used.as_str() == package)
}

/// The existing predicates with the name of an atom, ordered by arity.
fn other_arities<'p>(program: &'p Program, file: &FileSummary, key: PredicateKey) -> Vec<&'p Predicate> {
    let within = file.package.map(|package| key.within(package).name);
    let names = [Some(key.name), within].into_iter().flatten();
    let mut others: Vec<_> =
        names.flat_map(|name| program.named(name)).filter(|other| other.exists()).take(LISTED).collect();
    others.sort_by_key(|other| other.key.arity);
    others.dedup_by_key(|other| other.key.arity);
    others
}

fn wrong_arity(program: &Program, atom: &Atom, kind: UseKind, others: &[&Predicate]) -> Finding {
    let name = atom.name.symbol;
    let message = match others {
        [other] => {
            let wanted = builtins::Arity::Exactly(usize::from(other.key.arity));
            format!("`{name}` takes {wanted}, found {}", atom.args.len())
        }
        _ => {
            let arities: Vec<_> = others.iter().map(|other| other.key.arity.to_string()).collect();
            let arities = arities.join(" or ");
            format!("`{name}` takes {arities} arguments, found {}", atom.args.len())
        }
    };
    let mut finding = Finding::new(&ARITY_MISMATCH, atom.range, message);
    for other in others {
        let made = if other.signature.declared.is_some() { "declared" } else { "defined" };
        if let Some(origin) = CheckContext::origin(other) {
            finding = finding.related(origin, format!("`{}` is {made} here", other.key));
        }
    }
    match others {
        [only] => match add_wildcards(program, atom, kind, only) {
            Some(fix) => finding.fix(fix),
            None => finding,
        },
        _ => finding,
    }
}

/// Adds `_` for missing columns if names and values identify them. Negated atoms get no fix,
/// because a wildcard there is an error.
fn add_wildcards(program: &Program, atom: &Atom, kind: UseKind, only: &Predicate) -> Option<Fix> {
    let arity = usize::from(only.key.arity);
    let missing = arity.checked_sub(atom.args.len()).filter(|missing| (1..=ADDED).contains(missing))?;
    let last = atom.args.last().filter(|_| kind == UseKind::Positive)?;
    let taken = columns(program, only, atom)?;
    let is_missing = |column: &usize| !taken.contains(column);
    let names: Vec<_> = (0..arity).filter(is_missing).map(|column| format!("{}", column + 1)).collect();
    let what = if missing == 1 { "argument" } else { "arguments" };
    let mut fix = Fix::guess(format!("write `_` for {what} {}", names.join(" and ")));
    let mut next = 0;
    for (arg, column) in atom.args.iter().zip(&taken) {
        if *column > next {
            fix = fix.insert(arg.range.start(), "_, ".repeat(column - next));
        }
        next = column + 1;
    }
    Some(if next < arity { fix.insert(last.range.end(), ", _".repeat(arity - next)) } else { fix })
}

fn undefined(program: &Program, site: &Site<'_>, atom: &Atom, vocabulary: &Vocabulary) -> Finding {
    let file = site.file;
    let (name, count) = (atom.name, atom.args.len());
    let message = format!("undefined predicate `{}/{count}`", name.symbol);
    let finding = Finding::new(&UNDEFINED_PREDICATE, name.range, message);
    let plain = Symbol::new(name.as_str().rsplit(':').next().unwrap_or_default());
    if let Some(builtin) = colon_forgotten(plain, count) {
        let fix = Fix::guess(format!("write `{builtin}`")).replace(name.range, builtin);
        return finding.fix(text_first(atom, fix));
    }
    if let Some(correction) = builtins::correction(&format!(":{plain}")) {
        return finding.help(advice(correction));
    }
    if let Some(declaration) = runtime_declaration(name.as_str(), count) {
        return finding
            .note("the runtime supplies this predicate when it assembles prompts")
            .help(format!("add `{declaration}`"));
    }
    let near = vocabulary.near(program, file, name.as_str(), atom.arity()).without(own_name(program, site));
    let Some(names) = near.list() else { return finding };
    let finding = finding.help(format!("did you mean {names}?"));
    match near.unique_best() {
        Some(meant) => finding.fix(Fix::guess(format!("write `{meant}`")).replace(name.range, meant)),
        None => finding,
    }
}

/// The name of a predicate that only one rule defines. A rule that depends only on itself derives
/// nothing.
fn own_name(program: &Program, site: &Site<'_>) -> Option<Symbol> {
    let head = &site.item.statement.clause()?.head;
    let predicate = program.predicate_of(site.file, head)?;
    let is_only_clause = program.clauses(predicate).take(2).count() < 2;
    is_only_clause.then_some(head.name.symbol)
}

/// Swaps the arguments to the order of Mangle: Soufflé's `contains("src/", P)` searches for the
/// first text in the second one.
fn text_first(atom: &Atom, fix: Fix) -> Fix {
    let (true, [part, text]) = (atom.name.as_str() == "contains", atom.args.as_slice()) else { return fix };
    let Some(variable) = text.variable().filter(|_| matches!(part.kind, TermKind::String)) else {
        return fix;
    };
    let behind = TextRange::new(part.range.end(), text.range.end());
    fix.insert(part.range.start(), format!("{variable}, ")).replace(behind, "")
}

/// The built-in predicate with this arity and this name after its colon, or with this name in
/// another language.
fn colon_forgotten(name: Symbol, count: usize) -> Option<&'static str> {
    let name = format!(":{name}");
    let renamed = || builtins::predicate(builtins::correction(&name)?.replacement?);
    let builtin = builtins::predicate(&name).or_else(renamed)?;
    (builtin.arity() == count).then_some(builtin.name)
}

/// The replacement for a name from another language.
fn advice(correction: &NameCorrection) -> String {
    match correction.replacement {
        Some(builtin) => format!("did you mean the built-in `{builtin}`?"),
        None => correction.advice.to_owned(),
    }
}

fn check_never_derived(program: &Program, predicate: &Predicate, findings: &mut ProgramFindings) {
    for (site, kind) in program.uses(predicate) {
        if kind == UseKind::Negated || site.item.statement.damaged {
            continue;
        }
        let message = format!("no clause derives `{}`", predicate.key);
        let mut finding = Finding::new(&NEVER_DERIVED, site.range, message)
            .note("the premise holds only if the host adds facts")
            .help("declare the predicate `extensional()` if the host adds its facts");
        if let Some(origin) = CheckContext::origin(predicate) {
            finding = finding.related(origin, "declared here");
        }
        findings.push(site.file.id, site.item.statement.id, finding);
    }
}
