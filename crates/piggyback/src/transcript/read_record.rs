//! A record that was read and is kept without its bytes, with what was found out about it.

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
    /// The texts that may be copies of others.
    keys: TextKeys,
    /// What was found out about the record.
    result: T,
}

impl<T> ReadRecord<T> {
    /// A record without its bytes, and what else is to be kept.
    pub(super) fn new(record: Record<'_>, keys: TextKeys, result: T) -> Self {
        let Record { number, start, bytes, turns, findings, shape } = record;
        Self { number, start, len: bytes.len(), turns, findings, shape, keys, result }
    }

    /// The record with its bytes, where in the batch they begin, and what else was kept.
    pub(super) fn with_bytes(self, batch: &[u8], start: u64) -> (Record<'_>, usize, TextKeys, T) {
        let from = usize::try_from(self.start.saturating_sub(start)).unwrap_or(usize::MAX);
        let bytes = batch.get(from..from.saturating_add(self.len)).unwrap_or(&[]);
        let Self { number, start, turns, findings, shape, keys, result, .. } = self;
        (Record { number, start, bytes, turns, findings, shape }, from, keys, result)
    }
}
