//! Transcripts: files that replies of an agent were captured in, whatever keeps them there.
//!
//! Takes bytes, all at once ([`Transcript`]) or as they come ([`TranscriptReader`]); gives records, in them turns, and of each
//! turn its text with the place of every byte of it. Knows each kind of container, what came before in the session,
//! and nothing of what an envelope should look like. Opens no files.

mod address;
mod batch;
#[cfg(test)]
mod batch_tests;
mod binary;
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
mod finding;
mod findings;
#[cfg(test)]
mod fix_properties;
#[cfg(test)]
mod formats_tests;
mod harness;
mod hash;
pub mod labels;
mod line_border;
mod line_end;
mod lines;
mod log;
mod loose_updates;
mod majority;
mod markdown;
#[cfg(test)]
mod native_calls_tests;
mod placement;
mod plain;
#[cfg(test)]
mod properties;
mod read_record;
mod read_terms;
mod reader;
mod record;
mod record_shape;
mod record_splitter;
#[cfg(test)]
mod relatives_tests;
mod repetitions;
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

pub use address::Address;
pub use batch::{Batch, EachTaken, ReadBatch};
pub use binary::kind as binary_kind;
pub use check::{Checker, RecordCheck, RecordChecker, check, check_reply, check_with, place};
pub use digest::{Digest, TurnSite};
pub use document::{Body, DocumentRecord, Transcript, TurnPosition};
pub use finding::TranscriptFinding;
pub use findings::{
    BAD_RECORD, EMPTY_REPLY, INVALID_UTF8, MIXED_CONTAINER, NO_REPLY_FOUND, NOT_A_REPLY, OPEN_FENCE,
    PREVIEW_ONLY, REPLY_NOT_READ, UNKNOWN_FORMAT,
};
pub use placement::fix as carried;
pub use reader::{LONGEST_DOCUMENT, LONGEST_RECORD, ReadSummary, TranscriptReader};
pub use record_shape::RecordShape;
pub use session::{Limits, MOST_KNOWN, MOST_SHOWN, ShardLimits, TranscriptSession};
pub use turn::{Details, Record, Skip, TextKind, Turn, TurnRole, Unsaid};

use std::sync::Arc;

pub use mangle_settings::Container;
use mangle_settings::{TranscriptSettings, TranscriptShape};
use mangle_syntax::lint::Rule;

/// What is known of a file before its first byte is read.
#[derive(Debug, Clone, Default)]
pub struct TranscriptOptions {
    /// Its container, where somebody named it. [`Container::Raw`] makes one reply of all of it, unless a separator
    /// of turns is set.
    pub container: Option<Container>,
    /// Its name or path, of which only the end counts; empty for standard input.
    pub name: String,
    /// `turn_separator` of the settings. One that is no regular expression separates nothing.
    pub separator: Option<String>,
    /// The shapes of records that the settings declare.
    pub shapes: Arc<[TranscriptShape]>,
    /// Whether the file was named, so that replies are expected in it; a document that lies among transcripts has none.
    pub is_named: bool,
}

impl TranscriptOptions {
    /// What settings say of a file of this name.
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

/// The rules about containers, sessions and the configuration of the runtime, a list a family.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    [findings::RULES, settings::RULES].into_iter().chain(session::RULES).flatten().copied()
}
