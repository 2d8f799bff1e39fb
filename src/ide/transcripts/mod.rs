//! Transcripts: what is found in them and silenced, the same for the editor and the command line; and what an editor shows,
//! one file a feature.
//!
//! Takes records as `transcript` gives them or a whole text, settings and the programs that it goes with; gives diagnostics
//! and plain data with byte ranges of the file. A member `x_mangle_ls_ignore` silences what is found in its object, a
//! comment `<!-- mangle-ls: ignore NAME -->` what stands behind it. [`Records`] keeps from edit to edit what is known of each record, [`outline`] is what can be seen of it;
//! Mangle inside a transcript ([`MangleText`]) is looked at by the features for Mangle files.

mod atom;
mod comments;
pub mod completion;
mod cursor;
mod fenced;
mod fences;
mod fields;
pub mod folding;
pub mod hints;
pub mod hover;
mod judge;
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
pub use comments::{Comments, MAX_COMMENTED};
pub use cursor::profile_at;
pub use fences::has_mangle;
pub use judge::{ExaminedRecord, Judge, RecordExaminer, RecordFindings, TranscriptCheck};
pub use records::{Entry, Records};
pub use silence::{Scope, silence};
pub use whole::{diagnostics, diagnostics_of, of_fences};

use self::outline::{AtomOutline, ReplyOutline};
use super::replays::TranscriptVerdicts;
use mangle_settings::TranscriptSettings;
use piggyback::envelope::account::{Tally, UpdateFate};
use piggyback::envelope::atoms::Declarations;

/// A transcript as features see it. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct Opened<'a> {
    /// Its records.
    pub records: &'a Records,
    /// The settings that hold for it.
    pub settings: &'a TranscriptSettings,
    /// What the policies around it declare; `None` where there are none, or it was not requested.
    pub declarations: Option<&'a Declarations>,
    /// What a replay said of it.
    pub verdicts: Option<&'a TranscriptVerdicts>,
}

impl<'a> Opened<'a> {
    /// A transcript without policies.
    #[must_use]
    pub fn new(records: &'a Records, settings: &'a TranscriptSettings) -> Self {
        Self { records, settings, declarations: None, verdicts: None }
    }

    /// What becomes of an update of a turn.
    #[must_use]
    pub fn fate(self, entry: &Entry, outline: &ReplyOutline, atom: &AtomOutline) -> UpdateFate {
        let fate = atom.fate.clone().judged(self.declarations);
        let denial = self.verdicts.and_then(|verdicts| verdicts.denial(self.records, entry, outline.range));
        match denial {
            Some(is_replaced) => fate.denied(is_replaced),
            None => fate,
        }
    }

    /// How many updates of the envelope that the runtime takes from a turn came to what end.
    #[must_use]
    pub fn tally(self, entry: &Entry, outline: &ReplyOutline) -> Tally {
        let picked = outline.envelopes.iter().filter(|envelope| envelope.is_picked);
        let mut tally = Tally::default();
        picked.flat_map(|one| &one.atoms).for_each(|atom| tally.add(&self.fate(entry, outline, atom)));
        tally
    }
}
