//! The effect of built-in predicates and functions on value flow: extracted parts and comparisons.

use mangle_engine::kernel::Function;
use mangle_engine::kernel::plan::{Slot, ValueSource};
use mangle_syntax::text::Symbol;

use super::graph::{Comparison, Computation, Node, Part};
use super::rules::Registers;

impl Registers<'_> {
    /// Adds a built-in predicate, by name.
    pub(super) fn solve(&mut self, name: Symbol, args: &[Option<ValueSource>], outputs: &[Slot]) {
        let name = name.as_str().trim_start_matches(':');
        let mut outputs = outputs.iter();
        let nodes: Vec<(Node, bool)> = args
            .iter()
            .filter_map(|arg| match arg {
                Some(source) => Some((self.source(*source), true)),
                None => outputs.next().map(|slot| (self.slot(*slot), false)),
            })
            .collect();
        match (test_of(name), name, nodes.as_slice()) {
            (Some(meeting), _, [(one, _), (other, _)]) => {
                self.graph.comparisons.push((*one, meeting, *other));
            }
            (_, "within_distance", [(one, _), (other, _), (most, _)]) => self.distance([*one, *other], *most),
            (_, "match_pair", [(value, _), first, second]) => {
                self.part(*value, Part::First, *first);
                self.part(*value, Part::Second, *second);
            }
            (_, "match_cons", [(value, _), head, (tail, _)]) => {
                self.part(*value, Part::Element, *head);
                self.graph.flows.push((*value, *tail));
            }
            (_, "list:member", [member, (list, _)]) => self.part(*list, Part::Element, *member),
            (_, "match_entry" | "match_field", [(value, _), (key, _), found]) => {
                if let Some(label) = self.graph.constant_at(*key) {
                    self.part(*value, Part::Under(label), *found);
                }
            }
            _ => {}
        }
    }

    /// Adds a node that is a part of another node. If the node is already bound, the part is
    /// compared with it.
    fn part(&mut self, whole: Node, part: Part, (node, is_known): (Node, bool)) {
        if !is_known {
            self.graph.parts.push((whole, part, node));
            return;
        }
        let own = self.graph.node(None);
        self.graph.parts.push((whole, part, own));
        self.graph.comparisons.push((own, Comparison::Equal, node));
    }

    /// Adds a comparison of the difference of two nodes with a third node.
    fn distance(&mut self, [one, other]: [Node; 2], most: Node) {
        let Some(function) = Function::from_name("fn:minus") else { return };
        for args in [vec![one, other], vec![other, one]] {
            let result = self.graph.node(None);
            self.graph.computations.push(Computation { function, args, result });
            self.graph.comparisons.push((result, Comparison::Order, most));
        }
    }

    /// Adds a function of nodes.
    pub(super) fn compute(&mut self, function: Function, args: Vec<Node>, result: Node) {
        match (function.name(), args.as_slice()) {
            ("list:contains", [list, member]) => self.part(*list, Part::Element, (*member, true)),
            ("list:get", [list, _]) => self.part(*list, Part::Element, (result, false)),
            ("struct:get" | "map:get", [value, key]) => {
                if let Some(label) = self.graph.constant_at(*key) {
                    self.part(*value, Part::Under(label), (result, false));
                }
            }
            ("pair", [first, second]) => {
                self.part(result, Part::First, (*first, true));
                self.part(result, Part::Second, (*second, true));
            }
            ("list", elements) => {
                elements.iter().for_each(|element| self.part(result, Part::Element, (*element, true)));
            }
            ("struct" | "map", entries) => {
                for entry in entries.chunks_exact(2) {
                    if let [key, value] = entry
                        && let Some(label) = self.graph.constant_at(*key)
                    {
                        self.part(result, Part::Under(label), (*value, true));
                    }
                }
            }
            (name, [list]) if ["sum", "max", "min"].contains(&name.rsplit(':').next().unwrap_or(name)) => {
                let element = self.graph.node(None);
                self.graph.parts.push((*list, Part::Element, element));
                self.graph.folds.push((element, result));
            }
            ("div" | "mod" | "float:div", [_, divisors @ ..]) => {
                self.graph.divisors.extend(divisors.iter().copied());
            }
            _ => {}
        }
        self.graph.computations.push(Computation { function, args, result });
    }
}

/// Returns the comparison that a built-in predicate makes between its two arguments.
fn test_of(name: &str) -> Option<Comparison> {
    let is_order = |kind: &&str| *kind == name || name.ends_with(&format!(":{kind}"));
    match name {
        "string:starts_with" => Some(Comparison::Prefix),
        "string:ends_with" => Some(Comparison::Suffix),
        "string:contains" => Some(Comparison::Contains),
        "string:matches" => Some(Comparison::Matches),
        "match_prefix" => Some(Comparison::NamePrefix),
        _ if ["lt", "le", "gt", "ge"].iter().any(is_order) => Some(Comparison::Order),
        _ => None,
    }
}
