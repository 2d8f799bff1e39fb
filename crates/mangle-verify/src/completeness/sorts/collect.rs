//! The effect of each operation on the sorts of its values.

use std::collections::BTreeSet;

use mangle_engine::kernel::{Datum, Function, ValueId, Values};
use mangle_engine::types::Base;

use super::super::condition::{Condition, MAX_TEXT};
use super::super::dataflow::{Dataflow, Node, Operation, Part, TextTest};
use super::{Computation, MAX_TAILS, SortId, Sorts};

/// Returns the kind of value that a test reads.
fn tested_kind(test: TextTest) -> Base {
    if test == TextTest::NamePrefix { Base::Name } else { Base::String }
}

/// True for functions that other operations describe as constructors.
fn is_constructor(function: Function) -> bool {
    matches!(function.name(), "pair" | "tuple" | "list" | "list:cons" | "struct")
}

impl Sorts {
    /// Adds the constants of a node to a sort.
    fn meet(&mut self, flow: &Dataflow, sort: SortId, node: Node) {
        let Some(reach) = flow.at(node) else { return };
        self.attach(sort, reach.constants.iter().copied());
        if reach.is_open {
            self.gap("comparisons with counts or computed values", &[sort]);
        }
    }

    pub(super) fn operation(
        &mut self,
        flow: &Dataflow,
        values: &Values,
        operation: &Operation,
        computations: &mut Vec<Computation>,
    ) {
        match operation {
            Operation::Flow(from, to) if flow.varies(*from) => {
                let (from, to) = (self.sort(*from), self.sort(*to));
                self.unite(from, to);
            }
            // Constants are already propagated.
            Operation::Flow(..) => {}
            Operation::Equal(one, other) => self.equal(flow, *one, *other),
            Operation::Order(base, one, other) => self.order(flow, *base, *one, *other),
            Operation::Text(test, text, part) => self.text(flow, values, *test, *text, *part),
            Operation::AnyText(test, text, patterns) => self.any_text(flow, values, *test, *text, patterns),
            Operation::Take(whole, part, node) | Operation::Make(whole, part, node) => {
                self.part_of(flow, *whole, *part, *node);
            }
            Operation::Compute { function, args, result } => {
                if args.iter().any(|arg| flow.varies(*arg)) && !is_constructor(*function) {
                    let computation =
                        Computation { function: *function, args: args.clone(), result: *result };
                    computations.push(computation);
                }
            }
            Operation::Distinguish(node) if flow.varies(*node) => {
                let sort = self.sort(*node);
                self.at(sort).is_joined = true;
            }
            Operation::Distinguish(_) => {}
            Operation::Kind(node, base) => self.kind(flow, *node, *base),
            Operation::Unknown { operation, nodes, results } => {
                let touched = nodes.iter().chain(results).filter(|node| flow.varies(**node));
                let sorts: Vec<SortId> = touched.map(|node| self.sort(*node)).collect();
                if !sorts.is_empty() {
                    self.gap(operation.clone(), &sorts);
                }
            }
        }
    }

    fn equal(&mut self, flow: &Dataflow, one: Node, other: Node) {
        match (flow.varies(one), flow.varies(other)) {
            (true, true) => {
                let (one, other) = (self.sort(one), self.sort(other));
                self.unite(one, other);
                self.at(one).is_joined = true;
            }
            (true, false) => {
                let sort = self.sort(one);
                self.meet(flow, sort, other);
            }
            (false, true) => {
                let sort = self.sort(other);
                self.meet(flow, sort, one);
            }
            (false, false) => {}
        }
    }

    fn order(&mut self, flow: &Dataflow, base: Base, one: Node, other: Node) {
        let nodes = [(one, other), (other, one)];
        for (node, other) in nodes.into_iter().filter(|(node, _)| flow.varies(*node)) {
            let sort = self.sort(node);
            self.at(sort).orders.insert(base);
            self.at(sort).kinds.insert(base);
            if flow.varies(other) {
                let other = self.sort(other);
                self.unite(sort, other);
                self.at(sort).is_joined = true;
            } else {
                self.meet(flow, sort, other);
            }
        }
    }

