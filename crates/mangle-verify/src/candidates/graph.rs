//! Where values go in the rules of a program: which columns and variables they flow through, and what they meet there.

use mangle_engine::kernel::plan::{
    Aggregate, Bound, IntervalCondition, Let, Match, Plan, RelationId, Slot, Step, StepKind, ValueSource,
};
use mangle_engine::kernel::{Compiled, Function, ValueId};
use mangle_engine::program::PredicateId;
use mangle_syntax::syntax::ast::Operator;
use mangle_syntax::text::Symbol;
use rustc_hash::FxHashMap;

use crate::cone::Cone;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meeting {
    Equal,
    /// By `<` and its kin.
    Order,
    /// The first begins with the second.
    Prefix,
    Suffix,
    Contains,
    /// The name is below the other.
    NamePrefix,
}

/// A function of nodes.
pub(super) struct Computation {
    pub(super) function: Function,
    pub(super) args: Vec<Node>,
    pub(super) result: Node,
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
    /// Registers that hold the number of rows of a group.
    pub(super) counts: Vec<Node>,
    /// The relations whose rows are counted or reduced.
    pub(super) reduced: Vec<RelationId>,
}

/// The registers of one rule.
struct Registers<'g> {
    graph: &'g mut Graph,
    slots: FxHashMap<Slot, Node>,
}

impl Graph {
    /// Reads the rules that a cone needs.
    pub(super) fn new(compiled: &Compiled, cone: &Cone) -> Self {
        let mut graph = Self::default();
        for stratum in &compiled.strata {
            for plan in stratum.plans.iter().filter(|plan| cone.needs(plan.target)) {
                graph.plan(compiled, plan);
            }
            for aggregate in stratum.aggregates.iter().filter(|made| cone.needs(made.target)) {
                graph.aggregate(compiled, aggregate);
            }
        }
        let mut deferred: Vec<_> = compiled.deferred.iter().filter(|(id, _)| cone.needs(**id)).collect();
        deferred.sort_by_key(|(id, _)| **id);
        for (relation, rule) in
            deferred.into_iter().flat_map(|(id, rules)| rules.iter().map(move |rule| (id, rule)))
        {
            let mut registers = Registers { graph: &mut graph, slots: FxHashMap::default() };
            for (column, slot) in &rule.inputs {
                let (from, to) = (registers.graph.column(*relation, *column), registers.slot(*slot));
                registers.graph.flows.push((from, to));
            }
            registers.steps(compiled, &rule.plan.steps);
            registers.head(*relation, &rule.plan.head);
        }
        graph
    }

    fn node(&mut self, constant: Option<ValueId>) -> Node {
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

    fn constant(&mut self, value: ValueId) -> Node {
        match self.constants_of.get(&value) {
            Some(known) => *known,
            None => {
                let node = self.node(Some(value));
                self.constants_of.insert(value, node);
                node
            }
        }
    }

    fn plan(&mut self, compiled: &Compiled, plan: &Plan) {
        let mut registers = Registers { graph: self, slots: FxHashMap::default() };
        registers.steps(compiled, &plan.steps);
        registers.head(plan.target, &plan.head);
    }

    fn aggregate(&mut self, compiled: &Compiled, aggregate: &Aggregate) {
        self.reduced.push(aggregate.rows.relation);
        let mut registers = Registers { graph: self, slots: FxHashMap::default() };
        registers.lookup(compiled, &aggregate.rows);
        for key in &aggregate.keys {
            // Rows of one group agree in their keys.
            let key = registers.slot(*key);
            registers.graph.meetings.push((key, Meeting::Equal, key));
        }
        for statement in &aggregate.lets {
            match statement {
                Let::Compute(steps) => registers.steps(compiled, steps),
                Let::Reduce { slot, reducer, args } => {
                    registers.steps(compiled, &args.steps);
                    let result = registers.slot(*slot);
                    if reducer.counts() {
                        registers.graph.counts.push(result);
                    } else if reducer.combines() {
                        for source in args.sources.iter().flatten() {
                            let from = registers.source(*source);
                            registers.graph.flows.push((from, result));
                        }
                    }
                }
            }
        }
        registers.steps(compiled, &aggregate.finish);
        registers.head(aggregate.target, &aggregate.head);
    }
}

impl Registers<'_> {
    fn slot(&mut self, slot: Slot) -> Node {
        match self.slots.get(&slot) {
            Some(known) => *known,
            None => {
                let node = self.graph.node(None);
                self.slots.insert(slot, node);
                node
            }
        }
    }

    fn source(&mut self, source: ValueSource) -> Node {
        match source {
            ValueSource::Value(value) => self.graph.constant(value),
            ValueSource::Slot(slot) => self.slot(slot),
        }
    }

    fn head(&mut self, target: RelationId, head: &[ValueSource]) {
        for (at, source) in (0u16..).zip(head) {
            let (from, to) = (self.source(*source), self.graph.column(target, at));
            self.graph.flows.push((from, to));
        }
    }

