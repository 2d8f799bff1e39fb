//! Compiles a program to plans, grouped by stratum.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::body::{Body, order};
use super::division::divide;
use super::strata::{reads, reject_negative_cycles, unordered_reads};
use super::temporal::HeadKind;
use super::transform::{aggregate, only_atom, row_variables, rows_of};
use super::{
    AFTER_BODY, Aggregate, ClauseFault, CompiledProgram, DeferredRule, Fact, Lookup, Plan, Reading,
    RelationId, Rule, RuleId, Slot, StepKind, Stratum, ValueSource, write,
};
use crate::kernel::{Clock, Failure, ValueId, Values};
use crate::program::graph::{ComponentId, Graph};
use crate::program::rewrite::{ClauseSignatures, Rewriting, Step};
use crate::program::{FileSummary, Mode, PredicateId, Program, key_of};
use mangle_settings::versions::{AggregationsWithOneHead, EarlyInequality, RepeatedVariable};
use mangle_syntax::syntax::ast::{Atom, Clause, Literal, Premise};
use mangle_syntax::text::{FileId, Symbol, slice};

/// Compiles the clauses of `program` that have no syntax errors.
#[must_use]
pub fn compile(program: &Program, reading: Reading) -> Arc<CompiledProgram> {
    divided(Compiler::new(program, reading, graph_of(program, reading), None), program)
}

/// Same as [`compile`], with the files in `as_written` compiled in [`Reading::Intended`], and
/// without division into stores.
#[must_use]
pub fn compile_with_intended_files(
    program: &Program,
    reading: Reading,
    as_written: &FxHashSet<FileId>,
) -> Arc<CompiledProgram> {
    let graph = if as_written.is_empty() { graph_of(program, reading) } else { program.graph() };
    Arc::new(Compiler::new(program, reading, graph, None).compile(as_written))
}

/// Compiles `program` in a second reading. `other` is the same program in its first reading.
///
/// Equal plans, facts and constants are shared with `other`. Most plans are equal.
#[must_use]
pub fn compile_sharing(program: &Program, reading: Reading, other: &CompiledProgram) -> Arc<CompiledProgram> {
    divided(Compiler::new(program, reading, graph_of(program, reading), Some(other)), program)
}

/// Compiles all clauses, once per store of the program.
fn divided(compiler: Compiler<'_>, program: &Program) -> Arc<CompiledProgram> {
    let compiled = compiler.compile(&FxHashSet::default());
    Arc::new(match &program.embedding.stores {
        Some(stores) => divide(compiled, program, stores),
        None => compiled,
    })
}

/// The dependency graph of a program in a reading.
fn graph_of(program: &Program, reading: Reading) -> &Graph {
    match reading {
        Reading::Engine => program.graph_for_engine(),
        Reading::Intended => program.graph(),
    }
}

pub(super) struct Compiler<'p> {
    pub(super) program: &'p Program,
    /// The dependency graph that determines the strata.
    pub(super) graph: &'p Graph,
    /// The same program in another reading, for sharing equal parts.
    other: Option<&'p CompiledProgram>,
    pub(super) rules: Vec<Rule>,
    values: Values,
    facts: Vec<Fact>,
    /// Shared relations for the rows of aggregations, by head and number of columns. The list is
    /// the rank of the variable of each column.
    shared_rows: FxHashMap<(RelationId, usize), (RelationId, Vec<usize>)>,
    pub(super) compiled: CompiledProgram,
}

/// The maximum number of premises of a rule. Larger rules do not occur in practice.
const MAX_PREMISES: usize = 500;

/// The compiled form of a clause.
pub(super) enum CompiledClause {
    Fact(Fact),
    Plan(Plan),
    Aggregate(Box<Aggregate>, Option<Plan>),
    Deferred(DeferredRule),
    Nothing,
}

