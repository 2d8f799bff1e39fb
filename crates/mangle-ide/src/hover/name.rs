//! Hover on name constants: their uses in the program.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::predicate::sentence;
use crate::Place;
use crate::markup::Markup;
use mangle_engine::program::{FileSummary, PredicateKey, Program, key_of};
use mangle_syntax::syntax::ast::{Atom, StatementKind, Term, TermKind};
use mangle_syntax::text::Symbol;

/// Maximum number of argument positions listed.
const LISTED: usize = 5;

pub(super) fn markup(place: Place<'_>, name: Symbol) -> Markup {
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
pub(super) fn prefix(place: Place<'_>, prefix: Symbol) -> Markup {
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
