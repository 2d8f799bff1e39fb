//! A record after reading, without its bytes and with a result.

use super::record_shape::RecordShape;
use super::repetitions::TextKeys;
use super::turn::{Record, Turn};
use mangle_syntax::lint::Finding;

/// A [`Record`] without its bytes.
#[derive(Debug)]
pub(super) struct ReadRecord<T> {
    number: u64,
    start: u64,
    len: usize,
    turns: Vec<Turn>,
    findings: Vec<Finding>,
    shape: Option<RecordShape>,
    /// Hashes of the texts that may be copies.
    keys: TextKeys,
    /// Result of the work on the record.
    result: T,
}

impl<T> ReadRecord<T> {
    /// Drops the bytes of a record and attaches a result.
    pub(super) fn new(record: Record<'_>, keys: TextKeys, result: T) -> Self {
        let Record { number, start, bytes, turns, findings, shape } = record;
        Self { number, start, len: bytes.len(), turns, findings, shape, keys, result }
    }

    /// Returns the record with its bytes, the offset of these bytes in the batch, the keys and the
    /// result.
    pub(super) fn with_bytes(self, batch: &[u8], start: u64) -> (Record<'_>, usize, TextKeys, T) {
        let from = usize::try_from(self.start.saturating_sub(start)).unwrap_or(usize::MAX);
        let bytes = batch.get(from..from.saturating_add(self.len)).unwrap_or(&[]);
        let Self { number, start, turns, findings, shape, keys, result, .. } = self;
        (Record { number, start, bytes, turns, findings, shape }, from, keys, result)
    }
}
