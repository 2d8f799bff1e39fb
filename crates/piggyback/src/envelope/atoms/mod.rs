//! Updates: the strings of `mangle_updates`. Each update should be one ground fact of a known
//! predicate.
//!
//! The inputs are the updates of a packet ([`Update`]) and the declarations of the program
//! ([`Declarations`]). The results are findings with ranges and edits in the reply ([`check`]), and
//! each update as a text for editor features ([`atom_text`]). The runtime's own handling of updates
//! is in [`super::runtime`].
//!
//! The checks run in the order of the runtime's own checks. Each cause is reported once: updates
//! with syntax errors are not checked further.

mod arguments;
mod declarations;
mod offers;
mod predicate;
mod read;
mod recogniser;
pub mod rules;
mod suggest;
mod syntax;
#[cfg(test)]
mod tests;
mod update;

pub use declarations::{
    DeclarationPlace, Declarations, DeclaredPredicate, PERMISSION, ParameterNames, PermissionDependency,
    PredicateLookup, Roots, Verb, contradicted_prose,
};
pub use offers::{
    ListedPredicate, is_delicate, is_ephemeral, may_be_offered, may_name_be_offered, offers, protected,
};
pub(super) use recogniser::UpdateRecogniser;
pub use suggest::{Suggestion, suggest};
pub use update::{Update, atom_text};

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Ordering;

use rustc_hash::{FxHashMap, FxHashSet};

use super::edits::quoted;
use super::json::Json;
use super::plain;
use super::runtime::built_in;
use mangle_settings::{Consumer, Period, Profile, TranscriptSettings};
use mangle_syntax::lint::{Finding, Fix, Severity};
use mangle_syntax::text::{TextRange, text_len};
use read::UpdateReading;

/// The title of the fix that deletes an update.
pub const DELETE_UPDATE: &str = "delete the update";

/// The minimum number of updates for a hash lookup instead of pairwise comparison.
const MIN_UPDATES_FOR_HASHING: usize = 16;

/// The maximum number of updates with syntax errors that are parsed with the grammar, per list.
const MAX_UNREADABLE: usize = 100;

/// The consumer that accepts every predicate.
const UNRESTRICTED_CONSUMER: &str = "compressor";

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

