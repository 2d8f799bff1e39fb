//! Predicate graph as JSON.

use serde_json::{Value, json};

use super::{Edge, Node, NodePlace, PredicateGraph};

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
