//! Evaluates reducers over the rows of a group.

use rustc_hash::{FxHashMap, FxHashSet};

use super::failure::{Failure, check_elements, check_entries, count, number_or_float};
use super::function::{Fold, OperandKind, tuple};
use super::values::{Datum, ValueId, Values};

/// A built-in reducer. Reducers that the engine cannot compute always fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reducer(Step);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Count,
    Fold(Fold),
    Avg,
    Collect,
    CollectDistinct,
    CollectToMap,
    CountDistinct,
    PickAny,
}

/// Rows of argument values.
type Rows<'r, 'v> = &'r mut dyn Iterator<Item = &'v [ValueId]>;

impl Reducer {
    /// The reducer with this name, including `fn:`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(Self(match name.strip_prefix("fn:")? {
            "count" => Step::Count,
            "count_distinct" => Step::CountDistinct,
            "avg" => Step::Avg,
            "collect" => Step::Collect,
            "collect_distinct" => Step::CollectDistinct,
            "collect_to_map" => Step::CollectToMap,
            "pick_any" => Step::PickAny,
            "max" => Step::Fold(Fold::Max(OperandKind::Number)),
            "min" => Step::Fold(Fold::Min(OperandKind::Number)),
            "sum" => Step::Fold(Fold::Sum(OperandKind::Number)),
            "float:max" => Step::Fold(Fold::Max(OperandKind::Float)),
            "float:min" => Step::Fold(Fold::Min(OperandKind::Float)),
            "float:sum" => Step::Fold(Fold::Sum(OperandKind::Float)),
            "duration:max" => Step::Fold(Fold::Max(OperandKind::Duration)),
            "duration:min" => Step::Fold(Fold::Min(OperandKind::Duration)),
            "duration:sum" => Step::Fold(Fold::Sum(OperandKind::Duration)),
            "time:max" => Step::Fold(Fold::Max(OperandKind::Time)),
            "time:min" => Step::Fold(Fold::Min(OperandKind::Time)),
            _ => return None,
        }))
    }

    /// True if rows with failing arguments are skipped. For other reducers, such a row fails the
    /// whole group.
    #[must_use]
    pub fn skips_failing_rows(self) -> bool {
        matches!(self.0, Step::Collect | Step::CollectDistinct | Step::CollectToMap)
    }

    /// True if the result is the number of rows.
    #[must_use]
    pub fn counts(self) -> bool {
        matches!(self.0, Step::Count)
    }

    /// True if the result depends on the order of the rows, as for lists.
    #[must_use]
    pub fn depends_on_order(self) -> bool {
        matches!(self.0, Step::Collect | Step::CollectDistinct | Step::PickAny)
    }

    /// True if partial results can be reduced again, as for sums, minimum and maximum.
    #[must_use]
    pub fn combines(self) -> bool {
        matches!(self.0, Step::Fold(_))
    }

    /// Reduces rows of argument values. Lists are in the order of the rows.
    ///
    /// # Errors
    /// If the engine would stop, or a limit of this crate is exceeded.
    pub fn reduce(self, values: &mut Values, rows: Rows<'_, '_>) -> Result<ValueId, Failure> {
        match self.0 {
            Step::Count => Ok(values.number(count(rows.count()))),
            Step::Fold(fold) => {
                let total = fold.apply(values, rows.filter_map(|row| row.first().copied()))?;
                Ok(values.intern(total)?)
            }
            Step::Avg => avg(values, rows),
            Step::Collect => collect(values, rows),
            Step::CollectDistinct => collect_distinct(values, rows),
            Step::CollectToMap => collect_to_map(values, rows),
            Step::CountDistinct => Err(Failure::wrong("the engine does not know `fn:count_distinct`")),
            Step::PickAny => Err(Failure::wrong("the engine cannot compute `fn:pick_any`")),
        }
    }
}

/// The mean as a float. NaN without rows.
#[allow(clippy::cast_precision_loss)] // as in the engine
fn avg(values: &mut Values, rows: Rows<'_, '_>) -> Result<ValueId, Failure> {
    let (mut sum, mut rows_seen) = (0.0, 0_u64);
    for row in rows {
        if let Some(value) = row.first() {
            sum += number_or_float(values, *value)?;
            rows_seen += 1;
        }
    }
    Ok(values.float(sum / rows_seen as f64))
}

fn collect(values: &mut Values, rows: Rows<'_, '_>) -> Result<ValueId, Failure> {
    let mut list = Vec::new();
    // A row without arguments has no value, so it is skipped.
    for row in rows.filter(|row| !row.is_empty()) {
        list.push(tuple(values, row)?);
        check_elements(list.len())?;
    }
    Ok(values.list(&list)?)
}

/// Keeps the last of several equal values.
fn collect_distinct(values: &mut Values, rows: Rows<'_, '_>) -> Result<ValueId, Failure> {
    let mut list: Vec<Option<ValueId>> = Vec::new();
    let mut place: FxHashMap<ValueId, usize> = FxHashMap::default();
    for row in rows.filter(|row| !row.is_empty()) {
        let value = tuple(values, row)?;
        if let Some(before) = place.insert(value, list.len()).and_then(|before| list.get_mut(before)) {
            *before = None;
        }
        list.push(Some(value));
        check_elements(place.len())?;
        // Many duplicates leave many empty entries, so the list is compacted.
        if list.len() > 2 * place.len() + 1024 {
            list.retain(Option::is_some);
            place.extend(list.iter().enumerate().filter_map(|(at, value)| Some(((*value)?, at))));
        }
    }
    let list: Vec<ValueId> = list.into_iter().flatten().collect();
    Ok(values.list(&list)?)
}

/// Keeps the first of several entries with the same key.
fn collect_to_map(values: &mut Values, rows: Rows<'_, '_>) -> Result<ValueId, Failure> {
    let mut entries = Vec::new();
    let mut seen = FxHashSet::default();
    for row in rows {
        let [key, value] = row else {
            return Err(Failure::wrong(format!("it takes 2 arguments, not {}", row.len())));
        };
        if seen.insert(*key) {
            entries.push((*key, *value));
            check_entries(entries.len())?;
        }
    }
    Ok(values.intern(Datum::Map(entries.into()))?)
}
