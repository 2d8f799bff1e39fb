//! Encoding of a program in all worlds of a size as expressions of an SMT script.
//!
//! The encoding follows the plans of the kernel like `symbolic`, but the columns of a fact are
//! unknown values of their declared types. Operations without an exact translation become
//! uninterpreted functions or unknown values.
//!
//! Every real world is therefore a model, so *unsatisfiable* is a proof. A model may not be a
//! world, so the kernel checks each model.

use std::collections::BTreeSet;
use std::time::Instant;

use mangle_engine::kernel::plan::{Plan, RelationId, StepKind, Stratum};
use mangle_engine::kernel::{Clock, CompiledProgram, Datum, Model, Reading, RuleId, ValueId, Values};
use mangle_engine::program::PredicateId;
use mangle_syntax::text::Cancel;
use rustc_hash::{FxHashMap, FxHashSet};

use super::expr::{Expr, Exprs, Kind, Sort};
use super::script::{TextSorts, text_sorts};
use super::slots::SlotFact;
use super::step::Row;
use crate::cone::Cone;
use crate::inputs::InputPredicate;
use crate::obstacle::Obstacle;
use crate::symbolic::Uses;

/// The maximum number of tuples of all relations in a script.
const MAX_TUPLES: usize = 40_000;

/// The maximum number of expressions in a script.
const MAX_EXPRS: usize = 1_500_000;

/// The maximum number of tuples of a recursion before it is truncated.
const MAX_RECURSIVE_TUPLES: usize = 600;

/// The maximum number of rounds of a recursion that computes new values.
const MAX_ROUNDS: usize = 24;

/// The input of the encoding.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'s> {
    pub(crate) compiled: &'s CompiledProgram,
    /// The facts of the program alone. `None` if its evaluation stops.
    pub(crate) base: Option<&'s Model>,
    pub(crate) cone: &'s Cone,
    pub(crate) inputs: &'s [InputPredicate],
    pub(crate) clock: Clock,
    pub(crate) end: Instant,
    pub(crate) cancel: &'s Cancel,
}

/// A tuple with the condition that it holds.
#[derive(Debug, Clone)]
pub(crate) struct Tuple {
    pub(crate) values: Box<[Expr]>,
    pub(crate) holds: Expr,
    pub(crate) uses: Uses,
    /// The derivation stage of a recursive tuple. A tuple derives only tuples of later stages.
    pub(crate) stage: Option<Expr>,
}

/// The tuples of a relation.
#[derive(Debug, Default)]
pub(crate) struct Relation {
    pub(crate) tuples: Vec<Tuple>,
    numbers: FxHashMap<Box<[Expr]>, usize>,
}

impl Relation {
    /// Adds a derivation of a tuple.
    fn add(&mut self, exprs: &mut Exprs, values: Box<[Expr]>, holds: Expr, uses: &Uses) {
        match self.numbers.get(&values) {
            Some(at) => {
                if let Some(tuple) = self.tuples.get_mut(*at) {
                    tuple.holds = exprs.or([tuple.holds, holds]);
                    tuple.uses.meet(uses);
                }
            }
            None => {
                self.numbers.insert(values.clone(), self.tuples.len());
                self.tuples.push(Tuple { values, holds, uses: uses.clone(), stage: None });
            }
        }
    }
}

/// An application of an uninterpreted function.
#[derive(Debug, Clone)]
pub(crate) struct OpenCall {
    pub(crate) function: mangle_engine::kernel::Function,
    pub(crate) args: Vec<Expr>,
    pub(crate) result: Expr,
    pub(crate) succeeds: Expr,
}

