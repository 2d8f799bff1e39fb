//! Rules about fact stores (`[runtime] stores`): each store evaluates the whole program over its
//! own facts.
//!
//! Programs without stores have no such findings.

pub(crate) use super::flow::StorePossibility;

use super::{Family, ProgramCheck, ProgramContext, ProgramFindings};
use mangle_engine::program::graph::Edge;
use mangle_engine::program::{PredicateId, Program};
use mangle_settings::{StoreSet, Stores};
use mangle_syntax::lint::{Finding, Rule, Span, rule};
use mangle_syntax::syntax::ast::Item;
use mangle_syntax::text::FileId;

pub(super) const FAMILY: Family = Family {
    rules: &[&SPLIT_JOIN, &BLIND_NEGATION],
    clause: None,
    declaration: None,
    program: &[ProgramCheck::Predicate(check)],
};

/// A rule with its premises, in a program with stores.
struct StoredRule<'p> {
    program: &'p Program,
    stores: &'p Stores,
    possible: &'p StorePossibility,
    file: FileId,
    item: &'p Item,
    head: PredicateId,
    /// The edges of the rule, one for each premise with a predicate.
    edges: &'p [Edge],
}

impl<'p> StoredRule<'p> {
    fn positive(&self) -> impl Iterator<Item = &'p Edge> {
        self.edges.iter().filter(|edge| !edge.negated)
    }

    fn name(&self, predicate: PredicateId) -> &'static str {
        self.program.get(predicate).key.name.as_str()
    }
}

fn check(context: &ProgramContext<'_>, id: PredicateId, out: &mut ProgramFindings) {
    let (program, Some(stores)) = (context.program, context.program.embedding.stores.as_deref()) else {
        return;
    };
    let edges = program.dependencies().edges_from(id);
    for edges in edges.chunk_by(|one, other| (one.file, one.item) == (other.file, other.item)) {
        let Some(first) = edges.first() else { continue };
        let Some(file) = program.files.get(first.file as usize) else { continue };
        let Some(item) = file.items.get(first.item as usize) else { continue };
        let possible = context.stores;
        let rule = StoredRule { program, stores, possible, file: file.id, item, head: id, edges };
        check_join(&rule, out);
        check_negations(&rule, out);
    }
}

static SPLIT_JOIN: Rule = rule!("split-join.md");

/// Reports a rule that can fire in no store although each of its premises can have facts in some
/// store.
fn check_join(rule: &StoredRule<'_>, out: &mut ProgramFindings) {
    let of = |edge: &Edge| rule.possible.stores(edge.to);
    if !rule.possible.of_rule(rule.stores, rule.edges).is_empty()
        || rule.positive().any(|edge| of(edge).is_empty())
    {
        return;
    }
    let Some((edge, other)) = conflict(rule) else { return };
    let headline = format!("rule for `{}` never fires: no store has all its premises", rule.name(rule.head));
    let mut finding = Finding::new(&SPLIT_JOIN, edge.range, headline)
        .label(label(rule, of(edge)))
        .note("each store evaluates the rule over its own facts");
    if let Some(other) = other {
        let place = Span::new(rule.file, rule.item.statement.id, other.range);
        finding = finding.related(place, label(rule, of(other)));
    }
    out.push(rule.file, rule.item.statement.id, finding);
}

/// The first premise that has no store in common with the earlier premises. The second value is a
/// single earlier premise that conflicts with it, if one exists.
fn conflict<'p>(rule: &StoredRule<'p>) -> Option<(&'p Edge, Option<&'p Edge>)> {
    let of = |edge: &Edge| rule.possible.stores(edge.to);
    let mut common = rule.stores.all();
    let edge = rule.positive().find(|edge| {
        common = common.intersection(of(edge));
        common.is_empty()
    })?;
    let before = rule.positive().take_while(|other| other.range != edge.range);
    let is_apart = |other: &&Edge| of(other).intersection(of(edge)).is_empty();
    let mut before: Vec<_> = before.collect();
    before.retain(is_apart);
    Some((edge, before.first().copied()))
}

/// The stores of a premise, short enough for a label.
fn label(rule: &StoredRule<'_>, stores: StoreSet) -> String {
    only_in(rule.stores, stores)
}

static BLIND_NEGATION: Rule = rule!("blind-negation.md");

/// Reports negations that always hold in a store that can fire the rule, although another store can
/// have facts of the predicate. Negations that the engine ignores are also reported, because they
/// would be blind if they were evaluated.
fn check_negations(rule: &StoredRule<'_>, out: &mut ProgramFindings) {
    let fires = rule.possible.of_rule(rule.stores, rule.edges);
    for edge in rule.edges.iter().filter(|edge| edge.negated) {
        let known = rule.possible.stores(edge.to);
        let blind = fires.difference(known);
        if !known.is_empty() && !blind.is_empty() {
            report(rule, edge, blind, fires, out);
        }
    }
}

fn report(rule: &StoredRule<'_>, edge: &Edge, blind: StoreSet, fires: StoreSet, out: &mut ProgramFindings) {
    let (stores, name) = (rule.stores, rule.name(edge.to));
    let place = match (blind.iter().count(), fires.iter().count()) {
        (1, _) => format!("in store {}", stores.listed(blind)),
        (blind, fires) if blind == fires => format!("in all {fires} stores of the rule"),
        (blind, fires) => format!("in {blind} of {fires} stores"),
    };
    let which = match blind.iter().count() {
        1 => "each store evaluates the rule over its own facts".to_owned(),
        _ => format!("the stores without facts of `{name}` are {}", stores.listed(blind)),
    };
    let finding =
        Finding::new(&BLIND_NEGATION, edge.range, format!("negation of `{name}` always holds {place}"))
            .label(only_in(stores, rule.possible.stores(edge.to)))
            .note(which)
            .note("a fact that one store derives is a fact of the program");
    out.push(rule.file, rule.item.statement.id, finding);
}

/// Maximum length of a label, in characters.
const LABEL: usize = 40;

/// A label for a predicate with facts in these stores.
fn only_in(stores: &Stores, set: StoreSet) -> String {
    let named = format!("only in {}", stores.listed(set));
    if named.chars().count() <= LABEL { named } else { format!("only in {} stores", set.iter().count()) }
}

#[cfg(test)]
mod tests;
