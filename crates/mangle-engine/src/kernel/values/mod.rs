//! Interned values: the arguments of facts, each stored once and identified by a number.
//!
//! The parts of a [`Datum`] are already interned. [`ValueId`]s are equal if and only if the engine
//! considers the values equal.
//!
//! `1`, `1.0`, `"1"` and `/1` all differ. Lists are ordered, maps and structs are not. A fork adds
//! values to a shared table without copying it.

mod display;
mod order;
mod table;
#[cfg(test)]
mod tests;
mod text;
mod value_size;
mod walk;

pub use display::PRINTED_BYTES;
pub(super) use display::shares;
pub use table::{TooDeep, Values};
pub(super) use text::{civil_date, duration_text, float_text, push_fraction, time_text};
pub use value_size::MAX_PRINTED;
pub(super) use walk::{MARK, cut_text, mark};

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
