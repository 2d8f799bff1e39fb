//! The other atoms of `descr […]`: which ones exist, and what they promise about columns, other
//! predicates and rules.

use super::{CheckContext, ProgramFindings, descriptors, removal};
use crate::analysis::wording::counted;
use mangle_engine::program::{FileSummary, Predicate, PredicateKey, Program, Site};
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Apply, Atom, Clause, Declaration, Term, TermKind};
use mangle_syntax::syntax::literal;
use mangle_syntax::text::{Symbol, TextRange, nearest, slice};

pub(super) static DESCR_UNKNOWN: Rule = rule!("descr-unknown.md");

pub(super) static DESCR_INTERNAL: Rule = rule!("descr-internal.md");

pub(super) static FUNDEP_UNKNOWN_VAR: Rule = rule!("fundep-unknown-var.md");

pub(super) static MERGE_BAD_TARGET: Rule = rule!("merge-bad-target.md");

pub(super) static EXTENSIONAL_HAS_RULES: Rule = rule!("extensional-has-rules.md");

pub(super) static REFLECTS_MALFORMED: Rule = rule!("reflects-malformed.md");

pub(super) static FUNDEP_WITHOUT_MERGE: Rule = rule!("fundep-without-merge.md");

/// The descriptors that mean something when a person writes them.
const KNOWN: [&str; 10] =
    ["doc", "arg", "mode", "extensional", "external", "deferred", "fundep", "merge", "reflects", "private"];

const INTERNAL: [&str; 3] = ["synthetic", "desugared", "name"];

/// Reports atoms that mean nothing, and columns that do not exist.
pub(super) fn check(context: &CheckContext<'_>, declaration: &Declaration, out: &mut Vec<Finding>) {
    for (index, atom) in declaration.descriptors.iter().enumerate() {
        let name = atom.name.as_str();
        if INTERNAL.contains(&name) || name.starts_with("internal:") {
            out.push(internal(context, declaration, index, atom));
        } else if !KNOWN.contains(&name) {
            out.push(unknown(atom));
        }
        if matches!(name, "fundep" | "merge") {
            check_columns(context, declaration, atom, out);
        }
        if name == "reflects" {
            out.extend(reflects(declaration, atom));
        }
        if name == "fundep" && atom.args.len() == 2 && descriptors(declaration, "merge").next().is_none() {
            let message = "Nothing enforces this: the engine keeps facts that contradict it, unless a `merge` \
                           says which one wins.";
            out.push(Finding::new(&FUNDEP_WITHOUT_MERGE, atom.range, message));
        }
    }
}

fn internal(context: &CheckContext<'_>, declaration: &Declaration, index: usize, atom: &Atom) -> Finding {
    let name = atom.name.as_str();
    let consequence = match name {
        "synthetic" => "It switches off checks of this declaration, and its bounds.",
        "desugared" => "It makes the engine skip the declaration's bounds.",
        _ => "It has no meaning here.",
    };
    let message = format!("`{name}` is a note that the engine makes for itself. {consequence}");
    let removed = removal(context, declaration, index);
    let fix = removed.map(|range| Fix::guess(format!("Remove `{name}`")).replace(range, ""));
    Finding { fix, ..Finding::new(&DESCR_INTERNAL, atom.range, message) }
}

fn unknown(atom: &Atom) -> Finding {
    let name = atom.name.as_str();
    let finding = |message| Finding::new(&DESCR_UNKNOWN, atom.name.range, message);
    match nearest(name, KNOWN) {
        Some(meant) => {
            finding(format!("The engine does not know `{name}` and ignores it. Is `{meant}` meant?"))
                .fix(Fix::guess(format!("Write `{meant}`")).replace(atom.name.range, meant))
        }
        None => finding(format!("The engine does not know `{name}` and ignores it.")),
    }
}

