//! Check for repeated premises in a body.

use rustc_hash::FxHashMap;

use super::matching::same_term;
use crate::analysis::CheckContext;
use crate::analysis::wording::code;
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::{Clause, Literal, Term};
use mangle_syntax::text::Symbol;

pub(super) static REPEATED_PREMISE: Rule = rule!("repeated-premise.md");

/// Maximum number of premises with the same predicate to compare.
const COMPARED: usize = 64;

pub(super) fn check(context: &CheckContext<'_>, clause: &Clause, out: &mut Vec<Finding>) {
    // A repeated premise changes the number of rows in a group.
    if clause.aggregates() {
        return;
    }
    let mut earlier: FxHashMap<(Symbol, bool), Vec<&Literal>> = FxHashMap::default();
    for later in clause.literals().filter(|literal| !literal.is_temporal()) {
        let alike = earlier.entry((later.atom.name.symbol, later.is_negated())).or_default();
        let first = alike.iter().find(|first| implies(context, first, later));
        if first.is_none() && alike.len() < COMPARED {
            alike.push(later);
        } else if let Some(first) = first {
            let message = format!("duplicate premise {}", code(context.slice(later.range), 48));
            let finding = Finding::new(&REPEATED_PREMISE, later.range, message);
            let finding = finding.note("a repeated premise excludes nothing more");
            out.push(finding.related(Span::here(first.range), "first occurrence"));
        }
    }
}

/// True if the first premise implies the later one. A wildcard matches any value.
fn implies(context: &CheckContext<'_>, first: &Literal, later: &Literal) -> bool {
    let (one, other) = (&first.atom, &later.atom);
    let same = |(one, other): (&Term, &Term)| {
        (other.is_wildcard() && (!later.is_negated() || one.is_wildcard()))
            || same_term(one, other, context.text)
    };
    first.is_negated() == later.is_negated()
        && one.name.symbol == other.name.symbol
        && one.args.len() == other.args.len()
        && one.args.iter().zip(&other.args).all(same)
}
