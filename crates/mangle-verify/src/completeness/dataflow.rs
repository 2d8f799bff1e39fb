//! The data flow of the rules: operations on columns and variables, and the constants and inputs
//! that reach them.
//!
//! Every operation on a value of a world is included. An operation that the analysis cannot
//! describe becomes [`Operation::Unknown`], which is a reason for an incomplete answer.

use std::collections::BTreeSet;

use mangle_engine::kernel::plan::RelationId;
use mangle_engine::kernel::{Clock, Datum, Function, ValueId, Values};
use mangle_engine::types::Base;
use rustc_hash::FxHashMap;

use crate::obstacle::Budget;

/// A column of a relation, a variable of a rule, or a constant.
pub(super) type Node = u32;

/// The maximum number of constants per node.
const MAX_CONSTANTS: usize = 1_500;

/// The maximum number of constant combinations per function.
const MAX_COMBINATIONS: usize = 2_000;

/// The maximum number of rounds through all rules.
const MAX_ROUNDS: usize = 200;

/// A part of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Part {
    First,
    Second,
    /// The first element of a list.
    Element,
    /// The list without its first element.
    Tail,
    /// The value of a field of a struct.
    Field(ValueId),
    /// The value of an entry of a map.
    Entry(ValueId),
}

impl Part {
    /// Returns this part of a value.
    pub(super) fn extract(self, values: &mut Values, whole: ValueId) -> Option<ValueId> {
        match (self, values.get(whole)) {
            (Self::First, Datum::Pair(first, _)) => Some(*first),
            (Self::Second, Datum::Pair(_, second)) => Some(*second),
            (Self::Element, Datum::List(elements)) => elements.first().copied(),
            (Self::Tail, Datum::List(elements)) => {
                let rest = elements.get(1..)?.to_vec();
                values.list(&rest).ok()
            }
            (Self::Field(label), Datum::Struct(entries)) | (Self::Entry(label), Datum::Map(entries)) => {
                entries.iter().find(|(key, _)| *key == label).map(|(_, value)| *value)
            }
            _ => None,
        }
    }
}

/// A test of a text or name against a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextTest {
    Prefix,
    Suffix,
    Contains,
    /// `:match_prefix` of names.
    NamePrefix,
}

impl TextTest {
    /// Returns the test of a built-in predicate.
    pub(super) fn of_builtin(name: &str) -> Option<Self> {
        Some(match name.trim_start_matches(':') {
            "string:starts_with" => Self::Prefix,
            "string:ends_with" => Self::Suffix,
            "string:contains" => Self::Contains,
            "match_prefix" => Self::NamePrefix,
            _ => return None,
        })
    }
}

/// A test of a text with sets of patterns. The patterns of a set are equivalent.
pub(super) struct TextTests {
    pub(super) test: TextTest,
    pub(super) patterns: Vec<Vec<ValueId>>,
}

/// The tests of a rule with patterns from tables, by step number.
pub(super) type PatternTests = FxHashMap<usize, TextTests>;

/// An operation of a rule.
#[derive(Debug, Clone)]
pub(super) enum Operation {
    /// Values flow from the first to the second node.
    Flow(Node, Node),
    /// The two nodes are compared for equality.
    Equal(Node, Node),
    /// The two nodes are compared by order, as values of this kind.
    Order(Base, Node, Node),
    /// The first node is tested against the pattern in the second node.
    Text(TextTest, Node, Node),
    /// The first node is tested against each of these patterns, and only the disjunction is
    /// relevant.
    AnyText(TextTest, Node, Vec<ValueId>),
    /// The last node is this part of the first node.
    Take(Node, Part, Node),
    /// The first node is constructed with the last node as this part.
    Make(Node, Part, Node),
    /// A function whose value is not described by other operations.
    Compute { function: Function, args: Vec<Node>, result: Node },
    /// Values of the node are distinguished, because rows are grouped or counted.
    Distinguish(Node),
    /// An operation accepts only values of this kind.
    Kind(Node, Base),
    /// An operation on these nodes with unknown effect.
    Unknown { operation: String, nodes: Vec<Node>, results: Vec<Node> },
}

