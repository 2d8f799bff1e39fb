//! The text of an instant down to a unit.

use super::{CivilTime, NANOS, Zone};
use crate::kernel::values::push_fraction;

/// The text of an instant in a zone: `2024-05-01` down to `/day`, `2024-05-01T08Z` down to `/hour`,
/// and so on. `None` for a name that is no unit.
pub(in crate::kernel) fn format(instant: i64, zone: &Zone, unit: &str) -> Option<String> {
    let at = CivilTime::at(instant, zone);
    let mut text = format!("{:04}", at.year);
    // Each unit goes on where the one before it ends.
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

/// `Z`, or `+05:30` without the seconds that offsets of old had.
fn push_offset(text: &mut String, seconds: i64) {
    if seconds == 0 {
        text.push('Z');
        return;
    }
    let minutes = (seconds / 60).abs();
    text.push(if seconds / 60 < 0 { '-' } else { '+' });
    text.push_str(&format!("{:02}:{:02}", minutes / 60, minutes % 60));
}
