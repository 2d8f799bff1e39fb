//! Hover on predicates and name constants: signature, documentation, uses in the program, and
//! evaluation results.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::Place;
use crate::evaluation::{self, Difference, EvaluationView, PlaceNames, Readings, fact_count};
use crate::markup::Markup;
use crate::mention::Entity;
use mangle_check::describe::Callable;
use mangle_engine::program::{FileSummary, Predicate, PredicateKey, Program, Signature, UseKind, key_of};
use mangle_report::sink::code_span;
use mangle_settings::Reading;
use mangle_syntax::syntax::ast::{Atom, StatementKind, Term, TermKind};
use mangle_syntax::text::{Symbol, TextRange, slice};

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

/// Returns the hover of a name constant, with its uses in the program.
pub(super) fn name(place: Place<'_>, name: Symbol) -> Markup {
    let markup = Markup::default().code(name.as_str());
    let mut positions = positions(place.program(), name.as_str(), |other| other == name);
    positions.sort_unstable_by(|((a, a_at), a_count), ((b, b_at), b_count)| {
        b_count.cmp(a_count).then_with(|| order(a, *a_at).cmp(&order(b, *b_at)))
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

fn order(key: &PredicateKey, at: usize) -> (&'static str, u16, usize) {
    (key.name.as_str(), key.arity, at)
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

/// Maximum number of facts shown.
const SHOWN: usize = 5;

/// Returns the evaluation results for the predicate at a place. Empty at any other place.
#[must_use]
pub fn evaluation_results(place: Place<'_>, tried: &[EvaluationView<'_>]) -> Markup {
    let Some(mention) = place.mention() else { return Markup::default() };
    let Entity::Predicate(key) = mention.entity else { return Markup::default() };
    let Some(predicate) = place.predicate(key) else { return Markup::default() };
    let known: Vec<_> = tried.iter().filter_map(|tried| Some((tried, tried.readings?))).collect();
    if let Some(why) = tried.iter().find_map(|tried| tried.refusal) {
        return Markup::default().text(format!("{}.", capitalized(why)));
    }
    if known.is_empty() {
        let says = if tried.is_empty() { None } else { Some("The evaluation is pending.") };
        return says.map_or_else(Markup::default, |says| Markup::default().text(says));
    }
    let mut markup = facts(&known, predicate.key);
    for &(tried, readings) in &known {
        if let Some(difference) = readings.difference(predicate.key) {
            markup = markup.text(difference_in_words(tried, &difference));
        }
    }
    if let Some(atom) = atom_at(place, mention.range) {
        for &(tried, readings) in &known {
            markup = markup.and(atom_truth(place, tried, readings, atom));
        }
    }
    for &(tried, readings) in &known {
        if let Some(stopped) = readings.shown().stopped(tried.places) {
            let what = format!("The evaluation{} stopped {stopped}. There may be more.", with(tried));
            markup = markup.text(what);
        }
    }
    markup
}

/// Returns the counts, for example `3 facts in x.kernel.mg, 0 in y.kernel.mg`, and the first facts.
fn facts(known: &[(&EvaluationView<'_>, &Readings)], key: PredicateKey) -> Markup {
    let counted =
        known.iter().filter_map(|(tried, readings)| Some((tried, readings.shown().rows(key, SHOWN)?)));
    let counted: Vec<_> = counted.collect();
    if counted.is_empty() {
        return Markup::default();
    }
    let first = counted.iter().find(|(_, rows)| rows.count > 0);
    let counts = counted.iter().enumerate().map(|(at, (tried, rows))| {
        let count = if at == 0 { fact_count(rows.count) } else { rows.count.to_string() };
        match tried.sample {
            Some(sample) => format!("{count} in {}", code_span(sample)),
            None => format!("{count} without a sample"),
        }
    });
    let counts = match first {
        Some(_) => counts.collect::<Vec<_>>().join(", "),
        None => {
            format!("no solutions {}", with_samples(counted.iter().filter_map(|(tried, _)| tried.sample)))
        }
    };
    let is_current = known.iter().all(|(tried, _)| tried.is_current);
    let sentence = if is_current { capitalized(&counts) } else { format!("Before the last edit: {counts}") };
    let markup = Markup::default().text(format!("{sentence}."));
    let Some((_, first)) = first else { return markup };
    let mut facts = first.first.join("\n");
    if first.count > first.first.len() {
        facts.push_str("\n…");
    }
    markup.code(facts)
}

/// For example `with this sample (x.kernel.mg)`.
fn with_samples<'s>(samples: impl Iterator<Item = &'s str>) -> String {
    let names: Vec<_> = samples.map(code_span).collect();
    match names.len() {
        0 => "without a sample".to_owned(),
        1 => format!("with this sample ({})", names.join("")),
        _ => format!("with these samples ({})", names.join(", ")),
    }
}

fn capitalized(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn difference_in_words(tried: &EvaluationView<'_>, difference: &Difference) -> String {
    let mut says = format!(
        "Reading `intended`: {}{}; reading `engine`: {}.",
        fact_count(difference.intended),
        with(tried),
        difference.engine
    );
    let mut only = |who: &str, facts: &[String]| {
        if !facts.is_empty() {
            let facts: Vec<_> = facts.iter().map(|fact| code_span(fact)).collect();
            says.push_str(&format!(" {who}: {}.", facts.join(", ")));
        }
    };
    only("Only in `engine`", &difference.only_go);
    only("Only in `intended`", &difference.only_written);
    says
}

/// For example ` with x.kernel.mg`.
fn with(tried: &EvaluationView<'_>) -> String {
    tried.sample.map_or_else(String::new, |sample| format!(" with {}", code_span(sample)))
}

/// Returns the atom whose name is at a range, if the atom is ground.
fn atom_at<'p>(place: Place<'p>, name: TextRange) -> Option<&'p Atom> {
    let item = place.item()?;
    let clause = item.statement.clause().filter(|_| !item.statement.damaged)?;
    let name = name - item.start;
    let atom = match clause.literal_at(name) {
        Some(literal) => &literal.atom,
        None => Some(&clause.head).filter(|head| head.name.range == name)?,
    };
    let mut is_ground = true;
    for arg in &atom.args {
        arg.walk(&mut |term| is_ground &= term.variable().is_none() && !term.is_wildcard());
    }
    is_ground.then_some(atom)
}

/// Explains if an atom holds. Shows both readings if they differ.
fn atom_truth(place: Place<'_>, tried: &EvaluationView<'_>, readings: &Readings, atom: &Atom) -> Markup {
    let Some(item) = place.item() else { return Markup::default() };
    let statement = place.file.statement_text(item);
    let ask = |reading: Reading| {
        readings.get(reading).holds(place.file, atom, statement, PlaceNames { ..tried.places })
    };
    let (Some(go), Some(written)) = (ask(Reading::Engine), ask(Reading::Intended)) else {
        return Markup::default();
    };
    let said = |found: &evaluation::AtomTruth| {
        let verb = if found.holds { "holds" } else { "does not hold" };
        format!("{verb}: {}", found.because)
    };
    let text = slice(statement, atom.range);
    let with = with(tried);
    if go.holds == written.holds {
        let shown = if readings.selected == Reading::Engine { &go } else { &written };
        return Markup::default().text(format!("{} {}{with}.", code_span(text), said(shown)));
    }
    Markup::default().text(format!(
        "In reading `engine`, {} {}{with}. In reading `intended`, it {}.",
        code_span(text),
        said(&go),
        said(&written)
    ))
}
