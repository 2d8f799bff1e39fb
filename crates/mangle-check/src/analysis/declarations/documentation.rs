//! `doc(…)` and `arg(…)`: what a declaration says to its readers.

use rustc_hash::FxHashMap;

use super::{descriptors, is_synthetic, removal};
use crate::analysis::CheckContext;
use mangle_syntax::lint::{Finding, Fix, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Atom, Declaration, Term, TermKind};
use mangle_syntax::text::{Symbol, TextRange, nearest};

pub(super) static DOC_REPEATED: Rule = rule!("doc-repeated.md");

pub(super) static DOC_EMPTY: Rule = rule!("doc-empty.md");

pub(super) static DOC_NOT_STRING: Rule = rule!("doc-not-string.md");

pub(super) static ARG_UNKNOWN: Rule = rule!("arg-unknown.md");

pub(super) static ARG_TOO_SHORT: Rule = rule!("arg-too-short.md");

pub(super) static ARG_NOT_STRING: Rule = rule!("arg-not-string.md");

pub(super) static ARG_INCOMPLETE: Rule = rule!("arg-incomplete.md");

pub(super) static ARG_REPEATED: Rule = rule!("arg-repeated.md");

/// Reports what is wrong with the documentation.
pub(super) fn check(context: &CheckContext<'_>, declaration: &Declaration, out: &mut Vec<Finding>) {
    check_doc(context, declaration, out);
    check_args(context, declaration, out);
}

fn check_doc(context: &CheckContext<'_>, declaration: &Declaration, out: &mut Vec<Finding>) {
    let mut first: Option<&Atom> = None;
    for (index, atom) in declaration.descriptors.iter().enumerate() {
        if atom.name.as_str() != "doc" {
            continue;
        }
        if atom.args.is_empty() {
            let message = "`doc()` says nothing. The engine wants at least one string in it.";
            let removed = removal(context, declaration, index);
            let fix = removed.map(|range| Fix::safe("Remove `doc()`").replace(range, ""));
            out.push(Finding { fix, ..Finding::new(&DOC_EMPTY, atom.range, message) });
            continue;
        }
        check_texts(context, &DOC_NOT_STRING, &atom.args, out);
        match first {
            None => first = Some(atom),
            Some(first) => {
                let message = "A declaration has one `doc`, and this is another. The engine rejects it; \
                               further paragraphs are further strings of the first.";
                let finding = Finding::new(&DOC_REPEATED, atom.range, message)
                    .related(Span::here(first.range), "the first `doc`");
                out.push(Finding {
                    fix: merge(
                        context,
                        declaration,
                        first,
                        index,
                        &atom.args,
                        "Merge it into the first `doc`",
                    ),
                    ..finding
                });
            }
        }
    }
}

/// Appends `texts` to the atom `first` and removes the atom at `index` that had them.
fn merge(
    context: &CheckContext<'_>,
    declaration: &Declaration,
    first: &Atom,
    index: usize,
    texts: &[Term],
    title: &str,
) -> Option<Fix> {
    let end = first.args.last()?.range.end();
    let range = TextRange::new(texts.first()?.range.start(), texts.last()?.range.end());
    let text = format!(", {}", context.slice(range));
    Some(Fix::safe(title).insert(end, text).replace(removal(context, declaration, index)?, ""))
}

fn check_args(context: &CheckContext<'_>, declaration: &Declaration, out: &mut Vec<Finding>) {
    let parameters: Vec<_> = declaration.atom.args.iter().filter_map(|arg| Some((arg, name(arg)?))).collect();
    let mut described: FxHashMap<Symbol, &Atom> = FxHashMap::default();
    let before = out.len();
    for (index, atom) in declaration.descriptors.iter().enumerate() {
        if atom.name.as_str() != "arg" {
            continue;
        }
        let Some((parameter, texts)) = atom.args.split_first().filter(|(_, texts)| !texts.is_empty()) else {
            let message = "`arg` takes a parameter and at least one string that describes it.";
            out.push(Finding::new(&ARG_TOO_SHORT, atom.range, message));
            continue;
        };
        check_texts(context, &ARG_NOT_STRING, texts, out);
        let name = name(parameter).filter(|name| parameters.iter().any(|(_, known)| known == name));
        let Some(name) = name else {
            out.push(unknown(context, declaration, parameter, &parameters));
            continue;
        };
        match described.get(&name) {
            None => {
                described.insert(name, atom);
            }
            Some(&first) => {
                let message = format!(
                    "The parameter `{name}` is described already. The engine rejects a second `arg` for it; \
                     further paragraphs are further strings of the first."
                );
                let finding = Finding::new(&ARG_REPEATED, atom.range, message)
                    .related(Span::here(first.range), "the first description");
                let fix = merge(context, declaration, first, index, texts, "Merge it into the first `arg`");
                out.push(Finding { fix, ..finding });
            }
        }
    }
    // What is missing may only be misspelt.
    if out.len() == before && !described.is_empty() && !is_synthetic(declaration) {
        out.extend(incomplete(&parameters, &described));
    }
}

