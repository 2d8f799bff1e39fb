//! Rules that wait for a predicate that has no facts, whatever happens.

use rustc_hash::FxHashSet;

use super::emptiness::Emptiness;
use crate::analysis::{CheckContext, ProgramFindings};
use mangle_engine::program::graph::{ComponentId, Edge, Graph};
use mangle_engine::program::{Predicate, Program};
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) static RULE_NEVER_FIRES: Rule = rule!("rule-never-fires.md");

pub(super) fn check(program: &Program, emptiness: &Emptiness, out: &mut ProgramFindings) {
    if !emptiness.any() {
        return;
    }
    let graph = program.graph();
    let empty = |edge: &&Edge| !edge.negated && emptiness.is_empty(edge.to);
    let mut edges: Vec<&Edge> = graph.edges().iter().filter(empty).collect();
    edges.sort_by_key(|edge| (edge.file, edge.item, edge.range.start()));
    // What waits for such a predicate in turn is no mistake of its own.
    let mut reported: FxHashSet<ComponentId> = FxHashSet::default();
    for edge in edges {
        let component = graph.component(edge.to);
        let circle = graph.is_recursive(edge);
        let unfilled = !program.get(edge.to).signature.has_rules;
        if (circle && is_cause(graph, emptiness, component) && reported.insert(component)) || unfilled {
            report(program, edge, circle, out);
        }
    }
}

/// Whether the predicates of a component wait for nothing but each other.
fn is_cause(graph: &Graph, emptiness: &Emptiness, component: ComponentId) -> bool {
    graph.members(component).iter().all(|&member| {
        let mut edges = graph.edges_from(member).iter().filter(|edge| !edge.negated);
        edges.all(|edge| graph.component(edge.to) == component || !emptiness.is_empty(edge.to))
    })
}

/// Why a predicate without rules has no facts.
pub(super) const NO_CLAUSE: &str =
    "it has no clause, and `host_predicates` in the configuration does not name it";

/// The label of the place where a predicate comes from.
pub(super) fn introduced(predicate: &Predicate) -> &'static str {
    if predicate.signature.declared.is_some() { "declared here" } else { "defined here" }
}

fn report(program: &Program, edge: &Edge, circle: bool, out: &mut ProgramFindings) {
    let Some(file) = program.files.get(edge.file as usize) else { return };
    let Some(item) = file.items.get(edge.item as usize) else { return };
    let (from, to) = (program.get(edge.from), program.get(edge.to));
    let name = to.key.name;
    let because = if !circle {
        NO_CLAUSE.to_owned()
    } else if edge.from == edge.to {
        format!("each rule of `{name}` depends on a fact of `{name}`")
    } else {
        format!("`{name}` depends on `{}`, which depends on `{name}`", from.key.name)
    };
    let message = format!("rule for `{}` never fires: `{name}` never has facts", from.key.name);
    let mut finding = Finding::new(&RULE_NEVER_FIRES, edge.range, message).note(because);
    if edge.to != edge.from
        && let Some(origin) = CheckContext::origin(to)
    {
        finding = finding.related(origin, introduced(to));
    }
    out.push(file.id, item.statement.id, finding);
}