/// The values that reach a node.
#[derive(Debug, Clone, Default)]
pub(super) struct Reach {
    /// Values that depend on no world.
    pub(super) constants: BTreeSet<ValueId>,
    /// True if values of a world reach the node, unchanged or computed.
    pub(super) varies: bool,
    /// True if world-independent values reach the node that are not among the constants, for
    /// example counts.
    pub(super) is_open: bool,
}

/// The operations of the rules.
#[derive(Default)]
pub(super) struct Dataflow {
    columns: FxHashMap<(RelationId, u16), Node>,
    constants: FxHashMap<ValueId, Node>,
    pub(super) reach: Vec<Reach>,
    pub(super) operations: Vec<Operation>,
    /// The columns of the inputs: input number, column and node.
    pub(super) places: Vec<(usize, u16, Node)>,
}

impl Dataflow {
    pub(super) fn node(&mut self) -> Node {
        self.reach.push(Reach::default());
        u32::try_from(self.reach.len() - 1).unwrap_or(u32::MAX)
    }

    /// Returns the node of a column, and true if it is new.
    pub(super) fn column(&mut self, relation: RelationId, column: u16) -> (Node, bool) {
        if let Some(known) = self.columns.get(&(relation, column)) {
            return (*known, false);
        }
        let node = self.node();
        self.columns.insert((relation, column), node);
        (node, true)
    }

    pub(super) fn constant(&mut self, value: ValueId) -> Node {
        if let Some(known) = self.constants.get(&value) {
            return *known;
        }
        let node = self.node();
        self.constants.insert(value, node);
        self.add_constant(node, value);
        node
    }

    /// Returns the value of a node that has only one value and depends on no world.
    pub(super) fn constant_at(&self, node: Node) -> Option<ValueId> {
        let reach = self.at(node)?;
        let is_one = !reach.varies && !reach.is_open && reach.constants.len() == 1;
        reach.constants.first().copied().filter(|_| is_one)
    }

    pub(super) fn at(&self, node: Node) -> Option<&Reach> {
        self.reach.get(node as usize)
    }

    pub(super) fn varies(&self, node: Node) -> bool {
        self.at(node).is_some_and(|reach| reach.varies)
    }

    pub(super) fn add_constant(&mut self, node: Node, value: ValueId) -> bool {
        let Some(reach) = self.reach.get_mut(node as usize) else { return false };
        if reach.constants.len() >= MAX_CONSTANTS && !reach.constants.contains(&value) {
            return !std::mem::replace(&mut reach.is_open, true);
        }
        reach.constants.insert(value)
    }

    pub(super) fn add_place(&mut self, input: usize, column: u16, node: Node) {
        self.places.push((input, column, node));
        self.set_varies(node);
    }

    fn set_varies(&mut self, node: Node) -> bool {
        self.reach.get_mut(node as usize).is_some_and(|reach| !std::mem::replace(&mut reach.varies, true))
    }

    /// Marks a node with values that are not among its constants. Returns true if the mark is new.
    pub(super) fn set_open(&mut self, node: Node) -> bool {
        self.reach.get_mut(node as usize).is_some_and(|reach| !std::mem::replace(&mut reach.is_open, true))
    }

    /// Propagates constants and inputs until nothing changes. Returns false if the time ended
    /// first.
    pub(super) fn follow(&mut self, values: &mut Values, clock: Clock, budget: &Budget) -> bool {
        let operations = std::mem::take(&mut self.operations);
        self.follow_worlds(&operations);
        let mut is_done = false;
        for _ in 0..MAX_ROUNDS {
            let mut is_new = false;
            for (number, operation) in operations.iter().enumerate() {
                if number % 64 == 0 && budget.is_over(values) {
                    self.operations = operations;
                    return false;
                }
                is_new |= match operation {
                    Operation::Flow(from, to) => self.copy(*from, *to),
                    Operation::Take(whole, part, node) => self.take(values, *whole, *part, *node),
                    Operation::Make(whole, _, part) => self.make(*whole, *part),
                    Operation::Compute { function, args, result } => {
                        self.compute(values, clock, budget, *function, args, *result)
                    }
                    Operation::Unknown { nodes, results, .. } => self.unknown(nodes, results),
                    Operation::Equal(..)
                    | Operation::Order(..)
                    | Operation::Text(..)
                    | Operation::AnyText(..)
                    | Operation::Distinguish(_)
                    | Operation::Kind(..) => false,
                };
            }
            if !is_new {
                is_done = true;
                break;
            }
        }
        if !is_done {
            // The rules compute an unbounded number of constants.
            for operation in &operations {
                if let Operation::Compute { result, .. } = operation {
                    self.set_open(*result);
                }
            }
        }
        self.operations = operations;
        true
    }

