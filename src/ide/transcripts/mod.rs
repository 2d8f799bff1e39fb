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
mod spot;
pub mod symbols;
#[cfg(test)]
mod tests;
pub mod tokens;
mod whole;

pub use atom::{MangleText, NOWHERE, escaped, escaped_snippet};
pub use comments::{Comments, MAX_COMMENTED};
pub use fences::has_mangle;
pub use judge::{Judge, RecordFindings, TranscriptCheck};
pub use records::{Entry, Records};
pub use silence::{Scope, silence};
pub use spot::profile_at;
pub use whole::{diagnostics, diagnostics_of, of_fences};

use crate::config::TranscriptSettings;

/// A transcript as features see it. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct Opened<'a> {
    /// Its records.
    pub records: &'a Records,
    /// The settings that hold for it.
    pub settings: &'a TranscriptSettings,
}
