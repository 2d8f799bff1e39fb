//! Hover on predicates and name constants: signature, documentation, and uses in the program.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::Place;
use crate::markup::Markup;
use mangle_check::describe::Callable;
use mangle_engine::program::{FileSummary, Predicate, PredicateKey, Program, Signature, UseKind, key_of};
use mangle_syntax::syntax::ast::{Atom, StatementKind, Term, TermKind};
use mangle_syntax::text::{Symbol, slice};

pub(super) fn markup(place: Place<'_>, predicate: &Predicate) -> Markup {
    let callable = Callable::predicate(place.analysis, predicate);
    let mut markup = Markup::default().code(code(place, predicate, &callable));
    if let Some(said) = &callable.documentation {
        markup = markup.untrusted(said.as_str());
    }
    let described = callable.parameters.iter().filter_map(|parameter| {
        Some(format!("{}: {}", parameter.name.as_ref()?, parameter.documentation.as_ref()?))
    });
    let described: Vec<_> = described.collect();
    if !described.is_empty() {
        markup = markup.untrusted(described.join("\n"));
    }
    for sentence in [standing(place, predicate), traits(&predicate.signature), recursion(place, predicate)] {
        if !sentence.is_empty() {
            markup = markup.text(sentence);
        }
    }
    markup
}

/// Returns the signature, followed by the alternatives and constraints of the `Decl`.
fn code(place: Place<'_>, predicate: &Predicate, callable: &Callable) -> String {
    let mut code = callable.label().0;
    let Some(declaration) = place.program().declaration(predicate) else { return code };
    let Some(site) = place.program().declarations(predicate).next() else { return code };
    let text = site.file.statement_text(site.item);
    if declaration.bounds.len() > 1 {
        for row in &declaration.bounds {
            code.push_str("\n  ");
            code.push_str(slice(text, row.range));
        }
    }
    if !declaration.inclusion.is_empty() {
        let atoms: Vec<_> = declaration.inclusion.iter().map(|atom| slice(text, atom.range)).collect();
        code.push_str("\n  inclusion [");
        code.push_str(&atoms.join(", "));
        code.push(']');
    }
    code
}

/// Describes the declarations, definitions and uses.
fn standing(place: Place<'_>, predicate: &Predicate) -> String {
    let program = place.program();
    let (mut facts, mut rules, mut files) = (0, 0, 0);
    for (file, key) in &predicate.files {
        let there = program.files.get(*file as usize).and_then(|file| file.predicates.get(key));
        facts += there.map_or(0, |there| there.facts.len());
        rules += there.map_or(0, |there| there.rules.len());
        files += 1;
    }
    let (uses, negated) = program.uses(predicate).fold((0, 0), |(uses, negated), (_, kind)| {
        (uses + 1, negated + usize::from(kind == UseKind::Negated))
    });
    let mut parts = Vec::new();
    if predicate.signature.declared.is_none() {
        parts.push(if predicate.signature.host { "supplied by the host" } else { "not declared" }.to_owned());
    }
    parts.extend((facts > 0).then(|| count(facts, "fact")));
    parts.extend((rules > 0).then(|| count(rules, "rule")));
    if facts + rules == 0 && !predicate.signature.host {
        parts.push("no clause".to_owned());
    }
    parts.push(match (uses, negated) {
        (0, _) => "no premise uses it".to_owned(),
        (uses, 0) => format!("used in {}", count(uses, "premise")),
        (1, 1) => "used in 1 premise, which is negated".to_owned(),
        (uses, negated) if negated == uses => format!("used in {}, all negated", count(uses, "premise")),
        (uses, negated) => format!("used in {}, {negated} of them negated", count(uses, "premise")),
    });
    if files > 1 {
        parts.push(format!("in {files} files"));
    }
    sentence(&parts.join(" · "))
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Capitalizes a text and adds a full stop.
pub(super) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).chain(['.']).collect()
}

/// Describes special properties of a predicate.
fn traits(signature: &Signature) -> String {
    let traits = [
        (signature.temporal, "temporal: its facts hold during intervals"),
        (signature.external, "external: the host supplies its tuples when a rule queries them"),
        (signature.deferred, "deferred: evaluated for each query"),
        (signature.extensional, "extensional: its facts come from outside of the program"),
        (signature.private, "private to its package"),
    ];
    let mut said: Vec<_> =
        traits.into_iter().filter(|(is, _)| *is).map(|(_, said)| said.to_owned()).collect();
    said.extend(signature.reflects.map(|prefix| format!("true of the names under `{prefix}`")));
    if said.is_empty() { String::new() } else { sentence(&said.join(" · ")) }
}

