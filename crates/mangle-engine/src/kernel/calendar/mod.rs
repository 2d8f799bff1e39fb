//! Calendar dates, times of day and time zones for the time functions.
//!
//! Converts between instants (nanoseconds since 1970 UTC), dates and text, including the bugs of
//! the engine. Zones come from the embedded database, so results are the same on every machine.
//! Only `Local` depends on the machine.

mod format;
mod parse;

pub(super) use format::format;
pub(super) use parse::{parse_civil, parse_duration, parse_rfc3339};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::values::civil_date;
use mangle_syntax::syntax::time::days_since_epoch;

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