impl<'p> Compiler<'p> {
    fn new(
        program: &'p Program,
        reading: Reading,
        graph: &'p Graph,
        other: Option<&'p CompiledProgram>,
    ) -> Self {
        let temporal: Vec<_> =
            program.predicates.numbered().map(|predicate| predicate.signature.temporal).collect();
        let arity = |(predicate, temporal): (&crate::program::Predicate, &bool)| {
            usize::from(predicate.key.arity) + if *temporal { 2 } else { 0 }
        };
        let arities = program.predicates.numbered().zip(&temporal).map(arity).collect();
        let names = program.predicates.numbered().map(|predicate| predicate.key.name).collect();
        let strata = graph.strata().map(|members| Stratum {
            relations: members.iter().map(|member| member.0).collect(),
            ..Stratum::default()
        });
        let compiled = CompiledProgram {
            reading,
            capabilities: *program.embedding.capabilities(),
            rules: Arc::default(),
            values: Arc::default(),
            arities,
            temporal,
            deferred_predicates: (0u32..)
                .zip(program.predicates.numbered())
                .filter(|(_, predicate)| predicate.signature.deferred)
                .map(|(id, _)| id)
                .collect(),
            predicate_count: u32::try_from(program.predicates.count()).unwrap_or(u32::MAX),
            names,
            facts: Arc::default(),
            deferred: FxHashMap::default(),
            open_calls: FxHashMap::default(),
            strata: strata.collect(),
            strata_of: Vec::new(),
            merges: Vec::new(),
            unordered: Vec::new(),
            dropped: FxHashMap::default(),
            faults: Vec::new(),
            division: None,
        };
        let values = other.map(|other| Values::fork(Arc::clone(&other.values))).unwrap_or_default();
        let (rules, facts, shared_rows) = Default::default();
        let mut compiler = Self { program, graph, other, rules, values, facts, shared_rows, compiled };
        compiler.find_merges();
        compiler
    }

    /// Compiles all clauses. The files in `as_written` are compiled in [`Reading::Intended`].
    fn compile(mut self, as_written: &FxHashSet<FileId>) -> CompiledProgram {
        let (program, reading) = (self.program, self.compiled.reading);
        for file in program.files.iter() {
            self.compiled.reading = if as_written.contains(&file.id) { Reading::Intended } else { reading };
            for (index, item) in (0u32..).zip(file.items.iter()) {
                if let Some(clause) = item.statement.clause().filter(|_| !item.statement.damaged) {
                    self.clause(file, index, clause);
                }
            }
        }
        self.compiled.reading = reading;
        self.compile_open_calls();
        self.finish()
    }

    fn finish(mut self) -> CompiledProgram {
        self.compiled.rules = shared(self.rules, self.other.map(|other| &other.rules));
        self.compiled.facts = shared(self.facts, self.other.map(|other| &other.facts));
        self.compiled.values = Arc::new(self.values);
        // Programs have many strata. Most strata have one plan.
        for stratum in &mut self.compiled.strata {
            stratum.relations.shrink_to_fit();
            stratum.plans.shrink_to_fit();
            stratum.aggregates.shrink_to_fit();
        }
        reject_negative_cycles(&mut self.compiled);
        self.compiled.strata_of = vec![u32::MAX; self.compiled.arities.len()];
        for (at, stratum) in (0u32..).zip(&self.compiled.strata) {
            for relation in &stratum.relations {
                self.compiled.strata_of.get_mut(*relation as usize).into_iter().for_each(|of| *of = at);
            }
        }
        for at in 0..self.compiled.strata.len() {
            let (reads, depends_on_time) = reads(&self.compiled, at);
            if let Some(stratum) = self.compiled.strata.get_mut(at) {
                (stratum.reads, stratum.depends_on_time) = (reads, depends_on_time);
            }
        }
        self.compiled.unordered = unordered_reads(&self.compiled, self.graph);
        self.compiled
    }

