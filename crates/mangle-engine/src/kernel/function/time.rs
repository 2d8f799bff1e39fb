//! Functions on instants, durations, and intervals as pairs of instants.

use super::{Clock, Entry, FunctionResult};
use crate::kernel::calendar::{self, CivilTime, Zone};
use crate::kernel::failure::{
    Failure, SHOWN, duration, exactly, name, number, number_or_float, string, time,
};
use crate::kernel::values::{Datum, ValueId, Values};

pub(super) const FUNCTIONS: &[Entry] = &[
    // The engine ignores arguments of this function.
    Entry { name: "time:now", apply: |values, _, clock: &Clock| Ok(values.time(clock.now_ns)) },
    Entry { name: "time:add", apply: |values, args, _| add(values, args) },
    Entry { name: "time:sub", apply: |values, args, _| sub(values, args) },
    Entry { name: "time:format", apply: |values, args, _| format(values, args) },
    Entry { name: "time:format_civil", apply: |values, args, _| format_civil(values, args) },
    Entry { name: "time:parse_rfc3339", apply: |values, args, _| parse_rfc3339(values, args) },
    Entry { name: "time:parse_civil", apply: |values, args, _| parse_civil(values, args) },
    Entry { name: "time:year", apply: |values, args, _| part(values, args, |civil| civil.year) },
    Entry { name: "time:month", apply: |values, args, _| part(values, args, |civil| civil.month) },
    Entry { name: "time:day", apply: |values, args, _| part(values, args, |civil| civil.day) },
    Entry { name: "time:hour", apply: |values, args, _| part(values, args, |civil| civil.hour) },
    Entry { name: "time:minute", apply: |values, args, _| part(values, args, |civil| civil.minute) },
    Entry { name: "time:second", apply: |values, args, _| part(values, args, |civil| civil.second) },
    Entry { name: "time:from_unix_nanos", apply: |values, args, _| from_unix_nanos(values, args) },
    Entry { name: "time:to_unix_nanos", apply: |values, args, _| to_unix_nanos(values, args) },
    Entry { name: "time:trunc", apply: |values, args, _| trunc(values, args) },
    Entry { name: "time:trunc_civil", apply: |values, args, _| trunc_civil(values, args) },
    Entry { name: "time:add_civil", apply: |values, args, _| add_civil(values, args) },
    Entry { name: "time:weekday_civil", apply: |values, args, _| weekday_civil(values, args) },
];

/// The calendar units.
const CIVIL_UNITS: &str = "`/year`, `/month`, `/week` and `/day`";

fn add(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [instant, length] = exactly(args)?;
    let moved = time(values, instant)?.wrapping_add(duration(values, length)?);
    Ok(values.time(moved))
}

fn sub(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [later, earlier] = exactly(args)?;
    let between = time(values, later)?.wrapping_sub(time(values, earlier)?);
    Ok(values.duration(between))
}

fn format(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [instant, unit] = exactly(args)?;
    let instant = time(values, instant)?;
    formatted(values, instant, &Zone::Utc, unit)
}

fn format_civil(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [instant, zone, unit] = exactly(args)?;
    let instant = time(values, instant)?;
    let zone = find_zone(values, zone)?;
    formatted(values, instant, &zone, unit)
}

fn formatted(values: &mut Values, instant: i64, zone: &Zone, unit: ValueId) -> FunctionResult {
    match calendar::format(instant, zone, name(values, unit)?) {
        Some(text) => Ok(values.string(&text)),
        None => Err(unknown_unit(values, unit, "`/year` to `/nanosecond`")),
    }
}

fn parse_rfc3339(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [text] = exactly(args)?;
    match calendar::parse_rfc3339(string(values, text)?) {
        Some(nanos) => Ok(values.time(nanos)),
        None => {
            let text = values.short(text, SHOWN);
            Err(Failure::wrong(format!("{text} is no instant; `2024-05-01T08:30:00Z` is one")))
        }
    }
}

fn parse_civil(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [text, zone] = exactly(args)?;
    let content = string(values, text)?;
    let zone = find_zone(values, zone)?;
    match calendar::parse_civil(content, &zone) {
        Some(nanos) => Ok(values.time(nanos)),
        None => {
            let text = values.short(text, SHOWN);
            Err(Failure::wrong(format!("{text} is no time of a day; `2024-05-01T08:30:00` is one")))
        }
    }
}

fn part(values: &mut Values, args: &[ValueId], part: fn(&CivilTime) -> i64) -> FunctionResult {
    let [instant] = exactly(args)?;
    let civil = CivilTime::at(time(values, instant)?, &Zone::Utc);
    Ok(values.number(part(&civil)))
}

fn from_unix_nanos(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [nanos] = exactly(args)?;
    let nanos = number(values, nanos)?;
    Ok(values.time(nanos))
}

fn to_unix_nanos(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [instant] = exactly(args)?;
    let nanos = time(values, instant)?;
    Ok(values.number(nanos))
}

/// The start of the unit that contains the instant, in UTC.
fn trunc(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [instant, unit] = exactly(args)?;
    let instant = time(values, instant)?;
    let length = match name(values, unit)? {
        "/day" => 86_400_000_000_000,
        "/hour" => 3_600_000_000_000,
        "/minute" => 60_000_000_000,
        "/second" => 1_000_000_000,
        "/millisecond" => 1_000_000,
        "/microsecond" => 1_000,
        "/nanosecond" => 1,
        _ => return Err(unknown_unit(values, unit, "`/day` to `/nanosecond`")),
    };
    Ok(values.time(instant.wrapping_sub(instant.rem_euclid(length))))
}

/// The start of the unit that contains the instant, in a time zone.
fn trunc_civil(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [instant, zone, unit] = exactly(args)?;
    let instant = time(values, instant)?;
    let zone = find_zone(values, zone)?;
    match calendar::start_of(instant, &zone, name(values, unit)?) {
        Some(start) => Ok(values.time(start)),
        None => Err(unknown_unit(values, unit, CIVIL_UNITS)),
    }
}

/// Adds a number of calendar units to an instant, at the same time of day in a time zone.
fn add_civil(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [instant, zone, count, unit] = exactly(args)?;
    let instant = time(values, instant)?;
    let zone = find_zone(values, zone)?;
    let count = number(values, count)?;
    match calendar::moved(instant, &zone, count, name(values, unit)?) {
        Some(moved) => Ok(values.time(moved)),
        None => Err(unknown_unit(values, unit, CIVIL_UNITS)),
    }
}

/// The day of the week in a time zone, 1 for Monday.
fn weekday_civil(values: &mut Values, args: &[ValueId]) -> FunctionResult {
    let [instant, zone] = exactly(args)?;
    let instant = time(values, instant)?;
    let zone = find_zone(values, zone)?;
    Ok(values.number(calendar::weekday(instant, &zone)))
}

fn find_zone(values: &Values, id: ValueId) -> Result<Zone, Failure> {
    Zone::from_name(string(values, id)?).ok_or_else(|| {
        let zone = values.short(id, SHOWN);
        Failure::wrong(format!("there is no time zone {zone}; \"Europe/Paris\" is one"))
    })
}

fn unknown_unit(values: &Values, unit: ValueId, known: &str) -> Failure {
    let unit = values.short(unit, SHOWN);
    Failure::wrong(format!("it knows no unit {unit}, only {known}"))
}

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

pub(super) const DURATION_FUNCTIONS: &[Entry] = &[
    Entry { name: "duration:add", apply: |values, args, _| add_durations(values, args) },
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

fn add_durations(values: &mut Values, args: &[ValueId]) -> FunctionResult {
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
