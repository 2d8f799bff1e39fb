//! Aggregations: the rows of a relation in groups, in the order in which the groups first come, each group one
//! tuple.

use rustc_hash::FxHashMap;

use super::super::ValueId;
use super::super::plan::{Aggregate, BEHIND_BODY, Let, Match, Slot, Source, Step, StepKind, write};
use super::limits::Reason;
use super::{Run, Stop};

/// A group: the values of its keys, and the numbers of its rows.
type Group = (Box<[ValueId]>, Vec<u32>);

impl Run<'_> {
    /// Evaluates an aggregation over all rows that there are.
    pub(super) fn aggregate(&mut self, aggregate: &Aggregate) -> Result<(), Stop> {
        let groups = self.groups(aggregate)?;
        for (key, numbers) in groups {
            self.group(aggregate, &key, &numbers)?;
        }
        Ok(())
    }

    fn groups(&mut self, aggregate: &Aggregate) -> Result<Vec<Group>, Stop> {
        let mut place: FxHashMap<Box<[ValueId]>, usize> = FxHashMap::default();
        let mut groups: Vec<Group> = Vec::new();
        let rows = &aggregate.rows;
        for number in 0..self.len(rows.relation) {
            self.meter.step().map_err(|reason| stop(aggregate, reason))?;
            let Some(tuples) = self.model.relations.get(rows.relation as usize) else { break };
            let tuple = tuples.tuple(number);
            if !is_selected(tuple, rows) {
                continue;
            }
            let key: Box<[ValueId]> =
                aggregate.keys.iter().filter_map(|slot| column(tuple, rows, *slot)).collect();
            let at = *place.entry(key.clone()).or_insert_with(|| {
                groups.push((key, Vec::new()));
                groups.len() - 1
            });
            if let Some((_, numbers)) = groups.get_mut(at) {
                numbers.push(number);
            }
        }
        Ok(groups)
    }

    fn group(&mut self, aggregate: &Aggregate, key: &[ValueId], numbers: &[u32]) -> Result<(), Stop> {
        let mut row = vec![ValueId(0); usize::from(aggregate.slots)];
        for (slot, value) in aggregate.keys.iter().zip(key) {
            write(&mut row, *slot, *value);
        }
        for statement in &aggregate.lets {
            let done = match statement {
                Let::Compute(steps) => self.compute(aggregate, steps, &mut row)?,
                Let::Reduce { slot, reducer, columns } => {
                    let rows = self.columns(&aggregate.rows, columns, numbers);
                    let mut each = (0..numbers.len()).map(|at| {
                        let start = at * columns.len();
                        rows.get(start..start + columns.len()).unwrap_or(&[])
                    });
                    match reducer.reduce(&mut self.model.values, &mut each) {
                        Ok(value) => {
                            write(&mut row, *slot, value);
                            true
                        }
                        Err(failure) => {
                            self.failed(aggregate.rule, BEHIND_BODY, failure, &row)?;
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

    /// The values of some registers in each row of a group, row by row.
    fn columns(&self, rows: &Match, columns: &[Slot], numbers: &[u32]) -> Vec<ValueId> {
        let Some(tuples) = self.model.relations.get(rows.relation as usize) else { return Vec::new() };
        let of =
            |&number: &u32| columns.iter().filter_map(move |slot| column(tuples.tuple(number), rows, *slot));
        numbers.iter().flat_map(of).collect()
    }

    /// Runs steps that compute something. False when a failure ended the row.
    fn compute(&mut self, aggregate: &Aggregate, steps: &[Step], row: &mut [ValueId]) -> Result<bool, Stop> {
        for step in steps {
            self.meter.step().map_err(|reason| stop(aggregate, reason))?;
            let computed = match &step.kind {
                StepKind::Compute { slot, function, args } => {
                    let args: Vec<ValueId> = args.iter().map(|arg| arg.read(row)).collect();
                    function
                        .apply(&mut self.model.values, &args, &self.clock)
                        .map(|value| Some((*slot, value)))
                }
                StepKind::Instant { slot, bound } => {
                    bound.value(&mut self.model.values, &self.clock, row).map(|value| Some((*slot, value)))
                }
                StepKind::Fail(failure) => Err(failure.clone()),
                // Nothing else stands behind `do`.
                _ => Ok(None),
            };
            match computed {
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
}

fn stop(aggregate: &Aggregate, reason: Reason) -> Stop {
    Stop { rule: Some(aggregate.rule), premise: None, reason }
}

/// Whether the constants of the premise are those of a tuple.
fn is_selected(tuple: &[ValueId], rows: &Match) -> bool {
    let columns = (0..tuple.len()).filter(|at| *at < 64 && rows.columns & (1 << at) != 0);
    columns.zip(&rows.key).all(|(at, source)| match source {
        Source::Value(value) => tuple.get(at) == Some(value),
        Source::Slot(_) => false,
    })
}

/// What a register holds for a tuple.
fn column(tuple: &[ValueId], rows: &Match, slot: Slot) -> Option<ValueId> {
    let (column, _) = rows.binds.iter().find(|(_, bound)| *bound == slot)?;
    tuple.get(usize::from(*column)).copied()
}
