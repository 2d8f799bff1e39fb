//! Interned values: the arguments of facts, each stored once and identified by a number.
//!
//! The parts of a [`Datum`] are already interned. [`ValueId`]s are equal if and only if the engine
//! considers the values equal.
//!
//! `1`, `1.0`, `"1"` and `/1` all differ. Lists are ordered, maps and structs are not. A fork adds
//! values to a shared table without copying it. The text of values without parts is in this file.

mod display;
mod measure;
mod table;

pub use display::PRINTED_BYTES;
pub(super) use display::{MARK, cut_text, mark, shares};
pub use measure::MAX_PRINTED;
pub use table::{TooDeep, Values};

use std::fmt::{self, Write};

/// The number of an interned value in its [`Values`]. Two values in the same [`Values`] (including
/// forks) are equal if and only if their numbers are equal.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Ord, PartialOrd, Debug)]
pub struct ValueId(pub u32);

/// A value whose parts are interned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Datum {
    /// A name constant, including the slash.
    Name(Box<str>),
    /// An integer.
    Number(i64),
    /// The bits of a float. All NaNs are interned as one value. `-0.0` and `0.0` differ, because
    /// the engine compares bits.
    Float(u64),
    /// The content of a string, without quotes and escapes.
    String(Box<str>),
    /// A byte string.
    Bytes(Box<[u8]>),
    /// An instant, in nanoseconds since 1970 UTC.
    Time(i64),
    /// A duration in nanoseconds.
    Duration(i64),
    /// A pair of two interned values.
    Pair(ValueId, ValueId),
    /// The elements of a list, in order.
    List(Box<[ValueId]>),
    /// A map. Entries are interned in the order of the engine. If a key is repeated, all its
    /// entries stay, in their original order.
    Map(Box<[(ValueId, ValueId)]>),
    /// A struct, ordered like a map.
    Struct(Box<[(ValueId, ValueId)]>),
}

impl Datum {
    /// A float by its value.
    #[must_use]
    pub fn float(value: f64) -> Self {
        Self::Float(value.to_bits())
    }

    /// The kind of the value for messages, for example "a number".
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Name(_) => "a name",
            Self::Number(_) => "a number",
            Self::Float(_) => "a float",
            Self::String(_) => "a string",
            Self::Bytes(_) => "a byte string",
            Self::Time(_) => "a time",
            Self::Duration(_) => "a duration",
            Self::Pair(..) => "a pair",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Struct(_) => "a struct",
        }
    }

    fn as_key(&self) -> Key<'_> {
        match self {
            Self::Name(name) => Key::Name(name),
            Self::Number(number) => Key::Number(*number),
            Self::Float(bits) => Key::Float(*bits),
            Self::String(text) => Key::String(text),
            Self::Bytes(bytes) => Key::Bytes(bytes),
            Self::Time(nanos) => Key::Time(*nanos),
            Self::Duration(nanos) => Key::Duration(*nanos),
            Self::Pair(first, second) => Key::Pair(*first, *second),
            Self::List(values) => Key::List(values),
            Self::Map(entries) => Key::Map(entries),
            Self::Struct(entries) => Key::Struct(entries),
        }
    }
}

/// A borrowed [`Datum`], for lookups without copying.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key<'a> {
    Name(&'a str),
    Number(i64),
    Float(u64),
    String(&'a str),
    Bytes(&'a [u8]),
    Time(i64),
    Duration(i64),
    Pair(ValueId, ValueId),
    List(&'a [ValueId]),
    Map(&'a [(ValueId, ValueId)]),
    Struct(&'a [(ValueId, ValueId)]),
}

impl Key<'_> {
    fn to_datum(self) -> Datum {
        match self {
            Self::Name(name) => Datum::Name(name.into()),
            Self::Number(number) => Datum::Number(number),
            Self::Float(bits) => Datum::Float(bits),
            Self::String(text) => Datum::String(text.into()),
            Self::Bytes(bytes) => Datum::Bytes(bytes.into()),
            Self::Time(nanos) => Datum::Time(nanos),
            Self::Duration(nanos) => Datum::Duration(nanos),
            Self::Pair(first, second) => Datum::Pair(first, second),
            Self::List(values) => Datum::List(values.into()),
            Self::Map(entries) => Datum::Map(entries.into()),
            Self::Struct(entries) => Datum::Struct(entries.into()),
        }
    }

    /// The number of bytes or parts.
    fn size(self) -> usize {
        match self {
            Self::Name(text) | Self::String(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
            Self::List(values) => values.len(),
            Self::Map(entries) | Self::Struct(entries) => entries.len(),
            _ => 0,
        }
    }

    /// Visits the direct parts of the value.
    fn for_each_part(self, mut visit: impl FnMut(ValueId)) {
        match self {
            Self::Pair(first, second) => [first, second].into_iter().for_each(visit),
            Self::List(values) => values.iter().copied().for_each(visit),
            Self::Map(entries) | Self::Struct(entries) => {
                for (key, value) in entries {
                    visit(*key);
                    visit(*value);
                }
            }
            _ => {}
        }
    }
}

/// Counts written bytes.
#[derive(Debug, Default)]
struct Counter {
    bytes: u64,
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
fn escape_string(f: &mut dyn Write, text: &str) -> fmt::Result {
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
fn escape_bytes(f: &mut dyn Write, bytes: &[u8]) -> fmt::Result {
    for byte in bytes {
        match byte {
            b'\'' | b'"' | b'\n' | b'\t' | b'\\' | 0x80.. => write!(f, "\\x{byte:02x}")?,
            _ => f.write_char(char::from(*byte))?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
