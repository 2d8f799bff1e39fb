//! Selection of predicates to generate: accepted by the consumer, declared by the program, and not
//! protected.

use mangle_settings::TranscriptSettings;
use piggyback::envelope::atoms::{Declarations, DeclaredPredicate, is_delicate, may_be_offered, offers};
use piggyback::envelope::runtime::{accepts, consumer_of, is_requested};

use crate::policy::Policy;

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
