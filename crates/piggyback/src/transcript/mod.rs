//! Transcripts: captured replies of an agent in any of the supported container formats.
//!
//! Parses bytes, all at once ([`Transcript`]) or in chunks ([`TranscriptReader`]), into records and
//! turns. Each turn maps its text to the bytes of the file.
//!
//! This module knows the container formats and the state of a session. The envelope module checks
//! the content of replies. Neither opens files.

mod batch;
#[cfg(test)]
mod batch_tests;
pub mod channels;
mod check;
#[cfg(test)]
mod clean_properties;
#[cfg(test)]
mod damage_tests;
mod detect;
mod digest;
mod document;
mod entry;
mod evidence;
mod findings;
#[cfg(test)]
mod fix_properties;
#[cfg(test)]
mod formats_tests;
pub mod labels;
mod log;
#[cfg(test)]
mod native_calls_tests;
mod placement;
mod plain;
#[cfg(test)]
mod properties;
mod reader;
mod record;
mod record_splitter;
#[cfg(test)]
mod relatives_tests;
mod session;
pub mod settings;
mod shapes;
#[cfg(test)]
mod silence_tests;
mod sketch;
pub mod statistics;
mod stream;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod tokens;
mod turn;
mod words;

use std::sync::Arc;

use mangle_settings::{TranscriptSettings, TranscriptShape};
use mangle_syntax::lint::Rule;

pub use batch::{Batch, MergedRecordCallback, ReadBatch};
pub use check::{Checker, RecordCheck, RecordChecker, check, check_reply, check_with, place};
pub use digest::{Digest, TurnSite};
pub use document::{DocumentRecord, RecordContent, Transcript, TurnPosition};
pub use findings::{
    BAD_RECORD, EMPTY_REPLY, INVALID_UTF8, MIXED_CONTAINER, NO_REPLY_FOUND, NOT_A_REPLY, OPEN_FENCE,
    PREVIEW_ONLY, REPLY_NOT_READ, UNKNOWN_FORMAT,
};
pub use mangle_settings::Container;
pub use placement::{Address, TranscriptFinding, map_fix_to_record};
pub use reader::{MAX_DOCUMENT_LEN, MAX_RECORD_LEN, ReadSummary, TranscriptReader};
pub use session::{Limits, MAX_PENDING_FINDINGS, MAX_TRACKED, ShardLimits, TranscriptSession};
pub use sketch::binary_kind;
pub use turn::{Details, NonReplyPlace, Record, RecordShape, Skip, TextKind, Turn, TurnRole};

/// Properties of a file that are known before it is read.
#[derive(Debug, Clone, Default)]
pub struct TranscriptOptions {
    /// Container format, if specified. [`Container::Raw`] makes the whole file one reply, unless a
    /// turn separator is set.
    pub container: Option<Container>,
    /// Name or path; only the extension is used. Empty for standard input.
    pub name: String,
    /// `turn_separator` of the settings. Ignored if it is not a valid regular expression.
    pub separator: Option<String>,
    /// Record shapes from the settings.
    pub shapes: Arc<[TranscriptShape]>,
    /// True if the user named the file, so that it is expected to contain replies. False for a
    /// document found in a directory.
    pub is_named: bool,
}

impl TranscriptOptions {
    /// Creates the options for a file of this name from the settings.
    #[must_use]
    pub fn new(settings: &TranscriptSettings, name: impl Into<String>) -> Self {
        Self {
            container: settings.container,
            name: name.into(),
            separator: settings.turn_separator.clone(),
            shapes: Arc::clone(&settings.shapes),
            is_named: false,
        }
    }
}

/// Returns the rules about containers, sessions and the configuration of the runtime, family by
/// family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    [findings::RULES, settings::RULES].into_iter().chain(session::RULES).flatten().copied()
}
