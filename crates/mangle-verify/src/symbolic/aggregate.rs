//! Symbolic aggregations: groups of rows, and the possible results of each reducer.

use mangle_engine::kernel::plan::{Aggregate, Let, Lookup, RowArgs, Slot, Step, StepKind, ValueSource};
use mangle_engine::kernel::{Failure, Reducer, ValueId, Values};
use rustc_hash::FxHashMap;

use super::Evaluation;
use super::relation::Additions;
use super::slots::{Term, Uses};
use super::step::write;
use crate::circuit::Literal;
use crate::obstacle::Obstacle;

/// The maximum number of different results of a reducer for one group.
const MAX_STATES: usize = 4_000;

/// The maximum number of compared row pairs per aggregation.
const MAX_PAIRS: usize = 4_000_000;

/// A row of an aggregation.
struct Row {
    terms: Box<[Term]>,
    /// True if the row is counted: it holds, and no earlier row is equal.
    counts: Literal,
    key: Vec<Term>,
    uses: Uses,
}

/// The intermediate state of a reducer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum State {
    Empty,
    Count(i64),
    Value(ValueId),
    Rows(Vec<ValueId>),
}

impl Evaluation<'_> {
    /// Evaluates an aggregation over all rows.
    pub(super) fn aggregate(&mut self, aggregate: &Aggregate) -> Result<(), Obstacle> {
        let rows = self.rows(aggregate)?;
        let mut additions = Additions::default();
        for leader in 0..rows.len() {
            self.tick()?;
            let members = self.members(&rows, leader)?;
            let Some((guard, members)) = members else { continue };
            self.group(aggregate, &rows, leader, guard, &members, &mut additions)?;
        }
        if let Some(target) = self.relations.get_mut(aggregate.target as usize) {
            target.merge(&mut self.circuit, additions);
        }
        Ok(())
    }

    /// Returns the rows that an aggregation selects. Rows of single values come first.
    fn rows(&mut self, aggregate: &Aggregate) -> Result<Vec<Row>, Obstacle> {
        let selected = &aggregate.rows;
        let Some(relation) = self.relations.get(selected.relation as usize) else { return Ok(Vec::new()) };
        let (fixed, open): (Vec<_>, Vec<_>) = relation
            .tuples
            .iter()
            .cloned()
            .partition(|tuple| tuple.terms.iter().all(|term| self.terms.as_value(*term).is_some()));
        let first_open = fixed.len();
        if fixed.len().saturating_mul(open.len() + 1) > MAX_PAIRS {
            return Err(Obstacle::Size("an aggregation has too many rows"));
        }
        let mut rows: Vec<Row> = Vec::with_capacity(fixed.len() + open.len());
        let mut holding: Vec<Literal> = Vec::new();
        for (at, tuple) in fixed.into_iter().chain(open).enumerate() {
            let holds = self.selected(selected, &tuple.terms, tuple.holds);
            let mut counts = vec![holds];
            // Rows of single values are distinct.
            for (before, other) in rows.iter().zip(&holding).filter(|_| at >= first_open) {
                let equal = self.all_equal(&before.terms, &tuple.terms);
                let is_repeated = self.circuit.both(equal, *other);
                counts.push(!is_repeated);
            }
            let counts = self.circuit.all(counts);
            let key =
                aggregate.keys.iter().filter_map(|slot| column(&tuple.terms, selected, *slot)).collect();
            holding.push(holds);
            rows.push(Row { terms: tuple.terms, counts, key, uses: tuple.uses });
        }
        Ok(rows)
    }

    /// Returns the condition that a tuple with the condition `holds` matches the constants of the
    /// premise.
    fn selected(&mut self, rows: &Lookup, tuple: &[Term], holds: Literal) -> Literal {
        let mut parts = vec![holds];
        for (column, term) in (0u16..).zip(tuple) {
            match rows.source(column) {
                Some(ValueSource::Value(value)) => {
                    let wanted = self.terms.value(value);
                    parts.push(self.terms.equal(&mut self.circuit, wanted, *term));
                }
                Some(ValueSource::Slot(_)) => return self.circuit.no(),
                None => {}
            }
        }
        for (one, other) in &rows.same {
            let pair = tuple.get(usize::from(*one)).zip(tuple.get(usize::from(*other)));
            parts.extend(pair.map(|(one, other)| self.terms.equal(&mut self.circuit, *one, *other)));
        }
        self.circuit.all(parts)
    }

    fn all_equal(&mut self, one: &[Term], other: &[Term]) -> Literal {
        let mut equal = Vec::with_capacity(one.len());
        for (one, other) in one.iter().zip(other) {
            let same = self.terms.equal(&mut self.circuit, *one, *other);
            if same == self.circuit.no() {
                return same;
            }
            equal.push(same);
        }
        self.circuit.all(equal)
    }

    /// Returns the condition that a row is the first of its group, and the membership conditions of
    /// other rows.
    #[allow(clippy::type_complexity)]
    fn members(
        &mut self,
        rows: &[Row],
        leader: usize,
    ) -> Result<Option<(Literal, Vec<(usize, Literal)>)>, Obstacle> {
        let Some(first) = rows.get(leader) else { return Ok(None) };
        let (mut guard, mut members) = (vec![first.counts], Vec::new());
        for (at, row) in rows.iter().enumerate().filter(|(at, _)| *at != leader) {
            let equal = self.all_equal(&first.key, &row.key);
            let member = self.circuit.both(equal, row.counts);
            if member == self.circuit.no() {
                continue;
            }
            if at < leader {
                guard.push(!member);
            } else {
                members.push((at, member));
            }
        }
        self.tick()?;
        let guard = self.circuit.all(guard);
        Ok(Some((guard, members)).filter(|_| guard != self.circuit.no()))
    }

    /// Adds the tuples of a group.
    fn group(
        &mut self,
        aggregate: &Aggregate,
        rows: &[Row],
        leader: usize,
        mut guard: Literal,
        members: &[(usize, Literal)],
        additions: &mut Additions,
    ) -> Result<(), Obstacle> {
        let Some(first) = rows.get(leader) else { return Ok(()) };
        let mut registers = vec![self.terms.value(ValueId(0)); usize::from(aggregate.slots)];
        for (slot, term) in aggregate.keys.iter().zip(&first.key) {
            write(&mut registers, *slot, *term);
        }
        for statement in &aggregate.lets {
            match statement {
                Let::Compute(steps) => guard = self.compute_steps(aggregate, steps, &mut registers, guard)?,
                Let::Reduce { slot, reducer, args } => {
                    let all: Vec<(usize, Literal)> = std::iter::once((leader, self.circuit.yes()))
                        .chain(members.iter().copied())
                        .collect();
                    let term;
                    (term, guard) = self.reduce(aggregate, *reducer, args, rows, &all, guard)?;
                    write(&mut registers, *slot, term);
                }
            }
        }
        guard = self.compute_steps(aggregate, &aggregate.finish, &mut registers, guard)?;
        if guard != self.circuit.no() {
            let head = aggregate.head.iter().map(|source| self.read(*source, &registers)).collect();
            additions.add(head, guard, &first.uses);
        }
        Ok(())
    }

    /// Evaluates computing steps. Returns the condition that all of them succeed.
    fn compute_steps(
        &mut self,
        aggregate: &Aggregate,
        steps: &[Step],
        row: &mut [Term],
        mut guard: Literal,
    ) -> Result<Literal, Obstacle> {
        for step in steps {
            if let StepKind::Fail(_) = &step.kind {
                self.fails(aggregate.rule, guard);
                return Ok(self.circuit.no());
            }
            guard = self.compute(aggregate.rule, step, row, guard)?;
        }
        Ok(guard)
    }

    /// Returns the values of the final states of a reducer. States without a value are added to
    /// `failing`.
    fn results(
        &mut self,
        reducer: Reducer,
        args: &RowArgs,
        states: Vec<(State, Literal)>,
        failing: &mut Vec<Literal>,
    ) -> Vec<(ValueId, Literal)> {
        let mut options: Vec<(ValueId, Literal)> = Vec::with_capacity(states.len());
        for (state, literal) in states {
            match state.value(reducer, &mut self.values, args) {
                Ok(value) => match options.iter_mut().find(|(known, _)| *known == value) {
                    Some((_, known)) => *known = self.circuit.any([*known, literal]),
                    None => options.push((value, literal)),
                },
                Err(_) => failing.push(literal),
            }
        }
        options
    }

    /// Returns the result of a reducer for the rows of a group, and the condition that it exists.
    fn reduce(
        &mut self,
        aggregate: &Aggregate,
        reducer: Reducer,
        args: &RowArgs,
        rows: &[Row],
        members: &[(usize, Literal)],
        guard: Literal,
    ) -> Result<(Term, Literal), Obstacle> {
        self.depends_on_order |= reducer.depends_on_order() && members.len() > 1;
        let mut states = vec![(State::Empty, self.circuit.yes())];
        let mut failing = Vec::new();
        for &(at, member) in members {
            self.tick()?;
            let Some(row) = rows.get(at) else { continue };
            let Some((options, counts)) = self.arguments(aggregate, args, row)? else { continue };
            let member = self.circuit.both(member, counts);
            let mut next: Vec<(State, Vec<Literal>)> = Vec::new();
            let mut places: FxHashMap<State, usize> = FxHashMap::default();
            let mut add = |state: State, literal: Literal| {
                let at = *places.entry(state.clone()).or_insert_with(|| {
                    next.push((state, Vec::new()));
                    next.len() - 1
                });
                next.get_mut(at).into_iter().for_each(|(_, literals)| literals.push(literal));
            };
            for (state, literal) in states {
                let without = self.circuit.both(literal, !member);
                if without != self.circuit.no() {
                    add(state.clone(), without);
                }
                for (values, taken) in &options {
                    let with = self.circuit.all([literal, member, *taken]);
                    if with == self.circuit.no() {
                        continue;
                    }
                    match state.with(reducer, &mut self.values, values) {
                        Ok(state) => add(state, with),
                        Err(_) => failing.push(with),
                    }
                }
            }
            if next.len() > MAX_STATES {
                return Err(Obstacle::Size("an aggregation has too many results"));
            }
            states = next.into_iter().map(|(state, all)| (state, self.circuit.any(all))).collect();
        }
        let options = self.results(reducer, args, states, &mut failing);
        let failing = self.circuit.any(failing);
        let fails = self.circuit.both(guard, failing);
        self.fails(aggregate.rule, fails);
        let given = self.circuit.any(options.iter().map(|(_, literal)| *literal).collect::<Vec<_>>());
        let term = self.terms.choice(&self.circuit, options);
        let guard = self.circuit.all([guard, given, !failing]);
        Ok((term, guard))
    }

    /// Returns the values of a row for a reducer, and the condition that they exist. `None` if all
    /// rows are excluded.
    #[allow(clippy::type_complexity)]
    fn arguments(
        &mut self,
        aggregate: &Aggregate,
        args: &RowArgs,
        row: &Row,
    ) -> Result<Option<(Vec<(super::slots::Combination, Literal)>, Literal)>, Obstacle> {
        let Some(sources) = &args.sources else { return Ok(None) };
        let mut registers = vec![self.terms.value(ValueId(0)); usize::from(aggregate.slots)];
        for (column, slot) in &aggregate.rows.binds {
            if let Some(term) = row.terms.get(usize::from(*column)) {
                write(&mut registers, *slot, *term);
            }
        }
        let mut counts = self.circuit.yes();
        for step in &args.steps {
            if let StepKind::Fail(_) = &step.kind {
                return Ok(None);
            }
            if let Some((slot, computed)) = self.computed(step, &registers)? {
                write(&mut registers, slot, computed.term);
                counts = self.circuit.both(counts, computed.succeeds);
            }
        }
        let terms: Vec<Term> = sources.iter().map(|source| self.read(*source, &registers)).collect();
        let options = self.terms.combinations(&mut self.circuit, &terms)?;
        Ok(Some((options, counts)))
    }
}