/// Describes the recursion of a predicate.
fn recursion(place: Place<'_>, predicate: &Predicate) -> String {
    let program = place.program();
    let graph = program.dependencies();
    let Some(id) = program.id(predicate.key).filter(|_| predicate.signature.has_rules) else {
        return String::new();
    };
    let recursive = graph.edges_from(id).iter().any(|edge| graph.is_recursive(edge));
    let cycle: Vec<_> = graph.members(id).into_iter().filter(|other| *other != id).collect();
    if !recursive {
        return String::new();
    }
    let mut said = "recursive".to_owned();
    if let Some(&other) = cycle.first() {
        let key = program.get(other).key;
        said.push_str(&format!(", together with `{key}`"));
        if cycle.len() > 1 {
            said.push_str(&format!(" and {} more", cycle.len() - 1));
        }
    }
    sentence(&said)
}

/// Returns the hover of a package.
pub(super) fn package(place: Place<'_>, name: Symbol) -> Markup {
    let files = place.program().files.iter().filter(|file| file.package == Some(name)).count();
    let prefix = format!("{name}.");
    let predicates = place.program().predicates.iter();
    let own: Vec<_> = predicates
        .filter(|predicate| predicate.exists() && predicate.key.name.as_str().starts_with(&prefix))
        .collect();
    let public = own.iter().filter(|predicate| !predicate.signature.private).count();
    let says = match files {
        0 => "No file of this program is in this package.".to_owned(),
        _ => format!("{}, {}, {public} of them public.", count(files, "file"), count(own.len(), "predicate")),
    };
    Markup::default().code(format!("Package {name}!")).text(says)
}

/// Maximum number of argument positions listed.
const LISTED: usize = 5;

pub(super) fn name(place: Place<'_>, name: Symbol) -> Markup {
    let markup = Markup::default().code(name.as_str());
    let mut positions = positions(place.program(), name.as_str(), |other| other == name);
    positions.sort_unstable_by(|(a, a_count), (b, b_count)| {
        b_count.cmp(a_count).then_with(|| order(a).cmp(&order(b)))
    });
    let total: usize = positions.iter().map(|(_, count)| count).sum();
    let of = |((key, at), count): &((PredicateKey, usize), usize)| {
        format!("argument {} of `{key}`: {count}", at + 1)
    };
    let mut said: Vec<_> = positions.iter().take(LISTED).map(of).collect();
    if positions.len() > LISTED {
        said.push(format!("{} other places", positions.len() - LISTED));
    }
    match total {
        0 => markup.text("A name."),
        1 => markup.text(format!("The only use as an argument: {}.", said.join(" · "))),
        _ => markup.text(format!("{total} uses as an argument. {}", sentence(&said.join(" · ")))),
    }
}

fn order((key, at): &(PredicateKey, usize)) -> (&'static str, u16, usize) {
    (key.name.as_str(), key.arity, *at)
}

/// Returns the hover of a name prefix in a type.
pub(super) fn name_prefix(place: Place<'_>, prefix: Symbol) -> Markup {
    let below = format!("{prefix}/");
    let uses: usize = positions(place.program(), &below, |name| name.as_str().starts_with(&below))
        .iter()
        .map(|(_, count)| count)
        .sum();
    Markup::default()
        .code(format!("bound [{prefix}]"))
        .text(format!("The names under `{prefix}`. The program uses such names as an argument {uses} times."))
}

/// Lists the argument positions of matching names with their number of uses. `part` must be a
/// substring of all matching names.
fn positions(
    program: &Program,
    part: &str,
    meant: impl Fn(Symbol) -> bool,
) -> Vec<((PredicateKey, usize), usize)> {
    let mut counts: FxHashMap<(PredicateKey, usize), usize> = FxHashMap::default();
    // Most files do not contain the name, and a text search is faster than visiting statements.
    let has_it = |file: &&Arc<FileSummary>| file.text.contains(part);
    for file in program.files.iter().filter(has_it) {
        let mut count = |atom: &Atom| {
            for (at, _) in atom.args.iter().enumerate().filter(|(_, arg)| is_meant(arg, &meant)) {
                let key = program.meaning(file, key_of(atom));
                *counts.entry((key, at)).or_default() += 1;
            }
        };
        for item in file.items.iter() {
            if let StatementKind::Clause(clause) = &item.statement.kind {
                count(&clause.head);
                clause.literals().for_each(|literal| count(&literal.atom));
            }
        }
    }
    counts.into_iter().collect()
}

fn is_meant(term: &Term, meant: &impl Fn(Symbol) -> bool) -> bool {
    matches!(term.kind, TermKind::Name(name) if meant(name))
}
