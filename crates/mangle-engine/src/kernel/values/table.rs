//! Table of interned values: a vector with a hash index.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

use super::super::work;
use super::measure::ValueSize;
use super::{Datum, Key, ValueId, measure};
use crate::kernel::collections::{ChunkedVec, ShardedTable};

/// A value nests deeper than the limit. The text completes "this stops the engine: …".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a value would nest deeper than {limit} levels")]
pub struct TooDeep {
    /// The maximum number of levels.
    pub limit: u32,
}

/// The default maximum nesting depth of values.
const DEPTH_LIMIT: u32 = 1_000;

/// The bits of the interned NaN: the result of arithmetic on x86.
const NAN: u64 = 0xfff8_0000_0000_0000;

/// Interned values. The numbers of values are valid in the table and in its forks.
pub struct Values {
    base: Option<Arc<Values>>,
    /// The number of the first value that is not in the base.
    first: u32,
    entries: ChunkedVec<Entry>,
    /// Indexes into `entries`.
    table: ShardedTable<u32>,
    /// The heap memory of the values in bytes, excluding their entries.
    heap: usize,
    depth_limit: u32,
    /// The engine hashes of compound map keys, used as sort keys.
    key_hashes: FxHashMap<ValueId, u64>,
}

/// The value `0`, returned for invalid numbers.
static ZERO_ENTRY: Entry = Entry { datum: Datum::Number(0), hash: 0, extent: ValueSize::NONE };

struct Entry {
    datum: Datum,
    hash: u32,
    extent: ValueSize,
}

impl Default for Values {
    fn default() -> Self {
        Self {
            base: None,
            first: 0,
            entries: ChunkedVec::default(),
            table: ShardedTable::default(),
            heap: 0,
            depth_limit: DEPTH_LIMIT,
            key_hashes: FxHashMap::default(),
        }
    }
}

impl Values {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A table that extends `base`, which stays unchanged. Takes constant time.
    #[must_use]
    pub fn fork(base: Arc<Self>) -> Self {
        let (first, depth_limit) = (base.end(), base.depth_limit);
        Self { base: Some(base), first, depth_limit, ..Self::default() }
    }

    /// Returns a table with the same values. Both tables can grow independently.
    #[must_use]
    pub fn share(&mut self) -> Self {
        if self.base.is_none() || !self.entries.is_empty() {
            let all = Arc::new(std::mem::take(self));
            *self = Self::fork(all);
        }
        let (base, first, depth_limit) = (self.base.clone(), self.first, self.depth_limit);
        Self { base, first, depth_limit, ..Self::default() }
    }

    /// Sets the maximum nesting depth for new values. Default: 1,000, maximum: 65,534.
    pub fn set_depth_limit(&mut self, limit: u32) {
        self.depth_limit = limit.min(u32::from(u16::MAX) - 1);
    }

    /// The number of values, including the base.
    #[must_use]
    pub fn len(&self) -> usize {
        self.end() as usize
    }

