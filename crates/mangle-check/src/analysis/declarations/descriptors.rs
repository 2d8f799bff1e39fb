//! Checks of `descr […]` atoms: unknown descriptors, and their claims about columns, other
//! predicates and rules.

use super::{CheckContext, ProgramFindings, descriptors, removal};
use crate::analysis::wording::{code, counted};
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

/// The descriptors that have an effect in source code.
const KNOWN: [&str; 10] =
    ["doc", "arg", "mode", "extensional", "external", "deferred", "fundep", "merge", "reflects", "private"];

const INTERNAL: [&str; 3] = ["synthetic", "desugared", "name"];

/// Reports unknown descriptors, and columns that do not exist.
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
            out.extend(reflects(context, declaration, atom));
        }
        if name == "fundep" && atom.args.len() == 2 && descriptors(declaration, "merge").next().is_none() {
            let finding =
                Finding::new(&FUNDEP_WITHOUT_MERGE, atom.range, "`fundep` without `merge` is not enforced");
            let finding = finding.note("the engine keeps facts that contradict the dependency");
            out.push(finding.help("add a `merge` with a predicate that selects the value to keep"));
        }
    }
}

fn internal(context: &CheckContext<'_>, declaration: &Declaration, index: usize, atom: &Atom) -> Finding {
    let name = atom.name.as_str();
    let consequence = match name {
        "synthetic" => "it disables checks of this declaration and its bounds",
        "desugared" => "it makes the engine ignore the bounds of the declaration",
        _ => "it has no effect here",
    };
    let message = format!("`{name}` is an internal descriptor of the engine");
    let removed = removal(context, declaration, index);
    let fix = removed.map(|range| Fix::guess(format!("remove `{name}`")).replace(range, ""));
    Finding { fix, ..Finding::new(&DESCR_INTERNAL, atom.range, message).note(consequence) }
}

fn unknown(atom: &Atom) -> Finding {
    let name = atom.name.as_str();
    let finding = Finding::new(&DESCR_UNKNOWN, atom.name.range, format!("unknown descriptor `{name}`"))
        .note("the engine silently ignores it");
    match nearest(name, KNOWN) {
        Some(meant) => finding.fix(Fix::guess(format!("write `{meant}`")).replace(atom.name.range, meant)),
        None => finding,
    }
}

/// Reports an invalid `reflects(…)`.
fn reflects(context: &CheckContext<'_>, declaration: &Declaration, atom: &Atom) -> Option<Finding> {
    let finding = |range, message: String, note: String| {
        Some(Finding::new(&REFLECTS_MALFORMED, range, message).note(note))
    };
    let name = declaration.atom.name.as_str();
    match atom.args.as_slice() {
        [prefix] if matches!(prefix.kind, TermKind::Name(_)) => {
            let columns = declaration.atom.args.len();
            if columns == 1 {
                return None;
            }
            let note = match columns {
                0 => format!("the engine searches `{name}` among the facts"),
                _ => "the engine compares the first argument and ignores the others".to_owned(),
            };
            let message =
                format!("`reflects` applies to 1 argument, `{name}` has {}", counted(columns, "argument"));
            finding(atom.range, message, note)
        }
        [prefix] => {
            let found = code(context.slice(prefix.range), 32);
            let message = format!("`reflects` takes a name, found {found}");
            let note = format!("the engine aborts where a rule queries `{name}`");
            Some(finding(prefix.range, message, note)?.help("write a name such as `/a/b`"))
        }
        args => {
            let message = format!("`reflects` takes 1 name, found {}", counted(args.len(), "argument"));
            let note = format!("the engine silently ignores it and searches `{name}` among the facts");
            finding(atom.range, message, note)
        }
    }
}

