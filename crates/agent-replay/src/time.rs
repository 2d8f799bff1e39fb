//! Parser for times of records.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::fmt::rfc2822;
use jiff::tz::TimeZone;

/// The lower bounds of times in nanoseconds, microseconds and milliseconds, with their factors to
/// nanoseconds. Smaller numbers are seconds.
const UNIT_BOUNDS: [(f64, f64); 3] = [(1e17, 1.0), (1e14, 1e3), (1e11, 1e6)];

/// Parses a time and converts it to nanoseconds since 1970.
///
/// Formats: RFC 3339, a number since 1970 in seconds or smaller units, or the format of the
/// runtime's logs, interpreted as UTC.
#[must_use]
pub fn instant(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return of_number(number);
    }
    let nanos = |time: Timestamp| i64::try_from(time.as_nanosecond()).ok();
    if let Ok(time) = text.parse::<Timestamp>() {
        return nanos(time);
    }
    if let Ok(zoned) = rfc2822::parse(text) {
        return nanos(zoned.timestamp());
    }
    let civil: DateTime = text.replace('/', "-").parse().ok()?;
    nanos(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

#[expect(clippy::cast_possible_truncation, reason = "what is too large is at the end of time")]
fn of_number(number: f64) -> Option<i64> {
    let scale = UNIT_BOUNDS.iter().find(|(least, _)| number.abs() >= *least).map_or(1e9, |(_, scale)| *scale);
    number.is_finite().then_some((number * scale) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_all_containers() {
        let second = 1_772_366_400_000_000_000;
        for text in [
            "2026-03-01T12:00:00Z",
            "2026-03-01T13:00:00+01:00",
            "1772366400",
            "1772366400000",
            "1772366400000000",
            "2026/03/01 12:00:00.000000",
            "2026-03-01 12:00:00",
            "Sun, 1 Mar 2026 13:00:00 +0100",
        ] {
            assert_eq!(instant(text), Some(second), "{text}");
        }
        assert_eq!(instant("yesterday"), None);
        assert_eq!(instant("inf"), None);
    }
}
