//! Predicate graph in DOT, the language of Graphviz.

use std::fmt::Write as _;

use super::{Edge, EdgeKind, Node, NodeKind, PredicateGraph};
use crate::sink;

/// The graphs as one `digraph` with a cluster for each of several graphs.
///
/// Negated edges are dashed with the label `not`; edges of rules with `do` are bold with the label
/// `do`. Edges of a cycle are red.
#[must_use]
pub fn dot(graphs: &[PredicateGraph]) -> String {
    let mut out = String::from("digraph predicates {\n  rankdir=LR;\n  node [fontname=\"monospace\"];\n");
    for (number, graph) in graphs.iter().enumerate() {
        if graphs.len() > 1 {
            // Graphviz draws a box for subgraphs with this prefix.
            let _ = writeln!(out, "  subgraph cluster_{number} {{\n    label={};", sink::dot(&graph.name));
            dot_body(&mut out, graph, number, "    ");
            out.push_str("  }\n");
        } else {
            dot_body(&mut out, graph, number, "  ");
        }
    }
    out.push_str("}\n");
    out
}

fn dot_body(out: &mut String, graph: &PredicateGraph, number: usize, indent: &str) {
    for (at, node) in graph.predicates.iter().enumerate() {
        let label = sink::dot(&graph.label(at));
        let style = dot_style(node, graph.is_recursive(at));
        let _ = writeln!(out, "{indent}p{number}_{at} [label={label}{style}];");
    }
    for edge in &graph.edges {
        let Edge { from, to, .. } = edge;
        let _ = writeln!(out, "{indent}p{number}_{from} -> p{number}_{to}{};", dot_attributes(edge));
    }
}

fn dot_style(node: &Node, recursive: bool) -> String {
    let shape = match node.kind {
        NodeKind::Rules => ", shape=box",
        NodeKind::Facts => ", shape=cylinder",
        NodeKind::Host => ", shape=house",
        NodeKind::Declared => ", shape=ellipse",
        NodeKind::Undefined => ", shape=ellipse, style=dotted",
    };
    let color = if recursive { ", color=red" } else { "" };
    format!("{shape}{color}")
}

fn dot_attributes(edge: &Edge) -> String {
    let mut attributes = Vec::new();
    match edge.kind {
        EdgeKind::Positive => {}
        EdgeKind::Negated => attributes.push("style=dashed"),
        EdgeKind::Aggregated => attributes.push("style=bold"),
    }
    let label = edge.kind.label().map(|label| format!("label=\"{label}\""));
    attributes.extend(label.as_deref());
    if edge.temporal {
        attributes.push("arrowhead=empty");
    }
    if edge.recursive {
        attributes.push("color=red");
    }
    if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) }
}
