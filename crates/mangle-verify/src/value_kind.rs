//! Kinds of values, and an order of the values of one kind.

use mangle_engine::kernel::Datum;
use mangle_engine::types::Base;

/// Returns the kind of a value without parts.
pub(crate) fn kind(datum: &Datum) -> Option<Base> {
    Some(match datum {
        Datum::Name(_) => Base::Name,
        Datum::Number(_) => Base::Number,
        Datum::Float(_) => Base::Float,
        Datum::String(_) => Base::String,
        Datum::Bytes(_) => Base::Bytes,
        Datum::Time(_) => Base::Time,
        Datum::Duration(_) => Base::Duration,
        Datum::Pair(..) | Datum::List(_) | Datum::Map(_) | Datum::Struct(_) => return None,
    })
}

/// Compares values of one kind, independently of their interning order. Negative numbers are last.
pub(crate) fn in_order(one: &Datum, other: &Datum) -> std::cmp::Ordering {
    match (one, other) {
        (Datum::Name(one), Datum::Name(other)) | (Datum::String(one), Datum::String(other)) => one.cmp(other),
        (Datum::Number(one), Datum::Number(other)) => (*one < 0, one).cmp(&(*other < 0, other)),
        (Datum::Time(one), Datum::Time(other)) | (Datum::Duration(one), Datum::Duration(other)) => {
            one.cmp(other)
        }
        _ => std::cmp::Ordering::Equal,
    }
}
