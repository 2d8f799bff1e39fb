//! Dependency graph of the predicates of a program, as JSON, Mermaid, DOT and text.
//!
//! `ide::graph` creates the [`PredicateGraph`]. The order of the output depends only on the
//! program.

mod formats;

use mangle_engine::program::PredicateKey;
use mangle_syntax::text::{FileId, TextRange};

pub use formats::dot;
pub use formats::json;
pub use formats::mermaid;
pub use formats::text;

/// The predicates of a program with their dependencies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PredicateGraph {
    pub name: String,
    /// The predicates, sorted by name and arity.
    pub predicates: Vec<Node>,
    /// The dependencies, sorted by the indexes of both ends in `predicates`, then by kind.
    pub edges: Vec<Edge>,
    /// The recursive components, sorted by first predicate.
    pub components: Vec<Component>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The qualified name and the arity.
    pub key: PredicateKey,
    /// The source of its rows.
    pub kind: NodeKind,
    /// True if the predicate has a `Decl`.
    pub declared: bool,
    /// The stratum: 0 for predicates that do not require another predicate to be complete.
    pub stratum: u32,
    /// The number of facts in the program.
    pub facts: usize,
    /// The number of rules in the program.
    pub rules: usize,
    /// The name in the first `Decl`. Fallback: the name in the head of the first clause.
    pub place: Option<NodePlace>,
    /// The text of the first `Decl`.
    pub declaration: Option<String>,
    /// The documentation of the author.
    pub documentation: Option<String>,
}

/// The source of the rows of a predicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// Rules, and possibly facts.
    Rules,
    /// Facts of the program.
    Facts,
    /// The host, according to the configuration.
    Host,
    /// Only a `Decl`.
    Declared,
    /// Neither declared nor defined: always empty.
    Undefined,
}

impl NodeKind {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Facts => "facts",
            Self::Host => "host",
            Self::Declared => "declared",
            Self::Undefined => "undefined",
        }
    }
}

/// A range in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodePlace {
    pub file: FileId,
    /// The range from the start of the file.
    pub range: TextRange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The index of the dependent predicate in [`PredicateGraph::predicates`].
    pub from: usize,
    /// The index of its dependency.
    pub to: usize,
    pub kind: EdgeKind,
    /// True if the premises are temporal.
    pub temporal: bool,
    /// True if the edge is part of a cycle.
    pub recursive: bool,
    /// The premises, in file order.
    pub places: Vec<NodePlace>,
}

impl Edge {
    fn words(&self) -> Vec<&'static str> {
        self.kind.label().into_iter().chain(self.temporal.then_some("temporal")).collect()
    }
}

/// The kind of a dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// A positive premise.
    Positive,
    /// A negated premise.
    Negated,
    /// A premise of a rule with `do`, which requires all rows at once.
    Aggregated,
}

impl EdgeKind {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Negated => "negated",
            Self::Aggregated => "aggregated",
        }
    }

    /// The label in pictures.
    fn label(self) -> Option<&'static str> {
        match self {
            Self::Positive => None,
            Self::Negated => Some("not"),
            Self::Aggregated => Some("do"),
        }
    }
}

/// A set of mutually recursive predicates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// The indexes in [`PredicateGraph::predicates`], ascending.
    pub members: Vec<usize>,
    /// True if no edge of the component is negated or aggregated. Otherwise, the engine rejects the
    /// program.
    pub stratified: bool,
}

impl PredicateGraph {
    /// The label of a predicate, for example `reachable/2`.
    fn label(&self, at: usize) -> String {
        self.predicates.get(at).map(|node| node.key.to_string()).unwrap_or_default()
    }

