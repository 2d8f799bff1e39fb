//! Inverses of functions of instants and durations.

use mangle_engine::kernel::{Clock, Datum, Function, ValueId, Values};

use super::{Call, number};

const SECOND: i64 = 1_000_000_000;

/// Inverts functions of instants and durations.
pub(super) fn inverse(values: &mut Values, clock: Clock, call: &Call<'_>) -> Option<Vec<ValueId>> {
    if call.count() != 1 {
        return None;
    }
    let result = amount(values, call.result)?;
    let other = call.known().next().and_then(|value| amount(values, value));
    let value = match call.function {
        "time:add" if call.is_first() => values.time(result.checked_sub(other?)?),
        "time:add" => values.duration(result.checked_sub(other?)?),
        "time:sub" if call.is_first() => values.time(result.checked_add(other?)?),
        "time:sub" => values.time(other?.checked_sub(result)?),
        "time:from_unix_nanos" | "duration:from_nanos" => values.number(result),
        "time:to_unix_nanos" => values.time(result),
        "duration:nanos" => values.duration(result),
        "duration:add" => values.duration(result.checked_sub(other?)?),
        "duration:mult" if call.is_first() => values.duration(result.checked_div(other?)?),
        "duration:mult" => values.number(result.checked_div(other?)?),
        "duration:seconds" => values.duration(result.checked_mul(SECOND)?),
        "duration:minutes" => values.duration(result.checked_mul(SECOND * 60)?),
        "duration:hours" => values.duration(result.checked_mul(SECOND * 3600)?),
        "duration:from_seconds" => values.number(result.checked_div(SECOND)?),
        "duration:from_minutes" => values.number(result.checked_div(SECOND * 60)?),
        "duration:from_hours" => values.number(result.checked_div(SECOND * 3600)?),
        "time:trunc" | "time:trunc_civil" if call.is_first() => {
            return Some(vec![call.result, values.time(result.checked_add(1)?)]);
        }
        _ => return instant_with(values, clock, call).map(|instant| vec![instant]),
    };
    Some(vec![value])
}

/// Returns the nanoseconds of an instant or duration, or a number.
#[allow(clippy::cast_possible_truncation)] // only whole numbers are taken
fn amount(values: &Values, value: ValueId) -> Option<i64> {
    match values.get(value) {
        Datum::Number(amount) | Datum::Time(amount) | Datum::Duration(amount) => Some(*amount),
        Datum::Float(bits) => {
            let float = f64::from_bits(*bits);
            (float.abs() < 1e15).then_some(float as i64)
        }
        _ => None,
    }
}

/// Returns an instant with a given year, month, day, hour, minute or second.
fn instant_with(values: &mut Values, clock: Clock, call: &Call<'_>) -> Option<ValueId> {
    let part = number(values, call.result)?;
    let text = match call.function {
        "time:year" => format!("{part:04}-01-01T00:00:00Z"),
        "time:month" => format!("2024-{part:02}-01T00:00:00Z"),
        "time:day" => format!("2024-01-{part:02}T00:00:00Z"),
        "time:hour" => format!("2024-01-01T{part:02}:00:00Z"),
        "time:minute" => format!("2024-01-01T00:{part:02}:00Z"),
        "time:second" => format!("2024-01-01T00:00:{part:02}Z"),
        _ => return None,
    };
    let text = values.string(&text);
    Function::from_name("fn:time:parse_rfc3339")?.apply(values, &[text], &clock).ok()
}