    fn part_of(&mut self, flow: &Dataflow, whole: Node, part: Part, node: Node) {
        if !flow.varies(whole) {
            return;
        }
        let whole = self.sort(whole);
        let part = self.part(whole, part);
        if flow.varies(node) {
            let node = self.sort(node);
            self.unite(part, node);
        } else {
            self.meet(flow, part, node);
        }
    }

    fn kind(&mut self, flow: &Dataflow, node: Node, base: Base) {
        if flow.varies(node) {
            let sort = self.sort(node);
            self.at(sort).kinds.insert(base);
        }
    }

    fn text(&mut self, flow: &Dataflow, values: &Values, test: TextTest, text: Node, part: Node) {
        let base = tested_kind(test);
        self.kind(flow, text, base);
        self.kind(flow, part, base);
        if flow.varies(part) {
            let mut sorts = vec![self.sort(part)];
            if flow.varies(text) {
                sorts.push(self.sort(text));
            }
            return self.gap("tests of one text with another one", &sorts);
        }
        if !flow.varies(text) {
            return;
        }
        let sort = self.sort(text);
        let Some(reach) = flow.at(part) else { return };
        if reach.is_open {
            self.gap("tests with computed texts", &[sort]);
        }
        for constant in &reach.constants {
            self.any_text(flow, values, test, text, std::slice::from_ref(constant));
        }
    }

    /// Adds a text test against several patterns. Any of them may match.
    fn any_text(
        &mut self,
        flow: &Dataflow,
        values: &Values,
        test: TextTest,
        text: Node,
        patterns: &[ValueId],
    ) {
        if !flow.varies(text) {
            return;
        }
        self.kind(flow, text, tested_kind(test));
        let sort = self.sort(text);
        let mut conditions = BTreeSet::new();
        for constant in patterns {
            let (Datum::String(pattern) | Datum::Name(pattern)) = values.get(*constant) else { continue };
            if pattern.len() > MAX_TEXT {
                self.gap("tests with long texts", &[sort]);
                continue;
            }
            let pattern = pattern.as_ref().into();
            conditions.insert(match test {
                TextTest::Prefix => Condition::Prefix(pattern),
                TextTest::Suffix => Condition::Suffix(pattern),
                TextTest::Contains => Condition::Contains(pattern),
                TextTest::NamePrefix => Condition::Longer(pattern),
            });
        }
        let conditions: Vec<Condition> = conditions.into_iter().collect();
        let condition = match <[Condition; 1]>::try_from(conditions) {
            Ok([only]) => only,
            Err(conditions) if conditions.is_empty() => return,
            Err(conditions) => Condition::Any(conditions.into()),
        };
        self.at(sort).conditions.insert((tested_kind(test), condition));
    }

    /// Distinguishes lists by length up to the maximum compared length.
    pub(super) fn length(&mut self, values: &Values, computation: &Computation) {
        let Some(list) = computation.args.first().map(|arg| self.sort(*arg)) else { return };
        let result = self.sort(computation.result);
        let known = self.get(result);
        let is_free = known.places.is_empty() && !known.is_joined && known.parts.is_empty();
        let numbers = known.constants.iter().filter_map(|value| match values.get(*value) {
            Datum::Number(number) => Some((*number).max(0)),
            _ => None,
        });
        let longest = numbers.max().unwrap_or(0);
        let Some(longest) = usize::try_from(longest).ok().filter(|longest| is_free && *longest < MAX_TAILS)
        else {
            return self.gap("lengths of lists", &[list, result]);
        };
        let mut sort = list;
        for _ in 0..=longest {
            sort = self.part(sort, Part::Tail);
        }
    }
}