    /// True if the table has no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The used memory in bytes, excluding the base.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let hashes = self.key_hashes.capacity() * (size_of::<(ValueId, u64)>() + 1) * 8 / 7;
        self.entries.bytes() + self.table.bytes() + self.heap + hashes
    }

    /// The used memory in bytes, including all bases.
    pub(in crate::kernel) fn bytes_in_all(&self) -> usize {
        let bases = std::iter::successors(self.base.as_deref(), |values| values.base.as_deref());
        self.bytes() + bases.map(Self::bytes).sum::<usize>()
    }

    /// Interns `datum` and returns its number. Its parts must be values of this table.
    ///
    /// # Errors
    /// If the value would nest too deep.
    pub fn intern(&mut self, datum: Datum) -> Result<ValueId, TooDeep> {
        let datum = self.canonical(datum);
        let hash = hash(datum.as_key());
        match self.lookup(datum.as_key(), hash) {
            Some(id) => Ok(id),
            None => self.add(datum, hash),
        }
    }

    /// The number of `datum`, if it is interned.
    #[must_use]
    pub fn find(&self, datum: &Datum) -> Option<ValueId> {
        let sorted = match datum {
            Datum::Float(_) => self.with_parts_sorted(datum.clone(), &mut FxHashMap::default()),
            Datum::Map(entries) | Datum::Struct(entries) if entries.len() > 1 => {
                self.with_parts_sorted(datum.clone(), &mut FxHashMap::default())
            }
            _ => return self.lookup(datum.as_key(), hash(datum.as_key())),
        };
        self.lookup(sorted.as_key(), hash(sorted.as_key()))
    }

    /// Interns an integer.
    pub fn number(&mut self, number: i64) -> ValueId {
        self.scalar(Key::Number(number))
    }

    /// Interns a float. All NaNs become one value.
    pub fn float(&mut self, value: f64) -> ValueId {
        let bits = if value.is_nan() { NAN } else { value.to_bits() };
        self.scalar(Key::Float(bits))
    }

    /// Interns a name constant, including its slash.
    pub fn name(&mut self, name: &str) -> ValueId {
        self.scalar(Key::Name(name))
    }

    /// Interns a string.
    pub fn string(&mut self, text: &str) -> ValueId {
        self.scalar(Key::String(text))
    }

    /// Interns an instant, in nanoseconds since 1970 UTC.
    pub fn time(&mut self, nanos: i64) -> ValueId {
        self.scalar(Key::Time(nanos))
    }

    /// Interns a duration in nanoseconds.
    pub fn duration(&mut self, nanos: i64) -> ValueId {
        self.scalar(Key::Duration(nanos))
    }

    /// Interns a pair.
    ///
    /// # Errors
    /// If the value would nest too deep.
    pub fn pair(&mut self, first: ValueId, second: ValueId) -> Result<ValueId, TooDeep> {
        self.intern(Datum::Pair(first, second))
    }

    /// Interns a list.
    ///
    /// # Errors
    /// If the value would nest too deep.
    pub fn list(&mut self, values: &[ValueId]) -> Result<ValueId, TooDeep> {
        let key = Key::List(values);
        let hash = hash(key);
        match self.lookup(key, hash) {
            Some(id) => Ok(id),
            None => self.add(key.to_datum(), hash),
        }
    }

    /// The value with this number.
    ///
    /// # Panics
    /// If the number belongs to another table.
    #[must_use]
    pub fn get(&self, id: ValueId) -> &Datum {
        work::record_work(1);
        &self.entry(id).datum
    }

    /// The nesting depth of a value. 0 for a value without parts.
    #[must_use]
    pub fn depth(&self, id: ValueId) -> u32 {
        self.entry(id).extent.depth()
    }

    /// The size of a value in the notation of the engine in bytes, at most
    /// [`MAX_PRINTED`](super::MAX_PRINTED). Values share parts, so the size can be much larger
    /// than their memory.
    #[must_use]
    pub fn printed_bytes(&self, id: ValueId) -> u64 {
        self.entry(id).extent.bytes()
    }

    /// A content hash of a value, independent of the table.
    pub(super) fn digest(&self, id: ValueId) -> u32 {
        let entry = self.entry(id);
        if entry.extent.depth() == 0 { entry.hash } else { entry.extent.digest() }
    }

    pub(super) fn extent(&self, id: ValueId) -> ValueSize {
        self.entry(id).extent
    }

    /// The hash of a value in the engine, which sorts the keys of maps by it.
    ///
    /// If the hashes of two facts are equal, the engine keeps only the first. `0`, `0.0` and `[]`
    /// have equal hashes.
    pub fn engine_hash(&mut self, id: ValueId) -> u64 {
        let mut known = std::mem::take(&mut self.key_hashes);
        let hash = measure::engine_hash(self, id, &mut known);
        self.key_hashes = known;
        hash
    }

    fn end(&self) -> u32 {
        self.first + u32::try_from(self.entries.len()).unwrap_or(u32::MAX)
    }

    fn entry(&self, id: ValueId) -> &Entry {
        let mut values = self;
        while let Some(base) = &values.base
            && id.0 < values.first
        {
            values = base;
        }
        values.entries.get((id.0 - values.first) as usize).unwrap_or(&ZERO_ENTRY)
    }

    fn scalar(&mut self, key: Key<'_>) -> ValueId {
        let hash = hash(key);
        self.lookup(key, hash).unwrap_or_else(|| {
            let datum = key.to_datum();
            let extent = measure::measure(self, &datum);
            self.push(datum, hash, extent)
        })
    }

    fn lookup(&self, key: Key<'_>, hash: u32) -> Option<ValueId> {
        work::record_work(1 + key.size() / 256);
        let mut values = Some(self);
        while let Some(level) = values {
            let same = |index: &u32| {
                let entry = level.entries.get(*index as usize);
                entry.is_some_and(|entry| entry.hash == hash && entry.datum.as_key() == key)
            };
            if let Some(index) = level.table.find(spread(hash), same) {
                return Some(ValueId(level.first + index));
            }
            values = level.base.as_deref();
        }
        None
    }

    fn add(&mut self, datum: Datum, hash: u32) -> Result<ValueId, TooDeep> {
        let extent = measure::measure(self, &datum);
        if extent.depth() > self.depth_limit {
            return Err(TooDeep { limit: self.depth_limit });
        }
        Ok(self.push(datum, hash, extent))
    }

    fn push(&mut self, datum: Datum, hash: u32, extent: ValueSize) -> ValueId {
        let id = ValueId(self.end());
        self.heap += allocated(match &datum {
            Datum::Name(text) | Datum::String(text) => text.len(),
            Datum::Bytes(bytes) => bytes.len(),
            Datum::List(values) => size_of_val::<[ValueId]>(values),
            Datum::Map(entries) | Datum::Struct(entries) => size_of_val::<[(ValueId, ValueId)]>(entries),
            _ => 0,
        });
        let entries = &self.entries;
        let hash_of = |index: &u32| spread(entries.get(*index as usize).map_or(hash, |entry| entry.hash));
        self.table.insert(spread(hash), |_| false, hash_of, id.0 - self.first);
        self.entries.push(Entry { datum, hash, extent });
        id
    }

    fn canonical(&mut self, datum: Datum) -> Datum {
        let mut known = std::mem::take(&mut self.key_hashes);
        let datum = self.with_parts_sorted(datum, &mut known);
        self.key_hashes = known;
        datum
    }

    fn with_parts_sorted(&self, mut datum: Datum, known: &mut FxHashMap<ValueId, u64>) -> Datum {
        match &mut datum {
            Datum::Float(bits) if f64::from_bits(*bits).is_nan() => *bits = NAN,
            Datum::Map(entries) | Datum::Struct(entries) => measure::sort(self, entries, known),
            _ => {}
        }
        datum
    }
}

