//! Check for rules whose premises have no store in common.

use super::StoredRule;
use crate::analysis::ProgramFindings;
use mangle_engine::program::graph::Edge;
use mangle_settings::StoreSet;
use mangle_syntax::lint::{Finding, Rule, Span, rule};

pub(super) static SPLIT_JOIN: Rule = rule!("split-join.md");

/// Reports a rule that can fire in no store although each of its premises can have facts in some
/// store.
pub(super) fn check(rule: &StoredRule<'_>, out: &mut ProgramFindings) {
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
    super::wording::only_in(rule.stores, stores)
}
