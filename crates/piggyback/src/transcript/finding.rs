//! A finding about a transcript, and where it is.

use crate::transcript::address::Address;
use crate::transcript::turn::Record;
use mangle_syntax::lint::Finding;

/// Something that was found in a transcript.
#[derive(Debug, Clone)]
pub struct TranscriptFinding {
    /// The number of its record.
    pub record: u64,
    /// Where the record starts in the file, in bytes: ranges of the finding that are anchored nowhere else count
    /// from there.
    pub start: u64,
    /// The finding, with ranges from the start of its record.
    pub finding: Finding,
    /// Where, for people.
    pub address: Address,
}

impl TranscriptFinding {
    /// A finding about the bytes of a record, on its characters.
    #[must_use]
    pub fn of(record: &Record<'_>, finding: Finding, address: Address) -> Self {
        let finding = finding.on_characters(record.bytes);
        Self { record: record.number, start: record.start, finding, address }
    }
}