    /// Marks the nodes that values of a world reach.
    fn follow_worlds(&mut self, operations: &[Operation]) {
        loop {
            let mut is_new = false;
            for operation in operations {
                let (from, to): (&[Node], &[Node]) = match operation {
                    Operation::Flow(from, to)
                    | Operation::Take(from, _, to)
                    // A value varies if a part of it varies.
                    | Operation::Make(to, _, from) => (std::slice::from_ref(from), std::slice::from_ref(to)),
                    Operation::Compute { args, result, .. } => (args, std::slice::from_ref(result)),
                    Operation::Unknown { nodes, results, .. } => (nodes, results),
                    Operation::Equal(..)
                    | Operation::Order(..)
                    | Operation::Text(..)
                    | Operation::AnyText(..)
                    | Operation::Distinguish(_)
                    | Operation::Kind(..) => continue,
                };
                if from.iter().any(|node| self.varies(*node)) {
                    for node in to {
                        is_new |= self.set_varies(*node);
                    }
                }
            }
            if !is_new {
                return;
            }
        }
    }

    fn copy(&mut self, from: Node, to: Node) -> bool {
        let Some(reach) = self.at(from).cloned() else { return false };
        let mut is_new = reach.is_open && self.set_open(to);
        for value in reach.constants {
            is_new |= self.add_constant(to, value);
        }
        is_new
    }

    fn take(&mut self, values: &mut Values, whole: Node, part: Part, node: Node) -> bool {
        let Some(reach) = self.at(whole).cloned() else { return false };
        let mut is_new = reach.is_open && self.set_open(node);
        for value in reach.constants {
            if let Some(found) = part.extract(values, value) {
                is_new |= self.add_constant(node, found);
            }
        }
        is_new
    }

    /// Marks a constructed value as open if a part is open. Values of worlds are tracked by their
    /// parts. Returns true if the mark is new.
    fn make(&mut self, whole: Node, part: Node) -> bool {
        let is_open = self.at(part).is_some_and(|reach| reach.is_open);
        is_open && !self.varies(whole) && self.set_open(whole)
    }

    fn unknown(&mut self, nodes: &[Node], results: &[Node]) -> bool {
        if nodes.iter().any(|node| self.varies(*node)) {
            return false;
        }
        let mut is_new = false;
        for result in results {
            is_new |= self.set_open(*result);
        }
        is_new
    }

    fn compute(
        &mut self,
        values: &mut Values,
        clock: Clock,
        budget: &Budget,
        function: Function,
        args: &[Node],
        result: Node,
    ) -> bool {
        let reaches: Vec<Reach> = args.iter().filter_map(|arg| self.at(*arg).cloned()).collect();
        if reaches.iter().any(|reach| reach.varies) {
            return false;
        }
        let mut is_new = reaches.iter().any(|reach| reach.is_open) && self.set_open(result);
        let options: Vec<Vec<ValueId>> =
            reaches.iter().map(|reach| reach.constants.iter().copied().collect()).collect();
        match combinations(&options) {
            Some(all) => {
                for args in all {
                    if budget.is_over(values) {
                        return self.set_open(result) || is_new;
                    }
                    if let Ok(value) = function.apply(values, &args, &clock) {
                        is_new |= self.add_constant(result, value);
                    }
                }
            }
            None => is_new |= self.set_open(result),
        }
        is_new
    }
}

/// Returns the Cartesian product. `None` if it is too large.
pub(super) fn combinations(options: &[Vec<ValueId>]) -> Option<Vec<Vec<ValueId>>> {
    let count = options.iter().fold(1usize, |count, options| count.saturating_mul(options.len()));
    if count > MAX_COMBINATIONS {
        return None;
    }
    let mut all: Vec<Vec<ValueId>> = vec![Vec::new()];
    for options in options {
        let longer = all
            .iter()
            .flat_map(|args| options.iter().map(move |value| args.iter().copied().chain([*value]).collect()));
        all = longer.collect();
    }
    Some(all)
}
