//! Transcripts on disk: which files are some, and their bytes, decompressed, as they come.
//!
//! Takes paths, settings and what the walk of a folder found; gives [`TranscriptFile`]s, and an [`Input`] for each, which
//! holds a piece of the file at a time. What is in them is the business of `transcript` and below.

mod accounts;
mod archive;
mod check;
mod closed;
mod detection;
mod expansion;
mod figures;
mod knowledge;
mod open;
mod origins;
mod pieces;
mod read;
mod read_ahead;
mod silencing;
mod stretch;

pub use accounts::{AccountPolicies, Accounts, TranscriptPrograms};
pub(super) use archive::{is_archive, transcripts_in};
pub use check::{CheckedTranscripts, MOST_FINDINGS, TranscriptRequest, check_transcripts};
pub(super) use closed::{closed_limits, read_closed};
pub(super) use detection::{
    CaptureKind, capture_kind, has_envelope, has_fence, has_replies, is_included, is_markdown, is_text,
};
pub use detection::{TranscriptFile, plain_name};
#[cfg(test)]
pub(super) use expansion::EXPANSION;
pub use figures::{SeeEvent, TranscriptFigures};
pub(super) use knowledge::embedding;
pub use knowledge::{Knowledge, KnowledgeMap, programs_of_transcripts};
pub use open::Input;
pub use pieces::EachRead;
pub use read::{ReadOptions, read_transcript, read_transcript_with};
pub use silencing::{Beginning, comments};
pub use stretch::{RecordStart, StretchTarget};
pub(super) use stretch::{Stretch, StretchRequest, read_stretch};