    fn steps(&mut self, compiled: &Compiled, steps: &[Step]) {
        for step in steps {
            match &step.kind {
                StepKind::Match(found) | StepKind::Absent(found) | StepKind::Call(found) => {
                    self.lookup(compiled, found);
                }
                StepKind::Compute { slot, function, args } => {
                    let args = args.iter().map(|arg| self.source(*arg)).collect();
                    let result = self.slot(*slot);
                    self.graph.computations.push(Computation { function: *function, args, result });
                }
                StepKind::Instant { slot, bound: Bound::Value(source) } => {
                    let (from, to) = (self.source(*source), self.slot(*slot));
                    self.graph.flows.push((from, to));
                }
                StepKind::Compare { operator, left, right } => {
                    let meeting = match operator {
                        Operator::Equal | Operator::NotEqual => Meeting::Equal,
                        _ => Meeting::Order,
                    };
                    let (left, right) = (self.source(*left), self.source(*right));
                    self.graph.meetings.push((left, meeting, right));
                }
                StepKind::Solve { name, args, outputs, .. } => self.solve(*name, args, outputs),
                StepKind::Instant { .. } | StepKind::Never | StepKind::Fail(_) => {}
            }
        }
    }

    fn lookup(&mut self, compiled: &Compiled, found: &Match) {
        let arity = compiled.arities.get(found.relation as usize).copied().unwrap_or(0);
        for column in 0..u16::try_from(arity).unwrap_or(u16::MAX) {
            if let Some(source) = found.source(column) {
                let (key, at) = (self.source(source), self.graph.column(found.relation, column));
                self.graph.meetings.push((key, Meeting::Equal, at));
                if compiled.deferred.contains_key(&found.relation) {
                    self.graph.flows.push((key, at));
                }
            }
        }
        for (column, slot) in &found.binds {
            let (from, to) = (self.graph.column(found.relation, *column), self.slot(*slot));
            self.graph.flows.push((from, to));
        }
        for (one, other) in &found.same {
            let (one, other) =
                (self.graph.column(found.relation, *one), self.graph.column(found.relation, *other));
            self.graph.meetings.push((one, Meeting::Equal, other));
        }
        let (Some(first), Some(last)) =
            (u16::try_from(arity.saturating_sub(2)).ok(), u16::try_from(arity.saturating_sub(1)).ok())
        else {
            return;
        };
        let (start, end) =
            (self.graph.column(found.relation, first), self.graph.column(found.relation, last));
        for (slot, from) in [(found.ends.0, start), (found.ends.1, end)] {
            if let Some(slot) = slot {
                let to = self.slot(slot);
                self.graph.flows.push((from, to));
            }
        }
        if let Some(IntervalCondition::Contains(bounds) | IntervalCondition::Overlaps(bounds)) = found.when {
            for bound in [bounds.start, bounds.end] {
                if let Bound::Value(source) = bound {
                    let at = self.source(source);
                    self.graph.meetings.extend([(start, Meeting::Order, at), (end, Meeting::Order, at)]);
                }
            }
        }
    }

    /// A built-in predicate, by its name.
    fn solve(&mut self, name: Symbol, args: &[Option<ValueSource>], outputs: &[Slot]) {
        let name = name.as_str().trim_start_matches(':');
        let mut outputs = outputs.iter();
        let nodes: Vec<Node> = args
            .iter()
            .filter_map(|arg| match arg {
                Some(source) => Some(self.source(*source)),
                None => outputs.next().map(|slot| self.slot(*slot)),
            })
            .collect();
        let constant =
            |registers: &Self, node: Node| registers.graph.constants.get(node as usize).copied().flatten();
        let graph_meeting = match name {
            "string:starts_with" => Some(Meeting::Prefix),
            "string:ends_with" => Some(Meeting::Suffix),
            "string:contains" => Some(Meeting::Contains),
            "match_prefix" => Some(Meeting::NamePrefix),
            _ if ["lt", "le", "gt", "ge"]
                .iter()
                .any(|kind| name == *kind || name.ends_with(&format!(":{kind}"))) =>
            {
                Some(Meeting::Order)
            }
            _ => None,
        };
        match (graph_meeting, name, nodes.as_slice()) {
            (Some(meeting), _, [one, other]) => self.graph.meetings.push((*one, meeting, *other)),
            (_, "within_distance", [one, other, _]) => {
                self.graph.meetings.push((*one, Meeting::Order, *other));
            }
            (_, "match_pair", [value, first, second]) => {
                let parts = [(*value, Part::First, *first), (*value, Part::Second, *second)];
                self.graph.parts.extend(parts);
            }
            (_, "match_cons", [value, head, tail]) => {
                self.graph.parts.push((*value, Part::Element, *head));
                self.graph.flows.push((*value, *tail));
            }
            (_, "list:member", [member, list]) => self.graph.parts.push((*list, Part::Element, *member)),
            (_, "match_entry" | "match_field", [value, key, found]) => {
                if let Some(label) = constant(self, *key) {
                    self.graph.parts.push((*value, Part::Under(label), *found));
                }
            }
            _ => {}
        }
    }
}

/// The relation of a predicate.
pub(super) fn relation_of(compiled: &Compiled, predicate: PredicateId) -> RelationId {
    compiled.entry(predicate)
}
