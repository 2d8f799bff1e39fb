//! Text of simple values, in the notation of the engine.

use std::fmt::{self, Write};

/// Counts written bytes.
#[derive(Debug, Default)]
pub(super) struct Counter {
    pub(super) bytes: u64,
}

impl Write for Counter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes += text.len() as u64;
        Ok(())
    }
}

/// The number of days in an era of 400 years.
const ERA_DAYS: i64 = 146_097;
const NANOS: i64 = 1_000_000_000;

/// The year, month and day of a day number relative to 1970-01-01.
#[must_use]
pub(crate) fn civil_date(days: i64) -> (i64, u8, u8) {
    // Years start in March, so that a leap day is the last day of a year.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(ERA_DAYS);
    let day_of_era = shifted.rem_euclid(ERA_DAYS);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, u8::try_from(month).unwrap_or(1), u8::try_from(day).unwrap_or(1))
}

/// Formats an instant (nanoseconds since 1970) in UTC as RFC 3339, with as many fraction digits as
/// needed: `2024-05-01T08:30:00.5Z`.
#[must_use]
pub(crate) fn time_text(nanos: i64) -> String {
    let (seconds, fraction) = (nanos.div_euclid(NANOS), nanos.rem_euclid(NANOS));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_date(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    push_fraction(&mut text, fraction, 9);
    text.push('Z');
    text
}

/// Formats a duration in nanoseconds in the notation of the engine: `1h30m0s`, `1.5s` or `2µs`.
#[must_use]
pub(crate) fn duration_text(nanos: i64) -> String {
    let size = nanos.unsigned_abs();
    let mut text = String::from(if nanos < 0 { "-" } else { "" });
    let (unit, digits, name) = match size {
        0 => return "0s".to_owned(),
        1..1_000 => (1, 0, "ns"),
        1_000..1_000_000 => (1_000, 3, "µs"),
        1_000_000..1_000_000_000 => (1_000_000, 6, "ms"),
        _ => (1_000_000_000, 9, "s"),
    };
    let mut whole = size / unit;
    if name == "s" {
        let (hours, minutes) = (whole / 3_600, whole / 60);
        if hours > 0 {
            text.push_str(&format!("{hours}h"));
        }
        if minutes > 0 {
            text.push_str(&format!("{}m", minutes % 60));
        }
        whole %= 60;
    }
    text.push_str(&whole.to_string());
    push_fraction(&mut text, (size % unit).cast_signed(), digits);
    text.push_str(name);
    text
}

/// Appends a dot and the digits of a fraction without trailing zeros. Appends nothing if it is 0.
pub(crate) fn push_fraction(text: &mut String, fraction: i64, digits: usize) {
    if fraction != 0 {
        let all = format!("{fraction:0digits$}");
        text.push('.');
        text.push_str(all.trim_end_matches('0'));
    }
}

/// Formats a float as the shortest decimal that parses to the same float, without exponent. The
/// text of `1.0` is `1`.
#[must_use]
pub(crate) fn float_text(value: f64) -> String {
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    value.to_string()
}

/// Escapes the content of a string literal. Other characters than ASCII become `\u{0000e9}`.
pub(super) fn escape_string(f: &mut dyn Write, text: &str) -> fmt::Result {
    let is_escaped = |char: char| matches!(char, '\'' | '"' | '\\' | '\n' | '\t' | '\u{80}'..);
    let mut rest = text;
    while let Some(at) = rest.find(is_escaped) {
        let (plain, from) = rest.split_at(at);
        f.write_str(plain)?;
        let mut chars = from.chars();
        match chars.next() {
            Some('\n') => f.write_str("\\n")?,
            Some('\t') => f.write_str("\\t")?,
            Some(char @ '\0'..='\x7f') => write!(f, "\\{char}")?,
            Some(char) => write!(f, "\\u{{{:06x}}}", u32::from(char))?,
            None => {}
        }
        rest = chars.as_str();
    }
    f.write_str(rest)
}

/// Escapes the content of a byte string literal.
pub(super) fn escape_bytes(f: &mut dyn Write, bytes: &[u8]) -> fmt::Result {
    for byte in bytes {
        match byte {
            b'\'' | b'"' | b'\n' | b'\t' | b'\\' | 0x80.. => write!(f, "\\x{byte:02x}")?,
            _ => f.write_char(char::from(*byte))?,
        }
    }
    Ok(())
}
