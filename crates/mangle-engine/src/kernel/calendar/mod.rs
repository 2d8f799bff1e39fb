//! Calendars, clocks and time zones, as the functions of time see them.
//!
//! Takes instants (nanoseconds since 1970 UTC), names of zones and texts; gives dates, instants and
//! texts, bug for bug as the engine. Zones are those of the database that is built in, so they are
//! the same on every machine; only `Local` is the machine's own.

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
    /// Universal time.
    Utc,
    /// A zone of the database, or the machine's.
    Named(TimeZone),
}

impl Zone {
    /// The zone of a name such as `Europe/Paris`, spelt as in the database. No name is UTC.
    pub(super) fn of(name: &str) -> Option<Self> {
        match name {
            "" | "UTC" => Some(Self::Utc),
            "Local" => Some(Self::Named(TimeZone::system())),
            _ => {
                let zone = TimeZone::get(name).ok()?;
                (zone.iana_name() == Some(name)).then_some(Self::Named(zone))
            }
        }
    }

    /// Seconds east of Greenwich at an instant, which is in seconds since 1970.
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

/// A date and a time of the day in some zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CivilTime {
    pub(super) year: i64,
    /// 1 to 12.
    pub(super) month: i64,
    /// 1 to 31. [`CivilTime::instant`] takes others for days of the months before and behind.
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    pub(super) nanos: i64,
}

impl CivilTime {
    /// Midnight.
    fn date(year: i64, month: i64, day: i64) -> Self {
        Self { year, month, day, hour: 0, minute: 0, second: 0, nanos: 0 }
    }

    /// What calendar and clock in a zone show at an instant.
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

    /// The second since 1970 at which calendar and clock show this. Of a time that the clock skips
    /// or shows twice, the one that the engine takes.
    fn seconds(&self, zone: &Zone) -> i64 {
        let days = days_since_epoch(self.year, self.month, 1) + self.day - 1;
        let local = days * DAY + self.hour * 3_600 + self.minute * 60 + self.second;
        // The zone is asked twice: as if the local time were universal, then closer.
        match zone.offset(local) {
            0 => local,
            near => local - zone.offset(local - near),
        }
    }

    /// The instant at which calendar and clock show this; beyond 1678 to 2261 it wraps around.
    fn instant(&self, zone: &Zone) -> i64 {
        self.seconds(zone).wrapping_mul(NANOS).wrapping_add(self.nanos)
    }
}

/// The day of the week in a zone at an instant, 1 for Monday.
pub(super) fn weekday(instant: i64, zone: &Zone) -> i64 {
    let CivilTime { year, month, day, .. } = CivilTime::at(instant, zone);
    // 1970 began on a Thursday.
    (days_since_epoch(year, month, day) + 3).rem_euclid(7) + 1
}

/// The instant that is `count` of `/year`, `/month`, `/week` or `/day` after an instant in a zone, at the same time of the day. A
/// day that the month does not have runs over into the next month, as Go's `AddDate` does it. `None` for other units.
pub(super) fn moved(instant: i64, zone: &Zone, count: i64, unit: &str) -> Option<i64> {
    /// Beyond, years have no instant of 64 bits anyway.
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

/// The start of the `/year`, `/month`, `/week` (on Monday) or `/day` in a zone that holds an
/// instant. `None` for other units.
pub(super) fn start_of(instant: i64, zone: &Zone, unit: &str) -> Option<i64> {
    let CivilTime { year, month, day, .. } = CivilTime::at(instant, zone);
    let start = match unit {
        "/year" => CivilTime::date(year, 1, 1),
        "/month" => CivilTime::date(year, month, 1),
        "/day" => CivilTime::date(year, month, day),
        "/week" => {
            // Where clocks skip midnight, the day may begin at another hour, even on the day before.
            let seconds = CivilTime::date(year, month, day).seconds(zone);
            let morning = CivilTime::at_second(seconds, 0, zone);
            let days = days_since_epoch(morning.year, morning.month, morning.day);
            // 1970 began on a Thursday.
            CivilTime { day: morning.day - (days + 3).rem_euclid(7), ..morning }
        }
        _ => return None,
    };
    Some(start.instant(zone))
}
