//! The value flow graph of the rules: columns, variables and constants with their flows and
//! comparisons.

use mangle_engine::kernel::plan::{Bound, RelationId};
use mangle_engine::kernel::{CompiledProgram, Function, ValueId};
use mangle_engine::program::PredicateId;
use rustc_hash::FxHashMap;

/// A column of a relation, a variable of a rule, or a constant.
pub(super) type Node = u32;

/// A part of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Part {
    First,
    Second,
    Element,
    /// The value of the field or entry with this label.
    Under(ValueId),
}

/// The kind of a comparison of two nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Comparison {
    Equal,
    /// An inequality with `!=`.
    Unequal,
    /// An order comparison, such as `<`.
    Order,
    /// The first text begins with the second.
    Prefix,
    Suffix,
    Contains,
    /// The first text matches the second, which is a regular expression.
    Matches,
    /// The first name is below the second.
    NamePrefix,
    /// The list has this number of elements.
    Length,
    /// The number has this remainder. The second node is a pair of divisor and remainder.
    Remainder,
}

impl Comparison {
    /// True if the second node is a parameter of the test and not a compared value.
    pub(super) fn is_parameterized(self) -> bool {
        matches!(self, Self::Length | Self::Remainder)
    }

    /// True if both nodes are compared symmetrically, so that each node may require the value of
    /// the other node.
    pub(super) fn is_comparison(self) -> bool {
        matches!(self, Self::Equal | Self::Unequal | Self::Order)
    }
}

/// A function of nodes.
pub(super) struct Computation {
    pub(super) function: Function,
    pub(super) args: Vec<Node>,
    pub(super) result: Node,
}

/// Rows that are counted or reduced.
pub(super) struct Reduced {
    /// The columns of the rows, without the group keys.
    pub(super) columns: Vec<Node>,
    /// True if the rows only become lists or maps.
    pub(super) is_list: bool,
}

/// The nodes of the rules with their connections.
#[derive(Default)]
pub(super) struct Graph {
    columns: FxHashMap<(RelationId, u16), Node>,
    constants_of: FxHashMap<ValueId, Node>,
    pub(super) constants: Vec<Option<ValueId>>,
    /// Flows of values from the first to the second node.
    pub(super) flows: Vec<(Node, Node)>,
    pub(super) parts: Vec<(Node, Part, Node)>,
    pub(super) comparisons: Vec<(Node, Comparison, Node)>,
    pub(super) computations: Vec<Computation>,
    /// The second node is the list of the values of the first node over the rows of a group.
    pub(super) lists: Vec<(Node, Node)>,
    /// The second node is the sum, average, minimum or maximum of the first over a group or list.
    pub(super) folds: Vec<(Node, Node)>,
    /// Interval ends that are compared with an instant in the program.
    pub(super) instants: Vec<([Node; 2], Bound)>,
    /// Divisors of divisions.
    pub(super) divisors: Vec<Node>,
    /// Registers with the number of rows of a group.
    pub(super) counts: Vec<Node>,
    pub(super) reduced: Vec<Reduced>,
}

impl Graph {
    /// Adds a node.
    pub(super) fn node(&mut self, constant: Option<ValueId>) -> Node {
        self.constants.push(constant);
        u32::try_from(self.constants.len() - 1).unwrap_or(u32::MAX)
    }

    pub(super) fn column(&mut self, relation: RelationId, column: u16) -> Node {
        match self.columns.get(&(relation, column)) {
            Some(known) => *known,
            None => {
                let node = self.node(None);
                self.columns.insert((relation, column), node);
                node
            }
        }
    }

    /// Returns all columns that have a node, in the order of their nodes.
    pub(super) fn columns(&self) -> Vec<((RelationId, u16), Node)> {
        let mut all: Vec<_> = self.columns.iter().map(|(column, node)| (*column, *node)).collect();
        all.sort_by_key(|(_, node)| *node);
        all
    }

    pub(super) fn constant(&mut self, value: ValueId) -> Node {
        match self.constants_of.get(&value) {
            Some(known) => *known,
            None => {
                let node = self.node(Some(value));
                self.constants_of.insert(value, node);
                node
            }
        }
    }

    /// Returns the constant of a node, if it is a constant.
    pub(super) fn constant_at(&self, node: Node) -> Option<ValueId> {
        self.constants.get(node as usize).copied().flatten()
    }
}

pub(super) fn relation_of(compiled: &CompiledProgram, predicate: PredicateId) -> RelationId {
    compiled.entry(predicate)
}
