//! The messages about an inferred profile, for each set of fields that determine it.

use crate::envelope::fields;
use crate::envelope::profile::Marker;
use mangle_settings::Profile;

/// The fields of the current version only, in the order of messages.
const FIELDS: [&str; 3] = ["tool_requests", "knowledge_requests", "context_feedback"];

/// A set of the fields that only the current version has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestFields(u8);

impl RequestFields {
    /// Returns all sets.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..1 << FIELDS.len()).map(Self)
    }

    /// Creates a set, in the order tools, questions, feedback.
    pub(super) fn new(are_there: [bool; FIELDS.len()]) -> Self {
        Self((0u8..).zip(are_there).map(|(at, is_there)| u8::from(is_there) << at).sum())
    }

    /// True if the set is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns a bit that identifies this set in a set of sets.
    #[must_use]
    pub fn bit(self) -> u8 {
        1 << self.0
    }

    fn markers(self) -> Vec<Marker> {
        let is_there = |at: usize| self.0 & (1 << at) != 0;
        FIELDS
            .iter()
            .enumerate()
            .filter(|(at, _)| is_there(*at))
            .map(|(_, name)| Marker::Member(name))
            .collect()
    }
}

/// The message for each set of fields.
#[derive(Debug)]
pub(super) struct InferredMessages(Vec<String>);

impl InferredMessages {
    pub(super) fn new(profile: Profile) -> Self {
        Self(RequestFields::all().map(|fields| fields::inferred(profile, &fields.markers())).collect())
    }

    /// Returns the message for an envelope with these fields. `None` for the empty set.
    pub(super) fn get(&self, fields: RequestFields) -> Option<&str> {
        let message = self.0.get(usize::from(fields.0)).filter(|_| !fields.is_empty())?;
        Some(message)
    }
}