/// The elements of a list of columns. `None` if the term is not a list.
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
            let message = format!("`{name}` takes 2 arguments, found {}", atom.args.len());
            let finding = Finding::new(&FUNDEP_UNKNOWN_VAR, atom.range, message);
            out.push(finding.note("the engine ignores it").help(format!("write `{form}`")));
            return;
        }
    };
    for list in lists {
        let Some(columns) = columns(list) else {
            let message =
                format!("{} in `{name}` is not a list of parameters", code(context.slice(list.range), 32));
            let finding = Finding::new(&FUNDEP_UNKNOWN_VAR, list.range, message);
            out.push(finding.note("the engine ignores it").help("list the parameters, as in `[A, B]`"));
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
    let message = format!("{} is not a parameter of `{}`", code(written, 32), declaration.atom.name.as_str());
    let finding = Finding::new(&FUNDEP_UNKNOWN_VAR, column.range, message)
        .related(Span::here(declaration.atom.range), "parameters")
        .note(format!("the engine silently ignores it in `{name}`"));
    let mut parameters = declaration.atom.args.iter().filter_map(Term::variable).map(Symbol::as_str);
    let used: Vec<_> =
        ["fundep", "merge"].into_iter().flat_map(|name| descriptors(declaration, name)).collect();
    let mentioned = |parameter: &str| {
        let lists = used.iter().flat_map(|atom| &atom.args).filter_map(columns);
        lists.flatten().any(|column| column.variable().is_some_and(|column| column.as_str() == parameter))
    };
    // Any two single-letter names are one edit apart.
    let near = nearest(written, parameters.clone()).filter(|_| written.len() > 2);
    let meant = near.or_else(|| {
        let mut free = parameters.by_ref().filter(|parameter| !mentioned(parameter));
        free.next().filter(|_| free.next().is_none())
    });
    match meant {
        Some(meant) => finding.fix(Fix::guess(format!("write `{meant}`")).replace(column.range, meant)),
        None => finding,
    }
}

/// Reports rules for predicates whose facts come from outside of the program.
pub(super) fn check_clause(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    if clause.is_fact() {
        return;
    }
    let Some(predicate) = context.predicate(&clause.head).filter(|head| head.signature.extensional) else {
        return;
    };
    let message = format!("rule for the extensional predicate `{}`", predicate.key.name);
    let mut finding = Finding::new(&EXTENSIONAL_HAS_RULES, clause.head.name.range, message)
        .note("`extensional()` declares that all facts come from the host")
        .note("the engine applies the rule anyway");
    if let Some(origin) = CheckContext::origin(predicate) {
        finding = finding.related(origin, "declared here");
    }
    out.push(finding);
}

/// Reports merges that the engine cannot perform.
pub(super) fn check_predicate(program: &Program, predicate: &Predicate, out: &mut ProgramFindings) {
    let Some(site) = program.declarations(predicate).next() else { return };
    let statement = &site.item.statement;
    let Some(declaration) = statement.declaration().filter(|_| !statement.damaged) else { return };
    if declaration.descriptors.is_empty() {
        return;
    }
    let finding = abort(predicate, declaration).or_else(|| lost_merge(program, &site, declaration));
    if let Some(finding) = finding {
        out.push(site.file.id, statement.id, finding);
    }
}

/// The only `fundep` that the engine reads. `None` if the declaration has none or several.
fn only_fundep(declaration: &Declaration) -> Option<&Atom> {
    let mut fundeps = descriptors(declaration, "fundep").filter(|atom| atom.args.len() == 2);
    fundeps.next().filter(|_| fundeps.next().is_none())
}

/// Reports a functional dependency on other than one column, which aborts the evaluation if a
/// rule derives a fact.
fn abort(predicate: &Predicate, declaration: &Declaration) -> Option<Finding> {
    let targets = only_fundep(declaration)?.args.get(1)?;
    let columns = columns(targets)?;
    let sound = columns.iter().all(|column| is_parameter(declaration, column));
    if !sound || columns.len() == 1 || !predicate.signature.has_rules {
        return None;
    }
    let message = format!(
        "`fundep` determines {}, the engine merges only 1",
        if columns.is_empty() { "no argument".to_owned() } else { counted(columns.len(), "argument") },
    );
    let note = format!("the engine aborts when a rule derives a fact of `{}`", predicate.key.name);
    Some(Finding::new(&MERGE_BAD_TARGET, targets.range, message).note(note))
}

/// Reports a merge that the engine does not perform, so that it keeps both facts.
fn lost_merge(program: &Program, site: &Site<'_>, declaration: &Declaration) -> Option<Finding> {
    let merge = descriptors(declaration, "merge").find(|atom| atom.args.len() == 2)?;
    let [targets, name] = merge.args.as_slice() else { return None };
    let targets = columns(targets)?;
    if targets.iter().any(|column| !is_parameter(declaration, column)) {
        return None;
    }
    if only_fundep(declaration).is_none() {
        let count = descriptors(declaration, "fundep").count();
        let message = format!("`merge` requires exactly 1 `fundep`, found {count}");
        return Some(bad_target(merge.range, message));
    }
    let written = slice(site.file.statement_text(site.item), name.range);
    let value = match name.kind {
        TermKind::String => literal::string_value(written)?,
        _ => {
            let message = format!("predicate {} of `merge` is not a string", code(written, 32));
            let help = "write the name of the predicate in quotes, as in `\"higher\"`";
            return Some(bad_target(name.range, message).help(help));
        }
    };
    let arity = u16::try_from(2 * targets.len() + 1).ok()?;
    let key = PredicateKey { name: Symbol::new(&value), arity };
    if program.predicate(key).is_some_and(Predicate::exists) {
        return None;
    }
    Some(missing_target(program, site.file, key, name.range))
}

fn bad_target(range: TextRange, message: String) -> Finding {
    Finding::new(&MERGE_BAD_TARGET, range, message).note("the engine silently keeps both facts")
}

fn missing_target(program: &Program, file: &FileSummary, key: PredicateKey, range: TextRange) -> Finding {
    let within = file.package.map(|package| key.within(package));
    if let Some(full) = within.filter(|key| program.predicate(*key).is_some_and(Predicate::exists)) {
        let message = format!("`merge` requires the full name `{}`", full.name);
        let fix = Fix::safe("write the full name").replace(range, format!("\"{}\"", full.name));
        return bad_target(range, message).fix(fix);
    }
    bad_target(range, format!("undefined predicate `{key}` in `merge`"))
        .note("its arguments are the old value, the new value and the result")
}
