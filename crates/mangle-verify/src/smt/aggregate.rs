//! Encoding of aggregations: groups of rows, and the result of each reducer.

use mangle_engine::kernel::Reducer;
use mangle_engine::kernel::plan::{Aggregate, Let, Lookup, RowArgs, Slot, Step, StepKind, ValueSource};

use super::encoder::{Encoder, Tuple};
use super::expr::{Expr, Kind, Sort};
use super::step::write;
use crate::obstacle::Obstacle;
use crate::symbolic::Uses;

/// The maximum number of compared row pairs per aggregation.
const MAX_PAIRS: usize = 40_000;

/// A row of an aggregation.
struct Row {
    values: Box<[Expr]>,
    /// True if the row is counted: it holds, and no earlier row is equal.
    counts: Expr,
    key: Vec<Expr>,
    uses: Uses,
}

/// The encoding of a reducer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Translation {
    Count,
    Sum(Kind),
    Greatest(Kind),
    Least(Kind),
    /// A list, map or float that the solver chooses.
    Open(Kind),
}

impl Encoder<'_> {
    /// Encodes an aggregation over all rows.
    pub(crate) fn aggregate(&mut self, aggregate: &Aggregate) -> Result<(), Obstacle> {
        let rows = self.aggregated_rows(aggregate)?;
        for leader in 0..rows.len() {
            self.tick()?;
            let Some((guard, members)) = self.members(&rows, leader)? else { continue };
            self.group(aggregate, &rows, leader, guard, &members)?;
        }
        Ok(())
    }

    fn aggregated_rows(&mut self, aggregate: &Aggregate) -> Result<Vec<Row>, Obstacle> {
        let selected = &aggregate.rows;
        let tuples: Vec<Tuple> = self
            .relations
            .get(selected.relation as usize)
            .map_or_else(Vec::new, |found| found.tuples.clone());
        if tuples.len().saturating_mul(tuples.len()) > MAX_PAIRS {
            return Err(Obstacle::Size("an aggregation has too many rows for the solver"));
        }
        let mut rows: Vec<Row> = Vec::with_capacity(tuples.len());
        let mut holding: Vec<Expr> = Vec::new();
        for tuple in tuples {
            let holds = self.selected(selected, &tuple)?;
            let mut counts = vec![holds];
            for (before, other) in rows.iter().zip(&holding) {
                self.tick()?;
                let equal = self.all_equal(&before.values, &tuple.values);
                let is_repeated = self.exprs.and([equal, *other]);
                counts.push(self.exprs.not(is_repeated));
            }
            let counts = self.exprs.and(counts);
            let key =
                aggregate.keys.iter().filter_map(|slot| column(&tuple.values, selected, *slot)).collect();
            holding.push(holds);
            rows.push(Row { values: tuple.values, counts, key, uses: tuple.uses });
        }
        Ok(rows)
    }

    /// Returns the condition that a tuple matches the constants of the premise.
    fn selected(&mut self, rows: &Lookup, tuple: &Tuple) -> Result<Expr, Obstacle> {
        let mut parts = vec![tuple.holds];
        for (column, value) in (0u16..).zip(&tuple.values) {
            match rows.source(column) {
                Some(ValueSource::Value(wanted)) => {
                    let wanted = self.constant(wanted)?;
                    parts.push(self.exprs.equal(wanted, *value));
                }
                Some(ValueSource::Slot(_)) => return Ok(self.exprs.bool(false)),
                None => {}
            }
        }
        for (one, other) in &rows.same {
            let pair = tuple.values.get(usize::from(*one)).zip(tuple.values.get(usize::from(*other)));
            parts.extend(pair.map(|(one, other)| self.exprs.equal(*one, *other)));
        }
        Ok(self.exprs.and(parts))
    }

    fn all_equal(&mut self, one: &[Expr], other: &[Expr]) -> Expr {
        let mut equal = Vec::with_capacity(one.len());
        for (one, other) in one.iter().zip(other) {
            let same = self.exprs.equal(*one, *other);
            if self.exprs.as_bool(same) == Some(false) {
                return same;
            }
            equal.push(same);
        }
        self.exprs.and(equal)
    }

    /// Returns the condition that a row is the first of its group, and the membership conditions of
    /// other rows.
    #[allow(clippy::type_complexity)]
    fn members(
        &mut self,
        rows: &[Row],
        leader: usize,
    ) -> Result<Option<(Expr, Vec<(usize, Expr)>)>, Obstacle> {
        let Some(first) = rows.get(leader) else { return Ok(None) };
        let (mut guard, mut members) = (vec![first.counts], Vec::new());
        for (at, row) in rows.iter().enumerate().filter(|(at, _)| *at != leader) {
            self.tick()?;
            let equal = self.all_equal(&first.key, &row.key);
            let member = self.exprs.and([equal, row.counts]);
            if self.exprs.as_bool(member) == Some(false) {
                continue;
            }
            if at < leader {
                guard.push(self.exprs.not(member));
            } else {
                members.push((at, member));
            }
        }
        let guard = self.exprs.and(guard);
        Ok(Some((guard, members)).filter(|_| self.exprs.as_bool(guard) != Some(false)))
    }

    /// Adds the tuple of a group.
    fn group(
        &mut self,
        aggregate: &Aggregate,
        rows: &[Row],
        leader: usize,
        guard: Expr,
        members: &[(usize, Expr)],
    ) -> Result<(), Obstacle> {
        let Some(first) = rows.get(leader) else { return Ok(()) };
        let mut registers = self.registers(usize::from(aggregate.slots))?;
        for (slot, value) in aggregate.keys.iter().zip(&first.key) {
            write(&mut registers, *slot, *value);
        }
        let yes = self.exprs.bool(true);
        let all: Vec<(usize, Expr)> = std::iter::once((leader, yes)).chain(members.iter().copied()).collect();
        let mut guard = guard;
        for statement in &aggregate.lets {
            match statement {
                Let::Compute(steps) => guard = self.compute_steps(aggregate, steps, &mut registers, guard)?,
                Let::Reduce { slot, reducer, args } => {
                    let (value, fails) = self.reduced(aggregate, *reducer, args, rows, &all)?;
                    let failing = self.exprs.and([guard, fails]);
                    self.fails(aggregate.rule, failing);
                    let not = self.exprs.not(fails);
                    guard = self.exprs.and([guard, not]);
                    write(&mut registers, *slot, value);
                }
            }
        }
        guard = self.compute_steps(aggregate, &aggregate.finish, &mut registers, guard)?;
        if self.exprs.as_bool(guard) != Some(false) {
            let mut head = Vec::with_capacity(aggregate.head.len());
            for source in &aggregate.head {
                head.push(self.read(*source, &registers)?);
            }
            self.add(aggregate.target, head.into(), guard, &first.uses)?;
        }
        Ok(())
    }

    /// Encodes computing steps. Returns the condition that all of them succeed.
    fn compute_steps(
        &mut self,
        aggregate: &Aggregate,
        steps: &[Step],
        registers: &mut [Expr],
        guard: Expr,
    ) -> Result<Expr, Obstacle> {
        let mut guard = guard;
        for step in steps {
            if let StepKind::Fail(_) = &step.kind {
                self.fails(aggregate.rule, guard);
                return Ok(self.exprs.bool(false));
            }
            guard = self.compute(aggregate.rule, step, registers, guard)?;
        }
        Ok(guard)
    }

    /// Returns the sum, maximum or minimum of the values of rows, and the condition that a value
    /// has a wrong kind.
    fn accumulated(
        &mut self,
        translation: Translation,
        kind: Kind,
        start: i128,
        inputs: Vec<(Expr, Vec<Expr>)>,
    ) -> (Expr, Expr) {
        let mut failing = Vec::new();
        let mut total = self.exprs.int(start);
        let zero = self.exprs.int(0);
        let mut addends = Vec::new();
        for (member, values) in inputs {
            let Some(value) = values.first() else { continue };
            let (number, is) = self.of_kind(kind, *value);
            let not = self.exprs.not(is);
            failing.push(self.exprs.and([member, not]));
            match translation {
                Translation::Sum(_) => addends.push(self.exprs.ite(member, number, zero)),
                Translation::Greatest(_) => {
                    let is_less = self.exprs.less(total, number);
                    let takes = self.exprs.and([member, is_less]);
                    total = self.exprs.ite(takes, number, total);
                }
                _ => {
                    let is_less = self.exprs.less(number, total);
                    let takes = self.exprs.and([member, is_less]);
                    total = self.exprs.ite(takes, number, total);
                }
            }
        }
        if !addends.is_empty() {
            total = self.exprs.add(addends);
        }
        let total = self.wrapped(total);
        let fails = self.exprs.or(failing);
        (self.exprs.make(kind, &[total]), fails)
    }

    /// Returns the result of a reducer for the rows of a group, and the condition that it fails.
    fn reduced(
        &mut self,
        aggregate: &Aggregate,
        reducer: Reducer,
        args: &RowArgs,
        rows: &[Row],
        members: &[(usize, Expr)],
    ) -> Result<(Expr, Expr), Obstacle> {
        let translation = translation(reducer);
        let mut inputs: Vec<(Expr, Vec<Expr>)> = Vec::new();
        for &(at, member) in members {
            self.tick()?;
            let Some(row) = rows.get(at) else { continue };
            if let Some((values, counts)) = self.arguments(aggregate, args, row)? {
                inputs.push((self.exprs.and([member, counts]), values));
            }
        }
        let no = self.exprs.bool(false);
        let (kind, start): (Kind, i128) = match translation {
            Translation::Count => {
                let (zero, one) = (self.exprs.int(0), self.exprs.int(1));
                let ones: Vec<Expr> =
                    inputs.iter().map(|(member, _)| self.exprs.ite(*member, one, zero)).collect();
                let count = self.exprs.add(ones);
                return Ok((self.exprs.make(Kind::Number, &[count]), no));
            }
            Translation::Open(kind) => return Ok((self.open_result(kind, &inputs), self.open_failure(kind))),
            Translation::Sum(kind) => (kind, 0),
            Translation::Greatest(kind) => (kind, i64::MIN.into()),
            Translation::Least(kind) => (kind, i64::MAX.into()),
        };
        Ok(self.accumulated(translation, kind, start, inputs))
    }

    /// Returns a result that the solver chooses, because the engine determines the order of the
    /// rows or the rounding.
    fn open_result(&mut self, kind: Kind, inputs: &[(Expr, Vec<Expr>)]) -> Expr {
        if kind == Kind::Float {
            let float = self.unknown("reduced", Sort::Float);
            return self.exprs.make(kind, &[float]);
        }
        if let ([(member, values)], Kind::List) = (inputs, kind)
            && self.exprs.as_bool(*member) == Some(true)
            && let Some((last, before)) = values.split_last()
        {
            let mut tuple = *last;
            for value in before.iter().rev() {
                tuple = self.exprs.make(Kind::Pair, &[*value, tuple]);
            }
            let items = self.items(&[tuple]);
            return self.exprs.make(kind, &[items]);
        }
        self.open.insert("collected lists and maps");
        let items = self.unknown("collected", Sort::Items);
        self.exprs.make(kind, &[items])
    }

    fn open_failure(&mut self, kind: Kind) -> Expr {
        match kind {
            Kind::Float => self.unknown("reducing_fails", Sort::Bool),
            _ => self.exprs.bool(false),
        }
    }

    /// Returns the values of a row for a reducer, and the condition that they exist. `None` if all
    /// rows are excluded.
    fn arguments(
        &mut self,
        aggregate: &Aggregate,
        args: &RowArgs,
        row: &Row,
    ) -> Result<Option<(Vec<Expr>, Expr)>, Obstacle> {
        let Some(sources) = &args.sources else { return Ok(None) };
        let mut registers = self.registers(usize::from(aggregate.slots))?;
        for (column, slot) in &aggregate.rows.binds {
            if let Some(value) = row.values.get(usize::from(*column)) {
                write(&mut registers, *slot, *value);
            }
        }
        let mut counts = self.exprs.bool(true);
        for step in &args.steps {
            if let StepKind::Fail(_) = &step.kind {
                return Ok(None);
            }
            if let Some((slot, value, succeeds)) = self.computed(step, &registers)? {
                write(&mut registers, slot, value);
                counts = self.exprs.and([counts, succeeds]);
            }
        }
        let mut values = Vec::with_capacity(sources.len());
        for source in sources {
            values.push(self.read(*source, &registers)?);
        }
        Ok(Some((values, counts)))
    }
}