    /// True if the predicate is recursive.
    fn is_recursive(&self, at: usize) -> bool {
        self.components.iter().any(|component| component.members.binary_search(&at).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use mangle_syntax::text::Symbol;

    /// A graph with names that are keywords of both languages.
    fn graph() -> PredicateGraph {
        let node = |name: &str, arity, kind, stratum| Node {
            key: PredicateKey { name: Symbol::new(name), arity },
            kind,
            declared: kind == NodeKind::Declared,
            stratum,
            facts: usize::from(kind == NodeKind::Facts),
            rules: usize::from(kind == NodeKind::Rules),
            place: None,
            declaration: None,
            documentation: None,
        };
        let place = NodePlace { file: FileId(0), range: TextRange::new(3.into(), 6.into()) };
        let edge = |from, to, kind, temporal| Edge {
            from,
            to,
            kind,
            temporal,
            recursive: from == to,
            places: vec![place],
        };
        PredicateGraph {
            name: "the \"ship\"".into(),
            predicates: vec![
                node("crew.lead:s", 2, NodeKind::Facts, 0),
                node("end", 0, NodeKind::Declared, 0),
                node("odd\"\\<b>#1", 1, NodeKind::Rules, 1),
                node("sent", 1, NodeKind::Host, 0),
                node("x", 1, NodeKind::Undefined, 0),
            ],
            edges: vec![
                edge(2, 0, EdgeKind::Positive, false),
                edge(2, 1, EdgeKind::Negated, false),
                edge(2, 2, EdgeKind::Positive, false),
                edge(2, 3, EdgeKind::Aggregated, false),
                edge(2, 4, EdgeKind::Positive, true),
            ],
            components: vec![Component { members: vec![2], stratified: true }],
        }
    }

    #[track_caller]
    fn check(text: &str, expect: Expect) {
        expect.assert_eq(text);
    }

    #[test]
    fn as_dot() {
        check(
            &dot(&[graph()]),
            expect![[r#"
            digraph predicates {
              rankdir=LR;
              node [fontname="monospace"];
              p0_0 [label="crew.lead:s/2", shape=cylinder];
              p0_1 [label="end/0", shape=ellipse];
              p0_2 [label="odd\"\\<b>#1/1", shape=box, color=red];
              p0_3 [label="sent/1", shape=house];
              p0_4 [label="x/1", shape=ellipse, style=dotted];
              p0_2 -> p0_0;
              p0_2 -> p0_1 [style=dashed, label="not"];
              p0_2 -> p0_2 [color=red];
              p0_2 -> p0_3 [style=bold, label="do"];
              p0_2 -> p0_4 [arrowhead=empty];
            }
        "#]],
        );
    }

    #[test]
    fn as_mermaid() {
        check(
            &mermaid(&[graph()]),
            expect![[r#"
            flowchart LR
              p0_0[("crew.lead:s/2")]
              p0_1(["end/0"])
              p0_2["odd#34;#92;#60;b#62;#35;1/1"]:::recursive
              p0_3[/"sent/1"/]
              p0_4(["x/1"]):::undefined
              p0_2 --> p0_0
              p0_2 -.->|not| p0_1
              p0_2 --> p0_2
              p0_2 ==>|do| p0_3
              p0_2 -->|temporal| p0_4
              classDef recursive stroke:#c00
              classDef undefined stroke-dasharray:2 2
        "#]],
        );
    }

    #[test]
    fn several_programs_are_boxes_of_one_picture() {
        let empty = PredicateGraph { predicates: vec![], edges: vec![], components: vec![], ..graph() };
        check(
            &dot(&[empty.clone(), empty.clone()]),
            expect![[r#"
            digraph predicates {
              rankdir=LR;
              node [fontname="monospace"];
              subgraph cluster_0 {
                label="the \"ship\"";
              }
              subgraph cluster_1 {
                label="the \"ship\"";
              }
            }
        "#]],
        );
        check(
            &mermaid(&[empty.clone(), empty]),
            expect![[r#"
            flowchart LR
              subgraph g0["the #34;ship#34;"]
              end
              subgraph g1["the #34;ship#34;"]
              end
              classDef recursive stroke:#c00
              classDef undefined stroke-dasharray:2 2
        "#]],
        );
    }

    #[test]
    fn as_json() {
        let place = |place: NodePlace| serde_json::json!({ "start": u32::from(place.range.start()) });
        let text = serde_json::to_string_pretty(&json(&[graph()], &place)).unwrap_or_default();
        check(
            &text,
            expect![[r#"
                {
                  "programs": [
                    {
                      "name": "the \"ship\"",
                      "predicates": [
                        {
                          "id": "crew.lead:s/2",
                          "name": "crew.lead:s",
                          "arity": 2,
                          "kind": "facts",
                          "declared": false,
                          "stratum": 0,
                          "facts": 1,
                          "rules": 0,
                          "where": null,
                          "declaration": null,
                          "documentation": null
                        },
                        {
                          "id": "end/0",
                          "name": "end",
                          "arity": 0,
                          "kind": "declared",
                          "declared": true,
                          "stratum": 0,
                          "facts": 0,
                          "rules": 0,
                          "where": null,
                          "declaration": null,
                          "documentation": null
                        },
                        {
                          "id": "odd\"\\<b>#1/1",
                          "name": "odd\"\\<b>#1",
                          "arity": 1,
                          "kind": "rules",
                          "declared": false,
                          "stratum": 1,
                          "facts": 0,
                          "rules": 1,
                          "where": null,
                          "declaration": null,
                          "documentation": null
                        },
                        {
                          "id": "sent/1",
                          "name": "sent",
                          "arity": 1,
                          "kind": "host",
                          "declared": false,
                          "stratum": 0,
                          "facts": 0,
                          "rules": 0,
                          "where": null,
                          "declaration": null,
                          "documentation": null
                        },
                        {
                          "id": "x/1",
                          "name": "x",
                          "arity": 1,
                          "kind": "undefined",
                          "declared": false,
                          "stratum": 0,
                          "facts": 0,
                          "rules": 0,
                          "where": null,
                          "declaration": null,
                          "documentation": null
                        }
                      ],
                      "edges": [
                        {
                          "from": "odd\"\\<b>#1/1",
                          "to": "crew.lead:s/2",
                          "kind": "positive",
                          "temporal": false,
                          "recursive": false,
                          "where": [
                            {
                              "start": 3
                            }
                          ]
                        },
                        {
                          "from": "odd\"\\<b>#1/1",
                          "to": "end/0",
                          "kind": "negated",
                          "temporal": false,
                          "recursive": false,
                          "where": [
                            {
                              "start": 3
                            }
                          ]
                        },
                        {
                          "from": "odd\"\\<b>#1/1",
                          "to": "odd\"\\<b>#1/1",
                          "kind": "positive",
                          "temporal": false,
                          "recursive": true,
                          "where": [
                            {
                              "start": 3
                            }
                          ]
                        },
                        {
                          "from": "odd\"\\<b>#1/1",
                          "to": "sent/1",
                          "kind": "aggregated",
                          "temporal": false,
                          "recursive": false,
                          "where": [
                            {
                              "start": 3
                            }
                          ]
                        },
                        {
                          "from": "odd\"\\<b>#1/1",
                          "to": "x/1",
                          "kind": "positive",
                          "temporal": true,
                          "recursive": false,
                          "where": [
                            {
                              "start": 3
                            }
                          ]
                        }
                      ],
                      "components": [
                        {
                          "predicates": [
                            "odd\"\\<b>#1/1"
                          ],
                          "stratified": true
                        }
                      ]
                    }
                  ]
                }"#]],
        );
    }
}