    fn clause(&mut self, file: &FileSummary, index: u32, clause: &Clause) {
        let Some(predicate) = self.program.id_of(file, &clause.head) else { return };
        let Some(item) = file.items.get(index as usize) else { return };
        let rule = RuleId(u32::try_from(self.rules.len()).unwrap_or(u32::MAX));
        let statement = item.statement.id;
        self.rules.push(Rule { file: file.id, statement, item: index, predicate });
        let stratum = self.graph.component(predicate);
        let text = file.statement_text(item);
        let signature = &self.program.get(predicate).signature;
        if self.is_merge_predicate(predicate) && !signature.deferred {
            // Facts are evaluated in addition. Failures are reported below.
            let rule = self.outcome(file, text, rule, predicate, clause, Some(MERGE_MODES));
            if let Ok(CompiledClause::Deferred(rule)) = rule {
                self.compiled.deferred.entry(predicate.0).or_default().push(rule);
            }
        }
        let modes = signature.deferred.then_some(signature.modes.as_slice());
        match self.outcome(file, text, rule, predicate, clause, modes) {
            Ok(CompiledClause::Fact(fact)) => self.facts.push(fact),
            Ok(CompiledClause::Plan(plan)) => {
                let plan = self.redirect_target(plan, predicate);
                self.add(stratum, plan);
            }
            Ok(CompiledClause::Aggregate(aggregate, rows)) => {
                if let Some(rows) = rows.map(|rows| self.redirect_lookups(rows, predicate)) {
                    self.stratum(stratum, |stratum| {
                        if !stratum.relations.contains(&rows.target) {
                            stratum.relations.push(rows.target);
                        }
                    });
                    self.add(stratum, rows);
                }
                self.stratum(stratum, |stratum| stratum.aggregates.push(*aggregate));
            }
            Ok(CompiledClause::Deferred(rule)) => {
                self.compiled.deferred.entry(predicate.0).or_default().push(rule)
            }
            Ok(CompiledClause::Nothing) => {}
            Err(failure) => self.compiled.faults.push(ClauseFault { rule, premise: None, failure }),
        }
    }

    /// Adds a plan to a stratum. Shares the plan of the other reading if it is equal.
    fn add(&mut self, id: ComponentId, plan: Plan) {
        let others = self.other.and_then(|other| other.strata.get(id.0 as usize));
        let others = others.map_or(&[][..], |stratum| &stratum.plans);
        // Plans are sorted by rule number, because clauses are compiled in this order.
        let same = others.get(others.partition_point(|other| other.rule < plan.rule));
        let plan = same.filter(|same| ***same == plan).map_or_else(|| Arc::new(plan), Arc::clone);
        self.stratum(id, |stratum| stratum.plans.push(plan));
    }

    /// Rejects long bodies, because the recursion of an evaluation is as deep as the longest body.
    fn check_length(clause: &Clause) -> Result<(), Failure> {
        if clause.premises.len() > MAX_PREMISES {
            return Err(Failure::wrong(format!(
                "a rule with more than {MAX_PREMISES} premises is not evaluated"
            )));
        }
        Ok(())
    }

    /// Adds a relation that is not a predicate of the program.
    pub(super) fn hidden(&mut self, arity: usize, name: Symbol) -> RelationId {
        let hidden = u32::try_from(self.compiled.arities.len()).unwrap_or(u32::MAX);
        self.compiled.arities.push(arity);
        self.compiled.temporal.push(false);
        self.compiled.names.push(name);
        hidden
    }

    pub(super) fn stratum(&mut self, id: ComponentId, change: impl FnOnce(&mut Stratum)) {
        if let Some(stratum) = self.compiled.strata.get_mut(id.0 as usize) {
            change(stratum);
        }
    }

