//! Conversion of the plans that a question depends on to data flow operations.

use mangle_engine::kernel::plan::{
    Aggregate, Bound, Let, Lookup, Merge, Plan, RelationId, RowArgs, Slot, Step, StepKind, ValueSource,
};
use mangle_engine::kernel::{Clock, CompiledProgram, Model, Reducer, ValueId, Values};
use mangle_engine::program::PredicateId;
use mangle_engine::types::Base;
use mangle_syntax::syntax::ast::Operator;
use rustc_hash::FxHashMap;

use super::dataflow::{Dataflow, Node, Operation, PatternTests, TextTests};
use super::observed::Observation;
use super::operations;
use crate::cone::Cone;

/// A converter of the plans of a program.
pub(super) struct Reader<'r> {
    pub(super) compiled: &'r CompiledProgram,
    /// The facts of the program alone, if its evaluation ended.
    pub(super) base: Option<&'r Model>,
    pub(super) cone: &'r Cone,
    pub(super) clock: Clock,
    pub(super) values: &'r mut Values,
    pub(super) flow: Dataflow,
    pub(super) observation: Observation,
}

/// The variables of one rule.
pub(super) type Slots = FxHashMap<Slot, Node>;

impl Reader<'_> {
    /// Converts all rules that the question depends on.
    pub(super) fn read(&mut self) {
        let compiled = self.compiled;
        for stratum in &compiled.strata {
            for plan in &stratum.plans {
                if self.is_open(plan.target) {
                    self.plan(plan);
                }
            }
            for aggregate in &stratum.aggregates {
                if self.is_open(aggregate.target) {
                    self.aggregate(aggregate);
                }
            }
        }
        let mut deferred: Vec<_> =
            compiled.deferred.iter().filter(|(relation, _)| self.cone.needs(**relation)).collect();
        deferred.sort_by_key(|(relation, _)| **relation);
        for (relation, rules) in deferred {
            for rule in rules {
                let mut slots = Slots::default();
                for (column, slot) in &rule.inputs {
                    let (from, to) = (self.flow.column(*relation, *column).0, self.slot(&mut slots, *slot));
                    self.push(Operation::Flow(from, to));
                }
                self.steps(&mut slots, &rule.plan.steps);
                self.head(&mut slots, *relation, &rule.plan.head);
            }
        }
        for merge in compiled.merges.iter().filter(|merge| self.cone.needs(merge.result)) {
            self.merge(merge);
        }
        for fact in compiled.facts() {
            let relation = compiled.entry(fact.predicate);
            if !self.is_open(relation) {
                continue;
            }
            for (column, value) in (0u16..).zip(&fact.tuple) {
                let node = self.flow.column(relation, column).0;
                self.flow.add_constant(node, *value);
            }
        }
    }

    /// True if the rules and facts of a relation are converted. False if its facts are known.
    pub(super) fn is_open(&self, relation: RelationId) -> bool {
        self.cone.needs(relation) && (self.base.is_none() || self.cone.varies(relation))
    }

    pub(super) fn push(&mut self, operation: Operation) {
        self.flow.operations.push(operation);
    }

    pub(super) fn unknown(&mut self, operation: impl Into<String>, nodes: Vec<Node>) {
        self.push(Operation::Unknown { operation: operation.into(), nodes, results: Vec::new() });
    }

    fn plan(&mut self, plan: &Plan) {
        let mut slots = Slots::default();
        let patterns = self.pattern_tests(plan);
        self.steps_with(&mut slots, &plan.steps, &patterns);
        self.head(&mut slots, plan.target, &plan.head);
    }

    /// Returns the node of a column. For a relation with known facts, its constants are added.
    pub(super) fn column(&mut self, relation: RelationId, column: u16) -> Node {
        let (node, is_new) = self.flow.column(relation, column);
        if is_new
            && !self.is_open(relation)
            && !self.compiled.deferred.contains_key(&relation)
            && let Some(known) = self.base.and_then(|base| base.relation(PredicateId(relation)))
        {
            for tuple in known.tuples() {
                if let Some(value) = tuple.get(usize::from(column)) {
                    self.flow.add_constant(node, *value);
                }
            }
        }
        node
    }

    fn slot(&mut self, slots: &mut Slots, slot: Slot) -> Node {
        *slots.entry(slot).or_insert_with(|| self.flow.node())
    }

    fn source(&mut self, slots: &mut Slots, source: ValueSource) -> Node {
        match source {
            ValueSource::Value(value) => self.flow.constant(value),
            ValueSource::Slot(slot) => self.slot(slots, slot),
        }
    }

    fn head(&mut self, slots: &mut Slots, target: RelationId, head: &[ValueSource]) {
        for (column, source) in (0u16..).zip(head) {
            let (from, to) = (self.source(slots, *source), self.column(target, column));
            self.push(Operation::Flow(from, to));
        }
    }

    pub(super) fn arity(&self, relation: RelationId) -> u16 {
        let arity = self.compiled.arities.get(relation as usize).copied().unwrap_or(0);
        u16::try_from(arity).unwrap_or(u16::MAX)
    }

    fn steps(&mut self, slots: &mut Slots, steps: &[Step]) {
        self.steps_with(slots, steps, &PatternTests::default());
    }

    fn steps_with(&mut self, slots: &mut Slots, steps: &[Step], patterns: &PatternTests) {
        for (number, step) in steps.iter().enumerate() {
            match &step.kind {
                StepKind::Match(found) | StepKind::Absent(found) | StepKind::Call(found) => {
                    self.lookup(slots, found);
                }
                StepKind::Compute { slot, function, args } => {
                    let args: Vec<Node> = args.iter().map(|arg| self.source(slots, *arg)).collect();
                    let result = self.slot(slots, *slot);
                    self.function(*function, args, result);
                }
                StepKind::Instant { slot, bound } => {
                    let node = self.slot(slots, *slot);
                    self.instant(slots, *bound, node);
                }
                StepKind::Compare { operator, left, right } => {
                    let (left, right) = (self.source(slots, *left), self.source(slots, *right));
                    self.push(match operator {
                        Operator::Equal | Operator::NotEqual => Operation::Equal(left, right),
                        Operator::Less | Operator::LessEqual | Operator::Greater | Operator::GreaterEqual => {
                            Operation::Order(Base::Number, left, right)
                        }
                    });
                }
                StepKind::Solve { name, args, outputs, builtin: _, negated: _ } => {
                    match patterns.get(&number) {
                        Some(tests) => self.text_tests(slots, args, tests),
                        None => self.solve(slots, name.as_str(), args, outputs),
                    }
                }
                // These steps read no value.
                StepKind::Never | StepKind::Fail(_) => {}
            }
        }
    }

    /// Adds a text test with sets of patterns.
    fn text_tests(&mut self, slots: &mut Slots, args: &[Option<ValueSource>], tests: &TextTests) {
        let Some(Some(text)) = args.first() else { return };
        let text = self.source(slots, *text);
        for patterns in &tests.patterns {
            self.push(Operation::AnyText(tests.test, text, patterns.clone()));
        }
    }

    /// Adds a built-in predicate, which assigns the arguments without a source.
    fn solve(&mut self, slots: &mut Slots, name: &str, args: &[Option<ValueSource>], outputs: &[Slot]) {
        let mut outputs = outputs.iter();
        let mut nodes: Vec<(Node, bool)> = Vec::new();
        for arg in args {
            match arg {
                Some(source) => nodes.push((self.source(slots, *source), true)),
                None => {
                    if let Some(slot) = outputs.next() {
                        nodes.push((self.slot(slots, *slot), false));
                    }
                }
            }
        }
        self.built_in(name, &nodes);
    }

    fn instant(&mut self, slots: &mut Slots, bound: Bound, node: Node) {
        match bound {
            Bound::Instant(instant) => {
                let instant = self.values.time(instant);
                self.flow.add_constant(node, instant);
            }
            Bound::Ago(length) => {
                let instant = self.values.time(self.clock.now_ns.saturating_sub(length));
                self.flow.add_constant(node, instant);
            }
            Bound::Value(source) | Bound::Stored(source) => {
                let from = self.source(slots, source);
                self.flow.set_open(node);
                self.push(Operation::Flow(from, node));
                self.unknown("an interval with computed ends", vec![from]);
            }
        }
    }

    fn lookup(&mut self, slots: &mut Slots, found: &Lookup) {
        let is_deferred = self.compiled.deferred.contains_key(&found.relation);
        for column in 0..self.arity(found.relation) {
            if let Some(source) = found.source(column) {
                let (key, at) = (self.source(slots, source), self.column(found.relation, column));
                self.push(Operation::Equal(key, at));
                if is_deferred {
                    self.push(Operation::Flow(key, at));
                }
            }
        }
        for (column, slot) in &found.binds {
            let (from, to) = (self.column(found.relation, *column), self.slot(slots, *slot));
            self.push(Operation::Flow(from, to));
        }
        for (one, other) in &found.same {
            let (one, other) = (self.column(found.relation, *one), self.column(found.relation, *other));
            self.push(Operation::Equal(one, other));
        }
        self.interval(slots, found);
    }

    /// Adds the interval of a temporal tuple, which is in its last two columns.
    fn interval(&mut self, slots: &mut Slots, found: &Lookup) {
        let arity = self.arity(found.relation);
        let (Some(first), Some(last)) = (arity.checked_sub(2), arity.checked_sub(1)) else { return };
        if found.when.is_none() && found.ends == (None, None) {
            return;
        }
        let ends = [self.column(found.relation, first), self.column(found.relation, last)];
        for (slot, from) in [found.ends.0, found.ends.1].into_iter().zip(ends) {
            if let Some(slot) = slot {
                let to = self.slot(slots, slot);
                self.push(Operation::Flow(from, to));
            }
        }
        if found.when.is_some() {
            self.unknown("intervals", ends.to_vec());
        }
    }

    /// Adds a merge: the merging predicate keeps one of the facts with equal keys.
    fn merge(&mut self, merge: &Merge) {
        for column in 0..self.arity(merge.result) {
            let (all, kept) = (self.column(merge.candidates, column), self.column(merge.result, column));
            self.push(Operation::Flow(all, kept));
            // Facts with equal keys are matched, and merged facts are compared.
            self.push(Operation::Distinguish(all));
        }
        let (all, kept) =
            (self.column(merge.candidates, merge.target), self.column(merge.result, merge.target));
        for column in [0, 1] {
            let argument = self.column(merge.predicate, column);
            self.push(Operation::Flow(all, argument));
        }
        let result = self.column(merge.predicate, 2);
        self.push(Operation::Flow(result, kept));
        self.push(Operation::Flow(result, all));
    }

    fn aggregate(&mut self, aggregate: &Aggregate) {
        let mut slots = Slots::default();
        self.lookup(&mut slots, &aggregate.rows);
        for key in &aggregate.keys {
            let key = self.slot(&mut slots, *key);
            self.push(Operation::Distinguish(key));
        }
        for statement in &aggregate.lets {
            match statement {
                Let::Compute(steps) => self.steps(&mut slots, steps),
                Let::Reduce { slot, reducer, args } => {
                    self.reduce(&mut slots, aggregate, *slot, *reducer, args);
                }
            }
        }
        self.steps(&mut slots, &aggregate.finish);
        self.head(&mut slots, aggregate.target, &aggregate.head);
    }

    fn reduce(
        &mut self,
        slots: &mut Slots,
        aggregate: &Aggregate,
        slot: Slot,
        reducer: Reducer,
        args: &RowArgs,
    ) {
        self.steps(slots, &args.steps);
        let sources = args.sources.iter().flatten();
        let nodes: Vec<Node> = sources.map(|source| self.source(slots, *source)).collect();
        let result = self.slot(slots, slot);
        if let Some(base) = operations::extreme(reducer) {
            for node in nodes {
                self.push(Operation::Order(base, node, node));
                self.push(Operation::Flow(node, result));
            }
            return;
        }
        // Rows that differ in any column are different rows.
        for column in 0..self.arity(aggregate.rows.relation) {
            let node = self.column(aggregate.rows.relation, column);
            self.push(Operation::Distinguish(node));
        }
        if reducer.counts() {
            self.flow.set_open(result);
        } else {
            self.push(Operation::Unknown {
                operation: operations::reducer_name(reducer),
                nodes,
                results: vec![result],
            });
        }
    }

    /// Returns the value of a node that has only one constant.
    pub(super) fn constant_at(&self, node: Node) -> Option<ValueId> {
        self.flow.constant_at(node)
    }
}
