//! Values: what arguments of facts are.

use std::fmt;

/// A value. Equality is structural and typed as in the engine: `1`, `1.0`, `"1"` and `/1` all
/// differ. Maps and structs compare entry by entry in the order in which they were built.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A name constant, slash included.
    Name(Box<str>),
    /// An integer.
    Number(i64),
    /// A float.
    Float(f64),
    /// A string.
    String(Box<str>),
    /// A byte string.
    Bytes(Box<[u8]>),
    /// An instant, nanoseconds since 1970 UTC.
    Time(i64),
    /// A duration in nanoseconds.
    Duration(i64),
    /// A pair.
    Pair(Box<(Value, Value)>),
    /// A list.
    List(Vec<Value>),
    /// A map, duplicate keys kept.
    Map(Vec<(Value, Value)>),
    /// A struct, duplicate fields kept.
    Struct(Vec<(Value, Value)>),
}

impl Value {
    /// What kind of value it is, as a message names it.
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
            Self::Pair(_) => "a pair",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Struct(_) => "a struct",
        }
    }
}

impl fmt::Display for Value {
    /// Short and for people: strings quoted, collections by their kind.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Number(number) => write!(f, "{number}"),
            Self::Float(float) => write!(f, "{float:?}"),
            Self::String(text) => write!(f, "{text:?}"),
            _ => f.write_str(self.kind()),
        }
    }
}