/// The word of a variable, `_` included.
fn name(term: &Term) -> Option<Symbol> {
    match term.kind {
        TermKind::Variable(name) => Some(name),
        TermKind::Wildcard => Some(Symbol::new("_")),
        _ => None,
    }
}

fn incomplete(parameters: &[(&Term, Symbol)], described: &FxHashMap<Symbol, &Atom>) -> Option<Finding> {
    let mut missing: Vec<_> = parameters.iter().filter(|(_, name)| !described.contains_key(name)).collect();
    missing.dedup_by_key(|(_, name)| *name);
    let (first, others) = missing.split_first()?;
    let names: Vec<_> = missing.iter().map(|(_, name)| format!("`{name}`")).collect();
    let message = format!(
        "{} no `arg` atom, while other parameters have one. The engine wants one for each parameter, or \
         none at all.",
        match names.as_slice() {
            [one] => format!("The parameter {one} has"),
            _ => format!("The parameters {} have", names.join(", ")),
        }
    );
    let finding = Finding::new(&ARG_INCOMPLETE, first.0.range, message);
    Some(
        others.iter().fold(finding, |finding, (term, _)| {
            finding.related(Span::here(term.range), "not described either")
        }),
    )
}

fn unknown(
    context: &CheckContext<'_>,
    declaration: &Declaration,
    found: &Term,
    parameters: &[(&Term, Symbol)],
) -> Finding {
    let written = context.slice(found.range);
    let message = format!(
        "`{written}` is no parameter of `{}`. The first argument of `arg` names the parameter that it \
         describes; the engine rejects anything else.",
        declaration.atom.name.as_str()
    );
    let finding = Finding::new(&ARG_UNKNOWN, found.range, message)
        .related(Span::here(declaration.atom.range), "the parameters");
    let subjects: Vec<_> =
        descriptors(declaration, "arg").filter_map(|atom| atom.args.first()).map(self::name).collect();
    let known =
        |name: &Option<Symbol>| name.is_some_and(|name| parameters.iter().any(|(_, known)| *known == name));
    let free: Vec<Symbol> = parameters
        .iter()
        .map(|(_, name)| *name)
        .filter(|name| name.as_str() != "_" && !subjects.contains(&Some(*name)))
        .collect();
    // With one stranger and one parameter left over, they belong together; else only a slip tells.
    let meant = match free.as_slice() {
        [only] if subjects.iter().filter(|name| !known(name)).count() == 1 => Some(*only),
        _ if written.len() > 2 => nearest(written, free.iter().map(|name| name.as_str())).map(Symbol::new),
        _ => None,
    };
    match meant {
        Some(name) => {
            let fix = Fix::guess(format!("Describe `{name}`"));
            finding.fix(fix.replace(found.range, name.as_str()))
        }
        None => finding,
    }
}

/// Reports what should be a string and is none.
fn check_texts(context: &CheckContext<'_>, rule: &'static Rule, texts: &[Term], out: &mut Vec<Finding>) {
    for text in texts {
        if matches!(text.kind, TermKind::String | TermKind::Broken) {
            continue;
        }
        let message = "Documentation is a string; the engine rejects anything else.";
        let mut finding = Finding::new(rule, text.range, message);
        if matches!(text.kind, TermKind::Name(_) | TermKind::Number(_) | TermKind::Float(_)) {
            let quoted = format!("\"{}\"", context.slice(text.range));
            finding = finding.fix(Fix::safe("Put it in quotes").replace(text.range, quoted));
        }
        out.push(finding);
    }
}
