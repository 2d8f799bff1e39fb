//! Properties of values that are computed from their parts: printed size, nesting depth, content
//! hash, and the entry order of maps and structs.
//!
//! Values share their parts, so forty nested pairs can represent a text of terabytes. The size is
//! therefore computed from the direct parts when a value is interned, and checked before printing.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use super::{Counter, Datum, Key, ValueId, Values, escape_bytes, escape_string};

/// The maximum printed size in bytes, 256 TiB. Larger sizes are not distinguished.
pub const MAX_PRINTED: u64 = (1 << 48) - 1;

/// The maximum length of a time or duration in the notation of the engine, without the function
/// call.
const INSTANT: u64 = 30;

/// Size, depth and hash of a value, in 12 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ValueSize {
    /// The printed size in the lower 48 bits, and the depth in the upper 16. Stored as two words to
    /// avoid 8-byte alignment.
    size_and_depth: [u32; 2],
    digest: u32,
}

impl ValueSize {
    /// The extent of the number 0.
    pub(super) const NONE: Self = Self { size_and_depth: [1, 0], digest: 0 };

    fn new(bytes: u64, depth: u32, digest: u32) -> Self {
        let packed = bytes.min(MAX_PRINTED) | u64::from(depth.min(u32::from(u16::MAX))) << 48;
        let (low, high) = (packed & u64::from(u32::MAX), packed >> 32);
        // Both fit after the mask and the shift.
        let word = |half: u64| u32::try_from(half).unwrap_or(u32::MAX);
        Self { size_and_depth: [word(low), word(high)], digest }
    }

    fn packed(self) -> u64 {
        let [low, high] = self.size_and_depth;
        u64::from(low) | u64::from(high) << 32
    }

    /// The number of bytes in the notation of the engine.
    pub(super) fn bytes(self) -> u64 {
        self.packed() & MAX_PRINTED
    }

    /// 0 for a value without parts, otherwise one more than the deepest part.
    pub(super) fn depth(self) -> u32 {
        u32::try_from(self.packed() >> 48).unwrap_or(u32::MAX)
    }

    /// A content hash of a compound value, independent of the table.
    pub(super) fn digest(self) -> u32 {
        self.digest
    }
}

/// The extent of a value whose parts are in `values`.
pub(super) fn measure(values: &Values, datum: &Datum) -> ValueSize {
    let mut hasher = FxHasher::default();
    std::mem::discriminant(datum).hash(&mut hasher);
    let (mut parts, mut bytes, mut depth) = (0_u64, 0_u64, 0);
    datum.as_key().for_each_part(|part: ValueId| {
        let extent = values.extent(part);
        parts += 1;
        bytes = bytes.saturating_add(extent.bytes());
        depth = depth.max(extent.depth() + 1);
        values.digest(part).hash(&mut hasher);
    });
    let bytes = bytes.saturating_add(around(datum, parts));
    let hash = hasher.finish();
    // The upper bits of the hash are mixed best.
    ValueSize::new(bytes, depth, u32::try_from(hash >> 32).unwrap_or(u32::MAX))
}

/// The size of a simple value, or the size of the punctuation around `parts` parts.
fn around(datum: &Datum, parts: u64) -> u64 {
    let between = parts.saturating_sub(1).saturating_mul(2);
    match datum.as_key() {
        Key::Name(name) => name.len() as u64,
        Key::Number(number) => number
            .checked_abs()
            .map_or(20, |size| u64::from(size.checked_ilog10().unwrap_or(0)) + 1 + u64::from(number < 0)),
        Key::Float(bits) => counted(|count| write_float(count, f64::from_bits(bits))),
        Key::String(text) => 2 + counted(|count| escape_string(count, text)),
        Key::Bytes(bytes) => 3 + counted(|count| escape_bytes(count, bytes)),
        Key::Time(_) => "fn:time:parse_rfc3339(\"\")".len() as u64 + INSTANT,
        Key::Duration(_) => "fn:duration:parse(\"\")".len() as u64 + INSTANT,
        Key::Pair(..) => "fn:pair(, )".len() as u64,
        Key::List(_) => 2 + between,
        Key::Map([]) => "fn:map()".len() as u64,
        // ` : ` is one byte longer than `, `, and each entry of two parts has one.
        Key::Map(_) | Key::Struct(_) => 2 + between + parts / 2,
    }
}

fn counted(write: impl FnOnce(&mut dyn std::fmt::Write) -> std::fmt::Result) -> u64 {
    let mut counter = Counter::default();
    // Counting does not fail.
    let _ = write(&mut counter);
    counter.bytes
}

fn write_float(out: &mut dyn std::fmt::Write, value: f64) -> std::fmt::Result {
    if value.is_infinite() { out.write_str("+Inf") } else { write!(out, "{value}") }
}

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
