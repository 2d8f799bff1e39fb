//! The context of checks of updates: settings, declarations, and the list of the update.

use std::borrow::Cow;
use std::cell::Cell;

use crate::envelope::atoms::Declarations;
use crate::envelope::runtime::built_in;
use mangle_settings::{Consumer, Period, Profile, TranscriptSettings};
use mangle_syntax::lint::Severity;
use mangle_syntax::text::{TextRange, text_len};

/// The context for checks of updates.
#[derive(Debug, Clone, Copy)]
pub struct UpdateContext<'a> {
    /// The settings of the file.
    pub settings: &'a TranscriptSettings,
    /// The declarations of the program. `None` if no program is loaded.
    pub declarations: Option<&'a Declarations>,
    /// The version of the protocol.
    pub profile: Profile,
}

/// The context that all updates of one list share.
#[derive(Debug)]
pub(super) struct ListContext<'a> {
    pub settings: &'a TranscriptSettings,
    pub declarations: Option<&'a Declarations>,
    pub profile: Profile,
    /// The name of the consumer of the updates.
    pub consumer_name: &'a str,
    pub consumer: Cow<'a, Consumer>,
    /// True if the settings or the command line select the consumer.
    pub is_pinned: bool,
    /// True if the settings define the consumer, so that its list is deliberate.
    pub is_own_consumer: bool,
    /// The requirement for a final period. `None` disables the check.
    pub period: Option<Period>,
    /// True if the atom becomes a fact. False for both ends of a state transition.
    pub is_asserted: bool,
    /// The remaining number of updates with syntax errors that are parsed with the grammar.
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
            unreadable: Cell::new(MAX_UNREADABLE),
        }
    }

    /// Returns the severity of a rejection by the consumer: an error only if a consumer is
    /// selected.
    pub(super) fn if_pinned(&self) -> Severity {
        if self.is_pinned { Severity::Error } else { Severity::Warning }
    }
}

/// Returns the range of an update without surrounding white space.
pub(super) fn trimmed_range(text: &str) -> TextRange {
    let lead = text_len(text) - text_len(text.trim_start());
    TextRange::at(lead, text_len(text.trim()))
}

/// The maximum number of updates with syntax errors that are parsed with the grammar, per list.
const MAX_UNREADABLE: usize = 100;
