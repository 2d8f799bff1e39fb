//! Output formats of a predicate graph: text, JSON, Mermaid and DOT.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Edge, EdgeKind, Node, NodeKind, NodePlace, PredicateGraph};
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

/// The graphs as `{"programs": [{"name", "predicates", "edges", "components"}]}`. `place` converts
/// locations to the units of the reader.
#[must_use]
pub fn json(graphs: &[PredicateGraph], place: &dyn Fn(NodePlace) -> Value) -> Value {
    let programs: Vec<_> = graphs.iter().map(|graph| program_json(graph, place)).collect();
    json!({ "programs": programs })
}

fn program_json(graph: &PredicateGraph, place: &dyn Fn(NodePlace) -> Value) -> Value {
    let predicates: Vec<_> = graph.predicates.iter().map(|node| predicate_json(node, place)).collect();
    let edges: Vec<_> = graph.edges.iter().map(|edge| dependency_json(graph, edge, place)).collect();
    let components = graph.components.iter().map(|component| {
        let members: Vec<_> = component.members.iter().map(|at| graph.label(*at)).collect();
        json!({ "predicates": members, "stratified": component.stratified })
    });
    json!({
        "name": graph.name,
        "predicates": predicates,
        "edges": edges,
        "components": components.collect::<Vec<_>>(),
    })
}

fn predicate_json(node: &Node, place: &dyn Fn(NodePlace) -> Value) -> Value {
    json!({
        "id": node.key.to_string(),
        "name": node.key.name.as_str(),
        "arity": node.key.arity,
        "kind": node.kind.as_str(),
        "declared": node.declared,
        "stratum": node.stratum,
        "facts": node.facts,
        "rules": node.rules,
        "where": node.place.map(place),
        "declaration": node.declaration,
        "documentation": node.documentation,
    })
}

fn dependency_json(graph: &PredicateGraph, edge: &Edge, place: &dyn Fn(NodePlace) -> Value) -> Value {
    json!({
        "from": graph.label(edge.from),
        "to": graph.label(edge.to),
        "kind": edge.kind.as_str(),
        "temporal": edge.temporal,
        "recursive": edge.recursive,
        "where": edge.places.iter().map(|at| place(*at)).collect::<Vec<_>>(),
    })
}

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