/// An encoder of a program in all worlds of a size.
pub(crate) struct Encoder<'s> {
    pub(crate) setting: Setting<'s>,
    pub(crate) values: Values,
    pub(crate) exprs: Exprs,
    pub(crate) sorts: TextSorts,
    pub(crate) slots: Vec<Vec<SlotFact>>,
    pub(crate) relations: Vec<Relation>,
    facts: FxHashMap<RelationId, Vec<usize>>,
    /// Assertions about every world.
    pub(crate) required: Vec<Expr>,
    /// Conditions that the evaluation ends with an error.
    aborts: Vec<(RuleId, Expr)>,
    known_aborts: FxHashSet<(RuleId, Expr)>,
    pub(crate) open_calls: Vec<OpenCall>,
    #[allow(clippy::type_complexity)] // the call, and its result with its success
    pub(crate) memo: FxHashMap<(&'static str, Box<[Expr]>), (Expr, Expr)>,
    constants: FxHashMap<ValueId, Expr>,
    /// Numbers of strings, names and byte strings that are only compared for equality.
    pub(crate) numbers: FxHashMap<(Kind, Box<str>), i128>,
    /// The reason for missing derivations in the script. If set, *unsatisfiable* is not a proof.
    pub(crate) cut: Option<&'static str>,
    /// Descriptions of the operations that are not encoded exactly.
    pub(crate) open: BTreeSet<&'static str>,
    /// Lists that are already expanded.
    pub(crate) unrolled: FxHashSet<(u32, Box<[Expr]>)>,
    pub(crate) recursive: FxHashSet<RelationId>,
    steps: u64,
    fresh: u32,
}

impl<'s> Encoder<'s> {
    /// Encodes the cone of `setting` in all worlds of `size` facts.
    pub(crate) fn new(setting: Setting<'s>, values: Values, size: usize) -> Result<Self, Obstacle> {
        let mut facts: FxHashMap<RelationId, Vec<usize>> = FxHashMap::default();
        for (at, fact) in setting.compiled.facts().iter().enumerate() {
            facts.entry(setting.compiled.entry(fact.predicate)).or_default().push(at);
        }
        let mut encoder = Self {
            setting,
            values,
            exprs: Exprs::default(),
            sorts: text_sorts(setting.compiled, setting.cone, setting.inputs),
            slots: Vec::new(),
            relations: (0..setting.compiled.arities.len()).map(|_| Relation::default()).collect(),
            facts,
            required: Vec::new(),
            aborts: Vec::new(),
            known_aborts: FxHashSet::default(),
            open_calls: Vec::new(),
            memo: FxHashMap::default(),
            constants: FxHashMap::default(),
            numbers: FxHashMap::default(),
            cut: None,
            open: BTreeSet::new(),
            unrolled: FxHashSet::default(),
            recursive: FxHashSet::default(),
            steps: 0,
            fresh: 0,
        };
        encoder.add_slots(size);
        for stratum in &setting.compiled.strata {
            encoder.stratum(stratum)?;
        }
        Ok(encoder)
    }

    /// Returns the condition that a predicate has a fact.
    pub(crate) fn is_derived(&mut self, predicate: PredicateId) -> Expr {
        let holds: Vec<Expr> = self
            .relations
            .get(predicate.0 as usize)
            .map_or_else(Vec::new, |found| found.tuples.iter().map(|tuple| tuple.holds).collect());
        self.exprs.or(holds)
    }

    /// Returns the condition that the evaluation ends with an error.
    pub(crate) fn stops(&mut self) -> Expr {
        let all: Vec<Expr> = self.aborts.iter().map(|(_, when)| *when).collect();
        self.exprs.or(all)
    }