/// Returns the encoding of a reducer.
fn translation(reducer: Reducer) -> Translation {
    let named = [
        ("fn:sum", Translation::Sum(Kind::Number)),
        ("fn:max", Translation::Greatest(Kind::Number)),
        ("fn:min", Translation::Least(Kind::Number)),
        ("fn:duration:sum", Translation::Sum(Kind::Duration)),
        ("fn:duration:max", Translation::Greatest(Kind::Duration)),
        ("fn:duration:min", Translation::Least(Kind::Duration)),
        ("fn:time:max", Translation::Greatest(Kind::Time)),
        ("fn:time:min", Translation::Least(Kind::Time)),
        ("fn:collect", Translation::Open(Kind::List)),
        ("fn:collect_distinct", Translation::Open(Kind::List)),
        ("fn:collect_to_map", Translation::Open(Kind::Map)),
    ];
    if reducer.counts() {
        return Translation::Count;
    }
    let found = named.into_iter().find(|(name, _)| Reducer::from_name(name) == Some(reducer));
    found.map_or(Translation::Open(Kind::Float), |(_, translation)| translation)
}

/// Returns the column that is bound to a register.
fn column(tuple: &[Expr], rows: &Lookup, slot: Slot) -> Option<Expr> {
    let (column, _) = rows.binds.iter().find(|(_, bound)| *bound == slot)?;
    tuple.get(usize::from(*column)).copied()
}
