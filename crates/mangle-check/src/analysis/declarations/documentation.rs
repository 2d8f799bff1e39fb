//! Checks of `doc(…)` and `arg(…)`, the documentation of a declaration.

use rustc_hash::FxHashMap;

use super::{descriptors, is_synthetic, removal};
use crate::analysis::CheckContext;
use crate::analysis::wording::{code, fix_or_help};
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

/// Reports errors in the documentation.
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
            let removed = removal(context, declaration, index);
            let fix = removed.map(|range| Fix::safe("remove `doc()`").replace(range, ""));
            let finding = Finding::new(&DOC_EMPTY, atom.range, "`doc` without a text");
            let finding = finding.note("the engine rejects an empty `doc`");
            out.push(fix_or_help(finding, fix, "add a string or remove `doc()`"));
            continue;
        }
        check_texts(context, &DOC_NOT_STRING, &atom.args, out);
        match first {
            None => first = Some(atom),
            Some(first) => {
                let finding = Finding::new(&DOC_REPEATED, atom.range, "second `doc` in one declaration")
                    .related(Span::here(first.range), "first `doc`")
                    .note("the engine rejects a declaration with two `doc` descriptors");
                let title = "merge it into the first `doc`";
                let fix = merge(context, declaration, first, index, &atom.args, title);
                out.push(fix_or_help(finding, fix, "list all texts in the first `doc`"));
            }
        }
    }
}

/// Appends `texts` to the atom `first` and removes their original atom at `index`.
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
            let message = match atom.args.len() {
                0 => "`arg` without a parameter and a text",
                _ => "`arg` without a text",
            };
            let finding = Finding::new(&ARG_TOO_SHORT, atom.range, message);
            let finding = finding.note("the engine rejects an `arg` without a text");
            out.push(finding.help("write a parameter and at least one string, as in `arg(X, \"…\")`"));
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
                let message = format!("parameter `{name}` is described twice");
                let finding = Finding::new(&ARG_REPEATED, atom.range, message)
                    .related(Span::here(first.range), "first described here")
                    .note("the engine rejects a second `arg` for a parameter");
                let fix = merge(context, declaration, first, index, texts, "merge it into the first `arg`");
                out.push(fix_or_help(finding, fix, "list all texts in the first `arg`"));
            }
        }
    }
    // A missing parameter can be a misspelled one.
    if out.len() == before && !described.is_empty() && !is_synthetic(declaration) {
        out.extend(incomplete(&parameters, &described));
    }
}

/// The name of a variable, including `_`.
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
    let message = match others.len() {
        0 => format!("parameter `{}` has no `arg`", first.1),
        more => format!("parameter `{}` and {more} more have no `arg`", first.1),
    };
    let finding = Finding::new(&ARG_INCOMPLETE, first.0.range, message)
        .note("the engine rejects a declaration that describes only some of its parameters")
        .help("describe all parameters or none");
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
    let message = format!("{} is not a parameter of `{}`", code(written, 32), declaration.atom.name.as_str());
    let finding = Finding::new(&ARG_UNKNOWN, found.range, message)
        .related(Span::here(declaration.atom.range), "parameters")
        .note("the engine rejects an `arg` that describes no parameter");
    let subjects: Vec<_> =
        descriptors(declaration, "arg").filter_map(|atom| atom.args.first()).map(self::name).collect();
    let known =
        |name: &Option<Symbol>| name.is_some_and(|name| parameters.iter().any(|(_, known)| *known == name));
    let free: Vec<Symbol> = parameters
        .iter()
        .map(|(_, name)| *name)
        .filter(|name| name.as_str() != "_" && !subjects.contains(&Some(*name)))
        .collect();
    // One unknown name and one undescribed parameter match. In other cases, only a similar name
    // matches.
    let meant = match free.as_slice() {
        [only] if subjects.iter().filter(|name| !known(name)).count() == 1 => Some(*only),
        _ if written.len() > 2 => nearest(written, free.iter().map(|name| name.as_str())).map(Symbol::new),
        _ => None,
    };
    let fix = meant.map(|name| {
        let fix = Fix::guess(format!("describe `{name}` instead"));
        fix.replace(found.range, name.as_str())
    });
    fix_or_help(finding, fix, "begin `arg` with a parameter of the declaration")
}

/// Reports arguments that should be strings.
fn check_texts(context: &CheckContext<'_>, rule: &'static Rule, texts: &[Term], out: &mut Vec<Finding>) {
    for text in texts {
        if matches!(text.kind, TermKind::String | TermKind::Broken) {
            continue;
        }
        let message = format!("documentation {} is not a string", code(context.slice(text.range), 32));
        let finding = Finding::new(rule, text.range, message).note("the engine rejects the declaration");
        let is_word = matches!(text.kind, TermKind::Name(_) | TermKind::Number(_) | TermKind::Float(_));
        let fix = is_word.then(|| {
            let quoted = format!("\"{}\"", context.slice(text.range));
            Fix::safe("put it in quotes").replace(text.range, quoted)
        });
        out.push(fix_or_help(finding, fix, "write the text in quotes"));
    }
}
