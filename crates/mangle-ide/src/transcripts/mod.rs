//! Transcripts: findings and suppression, shared by the language server and the command line, and
//! editor features, one file per feature.
//!
//! The input consists of records from `transcript` or a whole text, settings, and the related
//! programs. The output contains diagnostics and plain data with byte ranges of the file.
//!
//! A member `x_mangle_ls_ignore` silences findings in its object. A comment
//! `<!-- mangle-ls: ignore NAME -->` silences findings in the following block.
//!
//! [`Records`] caches the analysis of each record across edits, and [`outline`] extracts the
//! visible structure. Mangle text inside a transcript ([`MangleText`]) uses the features of Mangle
//! files.

mod atom;
mod checker;
mod comments;
pub mod completion;
mod cursor;
mod fenced;
mod fences;
mod fields;
pub mod folding;
pub mod hints;
pub mod hover;
pub mod links;
pub(super) mod members;
pub mod outline;
mod records;
pub mod references;
mod silence;
pub mod split;
pub mod symbols;
#[cfg(test)]
mod tests;
pub mod tokens;
mod whole;

pub use atom::{MangleText, NOWHERE, escaped, escaped_snippet};
pub use checker::{ExaminedRecord, RecordExaminer, RecordFindings, TranscriptChecker, TranscriptContext};
pub use comments::{Comments, MAX_COMMENTED};
pub use cursor::profile_at;
pub use fences::has_mangle;
pub use records::{Entry, Records};
pub use silence::{Scope, silence};
pub use whole::{diagnostics, diagnostics_of, of_fences};

use self::outline::{AtomOutline, ReplyOutline};
use super::replays::TranscriptVerdicts;
use mangle_settings::TranscriptSettings;
use piggyback::envelope::account::{Tally, UpdateFate};
use piggyback::envelope::atoms::Declarations;

/// A transcript, as passed to features. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct TranscriptView<'a> {
    pub records: &'a Records,
    pub settings: &'a TranscriptSettings,
    /// Declarations of the surrounding policies. `None` if missing or not requested.
    pub declarations: Option<&'a Declarations>,
    /// Verdicts of a replay.
    pub verdicts: Option<&'a TranscriptVerdicts>,
}

impl<'a> TranscriptView<'a> {
    /// Creates a transcript without policies.
    #[must_use]
    pub fn new(records: &'a Records, settings: &'a TranscriptSettings) -> Self {
        Self { records, settings, declarations: None, verdicts: None }
    }

    #[must_use]
    pub fn outcome(self, entry: &Entry, outline: &ReplyOutline, atom: &AtomOutline) -> UpdateFate {
        let fate = atom.fate.clone().with_declarations(self.declarations);
        let denial = self.verdicts.and_then(|verdicts| verdicts.denial(self.records, entry, outline.range));
        match denial {
            Some(is_replaced) => fate.denied(is_replaced),
            None => fate,
        }
    }

    /// Counts the outcomes of the updates in the envelope that the runtime takes from a turn.
    #[must_use]
    pub fn tally(self, entry: &Entry, outline: &ReplyOutline) -> Tally {
        let picked = outline.envelopes.iter().filter(|envelope| envelope.is_picked);
        let mut tally = Tally::default();
        picked.flat_map(|one| &one.atoms).for_each(|atom| tally.add(&self.outcome(entry, outline, atom)));
        tally
    }
}
