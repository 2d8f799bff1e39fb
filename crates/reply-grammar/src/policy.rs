//! Inputs that determine the valid envelopes, and the predicates to generate: accepted by the consumer,
//! declared by the program, and not protected.

use mangle_settings::{DecodingSettings, Period, Profile, TranscriptSettings};
use piggyback::envelope::Catalogue;
use piggyback::envelope::atoms::{Declarations, DeclaredPredicate, is_delicate, may_be_offered, offers};
use piggyback::envelope::runtime::{accepts, consumer_of, is_requested};

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

/// The candidates, most relevant first: configured predicates, predicates that replies commonly
/// assert, predicates that rules use.
pub(crate) fn candidates<'d>(policy: &Policy<'d>) -> Vec<&'d DeclaredPredicate> {
    let Policy { declarations, transcripts, decoding, .. } = policy;
    let mut found = offers(declarations, transcripts, &[]);
    found.retain(|declared| !is_delicate(declared.name, &transcripts.atoms));
    let is_new = |declared: &&DeclaredPredicate| !may_be_offered(declared, transcripts);
    let derived: Vec<_> = wanted(declarations, transcripts).filter(is_new).collect();
    found.splice(0..0, derived);
    let place = |declared: &&DeclaredPredicate| {
        let place = decoding.predicates.iter().position(|name| name == declared.name);
        place.unwrap_or(usize::MAX)
    };
    found.sort_by_key(place);
    found
}

/// The predicates that the runtime requests from replies although rules of the program also derive
/// them.
fn wanted<'d>(
    declarations: &'d Declarations,
    settings: &TranscriptSettings,
) -> impl Iterator<Item = &'d DeclaredPredicate> {
    declarations.all().filter(|declared| {
        is_requested(declared.name, settings.caps.runtime)
            && declared.ground.is_none()
            && accepts(consumer_of(settings), declared.name)
            && !is_delicate(declared.name, &settings.atoms)
    })
}
