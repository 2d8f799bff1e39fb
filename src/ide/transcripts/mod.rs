//! Transcripts in an editor: what is found in them, and one file a feature.
//!
//! Takes the text of a transcript, its settings and the programs that it goes with; gives plain data with byte ranges of
//! the file. [`Records`] keeps from edit to edit what is known of each record, [`outline`] is what can be seen of it;
//! Mangle inside a transcript ([`MangleText`]) is looked at by the features for Mangle files.

mod atom;
mod comments;
mod fields;
pub mod folding;
pub mod hints;
pub mod hover;
mod judge;
pub mod links;
mod members;
pub mod outline;
mod records;
pub mod references;
pub mod split;
mod spot;
pub mod symbols;
#[cfg(test)]
mod tests;
pub mod tokens;
mod whole;

pub use atom::{MangleText, NOWHERE, escaped, escaped_snippet};
pub use comments::{Comments, MAX_COMMENTED};
pub use judge::{Judge, RecordFindings, TranscriptCheck};
pub use records::{Entry, Kept, Records};
pub use whole::diagnostics;

use crate::config::TranscriptSettings;

/// A transcript as features see it. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct Opened<'a> {
    /// Its records.
    pub records: &'a Records,
    /// The settings that hold for it.
    pub settings: &'a TranscriptSettings,
}
