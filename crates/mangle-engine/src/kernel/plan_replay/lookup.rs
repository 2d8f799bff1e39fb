//! Finds candidate tuples for a lookup in a finished relation.
//!
//! The second lookup over the same columns of a relation builds a table, so that repeated lookups
//! do not scan all tuples.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::plan::{CompiledProgram, Lookup, RelationId};
use super::super::{Model, ValueId};
use crate::kernel::relation::Columns;

/// The required value of each column of a lookup, if it is known.
pub(in crate::kernel) type LookupKey = SmallVec<[Option<ValueId>; 8]>;

type Key = SmallVec<[ValueId; 4]>;
type Table = FxHashMap<Key, Rc<[u32]>>;

/// The minimum number of tuples for a table. Smaller relations are scanned.
const SMALL: u32 = 32;

/// Tables of tuples by the values in some columns.
#[derive(Default)]
pub(super) struct Lookups {
    tables: FxHashMap<(RelationId, Columns), Option<Table>>,
}

/// Candidate tuples of a lookup.
pub(super) enum Candidates {
    One(Option<u32>),
    These(Rc<[u32]>, usize),
    Range(std::ops::Range<u32>),
}

impl Lookups {
    /// The candidate tuples. `None` if no tuple matches. `only` restricts them to a single tuple.
    pub(super) fn candidates(
        &mut self,
        model: &Model,
        found: &Lookup,
        known: &LookupKey,
        only: Option<u32>,
    ) -> Option<Candidates> {
        let relation = model.relations.get(found.relation as usize)?;
        if only.is_some() {
            return Some(Candidates::One(only));
        }
        let whole: Option<Key> = known.iter().copied().collect();
        if let Some(tuple) = whole.filter(|tuple| tuple.len() == relation.arity()) {
            return relation.find(&tuple).map(|number| Candidates::One(Some(number)));
        }
        let all = 0..u32::try_from(relation.len()).unwrap_or(u32::MAX);
        let (columns, key) = key(known.iter().copied());
        if columns == 0 || all.end < SMALL {
            return Some(Candidates::Range(all));
        }
        // The first lookup scans, and only a second one builds a table.
        let table = match self.tables.get_mut(&(found.relation, columns)) {
            None => {
                self.tables.insert((found.relation, columns), None);
                return Some(Candidates::Range(all));
            }
            Some(table) => table.get_or_insert_with(|| table_of(model, found.relation, columns)),
        };
        table.get(&key).map(|numbers| Candidates::These(Rc::clone(numbers), 0))
    }
}

impl Iterator for Candidates {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        match self {
            Self::One(one) => one.take(),
            Self::Range(range) => range.next(),
            Self::These(numbers, at) => {
                *at += 1;
                numbers.get(*at - 1).copied()
            }
        }
    }
}

fn table_of(model: &Model, relation: RelationId, columns: Columns) -> Table {
    let Some(relation) = model.relations.get(relation as usize) else { return Table::default() };
    let mut numbers: FxHashMap<Key, Vec<u32>> = FxHashMap::default();
    for (number, tuple) in (0u32..).zip(relation.tuples()) {
        let values = tuple.iter().enumerate().map(|(at, value)| {
            let is_key = at < 64 && columns & (1 << at) != 0;
            is_key.then_some(*value)
        });
        numbers.entry(key(values).1).or_default().push(number);
    }
    numbers.into_iter().map(|(key, numbers)| (key, numbers.into())).collect()
}

/// The known columns and their values.
fn key(known: impl Iterator<Item = Option<ValueId>>) -> (Columns, Key) {
    let (mut columns, mut key) = (0, Key::new());
    for (at, value) in known.take(64).enumerate() {
        if let Some(value) = value {
            columns |= 1 << at;
            key.push(value);
        }
    }
    (columns, key)
}

/// The required value of each column of a lookup. `wanted` returns the required value of a
/// register.
pub(in crate::kernel) fn known(
    found: &Lookup,
    compiled: &CompiledProgram,
    row: &[ValueId],
    wanted: &dyn Fn(u16) -> Option<ValueId>,
) -> LookupKey {
    let columns = 0..u16::try_from(compiled.arity(found.relation)).unwrap_or(u16::MAX);
    let mut known: LookupKey =
        columns.map(|column| found.source(column).map(|source| source.read(row))).collect();
    for (column, slot) in &found.binds {
        known.get_mut(usize::from(*column)).into_iter().for_each(|known| *known = wanted(*slot));
    }
    known
}

/// True if a tuple satisfies the lookup.
pub(super) fn fits(tuple: &[ValueId], found: &Lookup, known: &LookupKey) -> bool {
    let at = |column: u16| tuple.get(usize::from(column));
    let same = found.same.iter().all(|(one, other)| at(*one) == at(*other));
    same && known.iter().zip(tuple).all(|(known, value)| known.is_none_or(|known| known == *value))
}
