//! Values as trees. They print as in a program.

use std::fmt;

use mangle_engine::kernel::{Datum, ValueId, Values};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Name(String),
    Number(i64),
    /// Its bits.
    Float(u64),
    Text(String),
    Pair(Box<Value>, Box<Value>),
    List(Vec<Value>),
    /// A list whose order is left open, as that of `fn:collect`: sorted.
    Bag(Vec<Value>),
    /// Sorted.
    Map(Vec<(Value, Value)>),
    /// Sorted.
    Struct(Vec<(Value, Value)>),
}

impl Value {
    pub fn name(text: &str) -> Self {
        Self::Name(text.to_owned())
    }

    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    pub fn float(value: f64) -> Self {
        Self::Float(value.to_bits())
    }

    pub fn truth(holds: bool) -> Self {
        Self::name(if holds { "/true" } else { "/false" })
    }

    pub fn bag(mut elements: Vec<Value>) -> Self {
        elements.sort();
        Self::Bag(elements)
    }

    pub fn map(mut entries: Vec<(Value, Value)>) -> Self {
        entries.sort();
        Self::Map(entries)
    }

    pub fn structure(mut entries: Vec<(Value, Value)>) -> Self {
        entries.sort();
        Self::Struct(entries)
    }

    /// A list without its order.
    pub fn unordered(self) -> Self {
        match self {
            Self::List(elements) => Self::bag(elements),
            other => other,
        }
    }

    /// Whether this can be the text of that: the order of some lists is open.
    pub fn reads(&self, other: &Value) -> bool {
        let is_open = matches!(self, Self::Bag(_)) || matches!(other, Self::Bag(_));
        let of = |value: &Value| if is_open { value.printed().unordered() } else { value.printed() };
        of(self) == of(other)
    }

    /// The value as far as its text tells: `1.0` is printed as `1`.
    #[allow(clippy::cast_possible_truncation)]
    pub fn printed(&self) -> Self {
        let all = |values: &[Value]| values.iter().map(Value::printed).collect::<Vec<_>>();
        let entries = |all: &[(Value, Value)]| all.iter().map(|(k, v)| (k.printed(), v.printed())).collect();
        match self {
            Self::Float(bits) if f64::from_bits(*bits).fract() == 0.0 => {
                Self::Number(f64::from_bits(*bits) as i64)
            }
            Self::Pair(first, second) => Self::Pair(first.printed().into(), second.printed().into()),
            Self::List(values) => Self::List(all(values)),
            Self::Bag(values) => Self::bag(all(values)),
            Self::Map(found) => Self::map(entries(found)),
            Self::Struct(found) => Self::structure(entries(found)),
            other => other.clone(),
        }
    }

    /// Whether it is no pair, list, map or struct.
    pub fn is_plain(&self) -> bool {
        matches!(self, Self::Name(_) | Self::Number(_) | Self::Float(_) | Self::Text(_))
    }

    /// The elements of a list with or without an order.
    pub fn elements(&self) -> Option<&[Value]> {
        match self {
            Self::List(elements) | Self::Bag(elements) => Some(elements),
            _ => None,
        }
    }

    /// A value of the kernel.
    pub fn from_id(values: &Values, id: ValueId) -> Self {
        let of = |id: &ValueId| Self::from_id(values, *id);
        let entries = |entries: &[(ValueId, ValueId)]| entries.iter().map(|(k, v)| (of(k), of(v))).collect();
        match values.get(id) {
            Datum::Name(text) => Self::name(text),
            Datum::Number(number) => Self::Number(*number),
            Datum::Float(bits) => Self::Float(*bits),
            Datum::String(text) => Self::text(text),
            Datum::Pair(first, second) => Self::Pair(of(first).into(), of(second).into()),
            Datum::List(elements) => Self::List(elements.iter().map(of).collect()),
            Datum::Map(found) => Self::map(entries(found)),
            Datum::Struct(found) => Self::structure(entries(found)),
            other => panic!("no program here has {other:?}"),
        }
    }

    /// The value for the kernel.
    pub fn intern(&self, values: &mut Values) -> ValueId {
        let datum = match self {
            Self::Name(text) => Datum::Name(text.as_str().into()),
            Self::Number(number) => Datum::Number(*number),
            Self::Float(bits) => Datum::Float(*bits),
            Self::Text(text) => Datum::String(text.as_str().into()),
            Self::Pair(first, second) => Datum::Pair(first.intern(values), second.intern(values)),
            Self::List(all) | Self::Bag(all) => {
                Datum::List(all.iter().map(|one| one.intern(values)).collect())
            }
            Self::Map(all) => {
                Datum::Map(all.iter().map(|(k, v)| (k.intern(values), v.intern(values))).collect())
            }
            Self::Struct(all) => {
                Datum::Struct(all.iter().map(|(k, v)| (k.intern(values), v.intern(values))).collect())
            }
        };
        values.intern(datum).unwrap()
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = |all: &[(Value, Value)]| {
            all.iter().map(|(k, v)| format!("{k} : {v}")).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Name(text) => f.write_str(text),
            Self::Number(number) => write!(f, "{number}"),
            Self::Float(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Pair(first, second) => write!(f, "fn:pair({first}, {second})"),
            Self::List(all) | Self::Bag(all) => {
                // `[-` would be a token of its own.
                write!(f, "[ {}]", all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
            }
            Self::Map(all) if all.is_empty() => f.write_str("fn:map()"),
            Self::Map(all) => write!(f, "[ {} ]", entries(all)),
            Self::Struct(all) => write!(f, "{{ {} }}", entries(all)),
        }
    }
}
