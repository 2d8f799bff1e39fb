//! Parses instants and durations, as leniently as the engine.

use super::{CivilTime, Zone};
use mangle_syntax::syntax::time::days_in_month;

/// Parses `2024-05-01T08:30:00Z`, with an optional fraction of the second, or an offset such as
/// `+02:00` instead of `Z`. The hour may have one digit, and the fraction may start with a comma.
pub(in crate::kernel) fn parse_rfc3339(text: &str) -> Option<i64> {
    let mut rest = text.as_bytes();
    let civil = date_and_time(&mut rest, true)?;
    let offset = if rest == b"Z" { 0 } else { offset(rest)? };
    let second = civil.second - offset;
    Some(CivilTime { second, ..civil }.instant(&Zone::Utc))
}

/// Parses a local time of a zone, `2024-05-01T08:30:00`, with an optional fraction of the second.
pub(in crate::kernel) fn parse_civil(text: &str, zone: &Zone) -> Option<i64> {
    // The engine first expects nine fraction digits and parses them as a number with optional sign.
    let nine = || {
        let mut rest = text.as_bytes();
        let civil = date_and_time(&mut rest, false)?;
        let digits = rest.strip_prefix(b".").or_else(|| rest.strip_prefix(b","))?;
        let negative = digits.first() == Some(&b'-');
        let size = digits.strip_prefix(b"+").or_else(|| digits.strip_prefix(b"-")).unwrap_or(digits);
        let nanos = (digits.len() == 9).then(|| number(size)).flatten()?;
        (!negative || nanos == 0).then_some(CivilTime { nanos, ..civil })
    };
    let any = || {
        let mut rest = text.as_bytes();
        let civil = date_and_time(&mut rest, true)?;
        rest.is_empty().then_some(civil)
    };
    Some(nine().or_else(any)?.instant(zone))
}

/// Parses `2024-05-01T08:30:00` and, if `fraction`, a fraction of the second. `rest` becomes the
/// remaining text.
fn date_and_time(rest: &mut &[u8], fraction: bool) -> Option<CivilTime> {
    let year = number(take(rest, 4)?)?;
    let month = two_digits(rest, b"-")?;
    let day = two_digits(rest, b"-")?;
    *rest = rest.strip_prefix(b"T")?;
    let long = rest.get(1).is_some_and(u8::is_ascii_digit);
    let hour = number(take(rest, if long { 2 } else { 1 })?)?;
    let minute = two_digits(rest, b":")?;
    let second = two_digits(rest, b":")?;
    let nanos = if fraction { nanos(rest) } else { 0 };
    let valid = (1..=12).contains(&month)
        && (1..=days_in_month(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    valid.then_some(CivilTime { year, month, day, hour, minute, second, nanos })
}

/// Parses a dot or comma with digits. Digits after the ninth are ignored, and no digits are 0.
fn nanos(rest: &mut &[u8]) -> i64 {
    let behind = rest.strip_prefix(b".").or_else(|| rest.strip_prefix(b",")).unwrap_or_default();
    let length = behind.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, after) = behind.split_at(length);
    if !digits.is_empty() {
        *rest = after;
    }
    let nine = digits.iter().map(|digit| i64::from(digit - b'0')).chain(std::iter::repeat(0)).take(9);
    nine.fold(0, |nanos, digit| nanos * 10 + digit)
}

/// Parses an offset such as `+02:00`, in seconds. Like the engine, accepts up to 24 hours and 60
/// minutes.
fn offset(text: &[u8]) -> Option<i64> {
    let [sign @ (b'+' | b'-'), hour @ .., b':', ten, one] = text else { return None };
    let hours = (hour.len() == 2).then(|| number(hour)).flatten()?;
    let minutes = number(&[*ten, *one])?;
    let seconds = (hours * 60 + minutes) * 60;
    let signed = if *sign == b'-' { -seconds } else { seconds };
    (hours <= 24 && minutes <= 60).then_some(signed)
}

fn two_digits(rest: &mut &[u8], separator: &[u8]) -> Option<i64> {
    *rest = rest.strip_prefix(separator)?;
    number(take(rest, 2)?)
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, after) = rest.split_at_checked(count)?;
    *rest = after;
    Some(taken)
}

/// Parses digits without a sign.
fn number(digits: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(digits).ok()?;
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The absolute value of the smallest duration in nanoseconds.
const MIN_DURATION_ABS: u64 = 1 << 63;

/// Parses durations such as `1h30m`, `-1.5h` and `500ms`, in nanoseconds. `None` for other text and
/// if the result does not fit in 64 bits.
pub(in crate::kernel) fn parse_duration(text: &str) -> Option<i64> {
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return Some(0);
    }
    let mut total = if rest.is_empty() { None } else { Some(0_u64) }?;
    while !rest.is_empty() {
        let size;
        (size, rest) = one_unit(rest)?;
        total = Some(total.wrapping_add(size)).filter(|total| *total <= MIN_DURATION_ABS)?;
    }
    if negative { Some(total.wrapping_neg().cast_signed()) } else { i64::try_from(total).ok() }
}

/// Parses a number with its unit. Returns its size in nanoseconds and the remaining text.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn one_unit(text: &str) -> Option<(u64, &str)> {
    let digits = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (whole, rest) = text.split_at(digits(text));
    let behind_dot = rest.strip_prefix('.');
    let (part, rest) = behind_dot.map_or(("", rest), |rest| rest.split_at(digits(rest)));
    if whole.is_empty() && part.is_empty() {
        return None;
    }
    let unit_end = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(unit_end);
    let unit = nanos_of(unit)?;
    let whole = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()? };
    let (part, scale) = fraction(part);
    let size = (whole <= MIN_DURATION_ABS / unit).then_some(whole * unit)?;
    // The conversion to floats loses digits, as in the engine.
    let size = size + (part as f64 * (unit as f64 / scale)) as u64;
    (size <= MIN_DURATION_ABS).then_some((size, rest))
}

/// The digits of a fraction as a number, and its divisor. Digits beyond 63 bits are ignored.
fn fraction(digits: &str) -> (u64, f64) {
    let (mut value, mut scale) = (0_u64, 1.0);
    for digit in digits.bytes() {
        let longer = (value <= (MIN_DURATION_ABS - 1) / 10).then(|| value * 10 + u64::from(digit - b'0'));
        let Some(longer) = longer.filter(|longer| *longer <= MIN_DURATION_ABS) else { break };
        value = longer;
        scale *= 10.0;
    }
    (value, scale)
}

fn nanos_of(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        // The micro sign, and the Greek letter mu.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}