impl State {
    /// Adds a row to the state.
    fn with(&self, reducer: Reducer, values: &mut Values, row: &[ValueId]) -> Result<Self, Failure> {
        if reducer.counts() {
            return Ok(match self {
                Self::Count(count) => Self::Count(count + 1),
                _ => Self::Count(1),
            });
        }
        if reducer.combines() {
            let before = if let Self::Value(value) = self { Some([*value]) } else { None };
            let rows = before.iter().map(<[ValueId; 1]>::as_slice).chain([row]).collect::<Vec<_>>();
            return Ok(Self::Value(reducer.reduce(values, &mut rows.into_iter())?));
        }
        let mut rows = if let Self::Rows(rows) = self { rows.clone() } else { Vec::new() };
        rows.extend_from_slice(row);
        Ok(Self::Rows(rows))
    }

    /// Returns the result of the state.
    fn value(&self, reducer: Reducer, values: &mut Values, args: &RowArgs) -> Result<ValueId, Failure> {
        let width = args.sources.as_ref().map_or(0, |sources| sources.len());
        match self {
            Self::Count(count) => Ok(values.number(*count)),
            Self::Value(value) => Ok(*value),
            Self::Empty => reducer.reduce(values, &mut std::iter::empty()),
            Self::Rows(rows) if width == 0 => reducer.reduce(values, &mut rows.chunks(1).take(0)),
            Self::Rows(rows) => reducer.reduce(values, &mut rows.chunks(width)),
        }
    }
}

/// Returns the column that is bound to a register.
fn column(tuple: &[Term], rows: &Lookup, slot: Slot) -> Option<Term> {
    let (column, _) = rows.binds.iter().find(|(_, bound)| *bound == slot)?;
    tuple.get(usize::from(*column)).copied()
}
