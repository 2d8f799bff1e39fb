//! Inputs that determine the valid envelopes.

use mangle_settings::{DecodingSettings, Period, Profile, TranscriptSettings};
use piggyback::envelope::Catalogue;
use piggyback::envelope::atoms::Declarations;
use piggyback::envelope::runtime::consumer_of;

/// The inputs that determine the valid envelopes.
#[derive(Debug, Clone, Copy)]
pub struct Policy<'a> {
    /// The declarations of the program.
    pub declarations: &'a Declarations,
    /// The consumer and the limits of the runtime.
    pub transcripts: &'a TranscriptSettings,
    /// The maximum lengths of the parts of an envelope.
    pub decoding: &'a DecodingSettings,
    /// The protocol version.
    pub profile: Profile,
    /// The tools that can be requested; `None` if unknown.
    pub tools: Option<&'a Catalogue>,
}

impl Policy<'_> {
    /// The name of the consumer.
    #[must_use]
    pub fn consumer(&self) -> &str {
        self.transcripts.consumer.as_deref().unwrap_or("open")
    }

    /// The maximum number of updates of an envelope.
    #[must_use]
    pub fn most_updates(&self) -> u32 {
        let consumer = consumer_of(self.transcripts).max_updates;
        let limits = [consumer, self.transcripts.caps.updates()].into_iter().filter(|limit| *limit > 0);
        let limits = limits.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX));
        limits.fold(self.decoding.updates, u32::min)
    }

    /// The length of a text in characters within a byte limit of the runtime. Assumes four bytes
    /// for each character.
    #[must_use]
    pub(crate) fn length(&self, wanted: u32, cap: usize) -> u32 {
        match cap {
            0 => wanted,
            cap => wanted.min(u32::try_from(cap / 4).unwrap_or(u32::MAX)).max(1),
        }
    }

    /// True if updates end with a period.
    #[must_use]
    pub(crate) fn has_full_stops(&self) -> bool {
        self.transcripts.atoms.trailing_period != Some(Period::Forbidden)
    }
}
