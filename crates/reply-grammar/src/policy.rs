//! What decides which envelopes there may be.

use mangle_settings::{DecodingSettings, Period, Profile, TranscriptSettings};
use piggyback::envelope::Catalogue;
use piggyback::envelope::atoms::Declarations;
use piggyback::envelope::runtime::consumer_of;

/// What decides which envelopes there may be.
#[derive(Debug, Clone, Copy)]
pub struct Policy<'a> {
    /// What the program says of predicates.
    pub declarations: &'a Declarations,
    /// The consumer and the limits of the runtime.
    pub transcripts: &'a TranscriptSettings,
    /// How long the parts of an envelope may be.
    pub decoding: &'a DecodingSettings,
    /// The version of the protocol.
    pub profile: Profile,
    /// The tools that may be requested; `None` if they are not known.
    pub tools: Option<&'a Catalogue>,
}

impl Policy<'_> {
    /// The name of the consumer.
    #[must_use]
    pub fn consumer(&self) -> &str {
        self.transcripts.consumer.as_deref().unwrap_or("open")
    }

    /// How many updates an envelope may have.
    #[must_use]
    pub fn most_updates(&self) -> u32 {
        let consumer = consumer_of(self.transcripts).max_updates;
        let limits = [consumer, self.transcripts.caps.updates()].into_iter().filter(|limit| *limit > 0);
        let limits = limits.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX));
        limits.fold(self.decoding.updates, u32::min)
    }

    /// The length of a text, with a limit of the runtime in bytes: no character has more than four.
    #[must_use]
    pub(crate) fn length(&self, wanted: u32, cap: usize) -> u32 {
        match cap {
            0 => wanted,
            cap => wanted.min(u32::try_from(cap / 4).unwrap_or(u32::MAX)).max(1),
        }
    }

    /// Whether updates end in a full stop.
    #[must_use]
    pub(crate) fn has_full_stops(&self) -> bool {
        self.transcripts.atoms.trailing_period != Some(Period::Forbidden)
    }
}
