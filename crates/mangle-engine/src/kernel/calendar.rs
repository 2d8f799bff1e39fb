//! Calendar dates, times of day and time zones for the time functions.
//!
//! Converts between instants (nanoseconds since 1970 UTC), dates and text, including the bugs of
//! the engine. Text is parsed as leniently as in the engine. Zones come from the embedded database,
//! so results are the same on every machine. Only `Local` depends on the machine.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::values::{civil_date, push_fraction};
use mangle_syntax::syntax::time::{days_in_month, days_since_epoch};

const NANOS: i64 = 1_000_000_000;
const DAY: i64 = 86_400;

/// A time zone.
#[derive(Debug, Clone)]
pub(super) enum Zone {
    /// UTC.
    Utc,
    /// A zone of the database, or the zone of the machine.
    Named(TimeZone),
}

impl Zone {
    /// The zone of a name such as `Europe/Paris`, in the exact spelling of the database. An empty
    /// name is UTC.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name {
            "" | "UTC" => Some(Self::Utc),
            "Local" => Some(Self::Named(TimeZone::system())),
            _ => {
                let zone = TimeZone::get(name).ok()?;
                (zone.iana_name() == Some(name)).then_some(Self::Named(zone))
            }
        }
    }

    /// The offset from UTC in seconds at an instant, which is in seconds since 1970. Positive
    /// offsets are east of Greenwich.
    fn offset(&self, seconds: i64) -> i64 {
        match self {
            Self::Utc => 0,
            Self::Named(zone) => {
                let bounds = Timestamp::MIN.as_second()..=Timestamp::MAX.as_second();
                let seconds = seconds.clamp(*bounds.start(), *bounds.end());
                let instant = Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH);
                i64::from(zone.to_offset(instant).seconds())
            }
        }
    }
}

/// A date and a time of day in some zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CivilTime {
    pub(super) year: i64,
    /// 1 to 12.
    pub(super) month: i64,
    /// 1 to 31. [`CivilTime::instant`] accepts any other value as a day of an adjacent month.
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    pub(super) nanos: i64,
}

impl CivilTime {
    /// Midnight of a date.
    fn date(year: i64, month: i64, day: i64) -> Self {
        Self { year, month, day, hour: 0, minute: 0, second: 0, nanos: 0 }
    }

    /// The date and time of day in a zone at an instant.
    pub(super) fn at(instant: i64, zone: &Zone) -> Self {
        let seconds = instant.div_euclid(NANOS);
        Self::at_second(seconds, instant.rem_euclid(NANOS), zone)
    }

    fn at_second(seconds: i64, nanos: i64, zone: &Zone) -> Self {
        let local = seconds + zone.offset(seconds);
        let (days, second) = (local.div_euclid(DAY), local.rem_euclid(DAY));
        let (year, month, day) = civil_date(days);
        let (month, day) = (i64::from(month), i64::from(day));
        Self { year, month, day, hour: second / 3_600, minute: second / 60 % 60, second: second % 60, nanos }
    }

    /// The time in seconds since 1970. If a clock change skips or repeats the local time, the
    /// result matches the engine.
    fn seconds(&self, zone: &Zone) -> i64 {
        let days = days_since_epoch(self.year, self.month, 1) + self.day - 1;
        let local = days * DAY + self.hour * 3_600 + self.minute * 60 + self.second;
        // The offset is looked up twice: first with the local time as UTC, then with the result.
        match zone.offset(local) {
            0 => local,
            near => local - zone.offset(local - near),
        }
    }

    /// The instant in nanoseconds since 1970. Wraps around outside of 1678 to 2261.
    fn instant(&self, zone: &Zone) -> i64 {
        self.seconds(zone).wrapping_mul(NANOS).wrapping_add(self.nanos)
    }
}

/// The day of the week in a zone at an instant, 1 for Monday.
pub(super) fn weekday(instant: i64, zone: &Zone) -> i64 {
    let CivilTime { year, month, day, .. } = CivilTime::at(instant, zone);
    // 1970-01-01 was a Thursday.
    (days_since_epoch(year, month, day) + 3).rem_euclid(7) + 1
}

/// Adds `count` units (`/year`, `/month`, `/week` or `/day`) to an instant in a zone, at the same
/// time of day. A missing day of a month overflows into the next month, like Go's `AddDate`. `None`
/// for other units.
pub(super) fn moved(instant: i64, zone: &Zone, count: i64, unit: &str) -> Option<i64> {
    /// Larger counts lead to years outside of the 64-bit range anyway.
    const LIMIT: i64 = 1 << 30;
    let count = count.clamp(-LIMIT, LIMIT);
    let mut civil = CivilTime::at(instant, zone);
    match unit {
        "/year" => civil.year += count,
        "/month" => {
            let months = civil.month - 1 + count;
            civil.year += months.div_euclid(12);
            civil.month = months.rem_euclid(12) + 1;
        }
        "/week" => civil.day += 7 * count,
        "/day" => civil.day += count,
        _ => return None,
    }
    Some(civil.instant(zone))
}

