//! Evaluates aggregations: groups the rows of a relation, in order of first occurrence, and derives
//! one tuple per group.

use super::super::plan::{
    AFTER_BODY, Aggregate, Let, Lookup, RowArgs, Slot, Step, StepKind, ValueSource, write,
};
use super::super::relation::Relation;
use super::super::{Failure, Reducer, ValueId};
use super::limits::{Meter, STEPS_BETWEEN_CHECKS, StopReason};
use super::{Run, Stop};

/// The end of a chain of rows.
const NONE: u32 = u32::MAX;

/// The rows of an aggregation by key.
struct Groups {
    /// The keys of the groups, in order of first occurrence.
    keys: Relation,
    /// The first and last row of each group.
    ends: Vec<(u32, u32)>,
    /// For each row, the next row of its group.
    next: Vec<u32>,
}

impl Run<'_> {
    /// Evaluates an aggregation over all rows.
    pub(super) fn aggregate(&mut self, aggregate: &Aggregate) -> Result<(), Stop> {
        let groups = self.groups(aggregate).map_err(|reason| stop(aggregate, reason))?;
        self.meter.add_bytes(groups.bytes());
        for (key, (first, _)) in groups.keys.tuples().zip(&groups.ends) {
            let numbers = self.numbers(&groups, *first).map_err(|reason| stop(aggregate, reason))?;
            // The memory for the rows of the group, and for the values of one reducer.
            let held = 4 * numbers.len() * size_of::<u32>();
            self.meter.add_bytes(held);
            self.group(aggregate, key, &numbers)?;
            self.meter.release(held);
        }
        self.meter.release(groups.bytes());
        Ok(())
    }

    fn groups(&mut self, aggregate: &Aggregate) -> Result<Groups, StopReason> {
        let rows = &aggregate.rows;
        let next = Vec::with_capacity(self.len(rows.relation) as usize);
        let mut groups = Groups { keys: Relation::new(aggregate.keys.len()), ends: Vec::new(), next };
        let mut key = Vec::with_capacity(aggregate.keys.len());
        for number in 0..self.len(rows.relation) {
            self.meter.step()?;
            let Some(tuples) = self.model.relations.get(rows.relation as usize) else { break };
            let tuple = tuples.tuple(number);
            groups.next.push(NONE);
            if is_selected(tuple, rows) {
                key.clear();
                key.extend(aggregate.keys.iter().filter_map(|slot| column(tuple, rows, *slot)));
                groups.add(&key, number);
            }
        }
        Ok(groups)
    }

    /// The rows of a group, starting with `first`.
    fn numbers(&mut self, groups: &Groups, first: u32) -> Result<Vec<u32>, StopReason> {
        let mut numbers = Vec::new();
        let mut at = first;
        while at != NONE {
            self.meter.step()?;
            numbers.push(at);
            at = groups.next.get(at as usize).copied().unwrap_or(NONE);
        }
        Ok(numbers)
    }

    fn group(&mut self, aggregate: &Aggregate, key: &[ValueId], numbers: &[u32]) -> Result<(), Stop> {
        let mut row = vec![ValueId(0); usize::from(aggregate.slots)];
        for (slot, value) in aggregate.keys.iter().zip(key) {
            write(&mut row, *slot, *value);
        }
        for statement in &aggregate.lets {
            let done = match statement {
                Let::Compute(steps) => self.compute(aggregate, steps, &mut row)?,
                Let::Reduce { slot, reducer, args } => {
                    match self.reduce(aggregate, *reducer, args, numbers)? {
                        Ok(value) => {
                            write(&mut row, *slot, value);
                            true
                        }
                        Err(failure) => {
                            self.failed(aggregate.rule, AFTER_BODY, failure, &row)?;
                            false
                        }
                    }
                }
            };
            if !done {
                return Ok(());
            }
        }
        if !self.compute(aggregate, &aggregate.finish, &mut row)? {
            return Ok(());
        }
        let head: Vec<ValueId> = aggregate.head.iter().map(|source| source.read(&row)).collect();
        let added = self.add(aggregate.target, &head, aggregate.rule, numbers, true);
        added.map_err(|reason| stop(aggregate, reason))
    }

    fn reduce(
        &mut self,
        aggregate: &Aggregate,
        reducer: Reducer,
        args: &RowArgs,
        numbers: &[u32],
    ) -> Result<Result<ValueId, Failure>, Stop> {
        let (values, width, left) = match &args.sources {
            None => (Vec::new(), 0, 0),
            Some(sources) if args.steps.is_empty() => {
                let columns = self.columns(&aggregate.rows, sources, numbers);
                (columns.map_err(|reason| stop(aggregate, reason))?, sources.len(), numbers.len())
            }
            Some(sources) => {
                let values = self.computed_rows(aggregate, &args.steps, sources, numbers)?;
                let left = values.len().checked_div(sources.len()).unwrap_or_default();
                (values, sources.len(), left)
            }
        };
        let Self { meter, model, .. } = self;
        let mut rows = Rows { meter, values: &values, width, left, reason: None };
        let reduced = reducer.reduce(&mut model.values, &mut rows);
        match rows.reason {
            Some(reason) => Err(stop(aggregate, reason)),
            None => {
                self.meter.values(&self.model.values);
                Ok(reduced)
            }
        }
    }

    /// The argument values of a reducer for each row of a group, row by row.
    fn columns(
        &mut self,
        rows: &Lookup,
        sources: &[ValueSource],
        numbers: &[u32],
    ) -> Result<Vec<ValueId>, StopReason> {
        let mut values = Vec::with_capacity(numbers.len() * sources.len());
        for some in numbers.chunks(STEPS_BETWEEN_CHECKS as usize) {
            let Some(tuples) = self.model.relations.get(rows.relation as usize) else { break };
            for tuple in some.iter().map(|number| tuples.tuple(*number)) {
                values.extend(sources.iter().filter_map(|source| match source {
                    ValueSource::Slot(slot) => column(tuple, rows, *slot),
                    ValueSource::Value(value) => Some(*value),
                }));
            }
            self.meter.take_steps(some.len())?;
        }
        Ok(values)
    }

    /// Same as `columns` for computed arguments. A row with a failing computation is skipped.
    fn computed_rows(
        &mut self,
        aggregate: &Aggregate,
        steps: &[Step],
        sources: &[ValueSource],
        numbers: &[u32],
    ) -> Result<Vec<ValueId>, Stop> {
        let mut values = Vec::with_capacity(numbers.len() * sources.len());
        let mut row = vec![ValueId(0); usize::from(aggregate.slots)];
        'rows: for number in numbers {
            let Some(tuples) = self.model.relations.get(aggregate.rows.relation as usize) else { break };
            let tuple = tuples.tuple(*number);
            for (at, slot) in &aggregate.rows.binds {
                tuple.get(usize::from(*at)).into_iter().for_each(|value| write(&mut row, *slot, *value));
            }
            for step in steps {
                match self.computed(aggregate, step, &row)? {
                    Ok(Some((slot, value))) => write(&mut row, slot, value),
                    Ok(None) => {}
                    Err(failure) if failure.is_limit() => {
                        self.failed(aggregate.rule, step.premise, failure, &row)?;
                        continue 'rows;
                    }
                    Err(_) => continue 'rows,
                }
            }
            values.extend(sources.iter().map(|source| source.read(&row)));
        }
        Ok(values)
    }

    /// Evaluates computing steps. Returns false if a failure ended the row.
    fn compute(&mut self, aggregate: &Aggregate, steps: &[Step], row: &mut [ValueId]) -> Result<bool, Stop> {
        for step in steps {
            match self.computed(aggregate, step, row)? {
                Ok(Some((slot, value))) => write(row, slot, value),
                Ok(None) => {}
                Err(failure) => {
                    self.failed(aggregate.rule, step.premise, failure, row)?;
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The value that a step computes, and its register.
    fn computed(
        &mut self,
        aggregate: &Aggregate,
        step: &Step,
        row: &[ValueId],
    ) -> Result<Result<Option<(Slot, ValueId)>, Failure>, Stop> {
        self.meter.step().map_err(|reason| stop(aggregate, reason))?;
        Ok(match &step.kind {
            StepKind::Compute { slot, function, args } => {
                let args: Vec<ValueId> = args.iter().map(|arg| arg.read(row)).collect();
                self.meter
                    .count_value_steps(&self.model.values, &args)
                    .map_err(|reason| stop(aggregate, reason))?;
                function.apply(&mut self.model.values, &args, &self.clock).map(|value| Some((*slot, value)))
            }
            StepKind::Instant { slot, bound } => {
                bound.value(&mut self.model.values, &self.clock, row).map(|value| Some((*slot, value)))
            }
            StepKind::Fail(failure) => Err(failure.clone()),
            // No other kind of step occurs after `do`.
            _ => Ok(None),
        })
    }
}

impl Groups {
    /// The allocated memory in bytes.
    fn bytes(&self) -> usize {
        let ends = self.ends.capacity() * size_of::<(u32, u32)>();
        self.keys.bytes() + ends + self.next.capacity() * size_of::<u32>()
    }

    /// Adds a row to the group of its key.
    fn add(&mut self, key: &[ValueId], number: u32) {
        let group = match self.keys.find(key) {
            Some(group) => group,
            None => {
                self.ends.push((number, NONE));
                self.keys.insert(key).unwrap_or(NONE)
            }
        };
        let Some((_, last)) = self.ends.get_mut(group as usize) else { return };
        if let Some(next) = self.next.get_mut(*last as usize) {
            *next = number;
        }
        *last = number;
    }
}

/// An iterator over the rows of a group for a reducer. Ends early if the evaluation must stop.
struct Rows<'r, 'm> {
    meter: &'r mut Meter<'m>,
    values: &'r [ValueId],
    width: usize,
    left: usize,
    reason: Option<StopReason>,
}

impl<'r> Iterator for Rows<'r, '_> {
    type Item = &'r [ValueId];

    fn next(&mut self) -> Option<&'r [ValueId]> {
        self.left = self.left.checked_sub(1)?;
        if let Err(reason) = self.meter.step() {
            self.reason = Some(reason);
            return None;
        }
        let (row, rest) = self.values.split_at_checked(self.width)?;
        self.values = rest;
        Some(row)
    }
}

fn stop(aggregate: &Aggregate, reason: StopReason) -> Stop {
    Stop { rule: Some(aggregate.rule), premise: None, reason }
}

/// True if a tuple contains the constants of the premise, and equal values for a repeated variable.
fn is_selected(tuple: &[ValueId], rows: &Lookup) -> bool {
    let columns = (0..tuple.len()).filter(|at| *at < 64 && rows.columns & (1 << at) != 0);
    let at = |column: u16| tuple.get(usize::from(column));
    let are_equal = rows.same.iter().all(|(one, other)| at(*one) == at(*other));
    are_equal
        && columns.zip(&rows.key).all(|(at, source)| match source {
            ValueSource::Value(value) => tuple.get(at) == Some(value),
            ValueSource::Slot(_) => false,
        })
}

/// The value of a register for a tuple.
fn column(tuple: &[ValueId], rows: &Lookup, slot: Slot) -> Option<ValueId> {
    let (column, _) = rows.binds.iter().find(|(_, bound)| *bound == slot)?;
    tuple.get(usize::from(*column)).copied()
}