/// Reports findings about the updates of a list. Ranges are relative to the start of the reply.
pub fn check(updates: &[Update<'_>], judge: &UpdateContext<'_>, out: &mut Vec<Finding>) {
    let terms = ListContext::new(judge);
    let mut seen = DuplicateFinder::new(updates);
    // Updates with a fix. Equal updates also need the fix, and are duplicates only after all of
    // them are fixed.
    let mut fixable = FxHashSet::default();
    for update in updates {
        match seen.first(update) {
            Some(first) if !fixable.contains(&first.index) => out.push(syntax::duplicate(update, first)),
            _ => {
                let from = out.len();
                check_one(update, &terms, out);
                let found = out.get_mut(from..).unwrap_or_default();
                keep_damage(update, found);
                if found.iter().any(|finding| finding.fix.is_some()) {
                    fixable.insert(update.index);
                }
            }
        }
    }
    syntax::limit(updates, &terms, out);
}

/// Removes the fixes for a string that is not valid JSON, because every byte next to an error may
/// determine its end.
fn keep_damage(update: &Update<'_>, found: &mut [Finding]) {
    if found.iter().any(|finding| finding.fix.is_some()) && !update.is_json() {
        found.iter_mut().for_each(|finding| finding.fix = None);
    }
}

/// Reports findings about one end of a state transition.
///
/// This atom is not asserted, so its final period and its consumer are not checked.
pub fn check_transition(atom: &Update<'_>, judge: &UpdateContext<'_>, out: &mut Vec<Finding>) {
    let mut terms = ListContext::new(judge);
    terms.period = None;
    terms.is_asserted = false;
    terms.consumer =
        built_in(UNRESTRICTED_CONSUMER, terms.settings.caps.runtime).map_or(terms.consumer, Cow::Borrowed);
    let from = out.len();
    check_one(atom, &terms, out);
    let found = out.get_mut(from..).unwrap_or_default();
    keep_damage(atom, found);
    // An update can be deleted from its list, but the value of a member cannot.
    for finding in found {
        finding.fix = finding.fix.take().filter(|fix| !deletes_update(fix, atom));
    }
}

/// True if a fix deletes the whole update with its quotes.
fn deletes_update(fix: &Fix, update: &Update<'_>) -> bool {
    fix.edits.iter().any(|edit| edit.text.is_empty() && edit.span.range.contains_range(update.range))
}

/// True if a text would be an update without errors that the runtime keeps.
#[must_use]
pub fn is_sound(text: &str, judge: &UpdateContext<'_>) -> bool {
    // Rules about updates require a JSON string.
    let literal = quoted(text);
    let json = Json::parse(literal.as_bytes());
    let Some(update) = Update::new(&json, json.root(), 0) else { return false };
    let mut found = Vec::new();
    check(&[update], judge, &mut found);
    let severity = |finding: &Finding| finding.severity.or(finding.rule.severity);
    !found.iter().any(|finding| severity(finding) == Some(Severity::Error) || drops_update(finding))
}

/// True if a finding reports that the runtime drops an update because its final period is missing.
fn drops_update(finding: &Finding) -> bool {
    finding.rule == &rules::NO_PERIOD && finding.severity.is_none()
}

/// A search for updates that repeat an earlier update.
enum DuplicateFinder<'u, 't> {
    /// The updates of a short list, compared pairwise.
    Few(&'u [Update<'t>]),
    /// The previous updates of a long list, by text.
    Many(FxHashMap<&'u str, &'u Update<'t>>),
}

impl<'u, 't> DuplicateFinder<'u, 't> {
    fn new(updates: &'u [Update<'t>]) -> Self {
        match updates.len() {
            0..MIN_UPDATES_FOR_HASHING => Self::Few(updates),
            _ => Self::Many(FxHashMap::default()),
        }
    }

    /// Returns the first update with the same text, if it is another update.
    fn first(&mut self, update: &'u Update<'t>) -> Option<&'u Update<'t>> {
        let text = update.text.trim();
        if text.is_empty() {
            return None;
        }
        match self {
            Self::Few(updates) => {
                let earlier = updates.iter().take_while(|other| !std::ptr::eq(*other, update));
                earlier.into_iter().find(|other| match other.text.len().cmp(&text.len()) {
                    Ordering::Less => false,
                    Ordering::Equal => other.text == text,
                    Ordering::Greater => other.text.trim() == text,
                })
            }
            Self::Many(seen) => {
                let first = *seen.entry(text).or_insert(update);
                (!std::ptr::eq(first, update)).then_some(first)
            }
        }
    }
}

fn check_one(update: &Update<'_>, terms: &ListContext<'_>, out: &mut Vec<Finding>) {
    let text = update.text.as_ref();
    let trimmed = text.trim();
    if trimmed.is_empty() {
        out.push(syntax::blank(update));
        return;
    }
    out.extend(syntax::padded(update, trimmed));
    if trimmed.len() > terms.settings.caps.update() {
        out.push(syntax::too_long(update, trimmed, terms.settings.caps.update()));
        return;
    }
    let has_meta = syntax::metacharacters(update, terms.settings.caps.runtime, out);
    if syntax::refused(update, trimmed, out) {
        return;
    }
    // Parsing with the grammar is expensive, so it stops after a fixed number of findings.
    if terms.unreadable.get() == 0 && plain::read(text).is_none() {
        return;
    }
    let fact = match read::read(text) {
        UpdateReading::Fact(fact) => fact,
        UpdateReading::Statement(range) => {
            out.push(syntax::statement(update, range));
            return;
        }
        UpdateReading::Unreadable(findings) => {
            terms.unreadable.update(|left| left.saturating_sub(1));
            // The syntax error may be caused by one of the shell characters.
            if !has_meta {
                syntax::unreadable(update, &findings, terms, out);
            }
            return;
        }
    };
    out.extend(syntax::period(update, trimmed, &fact, terms));
    if syntax::others(update, &fact, out) {
        return;
    }
    let known = predicate::check(update, &fact, terms, out);
    arguments::check(update, &fact, known, terms, out);
}

/// The context that all updates of one list share.
#[derive(Debug)]
struct ListContext<'a> {
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
fn trimmed_range(text: &str) -> TextRange {
    let lead = text_len(text) - text_len(text.trim_start());
    TextRange::at(lead, text_len(text.trim()))
}
