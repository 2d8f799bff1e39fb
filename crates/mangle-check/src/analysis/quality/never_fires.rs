//! Check for rules that depend on a predicate that can never have facts.

use crate::analysis::{CheckContext, ProgramContext, ProgramFindings};
use mangle_engine::program::graph::Edge;
use mangle_engine::program::{Predicate, PredicateId, Program};
use mangle_syntax::lint::{Finding, Rule, rule};

pub(super) static RULE_NEVER_FIRES: Rule = rule!("rule-never-fires.md");

/// Reports the rules that depend on a predicate without clauses.
pub(super) fn check(context: &ProgramContext<'_>, id: PredicateId, out: &mut ProgramFindings) {
    let program = context.program;
    let predicate = program.get(id);
    if predicate.signature.has_rules || !context.emptiness.is_empty(id) {
        return;
    }
    let dependencies = program.dependencies();
    let mut heads: Vec<_> = program.users(predicate).collect();
    heads.sort_unstable();
    heads.dedup();
    let edges = heads.into_iter().flat_map(|head| dependencies.edges_from(head));
    for edge in edges.filter(|edge| edge.to == id && !edge.negated) {
        report(program, edge, false, out);
    }
}

/// Reports predicates that depend only on each other. Rules that use such a predicate are not
/// reported again.
pub(super) fn check_cycle(context: &ProgramContext<'_>, members: &[PredicateId], out: &mut ProgramFindings) {
    let (program, dependencies) = (context.program, context.program.dependencies());
    let edges = dependencies.recursive_edges(members);
    let empty = edges.filter(|edge| !edge.negated && context.emptiness.is_empty(edge.to));
    let first = empty.min_by_key(|edge| (edge.file, edge.item, edge.range.start()));
    if let Some(edge) = first.filter(|_| is_cause(context, members)) {
        report(program, edge, true, out);
    }
}

/// True if the predicates of a component depend only on each other.
fn is_cause(context: &ProgramContext<'_>, members: &[PredicateId]) -> bool {
    let dependencies = context.program.dependencies();
    let edges = members.iter().flat_map(|member| dependencies.edges_from(*member));
    let mut edges = edges.filter(|edge| !edge.negated);
    edges.all(|edge| members.contains(&edge.to) || !context.emptiness.is_empty(edge.to))
}

/// The reason that a predicate without rules has no facts.
pub(super) const NO_CLAUSE: &str =
    "it has no clause, and `host_predicates` in the configuration does not name it";

/// The label of the declaration or first clause of a predicate.
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
