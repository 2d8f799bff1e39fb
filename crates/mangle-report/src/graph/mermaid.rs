//! Predicate graph as a Mermaid flowchart.

use std::fmt::Write as _;

use super::{Edge, EdgeKind, NodeKind, PredicateGraph};
use crate::sink;

/// The graphs as one flowchart with a subgraph for each of several graphs.
///
/// Negated edges are dotted with the label `not`; edges of rules with `do` are thick with the label
/// `do`. Recursive predicates have a red frame.
#[must_use]
pub fn mermaid(graphs: &[PredicateGraph]) -> String {
    let mut out = String::from("flowchart LR\n");
    for (number, graph) in graphs.iter().enumerate() {
        if graphs.len() > 1 {
            let _ = writeln!(out, "  subgraph g{number}[{}]", sink::mermaid(&graph.name));
            mermaid_body(&mut out, graph, number, "    ");
            out.push_str("  end\n");
        } else {
            mermaid_body(&mut out, graph, number, "  ");
        }
    }
    out.push_str("  classDef recursive stroke:#c00\n");
    out.push_str("  classDef undefined stroke-dasharray:2 2\n");
    out
}

/// Predicates are numbered, because names can be keywords of Mermaid, for example `end`.
fn mermaid_body(out: &mut String, graph: &PredicateGraph, number: usize, indent: &str) {
    for (at, node) in graph.predicates.iter().enumerate() {
        let label = sink::mermaid(&graph.label(at));
        let shaped = match node.kind {
            NodeKind::Rules => format!("[{label}]"),
            NodeKind::Facts => format!("[({label})]"),
            NodeKind::Host => format!("[/{label}/]"),
            NodeKind::Declared | NodeKind::Undefined => format!("([{label}])"),
        };
        let class = match node.kind {
            _ if graph.is_recursive(at) => ":::recursive",
            NodeKind::Undefined => ":::undefined",
            _ => "",
        };
        let _ = writeln!(out, "{indent}p{number}_{at}{shaped}{class}");
    }
    for edge in &graph.edges {
        let _ = writeln!(out, "{indent}p{number}_{} {} p{number}_{}", edge.from, arrow(edge), edge.to);
    }
}

fn arrow(edge: &Edge) -> String {
    let line = match edge.kind {
        EdgeKind::Positive => "-->",
        EdgeKind::Negated => "-.->",
        EdgeKind::Aggregated => "==>",
    };
    let words = edge.words();
    if words.is_empty() { line.to_owned() } else { format!("{line}|{}|", words.join(" ")) }
}
