//! Hover section with evaluation results: the number of facts of a predicate, the first facts,
//! differences between the readings, and the truth of ground atoms.

use crate::Place;
use crate::evaluation::{Difference, EvaluationView, PlaceNames, Readings, fact_count};
use crate::markup::Markup;
use crate::mention::Entity;
use mangle_engine::program::PredicateKey;
use mangle_report::sink::code_span;
use mangle_settings::Reading;
use mangle_syntax::syntax::ast::Atom;
use mangle_syntax::text::{TextRange, slice};

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
    let said = |found: &crate::evaluation::AtomTruth| {
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