/// The start of the `/year`, `/month`, `/week` (Monday) or `/day` that contains an instant in a
/// zone. `None` for other units.
pub(super) fn start_of(instant: i64, zone: &Zone, unit: &str) -> Option<i64> {
    let CivilTime { year, month, day, .. } = CivilTime::at(instant, zone);
    let start = match unit {
        "/year" => CivilTime::date(year, 1, 1),
        "/month" => CivilTime::date(year, month, 1),
        "/day" => CivilTime::date(year, month, day),
        "/week" => {
            // If a clock change skips midnight, the day may start at another hour, even in the
            // previous day.
            let seconds = CivilTime::date(year, month, day).seconds(zone);
            let morning = CivilTime::at_second(seconds, 0, zone);
            let days = days_since_epoch(morning.year, morning.month, morning.day);
            // 1970-01-01 was a Thursday.
            CivilTime { day: morning.day - (days + 3).rem_euclid(7), ..morning }
        }
        _ => return None,
    };
    Some(start.instant(zone))
}

/// Parses `2024-05-01T08:30:00Z`, with an optional fraction of the second, or an offset such as
/// `+02:00` instead of `Z`. The hour may have one digit, and the fraction may start with a comma.
pub(super) fn parse_rfc3339(text: &str) -> Option<i64> {
    let mut rest = text.as_bytes();
    let civil = date_and_time(&mut rest, true)?;
    let offset = if rest == b"Z" { 0 } else { offset(rest)? };
    let second = civil.second - offset;
    Some(CivilTime { second, ..civil }.instant(&Zone::Utc))
}

/// Parses a local time of a zone, `2024-05-01T08:30:00`, with an optional fraction of the second.
pub(super) fn parse_civil(text: &str, zone: &Zone) -> Option<i64> {
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
pub(super) fn parse_duration(text: &str) -> Option<i64> {
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
    let (integer, rest) = text.split_at(digits(text));
    let behind_dot = rest.strip_prefix('.');
    let (part, rest) = behind_dot.map_or(("", rest), |rest| rest.split_at(digits(rest)));
    if integer.is_empty() && part.is_empty() {
        return None;
    }
    let unit_end = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(unit_end);
    let unit = nanos_of(unit)?;
    let integer = if integer.is_empty() { 0 } else { integer.parse::<u64>().ok()? };
    let (part, scale) = fraction(part);
    let size = (integer <= MIN_DURATION_ABS / unit).then_some(integer * unit)?;
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

/// Formats an instant in a zone: `2024-05-01` for `/day`, `2024-05-01T08Z` for `/hour`, and so on.
/// `None` if `unit` is not the name of a unit.
pub(super) fn format(instant: i64, zone: &Zone, unit: &str) -> Option<String> {
    let at = CivilTime::at(instant, zone);
    let mut text = format!("{:04}", at.year);
    // Each unit is appended to the previous units.
    let units = [
        "/year",
        "/month",
        "/day",
        "/hour",
        "/minute",
        "/second",
        "/millisecond",
        "/microsecond",
        "/nanosecond",
    ];
    let down_to = units.iter().position(|known| *known == unit)?;
    let parts = [('-', at.month), ('-', at.day), ('T', at.hour), (':', at.minute), (':', at.second)];
    for (separator, part) in parts.into_iter().take(down_to) {
        text.push(separator);
        text.push_str(&format!("{part:02}"));
    }
    match unit {
        "/millisecond" => text.push_str(&format!(".{:03}", at.nanos / 1_000_000)),
        "/microsecond" => text.push_str(&format!(".{:06}", at.nanos / 1_000)),
        "/nanosecond" => push_fraction(&mut text, at.nanos, 9),
        _ => {}
    }
    if down_to >= 3 {
        push_offset(&mut text, zone.offset(instant.div_euclid(NANOS)));
    }
    Some(text)
}

/// Appends `Z`, or an offset such as `+05:30`. Seconds of historical offsets are dropped.
fn push_offset(text: &mut String, seconds: i64) {
    if seconds == 0 {
        text.push('Z');
        return;
    }
    let minutes = (seconds / 60).abs();
    text.push(if seconds / 60 < 0 { '-' } else { '+' });
    text.push_str(&format!("{:02}:{:02}", minutes / 60, minutes % 60));
}
