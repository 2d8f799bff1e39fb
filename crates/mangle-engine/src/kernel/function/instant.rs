//! Functions on instants.

use super::{Clock, Entry, FunctionResult};
use crate::kernel::calendar::{self, CivilTime, Zone};
use crate::kernel::failure::{Failure, SHOWN, duration, exactly, name, number, string, time};
use crate::kernel::values::{ValueId, Values};

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
