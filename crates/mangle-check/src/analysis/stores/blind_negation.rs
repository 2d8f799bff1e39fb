//! Check for negations of predicates whose facts are only in other stores.

use super::StoredRule;
use super::wording::only_in;
use crate::analysis::ProgramFindings;
use mangle_engine::program::graph::Edge;
use mangle_settings::StoreSet;
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) static BLIND_NEGATION: Rule = rule!("blind-negation.md");

/// Reports negations that always hold in a store that can fire the rule, although another store can
/// have facts of the predicate. Negations that the engine ignores are also reported, because they
/// would be blind if they were evaluated.
pub(super) fn check(rule: &StoredRule<'_>, out: &mut ProgramFindings) {
    let fires = rule.possible.of_rule(rule.stores, rule.edges);
    for edge in rule.edges.iter().filter(|edge| edge.negated) {
        let known = rule.possible.stores(edge.to);
        let blind = fires.difference(known);
        if !known.is_empty() && !blind.is_empty() {
            report(rule, edge, (blind, fires), out);
        }
    }
}

fn report(
    rule: &StoredRule<'_>,
    edge: &Edge,
    (blind, fires): (StoreSet, StoreSet),
    out: &mut ProgramFindings,
) {
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
