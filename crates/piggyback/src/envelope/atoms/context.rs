//! What the checks of updates share: settings, declarations, and the list that an update is in.

use std::borrow::Cow;
use std::cell::Cell;

use crate::envelope::atoms::Declarations;
use crate::envelope::runtime::built_in;
use mangle_settings::{Consumer, Period, Profile, TranscriptSettings};
use mangle_syntax::lint::Severity;
use mangle_syntax::text::{TextRange, text_len};

/// What updates are judged by.
#[derive(Debug, Clone, Copy)]
pub struct UpdateContext<'a> {
    /// The settings that hold for the file.
    pub settings: &'a TranscriptSettings,
    /// What the program says of predicates; `None` where no program is loaded.
    pub declarations: Option<&'a Declarations>,
    /// The version of the protocol.
    pub profile: Profile,
}

/// What holds for all updates of one list.
#[derive(Debug)]
pub(super) struct ListContext<'a> {
    pub settings: &'a TranscriptSettings,
    pub declarations: Option<&'a Declarations>,
    pub profile: Profile,
    /// Who takes the updates.
    pub consumer_name: &'a str,
    pub consumer: Cow<'a, Consumer>,
    /// Whether the settings or the command line say so, rather than nothing.
    pub is_pinned: bool,
    /// Whether the settings define it, so that its list is deliberate.
    pub is_own_consumer: bool,
    /// Whether a full stop ends an update; `None` where that does not matter.
    pub period: Option<Period>,
    /// Whether the atom becomes a fact: both ends of a state transition do not.
    pub is_asserted: bool,
    /// How many more updates that cannot be read are looked at.
    pub(super) unreadable: Cell<usize>,
}

impl<'a> ListContext<'a> {
    pub(super) fn new(judge: &UpdateContext<'a>) -> Self {
        let UpdateContext { settings, declarations, profile } = *judge;
        let name = settings.consumer.as_deref().unwrap_or("open");
        let runtime = settings.caps.runtime;
        let own = settings.consumers.get(name).or_else(|| built_in(name, runtime));
        let consumer = own.or_else(|| built_in("open", runtime));
        let unconfigured =
            || Consumer { predicates: Vec::new(), prefixes: Vec::new(), max_updates: 0, protected: true };
        let usual = if profile.needs_full_stops() { Period::Required } else { Period::Optional };
        Self {
            settings,
            declarations: declarations.filter(|declarations| !declarations.is_empty()),
            profile,
            consumer_name: name,
            consumer: consumer.map_or_else(|| Cow::Owned(unconfigured()), Cow::Borrowed),
            is_pinned: settings.consumer.is_some(),
            is_own_consumer: settings.consumers.contains_key(name),
            period: Some(settings.atoms.trailing_period.unwrap_or(usual)),
            is_asserted: true,
            unreadable: Cell::new(MOST_UNREADABLE),
        }
    }

    /// How grave it is where only a configured consumer rejects.
    pub(super) fn if_pinned(&self) -> Severity {
        if self.is_pinned { Severity::Error } else { Severity::Warning }
    }
}

/// The bytes of an update without the white space around it.
pub(super) fn trimmed_range(text: &str) -> TextRange {
    let lead = text_len(text) - text_len(text.trim_start());
    TextRange::at(lead, text_len(text.trim()))
}

/// How many updates that cannot be read are looked at in one list.
const MOST_UNREADABLE: usize = 100;
