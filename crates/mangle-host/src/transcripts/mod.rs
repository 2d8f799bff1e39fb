//! Transcripts on disk: detection, and streaming of their decompressed bytes.
//!
//! Input is a list of paths, the settings, and the result of a folder walk. Results are
//! [`TranscriptFile`]s, and an [`Input`] per file that buffers one piece at a time. Parsing of the
//! content is in `transcript`.

mod accounts;
mod archive;
mod check;
mod check_inputs;
mod closed;
mod detection;
mod expansion;
mod figures;
mod open;
mod origins;
mod pieces;
mod read;
mod read_ahead;
mod silencing;
mod stretch;

pub use accounts::{AccountPolicies, Accounts, TranscriptPrograms};
pub(super) use archive::{is_archive, transcripts_in};
pub use check::{CheckedTranscripts, MAX_FINDINGS, TranscriptRequest, check_transcripts};
pub(super) use check_inputs::embedding;
pub use check_inputs::{CheckInputs, CheckInputsMap, programs_of_transcripts};
pub(super) use closed::{closed_limits, read_closed};
pub(super) use detection::{
    CaptureKind, capture_kind, has_envelope, has_fence, has_replies, is_included, is_markdown, is_text,
};
pub use detection::{TranscriptFile, plain_name};
#[cfg(test)]
pub(super) use expansion::EXPANSION;
pub use figures::{SeeEvent, TranscriptFigures};
pub use open::Input;
pub use pieces::EachRead;
pub use read::{ReadOptions, read_transcript, read_transcript_with};
pub use silencing::{Beginning, comments};
pub use stretch::{RecordStart, StretchTarget};
pub(super) use stretch::{Stretch, StretchRequest, read_stretch};
