//! Predicate graph as text: each predicate with its dependencies and its dependents.

use std::fmt::Write as _;

use super::{Edge, NodeKind, NodePlace, PredicateGraph};
use crate::sink;

/// The graphs as text, with one paragraph for each predicate, sorted by name. `place` formats a
/// location as `file:line:column`.
#[must_use]
pub fn text(graphs: &[PredicateGraph], place: &dyn Fn(NodePlace) -> String) -> String {
    let mut out = String::new();
    for graph in graphs {
        if graphs.len() > 1 {
            let _ = writeln!(out, "program {}\n", sink::terminal(&graph.name));
        }
        for at in 0..graph.predicates.len() {
            write_predicate(&mut out, graph, at, place);
        }
    }
    out
}

fn write_predicate(out: &mut String, graph: &PredicateGraph, at: usize, place: &dyn Fn(NodePlace) -> String) {
    let Some(node) = graph.predicates.get(at) else { return };
    let mut line = graph.label(at);
    let _ = write!(line, "  {}", rows(node.kind, node.rules, node.facts));
    if graph.is_recursive(at) {
        line.push_str(", recursive");
    }
    if let Some(node_place) = node.place {
        let _ = write!(line, "  {}", place(node_place));
    }
    let _ = writeln!(out, "{}", sink::terminal(&line));
    let uses = graph.edges.iter().filter(|edge| edge.from == at).map(|edge| shown(graph, edge, edge.to));
    let users = graph.edges.iter().filter(|edge| edge.to == at).map(|edge| shown(graph, edge, edge.from));
    for (word, others) in [("uses", uses.collect::<Vec<_>>()), ("used by", users.collect())] {
        if !others.is_empty() {
            let _ = writeln!(out, "  {word:8}{}", sink::terminal(&others.join(", ")));
        }
    }
    out.push('\n');
}

/// The source of the rows of a predicate.
fn rows(kind: NodeKind, rules: usize, facts: usize) -> String {
    let counted = |count: usize, one: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {one}s")),
    };
    let counts: Vec<_> = counted(rules, "rule").into_iter().chain(counted(facts, "fact")).collect();
    match kind {
        NodeKind::Host => "facts of the host".to_owned(),
        NodeKind::Declared => "declared only".to_owned(),
        NodeKind::Undefined => "undefined".to_owned(),
        NodeKind::Rules | NodeKind::Facts => counts.join(", "),
    }
}

/// The other end of an edge, with the kind of the edge.
fn shown(graph: &PredicateGraph, edge: &Edge, other: usize) -> String {
    let label = graph.label(other);
    let words = edge.words();
    if words.is_empty() { label } else { format!("{label} ({})", words.join(", ")) }
}