/// The memory of an allocation: multiples of 16 bytes.
fn allocated(bytes: usize) -> usize {
    bytes.next_multiple_of(16)
}

/// Half of a content hash of the key.
fn hash(key: Key<'_>) -> u32 {
    let mut hasher = FxHasher::default();
    match key {
        Key::Number(number) => return hash_number(number, 0),
        Key::Time(nanos) => return hash_number(nanos, 1),
        Key::Duration(nanos) => return hash_number(nanos, 2),
        Key::Name(text) => (3_u8, text).hash(&mut hasher),
        Key::Float(bits) => return hash_float(bits),
        Key::String(text) => (5_u8, text).hash(&mut hasher),
        Key::Bytes(bytes) => (6_u8, bytes).hash(&mut hasher),
        Key::Pair(first, second) => (7_u8, first, second).hash(&mut hasher),
        Key::List(values) => (8_u8, values).hash(&mut hasher),
        Key::Map(entries) => (9_u8, entries).hash(&mut hasher),
        Key::Struct(entries) => (10_u8, entries).hash(&mut hasher),
    }
    (hasher.finish() >> 20) as u32
}

/// A hash that gives adjacent numbers adjacent places in the table, which saves cache misses.
/// Blocks of 64 numbers are scattered.
fn hash_number(number: i64, kind: u64) -> u32 {
    let block = (number >> 6).cast_unsigned();
    let scattered = block.wrapping_add(kind << 60).wrapping_mul(SCATTER) >> 32;
    (scattered ^ (number.cast_unsigned() & 63)) as u32
}

/// A hash of float bits. Short floats end in many zeros, and similar floats start alike, so both
/// halves are mixed. The hash of `0.0` differs from the hash of `0`.
fn hash_float(bits: u64) -> u32 {
    let scattered = bits.wrapping_add(1).wrapping_mul(SCATTER);
    (scattered ^ (scattered >> 32)) as u32
}

/// Expands the hash. The table uses the lower bits for the place and the upper seven for a first
/// comparison. The shard uses the eight bits below, which are equal for adjacent numbers.
fn spread(hash: u32) -> u64 {
    let (first, part) = (u64::from(hash).wrapping_mul(SCATTER), u64::from(hash >> 6).wrapping_mul(SCATTER));
    u64::from(hash) | (part & (0x1ff << 48)) | (first & (0x7f << 57))
}

/// An odd number with well mixed bits: 2⁶⁴ divided by the golden ratio.
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Values").field("len", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_in_a_row_have_different_hashes() {
        const COUNT: i64 = 100_000;
        let float = |value: f64| Key::Float(value.to_bits());
        type Family = (&'static str, fn(i64) -> Key<'static>);
        let families: [Family; 9] = [
            ("numbers", Key::Number),
            ("large steps", |n| Key::Number(n << 40)),
            ("days", |n| Key::Time(n * 86_400_000_000_000)),
            ("seconds", |n| Key::Duration(n * 1_000_000_000)),
            ("halves", |n| Key::Float((n as f64 + 0.5).to_bits())),
            ("tenths", |n| Key::Float((n as f64 / 10.0).to_bits())),
            ("neighbours", |n| Key::Float(1.0_f64.to_bits() + n.cast_unsigned())),
            ("large", |n| Key::Float((n as f64 * 1e12).to_bits())),
            ("negative", |n| Key::Float((-(n as f64)).to_bits())),
        ];
        for (family, key) in families {
            let hashes: rustc_hash::FxHashSet<u32> = (0..COUNT).map(|n| hash(key(n))).collect();
            assert!(hashes.len() as i64 > COUNT * 99 / 100, "{family}: {} hashes", hashes.len());
        }
        assert_ne!(hash(float(0.0)), hash(float(-0.0)));
    }
}