/// What is wrong with a `reflects(…)`.
fn reflects(declaration: &Declaration, atom: &Atom) -> Option<Finding> {
    let finding = |range, message: String| Some(Finding::new(&REFLECTS_MALFORMED, range, message));
    let name = declaration.atom.name.as_str();
    match atom.args.as_slice() {
        [prefix] if matches!(prefix.kind, TermKind::Name(_)) => {
            let columns = declaration.atom.args.len();
            let effect = if columns == 0 {
                "there is none: the premise is looked up among the facts"
            } else {
                "the others are not looked at"
            };
            (columns != 1).then(|| {
                let message = format!(
                    "`reflects` is about one argument, and `{name}` has {}: {effect}.",
                    counted(columns, "argument")
                );
                Finding::new(&REFLECTS_MALFORMED, atom.range, message)
            })
        }
        [prefix] => finding(
            prefix.range,
            format!(
                "`reflects` takes a name such as `/a/b`: the evaluation aborts where a rule asks for `{name}`."
            ),
        ),
        args => finding(
            atom.range,
            format!(
                "`reflects` takes one name, not {}. The engine ignores it without a word, and looks `{name}` up \
                 among the facts.",
                args.len()
            ),
        ),
    }
}

/// The elements of a list of columns; `None` when the term is no list.
fn columns(term: &Term) -> Option<&[Term]> {
    term.apply()
        .filter(|apply: &&Apply| apply.function.as_str() == "fn:list")
        .map(|apply| apply.args.as_slice())
}

fn is_parameter(declaration: &Declaration, column: &Term) -> bool {
    let variable = column.variable();
    variable.is_some() && declaration.atom.args.iter().any(|parameter| parameter.variable() == variable)
}

fn check_columns(context: &CheckContext<'_>, declaration: &Declaration, atom: &Atom, out: &mut Vec<Finding>) {
    let name = atom.name.as_str();
    let lists = match atom.args.as_slice() {
        [sources, targets] if name == "fundep" => vec![sources, targets],
        [targets, _] => vec![targets],
        _ => {
            let form = if name == "fundep" { "fundep([A, …], [B])" } else { "merge([B], \"predicate\")" };
            let message = format!(
                "`{name}` takes two arguments, `{form}`, not {}. The engine ignores this one.",
                atom.args.len()
            );
            out.push(Finding::new(&FUNDEP_UNKNOWN_VAR, atom.range, message));
            return;
        }
    };
    for list in lists {
        let Some(columns) = columns(list) else {
            let message =
                format!("`{name}` lists parameters in brackets, such as `[A, B]`. The engine skips this.");
            out.push(Finding::new(&FUNDEP_UNKNOWN_VAR, list.range, message));
            continue;
        };
        for column in columns.iter().filter(|column| !is_parameter(declaration, column)) {
            out.push(unknown_column(context, declaration, name, column));
        }
    }
}

fn unknown_column(
    context: &CheckContext<'_>,
    declaration: &Declaration,
    name: &str,
    column: &Term,
) -> Finding {
    let written = context.slice(column.range);
    let message = format!(
        "`{written}` is no parameter of `{}`. The engine skips it in `{name}` without a word.",
        declaration.atom.name.as_str()
    );
    let finding = Finding::new(&FUNDEP_UNKNOWN_VAR, column.range, message)
        .related(Span::here(declaration.atom.range), "the parameters");
    let mut parameters = declaration.atom.args.iter().filter_map(Term::variable).map(Symbol::as_str);
    let used: Vec<_> =
        ["fundep", "merge"].into_iter().flat_map(|name| descriptors(declaration, name)).collect();
    let mentioned = |parameter: &str| {
        let lists = used.iter().flat_map(|atom| &atom.args).filter_map(columns);
        lists.flatten().any(|column| column.variable().is_some_and(|column| column.as_str() == parameter))
    };
    // Of one letter, any other is one slip away.
    let near = nearest(written, parameters.clone()).filter(|_| written.len() > 2);
    let meant = near.or_else(|| {
        let mut free = parameters.by_ref().filter(|parameter| !mentioned(parameter));
        free.next().filter(|_| free.next().is_none())
    });
    match meant {
        Some(meant) => finding.fix(Fix::guess(format!("Write `{meant}`")).replace(column.range, meant)),
        None => finding,
    }
}

/// Reports rules for predicates whose facts come from outside.
pub(super) fn check_clause(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    if clause.is_fact() {
        return;
    }
    let Some(predicate) = context.predicate(&clause.head).filter(|head| head.signature.extensional) else {
        return;
    };
    let message = format!(
        "`{}` is declared `extensional()`: its facts come from outside. The engine takes this rule all the same.",
        predicate.key.name
    );
    let mut finding = Finding::new(&EXTENSIONAL_HAS_RULES, clause.head.name.range, message);
    if let Some(origin) = CheckContext::origin(predicate) {
        finding = finding.related(origin, "the declaration");
    }
    out.push(finding);
}

