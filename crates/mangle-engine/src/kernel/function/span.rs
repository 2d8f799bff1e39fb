//! Functions on durations, and on intervals as pairs of instants.

use super::{Entry, FunctionResult};
use crate::kernel::calendar;
use crate::kernel::failure::{Failure, SHOWN, duration, exactly, number, number_or_float, string, time};
use crate::kernel::values::{Datum, ValueId, Values};

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

pub(super) const FUNCTIONS: &[Entry] = &[
    Entry { name: "duration:add", apply: |values, args, _| add(values, args) },
    Entry { name: "duration:mult", apply: |values, args, _| mult(values, args) },
    Entry { name: "duration:hours", apply: |values, args, _| length(values, args, HOUR) },
    Entry { name: "duration:minutes", apply: |values, args, _| length(values, args, MINUTE) },
    Entry { name: "duration:seconds", apply: |values, args, _| length(values, args, SECOND) },
    Entry { name: "duration:nanos", apply: |values, args, _| nanos(values, args) },
    Entry { name: "duration:from_hours", apply: |values, args, _| from_units(values, args, HOUR) },
    Entry { name: "duration:from_minutes", apply: |values, args, _| from_units(values, args, MINUTE) },
    Entry { name: "duration:from_seconds", apply: |values, args, _| from_units(values, args, SECOND) },
    Entry { name: "duration:from_nanos", apply: |values, args, _| from_nanos(values, args) },
    Entry { name: "duration:parse", apply: |values, args, _| parse(values, args) },
    Entry { name: "interval:start", apply: |values, args, _| Ok(ends(values, args)?.0) },
    Entry { name: "interval:end", apply: |values, args, _| Ok(ends(values, args)?.1) },
    Entry { name: "interval:duration", apply: |values, args, _| interval_duration(values, args) },
];

fn add(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [left, right] = exactly(args)?;
    let sum = duration(values, left)?.wrapping_add(duration(values, right)?);
    Ok(values.duration(sum))
}

fn mult(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [length, times] = exactly(args)?;
    let product = duration(values, length)?.wrapping_mul(number(values, times)?);
    Ok(values.duration(product))
}

/// Converts whole units and the fraction separately, which is more precise than one division.
#[allow(clippy::cast_precision_loss)] // as in the engine
fn length(values: &mut Values, args: &[ValueId], unit: i64) -> FunctionResult {
    let [only] = exactly(args)?;
    let nanos = duration(values, only)?;
    let units = (nanos / unit) as f64 + (nanos % unit) as f64 / unit as f64;
    Ok(values.float(units))
}

fn nanos(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [only] = exactly(args)?;
    let nanos = duration(values, only)?;
    Ok(values.number(nanos))
}

fn from_nanos(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [only] = exactly(args)?;
    let nanos = number(values, only)?;
    Ok(values.duration(nanos))
}

/// A value out of range becomes the smallest duration. Go does the same on the most common
/// processors.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
fn from_units(values: &mut Values, args: &[ValueId], unit: i64) -> FunctionResult {
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    let [only] = exactly(args)?;
    let nanos = number_or_float(values, only)? * unit as f64;
    let fits = (-BOUND..BOUND).contains(&nanos);
    Ok(values.duration(if fits { nanos as i64 } else { i64::MIN }))
}

fn parse(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [only] = exactly(args)?;
    match calendar::parse_duration(string(values, only)?) {
        Some(nanos) => Ok(values.duration(nanos)),
        None => {
            let text = values.short(only, SHOWN);
            Err(Failure::wrong(format!("{text} is no duration; `1h30m`, `500ms` and `-1.5h` are")))
        }
    }
}

fn ends(values: &Values, args: &[ValueId]) -> Result<(ValueId, ValueId), Failure> {
    let [only] = exactly(args)?;
    match values.get(only) {
        Datum::Pair(start, end) => Ok((*start, *end)),
        _ => Err(Failure::kind(values, only, "an interval, which is a pair")),
    }
}

fn interval_duration(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let (start, end) = ends(values, args)?;
    let (start, end) = (time(values, start)?, time(values, end)?);
    if start == i64::MIN || end == i64::MAX {
        return Err(Failure::wrong("the interval has no end, so it has no duration"));
    }
    Ok(values.duration(end.wrapping_sub(start)))
}
