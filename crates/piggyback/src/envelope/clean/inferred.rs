//! What is said of an envelope whose fields tell its profile, for each set of such fields.

use crate::envelope::fields;
use crate::envelope::profile::Marker;
use mangle_settings::Profile;

/// The fields that only the current version has, in the order in which a message names them.
const FIELDS: [&str; 3] = ["tool_requests", "knowledge_requests", "context_feedback"];

/// Which of the fields that only the current version has are in an envelope.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestFields(u8);

impl RequestFields {
    /// All sets.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..1 << FIELDS.len()).map(Self)
    }

    /// The set of the fields that are there, in the order tools, questions, feedback.
    pub(super) fn new(are_there: [bool; FIELDS.len()]) -> Self {
        Self((0u8..).zip(are_there).map(|(at, is_there)| u8::from(is_there) << at).sum())
    }

    /// Whether it has none of them.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// A set of such sets that has this one alone: a bit.
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

/// The message of each set of fields.
#[derive(Debug)]
pub(super) struct InferredMessages(Vec<String>);

impl InferredMessages {
    pub(super) fn new(profile: Profile) -> Self {
        Self(RequestFields::all().map(|fields| fields::inferred(profile, &fields.markers())).collect())
    }

    /// What is said of an envelope with these fields; nothing where it has none.
    pub(super) fn of(&self, fields: RequestFields) -> Option<&str> {
        let message = self.0.get(usize::from(fields.0)).filter(|_| !fields.is_empty())?;
        Some(message)
    }
}