    pub(super) fn outcome(
        &mut self,
        file: &FileSummary,
        text: &str,
        rule: RuleId,
        predicate: PredicateId,
        clause: &Clause,
        asked: Option<&[Mode]>,
    ) -> Result<CompiledClause, Failure> {
        Self::check_length(clause)?;
        let program = self.program;
        let lookup = |atom: &Atom| program.predicate_of(file, atom).map(|found| &found.signature);
        let signatures = ClauseSignatures::new(clause, lookup);
        let rewriting = Rewriting::new(clause, &signatures, program.embedding.capabilities());
        let steps = order(clause, self.compiled.reading, &rewriting);
        let target = predicate.0;
        if clause.aggregates() {
            return self.aggregation(file, text, rule, target, clause, &steps);
        }
        let cannot_merge = self.cannot_merge(predicate);
        let early_inequality = self.early_inequality();
        let mut body = Body::new(&mut self.values, text);
        body.early_inequality = early_inequality;
        let inputs = asked.map(|modes| inputs(&mut body, clause, modes));
        for step in &steps {
            premise(&self.compiled, program, file, &mut body, clause, *step);
        }
        let dropped = dropped(&body, clause);
        body.premise = AFTER_BODY;
        if let Some(transform) = clause.transforms.first() {
            body.lets(transform);
        }
        let mut head = body.head(&clause.head.args);
        cannot_merge.filter(|_| !clause.is_fact()).into_iter().for_each(|why| body.push(StepKind::Fail(why)));
        if self.compiled.temporal.get(target as usize) == Some(&true) {
            let kind = match self.compiled.reading {
                Reading::Intended => HeadKind::Written,
                Reading::Engine if clause.is_fact() => HeadKind::EngineFact,
                Reading::Engine => HeadKind::EngineRule,
            };
            let interval = body.head_interval(clause.interval.as_deref(), kind);
            head = head.zip(interval).map(|(head, ends)| head.iter().copied().chain(ends).collect());
        }
        if let Some(inputs) = inputs {
            let (slots, head) = (body.slots(), head.unwrap_or_default());
            let variables = body.variables();
            let steps = std::mem::take(&mut body.steps).into();
            let plan = Plan { rule, slots, steps, target, head, variables };
            return Ok(CompiledClause::Deferred(DeferredRule { plan, inputs }));
        }
        let (slots, variables, steps) = (body.slots(), body.variables(), std::mem::take(&mut body.steps));
        self.drops(rule, dropped);
        let is_given = clause.transforms.is_empty() && (clause.is_fact() || steps.is_empty());
        let tuple = head.as_ref().filter(|_| is_given).and_then(|head| self.computed(head, &steps, slots));
        Ok(match tuple {
            Some(tuple) => CompiledClause::Fact(Fact { predicate, tuple, rule }),
            None => CompiledClause::Plan(Plan {
                rule,
                slots,
                steps: steps.into(),
                target,
                head: head.unwrap_or_default(),
                variables,
            }),
        })
    }

    /// The effect of an inequality with an unbound variable in the current reading.
    fn early_inequality(&self) -> EarlyInequality {
        match self.compiled.reading {
            Reading::Engine => self.compiled.capabilities.inequality_before_binding,
            Reading::Intended => EarlyInequality::NeverHolds,
        }
    }

    /// The relation for the rows of an aggregation with several premises and the variables `names`.
    ///
    /// Some engines share one relation between all aggregations of a predicate with the same number
    /// of variables. The variables are then reordered to match its columns: variables with the same
    /// rank by the hash of their names share a column.
    fn rows_relation(&mut self, target: RelationId, names: &mut [Symbol]) -> RelationId {
        let is_shared = self.compiled.reading == Reading::Engine
            && self.compiled.capabilities.aggregations_with_one_head == AggregationsWithOneHead::Mixed;
        if !is_shared {
            return self.hidden(names.len(), Symbol::new("row"));
        }
        let mut sorted = names.to_vec();
        sorted.sort_by_key(|name| hash_of_variable(name.as_str()));
        let key = (target, names.len());
        if let Some((known, ranks)) = self.shared_rows.get(&key) {
            for (name, rank) in names.iter_mut().zip(ranks) {
                sorted.get(*rank).into_iter().for_each(|other| *name = *other);
            }
            return *known;
        }
        let rank = |name: &Symbol| sorted.iter().position(|other| other == name).unwrap_or(0);
        let ranks = names.iter().map(rank).collect();
        let made = self.hidden(names.len(), Symbol::new("row"));
        self.shared_rows.insert(key, (made, ranks));
        made
    }

    fn drops(&mut self, rule: RuleId, dropped: Vec<(u32, Box<str>)>) {
        if !dropped.is_empty() {
            self.compiled.dropped.insert(rule, dropped);
        }
    }

