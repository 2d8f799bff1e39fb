//! Construction of the value flow graph of a program.
//!
//! Built-in predicates and functions contribute extracted parts and comparisons.

use mangle_engine::kernel::plan::{
    Aggregate, Bound, Let, Lookup, Merge, Plan, RowArgs, Slot, Step, StepKind, ValueSource,
};
use mangle_engine::kernel::{CompiledProgram, Function, Reducer};
use mangle_syntax::syntax::ast::Operator;
use mangle_syntax::text::Symbol;
use rustc_hash::FxHashMap;

use super::graph::{Comparison, Computation, Graph, Node, Part, Reduced};
use crate::cone::Cone;

/// The registers of one rule.
struct Registers<'g> {
    graph: &'g mut Graph,
    slots: FxHashMap<Slot, Node>,
}

/// True if a reducer collects the rows in a list or map.
fn is_list(reducer: Reducer) -> bool {
    !reducer.counts() && !reducer.combines() && Some(reducer) != Reducer::from_name("fn:avg")
}

/// Builds the graph of the rules that a cone needs.
pub(super) fn graph(compiled: &CompiledProgram, cone: &Cone) -> Graph {
    let mut graph = Graph::default();
    for stratum in &compiled.strata {
        for plan in stratum.plans.iter().filter(|plan| cone.needs(plan.target)) {
            add_plan(&mut graph, compiled, plan);
        }
        for aggregate in stratum.aggregates.iter().filter(|made| cone.needs(made.target)) {
            add_aggregate(&mut graph, compiled, aggregate);
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
    for merge in compiled.merges.iter().filter(|merge| cone.needs(merge.result)) {
        add_merge(&mut graph, compiled, merge);
    }
    graph
}

/// The kept values are derived values, or results of the merging predicate.
fn add_merge(graph: &mut Graph, compiled: &CompiledProgram, merge: &Merge) {
    let arity = compiled.arities.get(merge.result as usize).copied().unwrap_or(0);
    for column in 0..u16::try_from(arity).unwrap_or(u16::MAX) {
        let (all, kept) = (graph.column(merge.candidates, column), graph.column(merge.result, column));
        graph.flows.push((all, kept));
    }
    let (all, kept) =
        (graph.column(merge.candidates, merge.target), graph.column(merge.result, merge.target));
    for column in [0, 1] {
        let given = graph.column(merge.predicate, column);
        graph.flows.push((all, given));
    }
    let made = graph.column(merge.predicate, 2);
    graph.flows.push((made, kept));
}

fn add_plan(graph: &mut Graph, compiled: &CompiledProgram, plan: &Plan) {
    let mut registers = Registers { graph, slots: FxHashMap::default() };
    registers.steps(compiled, &plan.steps);
    registers.head(plan.target, &plan.head);
}

fn add_aggregate(graph: &mut Graph, compiled: &CompiledProgram, aggregate: &Aggregate) {
    let mut registers = Registers { graph, slots: FxHashMap::default() };
    registers.lookup(compiled, &aggregate.rows);
    registers.reduced(compiled, aggregate);
    for key in &aggregate.keys {
        // Rows of one group have equal keys.
        let key = registers.slot(*key);
        registers.graph.comparisons.push((key, Comparison::Equal, key));
    }
    for statement in &aggregate.lets {
        match statement {
            Let::Compute(steps) => registers.steps(compiled, steps),
            Let::Reduce { slot, reducer, args } => registers.reduce(compiled, *slot, *reducer, args),
        }
    }
    registers.steps(compiled, &aggregate.finish);
    registers.head(aggregate.target, &aggregate.head);
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

    fn head(&mut self, target: u32, head: &[ValueSource]) {
        for (at, source) in (0u16..).zip(head) {
            let (from, to) = (self.source(*source), self.graph.column(target, at));
            self.graph.flows.push((from, to));
        }
    }

    /// Adds the columns that can differ between the rows of a group. Columns under a wildcard are
    /// included.
    fn reduced(&mut self, compiled: &CompiledProgram, aggregate: &Aggregate) {
        let rows = &aggregate.rows;
        let is_key = |column: u16| {
            let slot = rows.binds.iter().find(|(bound, _)| *bound == column).map(|(_, slot)| slot);
            rows.source(column).is_some() || slot.is_some_and(|slot| aggregate.keys.contains(slot))
        };
        let arity = compiled.arities.get(rows.relation as usize).copied().unwrap_or(0);
        let columns = (0..u16::try_from(arity).unwrap_or(u16::MAX)).filter(|column| !is_key(*column));
        let nodes: Vec<Node> = columns.map(|column| self.graph.column(rows.relation, column)).collect();
        let mut lets = aggregate.lets.iter();
        let is_list = lets.all(|made| !matches!(made, Let::Reduce { reducer, .. } if !is_list(*reducer)));
        self.graph.reduced.push(Reduced { columns: nodes, is_list });
    }

    fn reduce(&mut self, compiled: &CompiledProgram, slot: Slot, reducer: Reducer, args: &RowArgs) {
        self.steps(compiled, &args.steps);
        let result = self.slot(slot);
        if reducer.counts() {
            self.graph.counts.push(result);
            return;
        }
        let sources: Vec<Node> = args.sources.iter().flatten().map(|source| self.source(*source)).collect();
        if reducer.combines() {
            self.graph.flows.extend(sources.iter().map(|from| (*from, result)));
            let sums = ["fn:sum", "fn:float:sum", "fn:duration:sum"];
            if sums.iter().any(|name| Reducer::from_name(name) == Some(reducer)) {
                self.graph.folds.extend(sources.into_iter().map(|from| (from, result)));
            }
        } else if let [only] = sources.as_slice() {
            let made = if is_list(reducer) { &mut self.graph.lists } else { &mut self.graph.folds };
            made.push((*only, result));
        }
    }

    fn steps(&mut self, compiled: &CompiledProgram, steps: &[Step]) {
        for step in steps {
            match &step.kind {
                StepKind::Match(found) | StepKind::Absent(found) | StepKind::Call(found) => {
                    self.lookup(compiled, found);
                }
                StepKind::Compute { slot, function, args } => {
                    let args: Vec<Node> = args.iter().map(|arg| self.source(*arg)).collect();
                    let result = self.slot(*slot);
                    self.compute(*function, args, result);
                }
                StepKind::Instant { slot, bound: Bound::Value(source) | Bound::Stored(source) } => {
                    let (from, to) = (self.source(*source), self.slot(*slot));
                    self.graph.flows.push((from, to));
                }
                StepKind::Compare { operator, left, right } => {
                    let meeting = match operator {
                        Operator::Equal => Comparison::Equal,
                        Operator::NotEqual => Comparison::Unequal,
                        _ => Comparison::Order,
                    };
                    let (left, right) = (self.source(*left), self.source(*right));
                    self.graph.comparisons.push((left, meeting, right));
                }
                StepKind::Solve { name, args, outputs, .. } => self.solve(*name, args, outputs),
                StepKind::Instant { .. } | StepKind::Never | StepKind::Fail(_) => {}
            }
        }
    }

    fn lookup(&mut self, compiled: &CompiledProgram, found: &Lookup) {
        let arity = compiled.arities.get(found.relation as usize).copied().unwrap_or(0);
        for column in 0..u16::try_from(arity).unwrap_or(u16::MAX) {
            if let Some(source) = found.source(column) {
                let (key, at) = (self.source(source), self.graph.column(found.relation, column));
                self.graph.comparisons.push((key, Comparison::Equal, at));
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
            self.graph.comparisons.push((one, Comparison::Equal, other));
        }
        let (Some(first), Some(last)) =
            (u16::try_from(arity.saturating_sub(2)).ok(), u16::try_from(arity.saturating_sub(1)).ok())
        else {
            return;
        };
        self.interval(found, first, last);
    }

    /// Adds the flows and comparisons of the interval of a temporal tuple.
    fn interval(&mut self, found: &Lookup, first: u16, last: u16) {
        if found.when.is_none() && found.ends == (None, None) {
            return;
        }
        let start = self.graph.column(found.relation, first);
        let end = self.graph.column(found.relation, last);
        for (slot, from) in [(found.ends.0, start), (found.ends.1, end)] {
            if let Some(slot) = slot {
                let to = self.slot(slot);
                self.graph.flows.push((from, to));
            }
        }
        if let Some(bounds) = found.when.as_deref().map(|when| when.bounds()) {
            for bound in [bounds.start, bounds.end] {
                if let Bound::Value(source) = bound {
                    let at = self.source(source);
                    self.graph
                        .comparisons
                        .extend([(start, Comparison::Order, at), (end, Comparison::Order, at)]);
                } else {
                    self.graph.instants.push(([start, end], bound));
                }
            }
        }
    }

    /// Adds a built-in predicate, by name.
    fn solve(&mut self, name: Symbol, args: &[Option<ValueSource>], outputs: &[Slot]) {
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
            (_, "match_pair", [(value, _), (first, has_first), (second, has_second)]) => {
                self.part(*value, Part::First, *first, *has_first);
                self.part(*value, Part::Second, *second, *has_second);
            }
            (_, "match_cons", [(value, _), (head, has_head), (tail, _)]) => {
                self.part(*value, Part::Element, *head, *has_head);
                self.graph.flows.push((*value, *tail));
            }
            (_, "list:member", [(member, is_known), (list, _)]) => {
                self.part(*list, Part::Element, *member, *is_known);
            }
            (_, "match_entry" | "match_field", [(value, _), (key, _), (found, is_known)]) => {
                if let Some(label) = self.graph.constant_at(*key) {
                    self.part(*value, Part::Under(label), *found, *is_known);
                }
            }
            _ => {}
        }
    }

    /// Adds a node that is a part of another node. If the node is already bound, the part is
    /// compared with it.
    fn part(&mut self, whole: Node, part: Part, node: Node, is_known: bool) {
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
    fn compute(&mut self, function: Function, args: Vec<Node>, result: Node) {
        match (function.name(), args.as_slice()) {
            ("list:contains", [list, member]) => self.part(*list, Part::Element, *member, true),
            ("list:get", [list, _]) => self.part(*list, Part::Element, result, false),
            ("struct:get" | "map:get", [value, key]) => {
                if let Some(label) = self.graph.constant_at(*key) {
                    self.part(*value, Part::Under(label), result, false);
                }
            }
            ("pair", [first, second]) => {
                self.part(result, Part::First, *first, true);
                self.part(result, Part::Second, *second, true);
            }
            ("list", elements) => {
                elements.iter().for_each(|element| self.part(result, Part::Element, *element, true));
            }
            ("struct" | "map", entries) => {
                for entry in entries.chunks_exact(2) {
                    if let [key, value] = entry
                        && let Some(label) = self.graph.constant_at(*key)
                    {
                        self.part(result, Part::Under(label), *value, true);
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