/// Reports merges that cannot work.
pub(super) fn check_program(program: &Program, out: &mut ProgramFindings) {
    for predicate in program.predicates.iter().filter(|predicate| predicate.signature.declared.is_some()) {
        let Some(site) = program.declarations(predicate).next() else { continue };
        let statement = &site.item.statement;
        let Some(declaration) = statement.declaration().filter(|_| !statement.damaged) else { continue };
        if declaration.descriptors.is_empty() {
            continue;
        }
        let finding = abort(predicate, declaration).or_else(|| lost_merge(program, &site, declaration));
        if let Some(finding) = finding {
            out.push(site.file.id, statement.id, finding);
        }
    }
}

/// The only `fundep` of a declaration, if it has exactly one that the engine reads.
fn only_fundep(declaration: &Declaration) -> Option<&Atom> {
    let mut fundeps = descriptors(declaration, "fundep").filter(|atom| atom.args.len() == 2);
    fundeps.next().filter(|_| fundeps.next().is_none())
}

/// A dependency on other than one column aborts the evaluation when a rule derives a fact.
fn abort(predicate: &Predicate, declaration: &Declaration) -> Option<Finding> {
    let targets = only_fundep(declaration)?.args.get(1)?;
    let columns = columns(targets)?;
    let sound = columns.iter().all(|column| is_parameter(declaration, column));
    if !sound || columns.len() == 1 || !predicate.signature.has_rules {
        return None;
    }
    let message = format!(
        "The engine merges a single column, and here {} on the others: the evaluation aborts when a rule \
         derives a fact of `{}`.",
        if columns.is_empty() { "none depends".to_owned() } else { format!("{} depend", columns.len()) },
        predicate.key.name
    );
    Some(Finding::new(&MERGE_BAD_TARGET, targets.range, message))
}

/// A merge that the engine does not carry out, so that both facts are kept.
fn lost_merge(program: &Program, site: &Site<'_>, declaration: &Declaration) -> Option<Finding> {
    let merge = descriptors(declaration, "merge").find(|atom| atom.args.len() == 2)?;
    let [targets, name] = merge.args.as_slice() else { return None };
    let targets = columns(targets)?;
    if targets.iter().any(|column| !is_parameter(declaration, column)) {
        return None;
    }
    let lost = "The engine keeps both facts, without a word.";
    let finding = |range, message| Some(Finding::new(&MERGE_BAD_TARGET, range, message));
    if only_fundep(declaration).is_none() {
        let count = descriptors(declaration, "fundep").count();
        return finding(merge.range, format!("`merge` needs exactly one `fundep`, not {count}. {lost}"));
    }
    let written = slice(site.file.statement_text(site.item), name.range);
    let value = match name.kind {
        TermKind::String => literal::string_value(written)?,
        _ => {
            let message = format!("`merge` names its predicate by a string, such as \"higher\". {lost}");
            return finding(name.range, message);
        }
    };
    let arity = u16::try_from(2 * targets.len() + 1).ok()?;
    let key = PredicateKey { name: Symbol::new(&value), arity };
    if program.predicate(key).is_some_and(Predicate::exists) {
        return None;
    }
    Some(missing_target(program, site.file, key, name.range, lost))
}

fn missing_target(
    program: &Program,
    file: &FileSummary,
    key: PredicateKey,
    range: TextRange,
    lost: &str,
) -> Finding {
    let within = file.package.map(|package| key.within(package));
    if let Some(full) = within.filter(|key| program.predicate(*key).is_some_and(Predicate::exists)) {
        let message = format!("`merge` wants the full name, `{}`. {lost}", full.name);
        let fix = Fix::safe("Write the full name").replace(range, format!("\"{}\"", full.name));
        return Finding::new(&MERGE_BAD_TARGET, range, message).fix(fix);
    }
    let message = format!(
        "There is no predicate `{key}` to decide which of two facts to keep (it takes the old value, the new one \
         and the result). {lost}"
    );
    Finding::new(&MERGE_BAD_TARGET, range, message)
}
