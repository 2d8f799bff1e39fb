//! Formats instants down to a given unit.

use super::{CivilTime, NANOS, Zone};
use crate::kernel::values::push_fraction;

/// Formats an instant in a zone: `2024-05-01` for `/day`, `2024-05-01T08Z` for `/hour`, and so on.
/// `None` if `unit` is not the name of a unit.
pub(in crate::kernel) fn format(instant: i64, zone: &Zone, unit: &str) -> Option<String> {
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