    /// Returns the name of a new variable.
    fn name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}_{}", self.fresh)
    }

    fn stratum(&mut self, stratum: &Stratum) -> Result<(), Obstacle> {
        let cone = self.setting.cone;
        let mut open = Vec::new();
        for &relation in stratum.relations.iter().filter(|relation| cone.needs(**relation)) {
            match self.setting.base.filter(|_| !cone.varies(relation)) {
                Some(base) => self.load_base(base, relation)?,
                None => {
                    self.load_facts(relation)?;
                    open.push(relation);
                }
            }
        }
        if open.is_empty() {
            return Ok(());
        }
        if self.setting.compiled.merges.iter().any(|merge| open.contains(&merge.candidates)) {
            return Err(Obstacle::Unsupported("the facts of a predicate are merged".into()));
        }
        let plans = stratum.plans.iter().map(|plan| &**plan);
        let plans: Vec<&Plan> = plans.filter(|plan| open.contains(&plan.target)).collect();
        let reads_open = |plan: &Plan| {
            plan.steps.iter().any(|step| match &step.kind {
                StepKind::Match(found) => open.contains(&found.relation),
                _ => false,
            })
        };
        let (recursive, plain): (Vec<&Plan>, Vec<&Plan>) =
            plans.iter().copied().partition(|plan| reads_open(plan));
        for plan in plain {
            for row in self.rows(plan)? {
                self.add(plan.target, row.0, row.1, &row.2)?;
            }
        }
        self.recursion(stratum, &open, &recursive)?;
        for aggregate in stratum.aggregates.iter().filter(|aggregate| open.contains(&aggregate.target)) {
            self.aggregate(aggregate)?;
        }
        Ok(())
    }

    pub(crate) fn add(
        &mut self,
        target: RelationId,
        values: Box<[Expr]>,
        holds: Expr,
        uses: &Uses,
    ) -> Result<(), Obstacle> {
        if let Some(relation) = self.relations.get_mut(target as usize) {
            relation.add(&mut self.exprs, values, holds, uses);
        }
        let is_too_large =
            self.relations.iter().map(|relation| relation.tuples.len()).sum::<usize>() > MAX_TUPLES;
        if is_too_large { Err(Obstacle::Size("the script for the solver is too large")) } else { Ok(()) }
    }

    /// Encodes mutually recursive rules.
    ///
    /// The derivable tuples are computed round by round. Assertions then state that a tuple holds
    /// exactly if a rule derives it from tuples of earlier stages.
    fn recursion(&mut self, stratum: &Stratum, open: &[RelationId], plans: &[&Plan]) -> Result<(), Obstacle> {
        if plans.is_empty() {
            return Ok(());
        }
        let compiled = self.setting.compiled;
        let forgets = |plan: &&Plan| {
            compiled.reading == Reading::Engine && compiled.temporal.get(plan.target as usize) == Some(&true)
        };
        if plans.iter().any(forgets) {
            return Err(Obstacle::Unsupported("a recursive predicate has intervals".into()));
        }
        // Rules without a cycle are evaluated one after another.
        let mut left: Vec<&Plan> = plans.to_vec();
        loop {
            let targets: FxHashSet<RelationId> = left.iter().map(|plan| plan.target).collect();
            let is_ready = |plan: &&&Plan| {
                plan.steps.iter().all(|step| match &step.kind {
                    StepKind::Match(found) => !targets.contains(&found.relation),
                    _ => true,
                })
            };
            let ready: Vec<&Plan> = left.iter().filter(is_ready).copied().collect();
            if ready.is_empty() {
                break;
            }
            for plan in &ready {
                for row in self.rows(plan)? {
                    self.add(plan.target, row.0, row.1, &row.2)?;
                }
            }
            left.retain(|plan| !ready.iter().any(|done| std::ptr::eq(*done, *plan)));
        }
        if left.is_empty() {
            return Ok(());
        }
        let _ = (stratum, open);
        let targets: Vec<RelationId> = left.iter().map(|plan| plan.target).collect();
        self.circle(&left, &targets)
    }

    fn circle(&mut self, plans: &[&Plan], targets: &[RelationId]) -> Result<(), Obstacle> {
        let mut targets = targets.to_vec();
        targets.sort_unstable();
        targets.dedup();
        // Save the conditions without the recursion. Each tuple then has an unknown condition and a
        // stage.
        let mut given: FxHashMap<(RelationId, usize), Expr> = FxHashMap::default();
        self.recursive = targets.iter().copied().collect();
        let mut bodies = Vec::new();
        for round in 0.. {
            let mut count = 0;
            for &target in &targets {
                let tuples = self.relations.get(target as usize).map_or(0, |relation| relation.tuples.len());
                count += tuples;
                for at in 0..tuples {
                    self.open_tuple(target, at, &mut given);
                }
            }
            bodies.clear();
            for plan in plans {
                bodies.push((plan.target, self.rows(plan)?));
            }
            if !self.add_recursive(&bodies) {
                break;
            }
            if round >= MAX_ROUNDS && count > MAX_RECURSIVE_TUPLES / 4
                || count > MAX_RECURSIVE_TUPLES
                || round > 200
            {
                self.cut = Some("a recursion that computes values was followed for some rounds only");
                break;
            }
        }
        self.recursive.clear();
        self.define(&targets, &bodies, &given);
        Ok(())
    }

    /// Replaces the condition of a tuple by an unknown, unless it always holds.
    fn open_tuple(
        &mut self,
        target: RelationId,
        at: usize,
        given: &mut FxHashMap<(RelationId, usize), Expr>,
    ) {
        let key = (target, at);
        if given.contains_key(&key) {
            return;
        }
        let Some(holds) = self
            .relations
            .get(target as usize)
            .and_then(|found| found.tuples.get(at))
            .map(|tuple| tuple.holds)
        else {
            return;
        };
        given.insert(key, holds);
        if self.exprs.as_bool(holds) == Some(true) {
            return;
        }
        let (name, stage) = (self.name("derived"), self.name("stage"));
        let (derived, stage) =
            (self.exprs.variable(name, Sort::Bool), self.exprs.variable_in(stage, Sort::Int, 0, 1 << 20));
        if let Some(tuple) =
            self.relations.get_mut(target as usize).and_then(|found| found.tuples.get_mut(at))
        {
            tuple.holds = derived;
            tuple.stage = Some(stage);
        }
    }

    /// Adds the tuples of rows. Returns true if any tuple is new.
    fn add_recursive(&mut self, bodies: &[(RelationId, Vec<Row>)]) -> bool {
        let no = self.exprs.bool(false);
        let mut has_new = false;
        for (target, rows) in bodies {
            let Some(relation) = self.relations.get_mut(*target as usize) else { continue };
            for (values, _, uses, _) in rows {
                if !relation.numbers.contains_key(values) {
                    relation.add(&mut self.exprs, values.clone(), no, uses);
                    has_new = true;
                }
            }
        }
        has_new
    }

    /// Returns the derivation conditions of each tuple of a recursion: in general, and from tuples
    /// of earlier stages.
    fn ways(
        &mut self,
        bodies: &[(RelationId, Vec<Row>)],
    ) -> FxHashMap<(RelationId, usize), (Vec<Expr>, Vec<Expr>)> {
        let mut ways: FxHashMap<(RelationId, usize), (Vec<Expr>, Vec<Expr>)> = FxHashMap::default();
        for (target, rows) in bodies {
            for (values, holds, _, stages) in rows {
                let found = self.relations.get(*target as usize).and_then(|relation| {
                    let at = *relation.numbers.get(values)?;
                    Some((at, relation.tuples.get(at)?.stage))
                });
                let Some((at, stage)) = found else { continue };
                let Some(stage) = stage else { continue };
                let mut parts = vec![*holds];
                for earlier in stages {
                    parts.push(self.exprs.less(*earlier, stage));
                }
                let founded = self.exprs.and(parts);
                let (plain, early) = ways.entry((*target, at)).or_default();
                plain.push(*holds);
                early.push(founded);
            }
        }
        ways
    }

    /// Asserts the conditions of the tuples of a recursion.
    fn define(
        &mut self,
        targets: &[RelationId],
        bodies: &[(RelationId, Vec<Row>)],
        given: &FxHashMap<(RelationId, usize), Expr>,
    ) {
        let mut ways = self.ways(bodies);
        for &target in targets {
            let tuples = self.relations.get(target as usize).map_or(0, |relation| relation.tuples.len());
            for at in 0..tuples {
                let tuple = self.relations.get(target as usize).and_then(|relation| relation.tuples.get(at));
                let Some((derived, Some(_))) = tuple.map(|tuple| (tuple.holds, tuple.stage)) else {
                    continue;
                };
                let (mut plain, mut early) = ways.remove(&(target, at)).unwrap_or_default();
                plain.extend(given.get(&(target, at)));
                early.extend(given.get(&(target, at)));
                let (plain, early) = (self.exprs.or(plain), self.exprs.or(early));
                let (onward, back) = (self.exprs.implies(plain, derived), self.exprs.implies(derived, early));
                self.required.extend([onward, back]);
            }
        }
        for &target in targets {
            if let Some(relation) = self.relations.get_mut(target as usize) {
                relation.tuples.iter_mut().for_each(|tuple| tuple.stage = None);
            }
        }
    }

    /// Adds the facts of the program alone.
    fn load_base(&mut self, base: &Model, relation: RelationId) -> Result<(), Obstacle> {
        let Some(known) = base.relation(PredicateId(relation)) else { return Ok(()) };
        let tuples: Vec<Box<[ValueId]>> = known.tuples().map(Into::into).collect();
        self.load(relation, tuples)
    }

    /// Adds the facts of the program and of the world.
    fn load_facts(&mut self, relation: RelationId) -> Result<(), Obstacle> {
        let facts = self.setting.compiled.facts();
        let own = self.facts.get(&relation).into_iter().flatten().filter_map(|at| facts.get(*at));
        let tuples: Vec<Box<[ValueId]>> = own.map(|fact| fact.tuple.clone()).collect();
        self.load(relation, tuples)?;
        let compiled = self.setting.compiled;
        for slot in 0..self.slots.len() {
            let of_slot: Vec<(Box<[Expr]>, Expr, Uses)> = self
                .slots
                .get(slot)
                .into_iter()
                .flatten()
                .filter(|fact| {
                    let input = self.setting.inputs.get(fact.input);
                    input.is_some_and(|input| {
                        input.predicates.iter().any(|predicate| compiled.entry(*predicate) == relation)
                    })
                })
                .map(|fact| (fact.columns.clone(), fact.taken, fact.uses.clone()))
                .collect();
            for (values, taken, uses) in of_slot {
                self.add(relation, values, taken, &uses)?;
            }
        }
        Ok(())
    }

    fn load(&mut self, relation: RelationId, tuples: Vec<Box<[ValueId]>>) -> Result<(), Obstacle> {
        let (yes, uses) = (self.exprs.bool(true), Uses::none(self.slots.len()));
        for tuple in tuples {
            let values = tuple.iter().map(|value| self.constant(*value)).collect::<Result<_, _>>()?;
            self.add(relation, values, yes, &uses)?;
        }
        Ok(())
    }

    /// Checks the limits of the search at intervals.
    pub(crate) fn tick(&mut self) -> Result<(), Obstacle> {
        self.steps += 1;
        if self.exprs.len() > MAX_EXPRS {
            return Err(Obstacle::Size("the script for the solver is too large"));
        }
        if !self.steps.is_multiple_of(64) {
            return Ok(());
        }
        if self.setting.cancel.is_cancelled() {
            return Err(Obstacle::Cancelled);
        }
        if Instant::now() >= self.setting.end {
            return Err(Obstacle::Time);
        }
        Ok(())
    }

    /// Records that a rule fails if `when` is true.
    pub(crate) fn fails(&mut self, rule: RuleId, when: Expr) {
        let is_never = self.exprs.as_bool(when) == Some(false);
        if self.setting.compiled.reading == Reading::Engine
            && !is_never
            && self.known_aborts.insert((rule, when))
        {
            self.aborts.push((rule, when));
        }
    }

    /// Returns the expression of a value of the program.
    pub(crate) fn constant(&mut self, value: ValueId) -> Result<Expr, Obstacle> {
        if let Some(known) = self.constants.get(&value) {
            return Ok(*known);
        }
        let expr = match self.values.get(value).clone() {
            Datum::Number(number) => self.integer(Kind::Number, number),
            Datum::Time(number) => self.integer(Kind::Time, number),
            Datum::Duration(number) => self.integer(Kind::Duration, number),
            Datum::String(text) => self.text_constant(Kind::String, &text)?,
            Datum::Name(text) => self.text_constant(Kind::Name, &text)?,
            Datum::Float(bits) => {
                let float = self.exprs.float(bits);
                self.exprs.make(Kind::Float, &[float])
            }
            Datum::Bytes(bytes) => {
                let text: String = bytes.iter().map(|byte| char::from(*byte)).collect();
                let number = self.number_of(Kind::Bytes, &text);
                self.exprs.make(Kind::Bytes, &[number])
            }
            Datum::Pair(first, second) => {
                let parts = [self.constant(first)?, self.constant(second)?];
                self.exprs.make(Kind::Pair, &parts)
            }
            Datum::List(elements) => {
                let elements: Vec<Expr> =
                    elements.iter().map(|one| self.constant(*one)).collect::<Result<_, _>>()?;
                let items = self.items(&elements);
                self.exprs.make(Kind::List, &[items])
            }
            Datum::Map(entries) => self.entries(Kind::Map, &entries)?,
            Datum::Struct(entries) => {
                let mut entries = entries.to_vec();
                entries.sort_by_cached_key(|(key, _)| self.values.display(*key).to_string());
                self.entries(Kind::Struct, &entries)?
            }
        };
        self.constants.insert(value, expr);
        Ok(expr)
    }

    fn entries(&mut self, kind: Kind, entries: &[(ValueId, ValueId)]) -> Result<Expr, Obstacle> {
        let mut pairs = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let parts = [self.constant(*key)?, self.constant(*value)?];
            pairs.push(self.exprs.make(Kind::Pair, &parts));
        }
        let items = self.items(&pairs);
        Ok(self.exprs.make(kind, &[items]))
    }

    /// Returns the items of a list with these elements.
    pub(crate) fn items(&mut self, elements: &[Expr]) -> Expr {
        let mut items = self.exprs.nil();
        for element in elements.iter().rev() {
            items = self.exprs.cons(*element, items);
        }
        items
    }

    fn integer(&mut self, kind: Kind, number: i64) -> Expr {
        let number = self.exprs.int(number.into());
        self.exprs.make(kind, &[number])
    }

    fn text_constant(&mut self, kind: Kind, text: &str) -> Result<Expr, Obstacle> {
        let content = if self.sort_of(kind) == Sort::Text {
            if text.chars().any(|char| u32::from(char) > 0x2_ffff) {
                return Err(Obstacle::Unsupported("a text has characters that solvers do not know".into()));
            }
            self.exprs.text(text)
        } else {
            self.number_of(kind, text)
        };
        Ok(self.exprs.make(kind, &[content]))
    }

    /// Returns the sort of the texts of a kind.
    pub(crate) fn sort_of(&self, kind: Kind) -> Sort {
        if kind == Kind::Name { self.sorts.names } else { self.sorts.strings }
    }

    fn number_of(&mut self, kind: Kind, text: &str) -> Expr {
        let next = i128::try_from(self.numbers.len()).unwrap_or(i128::MAX);
        let number = *self.numbers.entry((kind, text.into())).or_insert(next);
        self.exprs.int(number)
    }

    /// Returns `/true` or `/false`.
    pub(crate) fn truth(&mut self, holds: Expr) -> Result<Expr, Obstacle> {
        let (yes, no) = (self.text_constant(Kind::Name, "/true")?, self.text_constant(Kind::Name, "/false")?);
        Ok(self.exprs.ite(holds, yes, no))
    }

    /// Creates a variable of a sort.
    pub(crate) fn unknown(&mut self, prefix: &str, sort: Sort) -> Expr {
        let name = self.name(prefix);
        self.exprs.variable(name, sort)
    }

    /// Creates a variable for a number and asserts its range.
    pub(crate) fn number_in(&mut self, prefix: &str, low: i128, high: i128) -> Expr {
        let name = self.name(prefix);
        let number = self.exprs.variable_in(name, Sort::Int, low, high);
        let (below, above) = (self.exprs.int(low), self.exprs.int(high));
        let bounds = [
            self.exprs.raw(super::expr::Op::LessEqual, &[below, number], Sort::Bool),
            self.exprs.raw(super::expr::Op::LessEqual, &[number, above], Sort::Bool),
        ];
        self.required.extend(bounds);
        number
    }
}
