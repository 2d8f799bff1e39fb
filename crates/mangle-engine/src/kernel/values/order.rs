//! Entry order of maps and structs. The engine sorts keys by its own hash, in descending order, and
//! prints them in this order.

use rustc_hash::FxHashMap;

use super::{Datum, ValueId, Values};

/// Sorts entries like the engine. Entries with equal keys keep their order.
///
/// The engine orders different keys with the same hash randomly. Here they are ordered by number.
pub(super) fn sort(values: &Values, entries: &mut [(ValueId, ValueId)], known: &mut FxHashMap<ValueId, u64>) {
    if entries.len() > 1 {
        entries.sort_by_cached_key(|(key, _)| (!engine_hash(values, *key, known), *key));
    }
}

/// The hash of a value in the engine. `known` caches the hashes of compound values.
pub(super) fn engine_hash(values: &Values, id: ValueId, known: &mut FxHashMap<ValueId, u64>) -> u64 {
    let mut open = vec![id];
    while let Some(&next) = open.last() {
        let datum = values.get(next);
        if values.depth(next) == 0 || known.contains_key(&next) {
            open.pop();
            continue;
        }
        let before = open.len();
        datum.as_key().for_each_part(|part| {
            if values.depth(part) > 0 && !known.contains_key(&part) {
                open.push(part);
            }
        });
        if open.len() == before {
            known.insert(next, of_parts(values, datum, known));
            open.pop();
        }
    }
    value_hash(values, id, known)
}

/// The hash of a simple value or of a cached compound value.
fn value_hash(values: &Values, id: ValueId, known: &FxHashMap<ValueId, u64>) -> u64 {
    match values.get(id) {
        Datum::Name(text) | Datum::String(text) => fnv(text.as_bytes()),
        Datum::Bytes(bytes) => fnv(bytes),
        Datum::Number(number) | Datum::Time(number) | Datum::Duration(number) => number.cast_unsigned(),
        Datum::Float(bits) => *bits,
        // The hash of an empty value is 0.
        _ => known.get(&id).copied().unwrap_or(0),
    }
}

/// The hash of a compound value from the hashes of its parts. Lists, maps and structs are chains of
/// pairs: the first element and the rest.
fn of_parts(values: &Values, datum: &Datum, known: &FxHashMap<ValueId, u64>) -> u64 {
    const PAIR: u32 = 7;
    let of = |id: &ValueId| value_hash(values, *id, known);
    let link = |kind: u32| move |rest: u64, first: u64| cons(first, rest, kind);
    match datum {
        Datum::Pair(first, second) => cons(of(first), of(second), PAIR),
        Datum::List(list) => list.iter().rev().map(of).fold(0, link(8)),
        Datum::Map(entries) | Datum::Struct(entries) => {
            let kind = if matches!(datum, Datum::Map(_)) { 9 } else { 10 };
            let entry = |(key, value): &(ValueId, ValueId)| cons(of(key), of(value), PAIR);
            entries.iter().rev().map(entry).fold(0, link(kind))
        }
        _ => 0,
    }
}

/// Szudzik's pairing function of two numbers, with the first shifted by the kind of the chain.
fn cons(first: u64, second: u64, kind: u32) -> u64 {
    let first = first << kind;
    if first >= second {
        first.wrapping_mul(first).wrapping_add(first).wrapping_add(second)
    } else {
        second.wrapping_mul(second).wrapping_add(first)
    }
}

/// FNV-1 with 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(*byte))
}