    /// The tuple of the head of a fact, for example with a list. `None` if it can only be computed
    /// at run time, or if its computation fails.
    fn computed(
        &mut self,
        head: &[ValueSource],
        steps: &[super::Step],
        slots: Slot,
    ) -> Option<Box<[ValueId]>> {
        let mut row = vec![ValueId(0); usize::from(slots)];
        for step in steps {
            let StepKind::Compute { slot, function, args } = &step.kind else { return None };
            let args: Vec<ValueId> = args.iter().map(|arg| arg.read(&row)).collect();
            let clock = Some(Clock { now_ns: 0 }).filter(|_| !function.reads_clock())?;
            write(&mut row, *slot, function.apply(&mut self.values, &args, &clock).ok()?);
        }
        Some(head.iter().map(|source| source.read(&row)).collect())
    }

    fn aggregation(
        &mut self,
        file: &FileSummary,
        text: &str,
        rule: RuleId,
        target: RelationId,
        clause: &Clause,
        steps: &[Step],
    ) -> Result<CompiledClause, Failure> {
        let program = self.program;
        let temporal = self.compiled.temporal.get(target as usize) == Some(&true);
        let premises: Vec<u32> = steps.iter().map(|step| step.premise).collect();
        // Also in the intended reading, so that aggregations have the same results as in the
        // engine.
        let capabilities = &self.compiled.capabilities;
        let compares_repeated = capabilities.repeated_variable_in_aggregation == RepeatedVariable::Respected;
        if let Some(only) = only_atom(clause, &premises) {
            let Some(Premise::Literal(literal)) = clause.premises.get(only as usize) else {
                return Ok(CompiledClause::Nothing);
            };
            // The engine searches the facts of a built-in, and none exist.
            let Some(relation) = program.id_of(file, &literal.atom).filter(|_| !literal.atom.is_builtin())
            else {
                return Ok(CompiledClause::Nothing);
            };
            let mut body = Body::new(&mut self.values, text);
            let Some(rows) = rows_of(&mut body, relation.0, &literal.atom.args, compares_repeated) else {
                return Ok(CompiledClause::Nothing);
            };
            let made = aggregate(body, rule, clause, rows, target, temporal)?;
            return Ok(
                made.map_or(CompiledClause::Nothing, |made| CompiledClause::Aggregate(Box::new(made), None))
            );
        }
        let mut names = row_variables(clause, &premises);
        let hidden = self.rows_relation(target, &mut names);
        let early_inequality = self.early_inequality();
        let mut body = Body::new(&mut self.values, text);
        body.early_inequality = early_inequality;
        for step in steps {
            premise(&self.compiled, program, file, &mut body, clause, *step);
        }
        let dropped = dropped(&body, clause);
        let sources = names.iter().map(|&name| body.lookup(name));
        let head: Option<Box<[ValueSource]>> = sources.collect();
        if head.is_none() {
            body.fail("a variable of the body is unbound");
        }
        let rows_plan = Plan {
            rule,
            slots: body.slots(),
            variables: body.variables(),
            steps: std::mem::take(&mut body.steps).into(),
            target: hidden,
            head: head.unwrap_or_default(),
        };
        self.drops(rule, dropped);
        let mut grouping = Body::new(&mut self.values, text);
        let binds = (0u16..).zip(&names).map(|(at, &name)| (at, grouping.bind(name))).collect();
        let rows = Lookup {
            relation: hidden,
            columns: 0,
            key: Box::new([]),
            binds,
            same: Box::new([]),
            far: Box::new([]),
            when: None,
            ends: (None, None),
            replaced_ends: None,
        };
        let made = aggregate(grouping, rule, clause, rows, target, temporal)?;
        Ok(made.map_or(CompiledClause::Nothing, |made| {
            CompiledClause::Aggregate(Box::new(made), Some(rows_plan))
        }))
    }
}

/// The sort key of variables in the engine: FNV-1 of the name, repeated twice.
fn hash_of_variable(name: &str) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let bytes = name.bytes().chain(name.bytes());
    bytes.fold(OFFSET, |hash, byte| hash.wrapping_mul(PRIME) ^ u64::from(byte))
}

/// Returns the list of the other reading if it is equal, to share its memory.
fn shared<T: PartialEq>(list: Vec<T>, other: Option<&Arc<[T]>>) -> Arc<[T]> {
    other.filter(|other| ***other == *list).map_or_else(|| list.into(), Arc::clone)
}

