//! Finding about a transcript with its position.

use crate::transcript::address::Address;
use crate::transcript::turn::Record;
use mangle_syntax::lint::Finding;

/// A finding about a transcript.
#[derive(Debug, Clone)]
pub struct TranscriptFinding {
    /// Record number; 0 for the file as a whole.
    pub record: u64,
    /// Offset of the record in the file, in bytes. Ranges of the finding without another anchor are
    /// relative to this offset.
    pub start: u64,
    /// The finding. Ranges are relative to the start of the record.
    pub finding: Finding,
    /// Human-readable position.
    pub address: Address,
}

impl TranscriptFinding {
    /// Creates a finding about bytes of a record. Extends its ranges to whole characters.
    #[must_use]
    pub fn new(record: &Record<'_>, finding: Finding, address: Address) -> Self {
        let finding = finding.on_characters(record.bytes);
        Self { record: record.number, start: record.start, finding, address }
    }
}
