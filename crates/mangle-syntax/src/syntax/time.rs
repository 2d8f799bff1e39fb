//! Timestamps and durations of interval bounds.
//!
//! The semantics follow the engine: a date alone means midnight, all times are UTC, and days have
//! 24 hours. `tests/language/temporal.md` has examples.

const NANOS: i64 = 1_000_000_000;
const DAY: i64 = 24 * 60 * 60;

/// Parses `2024-01-15` or `2024-01-15T10:30:00`, with or without fraction and `Z`, to nanoseconds
/// since 1970. `None` if the date or the time of day does not exist. Years outside of 1678 to 2261
/// do not fit 64 bits and saturate; the engine accepts them.
#[must_use]
pub fn parse_timestamp(text: &str) -> Option<i64> {
    let (date, time) = text.split_once('T').unwrap_or((text, "00:00:00"));
    let [year, month, day] = numbers(date, '-')?;
    if !(1..=12).contains(&month) || day < 1 || day > days_in_month(year, month) {
        return None;
    }
    let time = time.strip_suffix('Z').unwrap_or(time);
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let [hour, minute, second] = numbers(clock, ':')?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let seconds = days_since_epoch(year, month, day) * DAY + hour * 3600 + minute * 60 + second;
    Some(seconds.saturating_mul(NANOS).saturating_add(fraction_nanos(fraction)?))
}

/// Parses `7d`, `24h`, `30m`, `1s`, `500ms` to nanoseconds. `None` if the value does not fit 64
/// bits. Days wrap around instead, like in the engine.
#[must_use]
pub fn parse_duration(text: &str) -> Option<i64> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let count: i64 = text.get(..digits)?.parse().ok()?;
    let unit = match text.get(digits..)? {
        "d" => return Some(count.wrapping_mul(DAY * NANOS)),
        "h" => 3600 * NANOS,
        "m" => 60 * NANOS,
        "s" => NANOS,
        "ms" => NANOS / 1000,
        _ => return None,
    };
    count.checked_mul(unit)
}

/// Converts a duration token for `fn:duration:parse`, which has no days.
pub(super) fn go_duration(text: &str) -> String {
    match text.strip_suffix('d').map(str::parse::<u64>) {
        Some(Ok(days)) => format!("{}h", u128::from(days) * 24),
        _ => text.to_owned(),
    }
}

/// Converts a timestamp token for `fn:time:parse_rfc3339`.
pub(super) fn rfc3339(text: &str) -> String {
    match text.split_once('T') {
        None => format!("{text}T00:00:00Z"),
        Some(_) if text.ends_with('Z') => text.to_owned(),
        Some(_) => format!("{text}Z"),
    }
}

fn numbers(text: &str, separator: char) -> Option<[i64; 3]> {
    let mut parts = text.split(separator).map(|part| part.parse::<i64>().ok());
    Some([parts.next()??, parts.next()??, parts.next()??])
}

/// The first nine digits of a fraction. Further digits are below a nanosecond.
fn fraction_nanos(digits: &str) -> Option<i64> {
    let nine: String = digits.chars().chain(std::iter::repeat('0')).take(9).collect();
    nine.parse().ok()
}

fn is_leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

/// The number of days in a month (1 to 12).
pub fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar.
pub fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    // In years that start in March, the leap day is the last day.
    let shifted = if month <= 2 { year - 1 } else { year };
    let month_from_march = (month + 9) % 12;
    let leap_days = shifted.div_euclid(4) - shifted.div_euclid(100) + shifted.div_euclid(400);
    shifted * 365 + leap_days + (153 * month_from_march + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps() {
        assert_eq!(parse_timestamp("1970-01-01"), Some(0));
        assert_eq!(parse_timestamp("2024-02-29T12:00:00Z"), Some(1_709_208_000 * NANOS));
        assert_eq!(parse_timestamp("2024-01-15T10:30:00.5"), Some(1_705_314_600 * NANOS + NANOS / 2));
        assert_eq!(parse_timestamp("9999-01-01"), Some(i64::MAX));
        for wrong in ["2024-13-01", "2023-02-29", "2024-01-15T24:00:00", "0000-00-00"] {
            assert_eq!(parse_timestamp(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn durations() {
        assert_eq!(parse_duration("7d"), Some(7 * DAY * NANOS));
        assert_eq!(parse_duration("500ms"), Some(NANOS / 2));
        assert_eq!(parse_duration("99999999999999h"), None);
        assert_eq!(parse_duration("99999999999999999999d"), None);
    }

    #[test]
    fn spellings_for_functions() {
        assert_eq!(go_duration("7d"), "168h");
        assert_eq!(go_duration("30m"), "30m");
        assert_eq!(rfc3339("2024-01-15"), "2024-01-15T00:00:00Z");
        assert_eq!(rfc3339("2024-01-15T10:30:00"), "2024-01-15T10:30:00Z");
    }
}
