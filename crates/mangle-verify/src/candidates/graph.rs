//! Where values go in the rules of a program: which columns and variables they flow through, and what they meet there.

use mangle_engine::kernel::plan::{Bound, RelationId};
use mangle_engine::kernel::{CompiledProgram, Function, ValueId};
use mangle_engine::program::PredicateId;
use rustc_hash::FxHashMap;

/// A column of a relation, a variable of a rule, or a constant.
pub(super) type Node = u32;

/// A part of a value that is built of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Part {
    First,
    Second,
    Element,
    /// The value of a field, or of an entry, under this label.
    Under(ValueId),
}

/// How two nodes are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Meeting {
    Equal,
    /// By `!=`.
    Unequal,
    /// By `<` and its kin.
    Order,
    /// The first begins with the second.
    Prefix,
    Suffix,
    Contains,
    /// The first matches the second, which is a regular expression.
    Matches,
    /// The name is below the other.
    NamePrefix,
    /// The list has so many elements.
    Length,
    /// The number leaves this remainder: a pair of divisor and remainder.
    Remainder,
}

impl Meeting {
    /// Whether only one of the two is a value that a test is about; the other one says which test it is.
    pub(super) fn is_of_one(self) -> bool {
        matches!(self, Self::Length | Self::Remainder)
    }

    /// Whether the two are compared with each other, so that one can need the value of the other.
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
    /// Their columns, without those that make the group.
    pub(super) columns: Vec<Node>,
    /// Whether they only become lists or maps.
    pub(super) is_list: bool,
}

/// The nodes of some rules, and what connects them.
#[derive(Default)]
pub(super) struct Graph {
    columns: FxHashMap<(RelationId, u16), Node>,
    constants_of: FxHashMap<ValueId, Node>,
    pub(super) constants: Vec<Option<ValueId>>,
    /// Values flow from the first to the second.
    pub(super) flows: Vec<(Node, Node)>,
    pub(super) parts: Vec<(Node, Part, Node)>,
    pub(super) meetings: Vec<(Node, Meeting, Node)>,
    pub(super) computations: Vec<Computation>,
    /// The second is the list of what the first is in the rows of a group.
    pub(super) lists: Vec<(Node, Node)>,
    /// The second is the sum, the average, the least or the greatest of the first over the rows of a group, or in a list.
    pub(super) folds: Vec<(Node, Node)>,
    /// Ends of intervals that are compared with an instant which the program writes.
    pub(super) instants: Vec<([Node; 2], Bound)>,
    /// What something is divided by.
    pub(super) divisors: Vec<Node>,
    /// Registers that hold the number of rows of a group.
    pub(super) counts: Vec<Node>,
    pub(super) reduced: Vec<Reduced>,
}

impl Graph {
    /// A new node.
    pub(super) fn node(&mut self, constant: Option<ValueId>) -> Node {
        self.constants.push(constant);
        u32::try_from(self.constants.len() - 1).unwrap_or(u32::MAX)
    }

    /// The node of a column.
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

    /// All columns that have a node, in the order of their nodes.
    pub(super) fn columns(&self) -> Vec<((RelationId, u16), Node)> {
        let mut all: Vec<_> = self.columns.iter().map(|(column, node)| (*column, *node)).collect();
        all.sort_by_key(|(_, node)| *node);
        all
    }

    /// The node of a constant.
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

    /// The constant that a node is.
    pub(super) fn constant_at(&self, node: Node) -> Option<ValueId> {
        self.constants.get(node as usize).copied().flatten()
    }
}

/// The relation of a predicate.
pub(super) fn relation_of(compiled: &CompiledProgram, predicate: PredicateId) -> RelationId {
    compiled.entry(predicate)
}