/// The negations of a clause that its body ignores.
fn dropped(body: &Body<'_>, clause: &Clause) -> Vec<(u32, Box<str>)> {
    // Premises after a premise that never holds are always ignored, so they are not listed.
    let negations = (0u32..).zip(&clause.premises).filter(|_| !body.dead);
    let is_dropped = |(at, premise): &(u32, &Premise)| {
        matches!(premise, Premise::Literal(literal) if literal.is_negated())
            && !body.steps.iter().any(|step| step.premise == *at)
    };
    negations.filter(is_dropped).map(|(at, premise)| (at, slice(body.text, premise.range()).into())).collect()
}

/// The registers that the caller of a predicate fills: the head variables in input positions. A
/// repeated variable has one register.
fn inputs(body: &mut Body<'_>, clause: &Clause, modes: &[Mode]) -> Box<[(u16, Slot)]> {
    let positions = (0u16..).zip(&clause.head.args).zip(modes);
    let (mut inputs, mut own) = (Vec::new(), FxHashMap::default());
    for ((at, term), _) in positions.filter(|(_, mode)| **mode == Mode::Input) {
        let Some(name) = term.variable() else { continue };
        match own.get(&name) {
            Some(slot) => inputs.push((at, *slot)),
            None if body.lookup(name).is_none() => {
                let slot = body.bind(name);
                own.insert(name, slot);
                inputs.push((at, slot));
            }
            None => {}
        }
    }
    inputs.into()
}

/// Adds the steps of one premise.
fn premise(
    compiled: &CompiledProgram,
    program: &Program,
    file: &FileSummary,
    body: &mut Body<'_>,
    clause: &Clause,
    step: Step,
) {
    body.premise = step.premise;
    match clause.premises.get(step.premise as usize) {
        Some(Premise::Literal(literal)) => match step.reflected {
            Some(prefix) => body.reflected(&literal.atom, prefix),
            None if literal.atom.is_builtin() => body.builtin(&literal.atom, literal.is_negated()),
            None => match premise_predicate(compiled, program, file, literal) {
                Some(predicate) => stored(compiled, predicate.0, body, literal),
                // The program does not contain the predicate.
                None => body.push(StepKind::Never),
            },
        },
        Some(Premise::Comparison(comparison)) => body.comparison(comparison),
        Some(Premise::Broken(..)) => body.fail("this premise cannot be read"),
        None => {}
    }
}

/// The predicate of a premise. The engine does not qualify temporal premises with their package.
fn premise_predicate(
    compiled: &CompiledProgram,
    program: &Program,
    file: &FileSummary,
    literal: &Literal,
) -> Option<PredicateId> {
    if literal.is_temporal() && compiled.reading == Reading::Engine {
        program.id(key_of(&literal.atom))
    } else {
        program.id_of(file, &literal.atom)
    }
}

/// Adds the steps of a stored atom.
///
/// The engine stores facts with an interval separately. A negated atom without an interval finds
/// only facts that lost their interval. The engine rejects any other atom of a temporal predicate
/// without an interval, so the atom never holds here.
///
/// A temporal atom finds nothing if the predicate is not temporal.
fn stored(compiled: &CompiledProgram, relation: RelationId, body: &mut Body<'_>, literal: &Literal) {
    let is_temporal = compiled.temporal.get(relation as usize) == Some(&true);
    let faithful = compiled.reading == Reading::Engine;
    if compiled.deferred_predicates.contains(&relation) && !literal.is_temporal() {
        return body.call(relation, &literal.atom, literal.is_negated());
    }
    match (literal.is_temporal(), is_temporal) {
        (true, true) => body.temporal(relation, literal),
        (true, false) if faithful => body.push(StepKind::Never),
        (false, true) if faithful && literal.is_negated() => body.absent_without_interval(relation, literal),
        (false, true) if faithful => body.push(StepKind::Never),
        _ => body.stored(relation, &literal.atom, literal.is_negated()),
    }
}

/// The modes of a merge predicate: two values as inputs, and the kept value as output.
const MERGE_MODES: &[Mode] = &[Mode::Input, Mode::Input, Mode::Output];
